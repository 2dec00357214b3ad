//! `POST /projects/{project_id}/relative_scheduled`, and to one of them.

use crate::members::read_only;
use crate::messages::patch;
use crate::relative_scheduled::{RELATIVE, read};
use crate::scheduled::{RECURRENCE, TO};
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::schedules::{PERMISSION, relative};
use hub_app::views::relative_schedule::RelativeView;
use hub_web::{Answer, Fields, Member};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "recipients_str",
    "message_type",
    "time_created",
    "project_id",
]);

operation! {
    /// Schedules a message for each contact by the contact's own date.
    CREATE = "createRelativeScheduledMessage": Project(PERMISSION), create -> Object(&RELATIVE);
    .takes(&[TO, read::TAKES, RECURRENCE, patch::CONTENT, patch::SHARED])
    .with_media()
    .repeatable()
    .example(r#"{"group_id":"CG0000000000000001","content":"Happy birthday!","date_variable":"birthday","time_of_day":"09:00","offset_scale":"D","offset_count":0}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "relative_scheduled")?;
    let command = read::relative(&call.params, actor.now)?;
    let show = move |view: RelativeView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = relative::create::create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

operation! {
    /// Changes what is given; the scheduled messages of all its contacts follow.
    UPDATE = "updateRelativeScheduledMessage": Project(PERMISSION), update -> Object(&RELATIVE);
    .takes(&[READ_ONLY, TO, read::TAKES, RECURRENCE, patch::CONTENT, patch::SHARED])
    .with_media()
    .example(r#"{"time_of_day":"10:00"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let patch = read::relative(&call.params, actor.now)?;
    let view = relative::update::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}
