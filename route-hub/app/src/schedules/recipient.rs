//! Whom a scheduled message is for.

use crate::failure::Failure;
use crate::parse;
use hub_domain::{Project, ScheduledTo};
use hub_store::{Tx, contacts, groups};
use hub_web::{ApiError, Params};
use postrider_model::ContactId;

/// Reads the group that a request names; with one it may name nobody else.
pub fn recipient_group(params: &Params) -> Result<Option<ScheduledTo>, ApiError> {
    let field = params.get("group_id");
    let Some(id) = parse::id(&field, "group")? else {
        return Ok(None);
    };
    let others = ["to_number", "contact_id"].map(|name| params.get(name));
    match others.iter().find(|other| !other.is_empty()) {
        Some(other) => Err(other.refuse("and group_id are two recipients: name one")),
        None => Ok(Some(ScheduledTo::Group(id))),
    }
}

/// Checks that a recipient is there, and returns the contact in whose list the schedule stands.
pub fn listed(
    tx: &mut Tx<'_>,
    project: &Project,
    to: &ScheduledTo,
    is_for_code: bool,
) -> Result<Option<ContactId>, Failure> {
    let missing = |param, what| {
        let rule = format_args!("is not the id of a {what} of this project");
        Err(ApiError::invalid_param(param, rule).into())
    };
    Ok(match to {
        ScheduledTo::Number(_) if is_for_code => None,
        ScheduledTo::Number(number) => {
            contacts::find_by_number(tx, project.id, number)?.map(|contact| contact.id)
        }
        ScheduledTo::Contact(id) => match contacts::get(tx, project.id, *id)? {
            Some(contact) => Some(contact.id),
            None => return missing("contact_id", "contact"),
        },
        ScheduledTo::Group(id) => match groups::get(tx, project.id, *id)? {
            None => return missing("group_id", "group"),
            Some(group) if !group.allow_sending => {
                let rule = "is a group to which sending is not allowed";
                return Err(ApiError::invalid_param("group_id", rule).into());
            }
            Some(_) => None,
        },
    })
}
