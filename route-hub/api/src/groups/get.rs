//! `GET /projects/{project_id}/groups/{group_id}`

use crate::groups::find;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::groups::view::GroupView;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Shows one group.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewContacts).await?;
    let id = call.path_id("group_id", "group")?;
    let fields = Fields::read(&call.params)?;
    let group = find(&hub, &project, id).await?;
    Ok(Answer::object(&GroupView(group), &fields))
}
