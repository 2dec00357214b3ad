//! `PUT` and `DELETE /projects/{project_id}/groups/{group_id}/contacts/{contact_id}`

use crate::groups::found;
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::contacts::saving;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::{contacts, groups};
use hub_web::{Answer, ApiError};

/// Puts a contact into a group; one that is in it stays.
pub async fn join(State(hub): State<Hub>, call: Call) -> ApiResult {
    change(&hub, &call, true).await
}

/// Takes a contact out of a group; one that is not in it is left alone.
pub async fn leave(State(hub): State<Hub>, call: Call) -> ApiResult {
    change(&hub, &call, false).await
}

async fn change(hub: &Hub, call: &Call, joins: bool) -> ApiResult {
    let project = enter(hub, call, Permission::EditContacts).await?;
    let group_id = call.path_id("group_id", "group")?;
    let contact_id = call.path_id("contact_id", "contact")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let group = found(groups::get(work.tx, work.project.id, group_id)?)?;
        if group.is_dynamic() {
            let rule = "is a dynamic group: its filters say who is in it";
            return Err(ApiError::invalid_param("group_id", rule).into());
        }
        let Some(before) = contacts::get(work.tx, work.project.id, contact_id)? else {
            return Err(ApiError::not_found("contact").into());
        };
        let contact = before.clone();
        let group = [group];
        let (join, leave) = match joins {
            true => (&group[..], &[][..]),
            false => (&[][..], &[group_id][..]),
        };
        saving::save(work, Some(&before), contact, join, leave)?;
        Ok(())
    };
    let show = |()| Answer::void();
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
