//! Which messages have a label: `PUT` and `DELETE
//! /projects/{project_id}/labels/{label_id}/messages/{message_id}`, and `label_ids` of new messages.

use super::found;
use crate::api::idempotency::Idempotency;
use crate::api::{ApiResult, Call, Failure, enter, parse, transaction};
use crate::dispatch::unit_of_work::UnitOfWork;
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::{Permission, Project};
use hub_store::{Tx, labels};
use hub_web::{Answer, ApiError, Params};
use postrider_model::LabelId;

/// Most labels that new messages get.
const LABELS_MAX: usize = 5;

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
    let now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>, tx: &mut Tx<'_>| {
        let project_id = work.project.id;
        found(labels::get(tx, project_id, label_id)?)?;
        if hub_store::messages::get(tx, project_id, message_id)?.is_none() {
            return Err(ApiError::not_found("message").into());
        }
        match wanted {
            true => labels::put_on(tx, project_id, label_id, message_id)?,
            false => labels::take_off(tx, label_id, message_id)?,
        }
        work.effects.changed(message_id);
        Ok(())
    };
    let show = |()| Answer::void();
    transaction::answer(hub, &project, now, Idempotency::none(), decide, show).await
}

/// Reads the `label_ids` of new messages, each of which must be one of the project.
pub(in crate::api) async fn read(
    hub: &Hub,
    params: &Params,
    project: &Project,
) -> Result<Vec<LabelId>, Failure> {
    let field = params.get("label_ids");
    let items = field.array(LABELS_MAX)?.unwrap_or_default();
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut ids = Vec::with_capacity(items.len());
    for item in &items {
        let id = parse::id(item, "label")?.ok_or_else(|| parse::no_such(item, "label"))?;
        ids.push(id);
    }
    let (project_id, asked) = (project.id, ids.clone());
    let reading = hub.store.of(project_id).read(move |tx| {
        let known = asked.iter();
        let known = known.map(|id| Ok(labels::get(tx, project_id, *id)?.is_some()));
        known.collect::<Result<Vec<_>, hub_store::StoreError>>()
    });
    let known = reading.await?;
    if let Some(at) = known.iter().position(|known| !known) {
        return Err(parse::no_such(&items[at], "label").into());
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}
