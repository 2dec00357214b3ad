//! `GET /projects/{project_id}/phones/{phone_id}`

use super::{find, model::PhoneView};
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Shows one phone.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let phone = find(&hub, &call, &project).await?;
    let view = PhoneView::new(phone, &project);
    Ok(Answer::object(&view, &fields))
}
