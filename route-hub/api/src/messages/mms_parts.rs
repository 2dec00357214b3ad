//! `GET /projects/{project_id}/messages/{message_id}/mms_parts`

use crate::messages::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::model;
use hub_domain::Permission;
use hub_store::messages;
use hub_web::{Answer, Fields};

/// Lists the parts of a multimedia message that came in; any other message has none.
pub async fn mms_parts(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("message_id", "message")?;
    let wanted = Fields::read(&call.params)?;
    let project_id = project.id;
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| messages::get(tx, project_id, id));
    let message = found(reading.await?)?;
    let parts = model::mms_parts(&message).unwrap_or_default();
    Ok(Answer::value(&parts, &wanted)?)
}
