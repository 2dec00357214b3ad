//! `POST /projects/{project_id}/scheduled`

use crate::idempotency::Idempotency;
use crate::scheduled::read;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules;
use hub_app::schedules::view::ScheduleView;
use hub_web::{Answer, Fields};

/// Schedules a message, once or again and again.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, schedules::PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = Idempotency::of(&call, "scheduled")?.0;
    let command = read::schedule(&call.params, actor.now)?;
    let show = move |view: ScheduleView| Answer::object(&view, &fields);
    let text = transaction::text(show.clone());
    let done = schedules::create::create(&actor, command, repeat, text).await?;
    Ok(transaction::shown(done, show))
}
