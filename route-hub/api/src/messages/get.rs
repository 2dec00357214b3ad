//! `GET /projects/{project_id}/messages/{message_id}`

use crate::messages::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::model::Alone;
use hub_app::messages::waiting;
use hub_domain::Permission;
use hub_store::messages;
use hub_web::{Answer, Fields};
use std::sync::Arc;

/// Shows one message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let (now, sight) = (hub.now(), call.caller.sight());
    let (inside, of) = (hub.clone(), Arc::clone(&project));
    let reading = hub.store.of(project.id).read(move |tx| {
        let message = messages::get(tx, of.id, id)?;
        waiting::show(&inside, tx, &of, message.into_iter().collect(), sight, now)
    });
    let view = found(reading.await?.pop())?;
    Ok(Answer::object(&Alone(view), &fields))
}
