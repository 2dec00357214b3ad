//! `POST /projects/{project_id}/relative_scheduled/{relative_scheduled_id}`

use crate::idempotency::Idempotency;
use crate::messages::patch::change_message;
use crate::relative_scheduled::patch::{RelativeSchedulePatch, recipient, refuse_code};
use crate::relative_scheduled::{check_recipient, found};
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::actor::Actor;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::messages::stored_message::StoredMessage;
use hub_app::parse;
use hub_app::schedules::relative::view::RelativeView;
use hub_domain::{Permission, RelativeSchedule};
use hub_store::relative_schedules;
use hub_web::{Answer, ApiError, Fields};
use postrider_model::{Now, RelativeScheduledId};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &[
    "id",
    "recipients_str",
    "message_type",
    "time_created",
    "project_id",
];

/// How often a change is tried again that another one came before.
const TRIES: usize = 20;

/// Changes what is given; the scheduled messages of all its contacts follow.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    for _ in 0..TRIES {
        let answer = attempt(&hub, &call, &project, id, &fields, now).await?;
        if answer != Answer::void() {
            hub.bus.wake_followers();
            return Ok(answer);
        }
    }
    Err(ApiError::unavailable("the relative scheduled message changes all the time").into())
}

/// Changes it as it was read; answers nothing when it has been changed since.
async fn attempt(
    hub: &Hub,
    call: &Call,
    project: &Actor,
    id: RelativeScheduledId,
    fields: &Fields,
    now: Now,
) -> ApiResult {
    let (of, params) = (project.id, &call.params);
    let reading = hub
        .store
        .of(of)
        .read(move |tx| relative_schedules::get(tx, of, id));
    let before = found(reading.await?)?;
    let mut relative = before.clone();
    let mut message = StoredMessage::read(&relative.message)
        .map_err(|unreadable| unreadable.in_column(relative_schedules::MESSAGE))?;
    let planned = change_message(hub, call, project, &mut message, now).await?;
    refuse_code(&planned)?;
    relative.message = message.to_text();
    if let Some(to) = recipient(params, &planned, project)? {
        relative.to = to;
    }
    RelativeSchedulePatch::read(params, project, now)?.apply(&mut relative)?;
    relative.walked_up_to = Some(0);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if relative.to != before.to {
            check_recipient(work.tx, work.project, &relative.to)?;
        }
        let now = found(relative_schedules::get(work.tx, work.project.id, id)?)?;
        if !is_same(&now, &before) {
            return Ok(None);
        }
        relative_schedules::update(work.tx, &relative)?;
        Ok(Some(RelativeView::read(work.tx, relative.clone())?))
    };
    let fields = fields.clone();
    let show = move |view: Option<RelativeView>| {
        view.map_or_else(Answer::void, |view| Answer::object(&view, &fields))
    };
    transaction::answer(project, Idempotency::none(), decide, show).await
}

/// Says whether nothing was changed but how far its contacts have been walked through.
fn is_same(now: &RelativeSchedule, before: &RelativeSchedule) -> bool {
    let walked_up_to = before.walked_up_to;
    let now = RelativeSchedule {
        walked_up_to,
        ..now.clone()
    };
    now == *before
}
