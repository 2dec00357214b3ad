//! `POST /projects/{project_id}/phones/{phone_id}/reset_sent_message_count`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_web::Answer;

/// Begins a phone's count anew; one that its limit paused sends again.
pub async fn reset_sent_message_count(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::reset_sent_count(&actor, id).await?;
    Ok(Answer::void())
}
