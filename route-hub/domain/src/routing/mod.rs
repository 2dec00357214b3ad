//! Custom routes: rules that pick the phone which sends a message.
//!
//! A route is a list of actions, gone through in their order. A `condition` goes on to its own
//! actions when it holds; each `use_phone` that is reached offers phones. The first offer with a
//! phone that can send gets the message; when none can at this moment, it waits for a phone of the
//! first offer that ever could.

mod actions;
mod decide;
mod read;

#[cfg(test)]
mod tests;

pub use actions::{
    Action, Actions, Condition, IfMode, Joined, Pick, Subject, Test, TestKind, UsePhone,
};
pub use decide::{Ability, Choice, Facts, PhoneState, better, choose};
pub use read::InvalidActions;

use crate::Vars;
use postrider_model::{CustomRouteId, ProjectId, UnixMs};

/// A custom route of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Its id.
    pub id: CustomRouteId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Its rules.
    pub actions: Actions,
    /// The caller's own variables.
    pub vars: Vars,
    /// When it was made.
    pub time_created: UnixMs,
}
