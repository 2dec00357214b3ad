//! `POST /projects/{project_id}/scheduled`, and to one of them.

use crate::contact_filter;
use crate::members::read_only;
use crate::messages::patch;
use crate::parse;
use crate::scheduled::SCHEDULED;
use crate::scheduled::timing::{self, timing};
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::schedules::create::SchedulePatch;
use hub_app::schedules::recipient::RecipientPatch;
use hub_app::schedules::{self, PERMISSION};
use hub_app::views::schedule::ScheduleView;
use hub_web::{Answer, ApiError, Fields, Member, Params};
use postrider_model::kind;

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "recipients",
    "recipients_str",
    "message_type",
    "time_created",
    "prev_time",
    "next_time",
    "waiting_for",
    "next_try_time",
    "occurrences",
    "error_message",
    "relative_scheduled_id",
    "project_id",
]);

/// Whom a schedule is for.
pub(crate) const TO: &[Member] = &[
    patch::TO[0],
    patch::TO[1],
    Member::id::<kind::Group>("group_id", "The group, instead of one recipient."),
];

operation! {
    /// Schedules a message, once or again and again.
    CREATE = "createScheduledMessage": Project(PERMISSION), create -> Object(&SCHEDULED);
    .takes(&[TO, contact_filter::FILTER, timing::START, timing::RECURRENCE, patch::CONTENT, patch::SHARED])
    .with_media()
    .repeatable()
    .example(r#"{"to_number":"+15005550101","content":"Hello!","start_time_offset":86400}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "scheduled")?;
    let command = read(&actor, &call.params)?;
    let show = move |view: ScheduleView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = schedules::create::create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

operation! {
    /// Changes what is given of a scheduled message.
    UPDATE = "updateScheduledMessage": Project(PERMISSION), update -> Object(&SCHEDULED);
    .takes(&[READ_ONLY, TO, contact_filter::FILTER, timing::START, timing::RECURRENCE, patch::CONTENT, patch::SHARED])
    .with_media()
    .example(r#"{"content":"Hello again!"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let patch = read(&actor, &call.params)?;
    let view = schedules::update::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}

fn read(actor: &Actor, params: &Params) -> Result<SchedulePatch, ApiError> {
    let region = actor.project.country.as_deref();
    Ok(SchedulePatch {
        message: patch::read(params)?,
        to: RecipientPatch {
            filter: contact_filter::read(params, region)?,
            ..recipient(params)?
        },
        timing: timing(params, actor.now)?,
    })
}

/// Reads whom a request names.
pub(crate) fn recipient(params: &Params) -> Result<RecipientPatch, ApiError> {
    Ok(RecipientPatch {
        group_id: parse::id(&params.get("group_id"), "group")?,
        filter: None,
        to: patch::to(|name| params.get(name))?,
    })
}
