//! What a request says of a group.

use crate::groups::{ADD_TIME_VARIABLE, ALLOW_SENDING, FILTERS};
use crate::members::VARS;
use crate::{conditions, parse};
use hub_app::groups::GroupPatch;
use hub_domain::{GroupFilters, is_variable};
use hub_web::{ApiError, Field, Member, Params};

/// What can be said of a group besides its name.
pub(super) const TAKES: &[Member] = &[FILTERS, ALLOW_SENDING, ADD_TIME_VARIABLE, VARS];

pub(super) fn patch(params: &Params) -> Result<GroupPatch, ApiError> {
    Ok(GroupPatch {
        name: parse::name(&params.get("name"))?,
        filters: filters(&params.get("filters"))?,
        allow_sending: params.get("allow_sending").boolean()?,
        add_time_variable: variable(&params.get("add_time_variable"))?,
        vars: parse::vars(&params.get("vars"))?,
    })
}

fn filters(field: &Field<'_>) -> Result<Option<GroupFilters>, ApiError> {
    if !field.is_given() {
        return Ok(None);
    }
    conditions::read(field, GroupFilters::parse).map(Some)
}

/// Reads the name of a variable; an empty one takes it away.
fn variable(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let name = field.string()?;
    let name = name.filter(|name| !name.is_empty());
    if name.is_some_and(|name| !is_variable(name)) {
        return Err(field.refuse("must have 1 to 32 characters of a-z, A-Z, 0-9 and _"));
    }
    Ok(field.is_present().then(|| name.map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::NAME;
    use hub_web::Takes;

    #[test]
    fn what_cannot_be_a_group_is_named() {
        for (text, named) in [
            (r#"{"name":" "}"#, "name"),
            (r#"{"filters":{}}"#, "filters"),
            (r#"{"filters":{"shoe":1}}"#, "filters[shoe]"),
            (r#"{"filters":{"name":{"like":1}}}"#, "filters[name][like]"),
            (r#"{"add_time_variable":"a b"}"#, "add_time_variable"),
            (r#"{"allow_sending":"maybe"}"#, "allow_sending"),
            (r#"{"vars":{"x":[]}}"#, "vars[x]"),
        ] {
            let body = Some(("application/json", text.as_bytes()));
            let takes = Takes {
                own: &[&[NAME], TAKES],
                common: &[],
            };
            let params = Params::from_parts("", body).unwrap().taking(takes);
            let refused = patch(&params).unwrap_err();
            assert_eq!(refused.param(), Some(named), "{text}");
        }
    }
}
