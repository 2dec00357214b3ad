//! `GET /projects/{project_id}/labels/{label_id}/messages`

use crate::labels::find;
use crate::messages::{Within, list_within};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;

/// Lists the messages that have a label.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let label = find(&hub, &project, call.path_id("label_id", "label")?).await?;
    list_within(&hub, &call, &project, Within::Label(label.id)).await
}
