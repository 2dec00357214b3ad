//! `GET /projects/{project_id}/groups/{group_id}/contacts`

use crate::contacts::list_within;
use crate::groups::find;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;

/// Lists the contacts of a group; those of a dynamic one are whoever meets its conditions now.
pub async fn contacts(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewContacts).await?;
    let group = find(&hub, &project, call.path_id("group_id", "group")?).await?;
    list_within(&hub, &call, &project, Some(group.id)).await
}
