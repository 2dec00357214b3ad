//! `POST /projects/{project_id}/messages/{message_id}/send_read_receipt` and
//! `…/send_typing_indicator`

use crate::messages::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::messages;
use hub_web::ApiError;

/// Refuses to tell a sender that the message was read: only `WhatsApp` takes that.
pub async fn send_read_receipt(State(hub): State<Hub>, call: Call) -> ApiResult {
    refuse(&hub, &call, "a read receipt").await
}

/// Refuses to tell a sender that an answer is being written: only `WhatsApp` takes that.
pub async fn send_typing_indicator(State(hub): State<Hub>, call: Call) -> ApiResult {
    refuse(&hub, &call, "a typing indicator").await
}

/// Refuses for an existing message, which on this hub never came by `WhatsApp`.
async fn refuse(hub: &Hub, call: &Call, what: &str) -> ApiResult {
    let project = enter(hub, call, Permission::SendMessages).await?;
    let (project_id, id) = (project.id, call.path_id("message_id", "message")?);
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| messages::get(tx, project_id, id));
    found(reading.await?)?;
    let text = format!("{what} can be sent only for an incoming message of WhatsApp");
    Err(ApiError::invalid_body(text).into())
}
