//! `POST /projects/{project_id}/relative_scheduled`

use crate::idempotency::Idempotency;
use crate::relative_scheduled::read;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::PERMISSION;
use hub_app::schedules::relative;
use hub_app::schedules::relative::view::RelativeView;
use hub_web::{Answer, Fields};

/// Schedules a message for each contact by the contact's own date.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = Idempotency::of(&call, "relative_scheduled")?.0;
    let command = read::relative(&call.params, actor.now)?;
    let show = move |view: RelativeView| Answer::object(&view, &fields);
    let text = transaction::text(show.clone());
    let done = relative::create::create(&actor, command, repeat, text).await?;
    Ok(transaction::shown(done, show))
}
