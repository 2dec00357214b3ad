//! What is to be set of a group.

use crate::failure::Failure;
use crate::groups::GroupRefused;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Group, GroupFilters, VarsChange};
use hub_store::groups;
use postrider_model::GroupId;

/// What is to be set; what is `None` stays, and an inner `None` takes it away.
#[derive(Debug, Clone, Default)]
pub struct GroupPatch {
    /// The name.
    pub name: Option<String>,
    /// Who is in it.
    pub filters: Option<GroupFilters>,
    /// Whether messages may be sent to all of it.
    pub allow_sending: Option<bool>,
    /// The variable that gets the moment at which a contact joins.
    pub add_time_variable: Option<Option<String>>,
    /// Its custom variables.
    pub vars: VarsChange,
}

impl GroupPatch {
    /// Changes a group; whether a group is dynamic never changes.
    pub(super) fn apply(&self, group: &mut Group) -> Result<(), GroupRefused> {
        if let Some(name) = &self.name {
            group.name.clone_from(name);
        }
        if let Some(filters) = &self.filters {
            group.filters = Some(filters.clone());
        }
        if let Some(allow) = self.allow_sending {
            group.allow_sending = allow;
        }
        if let Some(variable) = &self.add_time_variable {
            group.add_time_variable.clone_from(variable);
        }
        let applied = group.vars.apply(self.vars.clone());
        applied.map_err(GroupRefused::Vars)
    }

    /// Checks that the name is no other group's, and that filters name normal groups of the project.
    pub(super) fn check(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        own: Option<GroupId>,
    ) -> Result<(), Failure> {
        let project = work.project.id;
        if let Some(name) = &self.name
            && let Some(other) = groups::by_name(work.tx, project, name)?
            && Some(other.id) != own
        {
            return Err(GroupRefused::NameTaken.into());
        }
        for id in self.filters.iter().flat_map(GroupFilters::groups) {
            let named = groups::get(work.tx, project, id)?;
            if named.is_none_or(|group| group.is_dynamic()) {
                return Err(GroupRefused::FilterGroup.into());
            }
        }
        Ok(())
    }
}
