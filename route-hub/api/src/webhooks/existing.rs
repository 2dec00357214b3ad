//! `GET /projects/{project_id}/webhooks`, and of one webhook object.

use crate::lists::{DEFAULT, List};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::webhook_objects::{self, PERMISSION};
use hub_web::{Answer, Fields};

const LIST: List = List {
    filters: &[],
    sorts: &[DEFAULT],
};

/// Lists the webhook objects of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let asked = LIST.read(&call.params)?;
    let listed = webhook_objects::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Shows one webhook object.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("webhook_id", "webhook")?;
    let fields = Fields::read(&call.params)?;
    let webhook = webhook_objects::get(&actor, id).await?;
    Ok(Answer::object(&webhook, &fields))
}
