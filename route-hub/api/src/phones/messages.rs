//! `GET /projects/{project_id}/phones/{phone_id}/messages`

use crate::messages::{Within, list_within};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_domain::Permission;

/// Lists the messages of one phone.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("phone_id", "phone")?;
    let phone = phones::find(&project, id).await?;
    list_within(&hub, &call, &project, Within::Phone(phone.id)).await
}
