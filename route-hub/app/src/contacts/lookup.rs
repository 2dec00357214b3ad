//! Which contact a request means: get-or-create by any of its keys.

use crate::contacts::patch::ContactPatch;
use crate::failure::Failure;
use crate::parse;
use hub_domain::{Contact, Project, VarValue, is_variable};
use hub_store::{Tx, contacts};
use hub_web::{ApiError, Field};
use postrider_model::ContactId;

/// What contacts are looked up by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
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

/// Which contact one item of a request means.
#[derive(Debug, Clone)]
pub enum Means {
    /// That of its number.
    Number,
    /// That of its name.
    Name,
    /// That of an id, which stands at this place.
    Id(ContactId, String),
    /// That of a variable's value.
    Value(String, VarValue),
    /// A new one.
    New,
}

impl Key {
    /// Reads `lookup_key`; an import does not look up by name.
    pub fn read(field: &Field<'_>, by_name: bool) -> Result<Self, ApiError> {
        let Some(text) = field.string(64)?.filter(|text| !text.is_empty()) else {
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

    /// Says which contact is meant by what was given of it; `get` finds its other parameters.
    ///
    /// A single contact must have what it is looked up by; one of an import that has not is new.
    pub fn means<'a>(
        &self,
        patch: &ContactPatch,
        get: impl Fn(&'static str) -> Field<'a>,
        is_single: bool,
    ) -> Result<Means, ApiError> {
        let missing = |name: &'static str| Err(get(name).refuse("is required"));
        match self {
            Self::PhoneNumber if patch.number().is_some() => Ok(Means::Number),
            Self::PhoneNumber if patch.named().is_some() && is_single => Ok(Means::Name),
            Self::Name if patch.named().is_some() => Ok(Means::Name),
            Self::Name => missing("name"),
            Self::Id => {
                let field = get("id");
                match parse::id(&field, "contact")? {
                    Some(id) => Ok(Means::Id(id, field.path().to_string())),
                    None if is_single => missing("id"),
                    None => Ok(Means::New),
                }
            }
            Self::Variable(variable) => {
                let value = patch.vars.get(variable);
                match value.filter(|value| !is_empty(value)) {
                    Some(value) => Ok(Means::Value(variable.clone(), value.clone())),
                    None if is_single => {
                        let param = format!("{}[{variable}]", get("vars").path());
                        Err(ApiError::invalid_param(param, "is required"))
                    }
                    None => Ok(Means::New),
                }
            }
            Self::PhoneNumber | Self::None => Ok(Means::New),
        }
    }
}

fn is_empty(value: &VarValue) -> bool {
    matches!(value, VarValue::Text(text) if text.is_empty())
}

impl Means {
    /// Finds the contact that is meant; `None` when there is none yet.
    pub fn find(
        &self,
        tx: &mut Tx<'_>,
        project: &Project,
        patch: &ContactPatch,
    ) -> Result<Option<Contact>, Failure> {
        let id = project.id;
        Ok(match self {
            Self::Number => match patch.number() {
                Some(number) => contacts::find_by_number(tx, id, number)?,
                None => None,
            },
            Self::Name => match patch.named() {
                Some(name) => contacts::find_by_name(tx, id, name)?,
                None => None,
            },
            Self::Value(variable, value) => contacts::find_by_variable(tx, id, variable, value)?,
            Self::New => None,
            Self::Id(contact_id, place) => match contacts::get(tx, id, *contact_id)? {
                Some(contact) => Some(contact),
                None => {
                    let rule = "is not the id of a contact of this project";
                    return Err(ApiError::invalid_param(place, rule).into());
                }
            },
        })
    }
}

/// Says whether a contact can be told from others: a new one needs a number or a name.
pub fn can_be_new(patch: &ContactPatch) -> bool {
    patch.number().is_some() || patch.named().is_some()
}
