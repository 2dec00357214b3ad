//! How many contacts there were, by intervals: those of now, by when they were made or joined.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::statistics::series::{self, IntervalValues, Wanted};
use hub_domain::Quarter;
use hub_store::{StoreError, Tx, groups, statistics};
use hub_view::Refusal;
use postrider_model::{GroupId, ProjectId};

/// Whose contacts are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// All of the project.
    Total,
    /// The members of a group.
    Group(GroupId),
}

/// Counts a project's contacts in each interval that has begun.
pub async fn contact_stats(
    actor: &Actor,
    wanted: Wanted<Series>,
) -> Result<Vec<IntervalValues>, Failure> {
    let project = actor.project.id;
    series::count(actor, wanted, move |tx, series| {
        let rule = "must be total or the ids of groups that people fill";
        let made = made(tx, project, *series)?;
        Ok(made.ok_or_else(|| Refusal::invalid_param("series", rule))?)
    })
    .await
}

/// Returns how many of a series came in each quarter hour; `None` where there is no such group.
fn made(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    series: Series,
) -> Result<Option<Vec<(Quarter, i64)>>, StoreError> {
    let Series::Group(id) = series else {
        return statistics::contacts_made(tx, project_id).map(Some);
    };
    match groups::get(tx, project_id, id)? {
        Some(group) if group.filters.is_none() => statistics::members_joined(tx, id).map(Some),
        _ => Ok(None),
    }
}
