//! What is to be set of a custom route.

use crate::failure::Failure;
use crate::unit_of_work::UnitOfWork;
use crate::vars;
use hub_domain::routing::{Action, Actions, Route};
use hub_domain::{Group, VarsChange};
use hub_store::{StoreError, Tx, groups, phones};
use hub_view::Refusal;
use postrider_model::ProjectId;

/// What is to be set; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct RoutePatch {
    /// Its name.
    pub name: Option<String>,
    /// How it picks a phone.
    pub actions: Option<Actions>,
    /// Its custom variables.
    pub vars: VarsChange,
}

impl RoutePatch {
    /// Changes a route, in which every phone and group must be the project's.
    pub(super) fn apply(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        route: &mut Route,
    ) -> Result<(), Failure> {
        if let Some(name) = &self.name {
            route.name.clone_from(name);
        }
        if let Some(actions) = &self.actions {
            let mut actions = actions.clone();
            check_phones(work.tx, route.project_id, &actions)?;
            name_groups_by_id(work.tx, route.project_id, &mut actions.0)?;
            route.actions = actions;
        }
        Ok(vars::apply(&mut route.vars, &self.vars)?)
    }
}

fn check_phones(tx: &mut Tx<'_>, project_id: ProjectId, actions: &Actions) -> Result<(), Failure> {
    for phone in actions.phones() {
        if phones::get(tx, project_id, phone)?.is_none() {
            let rule = format_args!("name {phone}, which is not a phone of this project");
            return Err(Refusal::invalid_param("actions", rule).into());
        }
    }
    Ok(())
}

/// Puts the ids of groups in the place of their names, which may change.
fn name_groups_by_id(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    actions: &mut [Action],
) -> Result<(), Failure> {
    for action in actions {
        let Action::Condition(condition) = action else {
            continue;
        };
        for test in condition
            .tests
            .iter_mut()
            .filter(|test| test.kind.is_of_group())
        {
            let Some(group) = group(tx, project_id, &test.value)? else {
                let rule = "name a group that this project does not have";
                return Err(Refusal::invalid_param("actions", rule).into());
            };
            test.value = group.id.to_string();
        }
        name_groups_by_id(tx, project_id, &mut condition.actions)?;
    }
    Ok(())
}

fn group(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id_or_name: &str,
) -> Result<Option<Group>, StoreError> {
    match id_or_name.parse() {
        Ok(id) => groups::get(tx, project_id, id),
        Err(_) => groups::by_name(tx, project_id, id_or_name),
    }
}
