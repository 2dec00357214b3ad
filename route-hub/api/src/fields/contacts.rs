//! `/projects/{project_id}/contact_fields`

use crate::fields::{CONTACTS, change as changing, list as listing};
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;

/// Lists the fields of contacts, all in one array.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    listing::list(&hub, &call, CONTACTS).await
}

/// Says how the variable of a path is shown.
pub async fn change(State(hub): State<Hub>, call: Call) -> ApiResult {
    changing::one(&hub, &call, CONTACTS).await
}

/// Says how up to a hundred variables are shown, or removes them, and lists all fields.
pub async fn change_many(State(hub): State<Hub>, call: Call) -> ApiResult {
    changing::many(&hub, &call, CONTACTS).await
}
