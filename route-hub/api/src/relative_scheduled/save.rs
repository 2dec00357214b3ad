//! `POST /projects/{project_id}/relative_scheduled`, and to one of them.

use crate::parse;
use crate::relative_scheduled::read;
use crate::{ApiResult, Call, enter, idempotency};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::{PERMISSION, relative};
use hub_app::views::relative_schedule::RelativeView;
use hub_web::{Answer, Fields};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &[
    "id",
    "recipients_str",
    "message_type",
    "time_created",
    "project_id",
];

/// Schedules a message for each contact by the contact's own date.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "relative_scheduled")?;
    let command = read::relative(&call.params, actor.now)?;
    let show = move |view: RelativeView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = relative::create::create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

/// Changes what is given; the scheduled messages of all its contacts follow.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = read::relative(&call.params, actor.now)?;
    let view = relative::update::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}
