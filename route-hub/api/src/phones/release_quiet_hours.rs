//! `POST /projects/{project_id}/phones/{phone_id}/release_quiet_hours`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_web::Answer;

/// Lets what waits in the present quiet hours of a phone go: the word that mode `confirm` waits for.
///
/// It holds until these hours end. Outside of them there is nothing to release.
pub async fn release_quiet_hours(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::release_quiet_hours(&actor, id).await?;
    Ok(Answer::void())
}
