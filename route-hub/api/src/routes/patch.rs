//! A custom route as a request gives it.

use crate::Failure;
use crate::parse;
use hub_domain::VarsChange;
use hub_domain::routing::{Action, Actions, Route};
use hub_store::{Tx, groups, phones};
use hub_web::{ApiError, Params};
use postrider_model::ProjectId;

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &["id", "project_id", "url"];

/// What is to be set; what is `None` stays.
#[derive(Debug, Clone)]
pub(super) struct RoutePatch {
    pub name: Option<String>,
    pub actions: Option<Actions>,
    pub vars: VarsChange,
}

impl RoutePatch {
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        parse::refuse_read_only(params, READ_ONLY)?;
        let field = params.get("actions");
        let actions = field.is_present().then(|| Actions::parse(&field.to_json()));
        let actions = actions.transpose().map_err(|invalid| {
            let param = format!("actions{}", invalid.place);
            ApiError::invalid_param(param, invalid)
        })?;
        Ok(Self {
            name: parse::name(&params.get("name"))?,
            actions,
            vars: parse::vars(&params.get("vars"))?,
        })
    }

    /// Checks what only the database knows, and changes the route.
    ///
    /// # Errors
    /// `invalid_param` for phones and groups of nobody.
    pub(super) fn apply(&self, tx: &mut Tx<'_>, route: &mut Route) -> Result<(), Failure> {
        if let Some(name) = &self.name {
            route.name.clone_from(name);
        }
        if let Some(actions) = &self.actions {
            let mut actions = actions.clone();
            settle(tx, route.project_id, &mut actions)?;
            route.actions = actions;
        }
        Ok(parse::apply_vars(&mut route.vars, &self.vars)?)
    }
}

/// Checks that every phone is the project's, and puts the ids of groups in the place of names.
fn settle(tx: &mut Tx<'_>, project_id: ProjectId, actions: &mut Actions) -> Result<(), Failure> {
    for phone in actions.phones() {
        if phones::get(tx, project_id, phone)?.is_none() {
            let rule = format_args!("name {phone}, which is not a phone of this project");
            return Err(ApiError::invalid_param("actions", rule).into());
        }
    }
    settle_groups(tx, project_id, &mut actions.0)
}

fn settle_groups(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    actions: &mut [Action],
) -> Result<(), Failure> {
    for action in actions {
        let Action::Condition(condition) = action else {
            continue;
        };
        for test in &mut condition.tests {
            if !test.kind.is_of_group() {
                continue;
            }
            let named = match test.value.parse() {
                Ok(id) => groups::get(tx, project_id, id)?,
                Err(_) => groups::by_name(tx, project_id, &test.value)?,
            };
            let Some(group) = named else {
                let rule = "name a group that this project does not have";
                return Err(ApiError::invalid_param("actions", rule).into());
            };
            test.value = group.id.to_string();
        }
        settle_groups(tx, project_id, &mut condition.actions)?;
    }
    Ok(())
}
