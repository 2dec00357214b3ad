//! `DELETE /projects/{project_id}/phones/{phone_id}`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_web::Answer;

/// Removes a test route or a phone at a provider, whose secret is erased; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::delete(&actor, id).await?;
    Ok(Answer::void())
}
