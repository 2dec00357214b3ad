//! Groups of contacts: those that people fill, and those that conditions fill.

use crate::conditions::{
    Comparison, Filters, Origin, ReadCondition, Refused, Subject, TEXT_BYTES_MAX, Takes, here,
};
use crate::vars::items_of;
use crate::{ConversationStatus, Vars};
use postrider_model::{ContactId, GroupId, ProjectId, UnixMs};
use serde_json::Value as Json;

/// Most groups that one condition names.
const GROUPS_MAX: usize = 20;
/// Most words that are searched for.
const WORDS_MAX: usize = 10;

/// A group of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its id.
    pub id: GroupId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// Its name, of which there is one in a project.
    pub name: String,
    /// What its contacts have in common; `None` for one that people fill.
    pub filters: Option<GroupFilters>,
    /// How many contacts people have put into it.
    pub num_members: i64,
    /// When it was made.
    pub time_created: UnixMs,
    /// Whether messages may be sent to it.
    pub allow_sending: bool,
    /// The contact variable that gets the moment of joining, where it is empty.
    pub add_time_variable: Option<String>,
    /// The caller's own variables.
    pub vars: Vars,
}

impl Group {
    /// Makes a group that nobody is in.
    pub fn new(id: GroupId, project_id: ProjectId, name: &str, now: UnixMs) -> Self {
        Self {
            id,
            project_id,
            name: name.to_owned(),
            filters: None,
            num_members: 0,
            time_created: now,
            allow_sending: true,
            add_time_variable: None,
            vars: Vars::default(),
        }
    }

    /// Says whether conditions fill it.
    pub fn is_dynamic(&self) -> bool {
        self.filters.is_some()
    }
}

/// What a condition looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactSubject {
    /// A custom variable.
    Variable(String),
    /// The contact itself.
    Id,
    /// Its name.
    Name,
    /// Its number.
    PhoneNumber,
    /// When it was made.
    TimeCreated,
    /// When it was changed last.
    TimeUpdated,
    /// How many messages came from it.
    IncomingMessageCount,
    /// How many messages went to it.
    OutgoingMessageCount,
    /// When the last message came from it.
    LastIncomingMessageTime,
    /// When the last message went to it.
    LastOutgoingMessageTime,
    /// Whether somebody still has to answer.
    ConversationStatus,
    /// Whether nothing may be sent to it.
    SendBlocked,
}

impl Subject for ContactSubject {
    const UNKNOWN: &'static str = "is not a filter of contacts";

    fn variable(name: &str) -> Self {
        Self::Variable(name.to_owned())
    }

    fn named(key: &str) -> Option<Self> {
        Some(match key {
            "id" => Self::Id,
            "name" => Self::Name,
            "phone_number" => Self::PhoneNumber,
            "time_created" => Self::TimeCreated,
            "time_updated" => Self::TimeUpdated,
            "incoming_message_count" => Self::IncomingMessageCount,
            "outgoing_message_count" => Self::OutgoingMessageCount,
            "last_incoming_message_time" => Self::LastIncomingMessageTime,
            "last_outgoing_message_time" => Self::LastOutgoingMessageTime,
            "conversation_status" => Self::ConversationStatus,
            "send_blocked" => Self::SendBlocked,
            _ => return None,
        })
    }

    fn takes(&self) -> Takes {
        match self {
            Self::Variable(_) => Takes::Any,
            Self::Name => Takes::Text,
            Self::PhoneNumber => Takes::Address,
            Self::Id => Takes::Key {
                read: |text| text.parse().ok().map(ContactId::get),
                rule: "must be the id of a contact",
                ordered: true,
            },
            Self::IncomingMessageCount | Self::OutgoingMessageCount => Takes::Whole,
            Self::TimeCreated
            | Self::TimeUpdated
            | Self::LastIncomingMessageTime
            | Self::LastOutgoingMessageTime => Takes::Time,
            Self::ConversationStatus => Takes::Key {
                read: |text| text.parse().ok().map(ConversationStatus::code),
                rule: "must be one of: active, handled, closed",
                ordered: false,
            },
            Self::SendBlocked => Takes::Flag,
        }
    }
}

/// One condition; all of a group hold together.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Something of the contact compares with a value.
    Compares(Comparison<ContactSubject>),
    /// It is in a group that people fill.
    In(GroupId),
    /// It is not in a group that people fill.
    NotIn(GroupId),
    /// All of these words are in its name, its number or its variables.
    Words(Vec<String>),
}

/// The conditions of a dynamic group.
pub type GroupFilters = Filters<Condition>;

impl GroupFilters {
    /// Returns the groups that the conditions name.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> + '_ {
        self.conditions()
            .iter()
            .filter_map(|condition| match condition {
                Condition::In(id) | Condition::NotIn(id) => Some(*id),
                Condition::Compares(_) | Condition::Words(_) => None,
            })
    }
}

impl ReadCondition for Condition {
    fn read(key: &str, value: &Json, origin: Origin, out: &mut Vec<Self>) -> Result<(), Refused> {
        match key {
            "group" => read_groups(value, Self::In, out),
            "not_group" => read_groups(value, Self::NotIn, out),
            "q" => {
                let text = value.as_str().ok_or_else(|| here("must be a text"))?;
                let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                if words.is_empty() || words.len() > WORDS_MAX || text.len() > TEXT_BYTES_MAX {
                    return Err(here("must have 1 to 10 words"));
                }
                out.push(Self::Words(words));
                Ok(())
            }
            key => {
                let mut comparisons = Vec::new();
                Comparison::read(key, value, origin, &mut comparisons)?;
                out.extend(comparisons.into_iter().map(Self::Compares));
                Ok(())
            }
        }
    }
}

fn read_groups(
    value: &Json,
    condition: fn(GroupId) -> Condition,
    out: &mut Vec<Condition>,
) -> Result<(), Refused> {
    let ids = items_of(value).unwrap_or_else(|| vec![value]);
    if ids.is_empty() || ids.len() > GROUPS_MAX {
        return Err(here("must name 1 to 20 groups"));
    }
    for id in ids {
        let id = id.as_str().and_then(|text| text.parse().ok());
        out.push(condition(
            id.ok_or_else(|| here("is not the id of a group"))?,
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(json: Json) -> String {
        GroupFilters::parse(&json).unwrap_err().place
    }

    #[test]
    fn each_key_takes_its_values_and_comparisons() {
        let json = json!({
            "vars.city": "Oslo",
            "vars": {"age": {"gte": 18, "lt": 65}, "note": {"exists": true}},
            "id": {"ne": "CT0000000000000001"},
            "name": {"prefix": "a"},
            "phone_number": {"prefix": "+1500"},
            "time_created": {"gte": 5, "lt": "9"},
            "incoming_message_count": {"gt": 0},
            "last_outgoing_message_time": {"not_exists": 1},
            "conversation_status": "active",
            "send_blocked": false,
            "group": "CG0000000000000002",
            "not_group": ["CG0000000000000003", "CG0000000000000004"],
            "q": "two words",
        });
        let filters = GroupFilters::parse(&json).unwrap();
        assert_eq!(filters.conditions().len(), 17);
        assert_eq!(filters.groups().count(), 3);
        assert_eq!(filters.to_value(), json);
        let text = filters.to_value().to_string();
        assert_eq!(GroupFilters::from_json(&text), Some(filters));
        let of_a_form =
            json!({"not_group": {"1": "CG0000000000000004", "0": "CG0000000000000003"}});
        let filters = GroupFilters::parse(&of_a_form).unwrap();
        assert_eq!(filters.groups().count(), 2);
    }

    #[test]
    fn what_cannot_be_taken_is_named() {
        for (json, place) in [
            (json!([]), ""),
            (json!({}), ""),
            (json!({"shoe_size": 5}), "[shoe_size]"),
            (json!({"name": {"like": "a"}}), "[name][like]"),
            (json!({"name": {}}), "[name]"),
            (json!({"name": null}), "[name]"),
            (json!({"vars.a b": 1}), "[vars.a b]"),
            (json!({"vars": {"x": {"gte": []}}}), "[vars][x][gte]"),
            (json!({"vars": 5}), "[vars]"),
            (
                json!({"time_created": {"prefix": 1}}),
                "[time_created][prefix]",
            ),
            (json!({"time_created": "yesterday"}), "[time_created]"),
            (
                json!({"conversation_status": {"gt": "active"}}),
                "[conversation_status][gt]",
            ),
            (json!({"send_blocked": "maybe"}), "[send_blocked]"),
            (json!({"group": "CT0000000000000002"}), "[group]"),
            (json!({"group": []}), "[group]"),
            (json!({"q": " "}), "[q]"),
            (json!({"vars.": "x"}), "[vars.]"),
            (json!({"vars": {"": {"exists": false}}}), "[vars][]"),
        ] {
            assert_eq!(refused(json.clone()), place, "{json}");
        }
    }

    #[test]
    fn what_says_nothing_is_refused_of_a_caller_and_read_where_it_is_stored() {
        for (json, place) in [
            (json!({"phone_number": ""}), "[phone_number]"),
            (
                json!({"phone_number": {"prefix": ""}}),
                "[phone_number][prefix]",
            ),
            (json!({"phone_number": {"ne": "+"}}), "[phone_number][ne]"),
            (json!({"phone_number": "( - )"}), "[phone_number]"),
            (json!({"name": {"gte": " \u{a0}"}}), "[name][gte]"),
            (json!({"name": "x", "vars": {}}), "[vars]"),
            (json!({"vars.city": {"ne": ""}}), "[vars.city][ne]"),
            (json!({"vars": {"city": "\t"}}), "[vars][city]"),
        ] {
            assert_eq!(refused(json.clone()), place, "{json}");
            let stored = GroupFilters::from_json(&json.to_string());
            assert_eq!(stored.unwrap().to_value(), json);
        }
        for json in [
            json!({"name": "!"}),
            json!({"phone_number": {"prefix": "+1"}}),
        ] {
            assert!(GroupFilters::parse(&json).is_ok(), "{json}");
        }
    }
}
