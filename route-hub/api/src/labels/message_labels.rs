//! Which messages have a label: `PUT` and `DELETE
//! /projects/{project_id}/labels/{label_id}/messages/{message_id}`, and `label_ids` of new messages.

use crate::idempotency::Idempotency;
use crate::labels::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::labels;
use hub_web::{Answer, ApiError};

/// Puts a label on a message; one that has it keeps it.
pub async fn put_on(State(hub): State<Hub>, call: Call) -> ApiResult {
    change(&hub, &call, true).await
}

/// Takes a label off a message; one that has it not is left alone.
pub async fn take_off(State(hub): State<Hub>, call: Call) -> ApiResult {
    change(&hub, &call, false).await
}

async fn change(hub: &Hub, call: &Call, wanted: bool) -> ApiResult {
    let project = enter(hub, call, Permission::SendMessages).await?;
    let label_id = call.path_id("label_id", "label")?;
    let message_id = call.path_id("message_id", "message")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let project_id = work.project.id;
        found(labels::get(work.tx, project_id, label_id)?)?;
        if hub_store::messages::get(work.tx, project_id, message_id)?.is_none() {
            return Err(ApiError::not_found("message").into());
        }
        match wanted {
            true => labels::put_on(work.tx, project_id, label_id, message_id)?,
            false => labels::take_off(work.tx, label_id, message_id)?,
        }
        work.effects.changed(message_id);
        Ok(())
    };
    let show = |()| Answer::void();
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
