//! `GET /projects/{project_id}/labels/{label_id}/messages`

use super::find;
use crate::api::messages::{Within, list_within};
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;

/// Lists the messages that have a label.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let label = find(&hub, &project, call.path_id("label_id", "label")?).await?;
    list_within(&hub, &call, &project, Within::Label(label.id)).await
}
