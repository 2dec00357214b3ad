//! Contacts: the people on the other side.

pub mod blocking;
mod create;
mod existing;
mod lookup;
mod new_contact;
mod patch;
pub(crate) mod saving;

pub use crate::views::contact::ContactView;
pub use create::{NewContacts, create, import};
pub use existing::{delete, find, get, list, update};
pub use lookup::{Lookup, NewContact};
pub use patch::{ContactPatch, GroupChanges};

pub(crate) use create::{save_one, tell_of_new};
pub(crate) use existing::{found, remove};
pub(crate) use new_contact::make_contact;
pub(crate) use patch::{FoundGroups, check_route};

use crate::failure::Failure;
use hub_domain::{InvalidVars, Permission};
use hub_view::Refusal;

/// Whoever makes, changes or removes contacts needs it.
pub const PERMISSION: Permission = Permission::EditContacts;
/// Whoever looks at contacts needs it.
pub const VIEW: Permission = Permission::ViewContacts;

/// Why something was not done to a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContactRefused {
    /// There is no such contact.
    NoSuchContact,
    /// It is looked up by an id that no contact has.
    UnknownId,
    /// It is new, and has neither a number nor a name.
    NoNumberOrName,
    /// It is looked up by a variable, is not there, and has neither a number nor a name.
    UnknownVariable,
    /// What sends to it is nothing of the project's.
    UnknownRoute,
    /// There is no such group.
    UnknownGroup {
        /// The parameter with its id.
        param: &'static str,
        /// Its place there.
        index: usize,
    },
    /// A group's filters say who is in it.
    DynamicGroup {
        /// The parameter with its id.
        param: &'static str,
        /// Its place there.
        index: usize,
    },
    /// Its variables would be too many.
    Vars(InvalidVars),
}

impl From<ContactRefused> for Refusal {
    fn from(reason: ContactRefused) -> Self {
        let (param, rule) = match reason {
            ContactRefused::NoSuchContact => return Self::not_found("contact"),
            ContactRefused::UnknownId => ("id", "is not the id of a contact of this project"),
            ContactRefused::NoNumberOrName => ("phone_number", "is required, or name"),
            ContactRefused::UnknownVariable => (
                "phone_number",
                "is required, or name: no contact has this value yet",
            ),
            ContactRefused::UnknownRoute => (
                "default_route_id",
                "is not the id of a phone or route of this project",
            ),
            ContactRefused::UnknownGroup { param, index } => {
                let rule = "is not the id of a group of this project";
                return Self::invalid_param(format_args!("{param}[{index}]"), rule);
            }
            ContactRefused::DynamicGroup { param, index } => {
                let rule = "is a dynamic group: its filters say who is in it";
                return Self::invalid_param(format_args!("{param}[{index}]"), rule);
            }
            ContactRefused::Vars(invalid) => {
                return Self::invalid_param("vars", format_args!("cannot be taken: {invalid}"));
            }
        };
        Self::invalid_param(param, rule)
    }
}

impl From<ContactRefused> for Failure {
    fn from(reason: ContactRefused) -> Self {
        Self::Refused(reason.into())
    }
}

#[cfg(test)]
mod tests;
