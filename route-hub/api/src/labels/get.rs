//! `GET /projects/{project_id}/labels/{label_id}`

use crate::labels::find;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::labels::view::LabelView;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Shows one label.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("label_id", "label")?;
    let fields = Fields::read(&call.params)?;
    let label = find(&hub, &project, id).await?;
    Ok(Answer::object(&LabelView(label), &fields))
}
