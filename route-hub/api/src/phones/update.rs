//! `POST /projects/{project_id}/phones/{phone_id}`

use crate::phones::patch;
use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_web::{Answer, Fields};

/// The fields that are given to a new phone and never change.
const MADE_WITH: &[&str] = &["phone_type"];

/// Changes a phone's settings; its link and the queue hear of it after the commit.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, MADE_WITH)?;
    let patch = patch::read(&call.params, actor.project.country.as_deref())?;
    let view = phones::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}
