//! Groups of contacts: those that people fill, and those that conditions fill.

use crate::code::coded;
use crate::vars::items_of;
use crate::{ConversationStatus, Vars, is_variable};
use postrider_model::{ContactId, GroupId, ProjectId, UnixMs};
use serde_json::{Map, Value as Json};
use std::fmt;

/// Most conditions of a dynamic group.
const CONDITIONS_MAX: usize = 50;
/// Longest text of a condition, in bytes.
const TEXT_BYTES_MAX: usize = 4096;
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

coded! {
    /// How a condition compares.
    Compare {
        /// Equal.
        Eq = "eq" / 1,
        /// Not equal, or not there.
        Ne = "ne" / 2,
        /// Begins with.
        Prefix = "prefix" / 3,
        /// At least.
        Gte = "gte" / 4,
        /// Below.
        Lt = "lt" / 5,
        /// Above.
        Gt = "gt" / 6,
        /// At most.
        Lte = "lte" / 7,
        /// Is there.
        Exists = "exists" / 8,
        /// Is not there.
        NotExists = "not_exists" / 9,
    }
}

/// What a condition looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
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

/// What a condition compares with.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// A text; of a variable, compared by letters.
    Text(String),
    /// A number; of a variable, compared as numbers.
    Number(f64),
    /// A whole number, a key or a code.
    Whole(i64),
    /// A moment.
    Time(UnixMs),
    /// A truth value.
    Flag(bool),
}

/// One condition; all of a group hold together.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Something of the contact compares with a value.
    Compares {
        /// What.
        subject: Subject,
        /// How.
        compare: Compare,
        /// With what.
        term: Term,
    },
    /// It is in a group that people fill.
    In(GroupId),
    /// It is not in a group that people fill.
    NotIn(GroupId),
    /// All of these words are in its name, its number or its variables.
    Words(Vec<String>),
}

/// The conditions of a dynamic group, as they were given and as they are meant.
#[derive(Clone, PartialEq)]
pub struct GroupFilters {
    json: Map<String, Json>,
    conditions: Vec<Condition>,
}

impl fmt::Debug for GroupFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.json.keys()).finish()
    }
}

/// Says which condition breaks which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidFilters {
    /// The place, as a parameter is named behind `filters`: `[name][gte]`.
    pub place: String,
    /// The rule.
    pub rule: &'static str,
}

impl fmt::Display for InvalidFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule)
    }
}

impl std::error::Error for InvalidFilters {}

impl GroupFilters {
    /// Reads conditions as callers give them: an object of keys, each with a value or an object of
    /// comparisons.
    ///
    /// # Errors
    /// [`InvalidFilters`] with the place of the first that cannot be taken.
    pub fn parse(json: &Json) -> Result<Self, InvalidFilters> {
        let at_all = |rule| InvalidFilters {
            place: String::new(),
            rule,
        };
        let Json::Object(members) = json else {
            return Err(at_all("must be an object"));
        };
        let mut conditions = Vec::new();
        for (key, value) in members {
            let refused = |(place, rule)| InvalidFilters {
                place: format!("[{}]{place}", key.chars().take(64).collect::<String>()),
                rule,
            };
            read_key(key, value, &mut conditions).map_err(refused)?;
        }
        if conditions.is_empty() {
            return Err(at_all("must have at least one condition"));
        }
        if conditions.len() > CONDITIONS_MAX {
            return Err(at_all("has too many conditions"));
        }
        Ok(Self {
            json: members.clone(),
            conditions,
        })
    }

    /// Returns the conditions, all of which hold.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Returns the groups that the conditions name.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> + '_ {
        self.conditions
            .iter()
            .filter_map(|condition| match condition {
                Condition::In(id) | Condition::NotIn(id) => Some(*id),
                Condition::Compares { .. } | Condition::Words(_) => None,
            })
    }

    /// Returns them as they were given.
    pub fn to_value(&self) -> Json {
        Json::Object(self.json.clone())
    }

    /// Reads what [`Self::to_value`] wrote.
    pub fn from_json(text: &str) -> Option<Self> {
        Self::parse(&serde_json::from_str(text).ok()?).ok()
    }
}

type Refused = (String, &'static str);

fn here(rule: &'static str) -> Refused {
    (String::new(), rule)
}

fn read_key(key: &str, value: &Json, out: &mut Vec<Condition>) -> Result<(), Refused> {
    match key {
        "vars" => {
            let Json::Object(variables) = value else {
                return Err(here("must be an object"));
            };
            for (name, value) in variables {
                let inside = |(place, rule)| (format!("[{name}]{place}"), rule);
                read_variable(name, value, out).map_err(inside)?;
            }
            Ok(())
        }
        "group" => read_groups(value, Condition::In, out),
        "not_group" => read_groups(value, Condition::NotIn, out),
        "q" => {
            let text = value.as_str().ok_or_else(|| here("must be a text"))?;
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            if words.is_empty() || words.len() > WORDS_MAX || text.len() > TEXT_BYTES_MAX {
                return Err(here("must have 1 to 10 words"));
            }
            out.push(Condition::Words(words));
            Ok(())
        }
        key => match key.strip_prefix("vars.") {
            Some(name) => read_variable(name, value, out),
            None => {
                let subject = subject(key).ok_or_else(|| here("is not a filter of contacts"))?;
                read_comparisons(&subject, value, out)
            }
        },
    }
}

fn subject(key: &str) -> Option<Subject> {
    Some(match key {
        "id" => Subject::Id,
        "name" => Subject::Name,
        "phone_number" => Subject::PhoneNumber,
        "time_created" => Subject::TimeCreated,
        "time_updated" => Subject::TimeUpdated,
        "incoming_message_count" => Subject::IncomingMessageCount,
        "outgoing_message_count" => Subject::OutgoingMessageCount,
        "last_incoming_message_time" => Subject::LastIncomingMessageTime,
        "last_outgoing_message_time" => Subject::LastOutgoingMessageTime,
        "conversation_status" => Subject::ConversationStatus,
        "send_blocked" => Subject::SendBlocked,
        _ => return None,
    })
}

fn read_variable(name: &str, value: &Json, out: &mut Vec<Condition>) -> Result<(), Refused> {
    if !is_variable(name) {
        return Err(here("is not the name of a variable"));
    }
    read_comparisons(&Subject::Variable(name.to_owned()), value, out)
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

fn read_comparisons(
    subject: &Subject,
    value: &Json,
    out: &mut Vec<Condition>,
) -> Result<(), Refused> {
    let mut push = |compare, value| {
        let term = term(subject, compare, value).map_err(here)?;
        out.push(Condition::Compares {
            subject: subject.clone(),
            compare,
            term,
        });
        Ok(())
    };
    let Json::Object(comparisons) = value else {
        return push(Compare::Eq, value);
    };
    if comparisons.is_empty() {
        return Err(here("must be a value or a comparison"));
    }
    for (name, value) in comparisons {
        let place = || format!("[{}]", name.chars().take(32).collect::<String>());
        let compare = name.parse().map_err(|_| (place(), "is not a comparison"))?;
        push(compare, value).map_err(|(_, rule)| (place(), rule))?;
    }
    Ok(())
}

fn term(subject: &Subject, compare: Compare, value: &Json) -> Result<Term, &'static str> {
    if matches!(compare, Compare::Exists | Compare::NotExists) {
        return flag(value).map(Term::Flag).ok_or("must be a truth value");
    }
    let only_equal = match compare {
        Compare::Eq | Compare::Ne => Ok(()),
        _ => Err("can only be equal or not"),
    };
    let ordered = match compare {
        Compare::Prefix => Err("does not begin with anything"),
        _ => Ok(()),
    };
    match subject {
        Subject::Variable(_) => match value {
            Json::Number(number) if compare != Compare::Prefix => {
                let number = number.as_f64().filter(|number| number.is_finite());
                number.map(Term::Number).ok_or("must be a number")
            }
            Json::Bool(flag) => Ok(Term::Text(flag.to_string())),
            value => text(value).map(Term::Text),
        },
        Subject::Name | Subject::PhoneNumber => text(value).map(Term::Text),
        Subject::Id => {
            ordered?;
            let id = value
                .as_str()
                .and_then(|text| text.parse::<ContactId>().ok());
            id.map(|id| Term::Whole(id.get()))
                .ok_or("must be the id of a contact")
        }
        Subject::IncomingMessageCount | Subject::OutgoingMessageCount => {
            ordered?;
            whole(value)
                .map(Term::Whole)
                .ok_or("must be a whole number")
        }
        Subject::TimeCreated
        | Subject::TimeUpdated
        | Subject::LastIncomingMessageTime
        | Subject::LastOutgoingMessageTime => {
            ordered?;
            let seconds = whole(value).filter(|seconds| (0..=253_402_300_799).contains(seconds));
            seconds
                .map(|seconds| Term::Time(UnixMs(seconds * 1_000)))
                .ok_or("must be a UNIX timestamp in seconds")
        }
        Subject::ConversationStatus => {
            only_equal?;
            let status = value.as_str().and_then(|name| name.parse().ok());
            status
                .map(|status: ConversationStatus| Term::Whole(status.code()))
                .ok_or("must be one of: active, handled, closed")
        }
        Subject::SendBlocked => {
            only_equal?;
            flag(value).map(Term::Flag).ok_or("must be a truth value")
        }
    }
}

fn text(value: &Json) -> Result<String, &'static str> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return Err("must be a text"),
    };
    if text.len() > TEXT_BYTES_MAX {
        return Err("must have at most 4096 bytes");
    }
    Ok(text)
}

fn flag(value: &Json) -> Option<bool> {
    match value {
        Json::Bool(flag) => Some(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        Json::String(text) => match text.as_str() {
            "1" | "true" | "True" => Some(true),
            "0" | "false" | "False" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn whole(value: &Json) -> Option<i64> {
    match value {
        Json::Number(number) => number.as_i64(),
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    }
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
        ] {
            assert_eq!(refused(json.clone()), place, "{json}");
        }
    }
}
