//! `GET /organizations/{organization_id}`

use super::enter;
use super::model::OrganizationView;
use crate::api::{ApiResult, Call};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Shows the organization of the caller's key.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let organization = enter(&hub, &call, Permission::ViewProjects).await?;
    let fields = Fields::read(&call.params)?;
    Ok(Answer::object(&OrganizationView(organization), &fields))
}
