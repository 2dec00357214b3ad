//! `GET /projects/{project_id}/phones/{phone_id}`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Shows one phone.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, Permission::ViewRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let id = call.path_id("phone_id", "phone")?;
    let view = phones::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}
