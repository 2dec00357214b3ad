//! Projects.

mod create;
mod list;
mod patch;
mod slug;
mod update;

pub use crate::views::project::ProjectView;
pub use create::{NewProject, PERMISSION as CREATE, create, make};
pub use list::list;
pub use patch::ProjectPatch;
pub use slug::SLUG_LENGTH;
pub use update::{PERMISSION as UPDATE, change, update};

use crate::failure::NotDone;
use hub_domain::InvalidVars;
use hub_view::Refusal;
use thiserror::Error;

/// Why a project was not made or changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProjectRefused {
    /// There is no such organization.
    #[error("there is no such organization")]
    NoSuchOrganization,
    /// There is no such project.
    #[error("there is no such project")]
    NoSuchProject,
    /// The organization has a project of that name.
    #[error("the organization has another project of that name")]
    NameTaken,
    /// The organization has a project of that slug.
    #[error("the organization has another project of that slug")]
    SlugTaken,
    /// The default route is nothing of the project's.
    #[error("the default route is not a phone or route of the project")]
    NoSuchRoute,
    /// Its variables would be too many.
    #[error("the variables cannot be taken: {0}")]
    Vars(InvalidVars),
}

impl From<ProjectRefused> for NotDone<ProjectRefused> {
    fn from(reason: ProjectRefused) -> Self {
        Self::Refused(reason)
    }
}

impl From<ProjectRefused> for Refusal {
    fn from(reason: ProjectRefused) -> Self {
        let (param, rule) = match reason {
            ProjectRefused::NoSuchOrganization => return Self::not_found("organization"),
            ProjectRefused::NoSuchProject => return Self::not_found("project"),
            ProjectRefused::Vars(invalid) => {
                return Self::invalid_param("vars", format_args!("cannot be taken: {invalid}"));
            }
            ProjectRefused::NameTaken => {
                ("name", "is the name of another project of the organization")
            }
            ProjectRefused::SlugTaken => (
                "url_slug",
                "is the slug of another project of the organization",
            ),
            ProjectRefused::NoSuchRoute => (
                "default_route_id",
                "is not the id of a phone or route of this project",
            ),
        };
        Self::invalid_param(param, rule)
    }
}

#[cfg(test)]
mod tests;
