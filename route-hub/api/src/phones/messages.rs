//! `GET /projects/{project_id}/phones/{phone_id}/messages`

use super::find;
use crate::api::messages::{Within, list_within};
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;

/// Lists the messages of one phone.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let phone = find(&hub, &call, &project).await?;
    list_within(&hub, &call, &project, Within::Phone(phone.id)).await
}
