//! What a request says of a group, read into domain types.

use crate::Failure;
use hub_app::parse;
use hub_domain::{Group, GroupFilters, Project, VarsChange, is_variable};
use hub_store::{Tx, groups};
use hub_web::{ApiError, Field, Params};
use postrider_model::GroupId;

/// What a request says of a group; `None` is what it leaves out.
#[derive(Debug, Clone)]
pub(super) struct GroupPatch {
    pub name: Option<String>,
    pub filters: Option<GroupFilters>,
    allow_sending: Option<bool>,
    add_time_variable: Option<Option<String>>,
    vars: VarsChange,
}

impl GroupPatch {
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        Ok(Self {
            name: parse::name(&params.get("name"))?,
            filters: filters(&params.get("filters"))?,
            allow_sending: params.get("allow_sending").boolean()?,
            add_time_variable: variable(&params.get("add_time_variable"))?,
            vars: parse::vars(&params.get("vars"))?,
        })
    }

    /// Applies what was given; whether a group is dynamic never changes.
    pub(super) fn apply(&self, group: &mut Group) -> Result<(), ApiError> {
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
        parse::apply_vars(&mut group.vars, &self.vars)
    }

    /// Refuses a name that another group has, and conditions on groups that are none here or are
    /// dynamic themselves.
    pub(super) fn check(
        &self,
        tx: &mut Tx<'_>,
        project: &Project,
        own: Option<GroupId>,
    ) -> Result<(), Failure> {
        if let Some(name) = &self.name
            && let Some(other) = groups::by_name(tx, project.id, name)?
            && Some(other.id) != own
        {
            let rule = "is another group's";
            return Err(ApiError::invalid_param("name", rule).into());
        }
        for id in self.filters.iter().flat_map(GroupFilters::groups) {
            let named = groups::get(tx, project.id, id)?;
            if named.is_none_or(|group| group.is_dynamic()) {
                let rule = "names a group that is none of this project, or a dynamic one";
                return Err(ApiError::invalid_param("filters", rule).into());
            }
        }
        Ok(())
    }
}

fn filters(field: &Field<'_>) -> Result<Option<GroupFilters>, ApiError> {
    if !field.is_given() {
        return Ok(None);
    }
    let refused = |invalid: hub_domain::InvalidFilters| {
        let param = format!("{}{}", field.path(), invalid.place);
        ApiError::invalid_param(param, invalid)
    };
    GroupFilters::parse(&field.to_json())
        .map(Some)
        .map_err(refused)
}

/// Reads the name of a variable; empty counts as none.
fn variable(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let name = field.string(64)?.filter(|name| !name.is_empty());
    if name.is_some_and(|name| !is_variable(name)) {
        return Err(field.refuse("must have 1 to 32 characters of a-z, A-Z, 0-9 and _"));
    }
    Ok(field.is_present().then(|| name.map(str::to_owned)))
}
