//! `GET /organizations/{organization_id}/usage/{usage_type}`

use crate::organizations::enter_whole;
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::organizations::usage::present;
use hub_domain::{Permission, UsageType};
use hub_web::{Answer, ApiError, Fields};

/// Answers with a bare number: how much of a type the organization has, or has used today.
pub async fn usage(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (actor, organization) = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let kind = call.path("usage_type").and_then(UsageType::named);
    let kind = kind.ok_or_else(|| ApiError::not_found("usage type"))?;
    let counted = present(&actor, &organization, kind).await?;
    Ok(Answer::value(&counted, Fields::ALL)?)
}
