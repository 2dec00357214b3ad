//! `GET /organizations/{organization_id}`

use crate::organizations::enter;
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::organizations::OrganizationView;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Shows the organization of the caller's key.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (_, organization) = enter(&hub, &call, Permission::ViewProjects).await?;
    let fields = Fields::read(&call.params)?;
    Ok(Answer::object(&OrganizationView(organization), &fields))
}
