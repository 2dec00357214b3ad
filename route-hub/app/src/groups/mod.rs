//! Groups of contacts, normal and dynamic.

mod create;
mod existing;
mod membership;
mod patch;

pub use crate::views::group::GroupView;
pub use create::{NewGroup, create, find_or_create};
pub use existing::{contacts_of, delete, get, list, of_contact, update};
pub(crate) use membership::normal;
pub use membership::{join, leave};
pub use patch::GroupPatch;

use crate::failure::Failure;
use crate::stored_caps::Reached;
use hub_domain::InvalidVars;
use hub_view::Refusal;

/// Why something was not done to a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GroupRefused {
    /// There is no such group.
    NoSuchGroup,
    /// Another group has its name.
    NameTaken,
    /// It has no filters, so that it never gets any.
    NotDynamic,
    /// Its filters say who is in it.
    Dynamic,
    /// Its filters name a group that cannot be named there.
    FilterGroup,
    /// The project has as many dynamic groups as it may have.
    Full(Reached),
    /// Its variables would be too many.
    Vars(InvalidVars),
}

impl From<GroupRefused> for Refusal {
    fn from(reason: GroupRefused) -> Self {
        let (param, rule) = match reason {
            GroupRefused::NoSuchGroup => return Self::not_found("group"),
            GroupRefused::NameTaken => ("name", "is another group's"),
            GroupRefused::NotDynamic => ("filters", "can only be changed of a dynamic group"),
            GroupRefused::Dynamic => (
                "group_id",
                "is a dynamic group: its filters say who is in it",
            ),
            GroupRefused::FilterGroup => (
                "filters",
                "names a group that is not of this project, or a dynamic one",
            ),
            GroupRefused::Full(reached) => return reached.refuse("filters"),
            GroupRefused::Vars(invalid) => {
                return Self::invalid_param("vars", format_args!("cannot be taken: {invalid}"));
            }
        };
        Self::invalid_param(param, rule)
    }
}

impl From<GroupRefused> for Failure {
    fn from(reason: GroupRefused) -> Self {
        Self::Refused(reason.into())
    }
}

#[cfg(test)]
mod tests;
