//! What a request says of a contact.

use crate::members::{self, PHONE_NUMBER, VARS, words};
use crate::messages::patch::ROUTE;
use crate::parse;
use hub_app::contacts::{ContactPatch, GroupChanges, Lookup, NewContact};
use hub_domain::{Address, ConversationStatus, VarValue, is_variable, numbers};
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::{GroupId, kind};

const STATUSES: [(&str, ConversationStatus); 3] = [
    ("active", ConversationStatus::Active),
    ("handled", ConversationStatus::Handled),
    ("closed", ConversationStatus::Closed),
];

/// What a contact is called.
pub(super) const NAME: Member = Member::new("name", members::NAME, "What it is called.");
/// Whether nothing is sent to a contact.
pub(super) const SEND_BLOCKED: Member = Member::new(
    "send_blocked",
    Kind::Boolean,
    "Whether nothing is sent to it.",
);
/// How a conversation stands.
pub(super) const CONVERSATION_STATUS: Member = Member::new(
    "conversation_status",
    Kind::Word(&words(&STATUSES)),
    "How the conversation stands.",
);
/// What sends to a contact.
pub(super) const DEFAULT_ROUTE_ID: Member = Member::new(
    "default_route_id",
    ROUTE,
    "What sends to it; the project's default without it.",
);
/// What can be said of a contact.
pub(super) const TAKES: &[Member] = &[
    NAME,
    Member::new("phone_number", PHONE_NUMBER, "The number."),
    SEND_BLOCKED,
    CONVERSATION_STATUS,
    DEFAULT_ROUTE_ID,
    VARS,
];
/// The contact that is meant, where the id finds it.
pub(super) const ID: &[Member] = &[Member::id::<kind::Contact>(
    "id",
    "The contact that is meant, with lookup_key id.",
)];
/// A contact of an import.
pub(super) const ITEM: [Member; 7] = [
    ID[0], TAKES[0], TAKES[1], TAKES[2], TAKES[3], TAKES[4], TAKES[5],
];

/// Reads a contact, whose parameters `get` finds; numbers are read in `region`.
pub(super) fn patch<'a>(
    get: impl Fn(&'static str) -> Field<'a>,
    region: Option<&str>,
) -> Result<ContactPatch, ApiError> {
    let route = get("default_route_id");
    let route_id = parse::route_id(&route)?;
    Ok(ContactPatch {
        name: name(&get("name"))?,
        phone_number: number(&get("phone_number"), region)?,
        send_blocked: get("send_blocked").boolean()?,
        conversation_status: get("conversation_status").one_of(&STATUSES)?,
        default_route_id: route.is_present().then_some(route_id),
        vars: parse::vars(&get("vars"))?,
    })
}

fn name(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string()?.map(str::trim);
    let text = text.filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(field.is_present().then_some(text))
}

fn number(field: &Field<'_>, region: Option<&str>) -> Result<Option<Option<Address>>, ApiError> {
    let typed = field.string()?.filter(|typed| !typed.trim().is_empty());
    let number = typed
        .map(|typed| numbers::parse(typed, region, numbers::Names::Refused))
        .transpose()
        .map_err(|error| field.refuse(error))?;
    Ok(field.is_present().then(|| number.map(Address::from)))
}

/// Reads `add_group_ids` and `remove_group_ids`.
pub(super) fn groups(params: &Params) -> Result<GroupChanges, ApiError> {
    Ok(GroupChanges {
        join: group_ids(&params.get("add_group_ids"))?,
        leave: group_ids(&params.get("remove_group_ids"))?,
    })
}

fn group_ids(field: &Field<'_>) -> Result<Vec<GroupId>, ApiError> {
    let items = field.array()?.unwrap_or_default();
    let read = |item: &Field<'_>| {
        let id = parse::id(item, "group")?;
        id.ok_or_else(|| parse::no_such(item, "group"))
    };
    items.iter().map(read).collect()
}

/// What contacts are looked up by: `lookup_key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// The number, and without one the name.
    PhoneNumber,
    /// The name.
    Name,
    /// The id.
    Id,
    /// A variable.
    Variable(String),
    /// Nothing: each is new.
    None,
}

impl Key {
    /// Reads `lookup_key`; an import does not look up by name.
    pub(super) fn read(field: &Field<'_>, by_name: bool) -> Result<Self, ApiError> {
        let Some(text) = field.string()?.filter(|text| !text.is_empty()) else {
            return Ok(Self::PhoneNumber);
        };
        match (text, text.strip_prefix("vars.")) {
            ("phone_number", _) => Ok(Self::PhoneNumber),
            ("name", _) if by_name => Ok(Self::Name),
            ("id", _) => Ok(Self::Id),
            ("none", _) => Ok(Self::None),
            (_, Some(variable)) if is_variable(variable) => Ok(Self::Variable(variable.to_owned())),
            _ if by_name => Err(field.refuse("must be phone_number, name, id, none or vars.NAME")),
            _ => Err(field.refuse("must be phone_number, id, none or vars.NAME")),
        }
    }

    /// Reads a single contact, which must have what it is looked up by.
    pub(super) fn single<'a>(
        &self,
        get: impl Fn(&'static str) -> Field<'a>,
        region: Option<&str>,
    ) -> Result<NewContact, ApiError> {
        let patch = patch(&get, region)?;
        parse::id::<kind::Contact>(&get("id"), "contact")?;
        let lookup = match (self, self.lookup(&patch, &get)?) {
            (Self::PhoneNumber, None) if has(&patch.name) => Lookup::Name,
            (Self::PhoneNumber | Self::None, None) => Lookup::Nothing,
            (Self::Name, None) => return Err(get("name").refuse("is required")),
            (Self::Id, None) => return Err(get("id").refuse("is required")),
            (Self::Variable(variable), None) => {
                let param = format!("{}[{variable}]", get("vars").path());
                return Err(ApiError::invalid_param(param, "is required"));
            }
            (_, Some(lookup)) => lookup,
        };
        Ok(NewContact { lookup, patch })
    }

    /// Reads a contact of an import, which is new when it has not what it is looked up by.
    pub(super) fn item<'a>(
        &self,
        get: impl Fn(&'static str) -> Field<'a>,
        region: Option<&str>,
    ) -> Result<NewContact, ApiError> {
        let patch = patch(&get, region)?;
        let lookup = self.lookup(&patch, get)?.unwrap_or(Lookup::Nothing);
        Ok(NewContact { lookup, patch })
    }

    /// Returns by what a contact is looked up; `None` when it has not what this key names.
    fn lookup<'a>(
        &self,
        patch: &ContactPatch,
        get: impl Fn(&'static str) -> Field<'a>,
    ) -> Result<Option<Lookup>, ApiError> {
        Ok(match self {
            Self::PhoneNumber => has(&patch.phone_number).then_some(Lookup::Number),
            Self::Name => has(&patch.name).then_some(Lookup::Name),
            Self::Id => parse::id(&get("id"), "contact")?.map(Lookup::Id),
            Self::Variable(variable) => {
                let value = patch.vars.get(variable).filter(|value| !is_empty(value));
                value.map(|value| Lookup::Variable(variable.clone(), value.clone()))
            }
            Self::None => None,
        })
    }
}

fn has<T>(value: &Option<Option<T>>) -> bool {
    matches!(value, Some(Some(_)))
}

fn is_empty(value: &VarValue) -> bool {
    matches!(value, VarValue::Text(text) if text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_domain::VarsChange;
    use hub_web::Takes;
    use serde_json::json;

    const GROUP_IDS: Kind = Kind::Array(&Kind::Text(34), 2);
    const ALL: Takes = Takes {
        own: &[ID, TAKES],
        common: &[&[
            Member::new("lookup_key", Kind::Text(64), "What finds it."),
            Member::new("add_group_ids", GROUP_IDS, "Groups."),
            Member::new("remove_group_ids", GROUP_IDS, "Groups."),
        ]],
    };

    fn params(text: &str) -> Params {
        let params = Params::from_parts("", Some(("application/json", text.as_bytes())));
        params.unwrap().taking(ALL)
    }

    fn single(text: &str) -> Result<NewContact, ApiError> {
        let params = params(text);
        let key = Key::read(&params.get("lookup_key"), true)?;
        let contact = key.single(|name| params.get(name), Some("US"))?;
        groups(&params)?;
        Ok(contact)
    }

    fn item(text: &str) -> Result<NewContact, ApiError> {
        let params = params(text);
        let key = Key::read(&params.get("lookup_key"), false)?;
        key.item(|name| params.get(name), Some("US"))
    }

    fn by_code() -> Lookup {
        let vars = VarsChange::parse(&json!({ "code": "A-7" })).unwrap();
        Lookup::Variable("code".to_owned(), vars.get("code").unwrap().clone())
    }

    #[test]
    fn a_contact_is_looked_up_by_what_the_key_names() {
        let id = "CT0000000000000001".parse().unwrap();
        for (text, expected) in [
            (
                r#"{"phone_number":"+15005550101","name":"Ann"}"#,
                Lookup::Number,
            ),
            (r#"{"phone_number":"","name":"Ann"}"#, Lookup::Name),
            (r#"{"lookup_key":"name","name":"Ann"}"#, Lookup::Name),
            (
                r#"{"lookup_key":"id","id":"CT0000000000000001"}"#,
                Lookup::Id(id),
            ),
            (
                r#"{"lookup_key":"vars.code","vars":{"code":"A-7"}}"#,
                by_code(),
            ),
            (
                r#"{"lookup_key":"none","phone_number":"+15005550101"}"#,
                Lookup::Nothing,
            ),
            ("{}", Lookup::Nothing),
        ] {
            assert_eq!(single(text).unwrap().lookup, expected, "{text}");
        }
    }

    #[test]
    fn a_contact_of_an_import_is_new_without_what_it_is_looked_up_by() {
        for (text, expected) in [
            (r#"{"phone_number":"+15005550101"}"#, Lookup::Number),
            (
                r#"{"lookup_key":"vars.code","vars":{"code":"A-7"}}"#,
                by_code(),
            ),
            (r#"{"name":"Ann"}"#, Lookup::Nothing),
            (r#"{"lookup_key":"id","name":"Ann"}"#, Lookup::Nothing),
            (
                r#"{"lookup_key":"vars.code","vars":{"code":""}}"#,
                Lookup::Nothing,
            ),
        ] {
            assert_eq!(item(text).unwrap().lookup, expected, "{text}");
        }
        let refused = item(r#"{"lookup_key":"name","name":"Ann"}"#).unwrap_err();
        assert_eq!(refused.param(), Some("lookup_key"));
    }

    #[test]
    fn an_empty_value_is_taken_away_and_a_missing_one_stays() {
        let params = params(r#"{"name":" ","phone_number":null,"default_route_id":""}"#);
        let read = patch(|name| params.get(name), None).unwrap();
        assert_eq!((read.name, read.phone_number), (Some(None), Some(None)));
        assert_eq!(read.default_route_id, Some(None));
        assert!(read.send_blocked.is_none() && read.conversation_status.is_none());
    }

    #[test]
    fn what_cannot_be_a_contact_is_named() {
        let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(128));
        for (text, named) in [
            (r#"{"phone_number":"?"}"#, "phone_number"),
            (r#"{"phone_number":5}"#, "phone_number"),
            (&*long, "name"),
            (r#"{"lookup_key":"shoe","name":"a"}"#, "lookup_key"),
            (r#"{"lookup_key":"vars.a b","name":"a"}"#, "lookup_key"),
            (r#"{"lookup_key":"id","name":"a"}"#, "id"),
            (
                r#"{"lookup_key":"name","phone_number":"+15005550101"}"#,
                "name",
            ),
            (r#"{"lookup_key":"vars.x","name":"a"}"#, "vars[x]"),
            (r#"{"send_blocked":"maybe"}"#, "send_blocked"),
            (r#"{"conversation_status":"open"}"#, "conversation_status"),
            (r#"{"default_route_id":"CT1"}"#, "default_route_id"),
            (r#"{"add_group_ids":"CG1"}"#, "add_group_ids"),
            (r#"{"add_group_ids":["a","b","c"]}"#, "add_group_ids"),
            (r#"{"remove_group_ids":["x"]}"#, "remove_group_ids[0]"),
            (r#"{"vars":{"x":[]}}"#, "vars[x]"),
        ] {
            let refused = single(text).unwrap_err();
            assert_eq!(refused.param(), Some(named), "{text}");
        }
    }
}
