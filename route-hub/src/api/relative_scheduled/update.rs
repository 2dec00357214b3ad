//! `POST /projects/{project_id}/relative_scheduled/{relative_scheduled_id}`

use super::given::{Given, planned, recipient};
use super::model::{READ_ONLY, RelativeView};
use super::{check_recipient, found};
use crate::api::idempotency::Idempotency;
use crate::api::scheduled::message::Message;
use crate::api::{ApiResult, Call, enter, parse, unit};
use crate::dispatch::settle::Work;
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_store::{Tx, relative_schedules};
use hub_web::{Answer, Fields};

/// Changes what is given; the scheduled messages of all its contacts follow.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let (now, params) = (hub.now(), &call.params);
    let fields = Fields::read(params)?;
    parse::refuse_read_only(params, READ_ONLY)?;
    let of = project.id;
    let reading = hub
        .store
        .read(move |tx| relative_schedules::get(tx, of, id));
    let mut relative = found(reading.await?)?;
    let mut message = Message::stored(&relative.message);
    let planned = planned(&hub, params, &project, &mut message, now).await?;
    relative.message = message.to_text();
    if let Some(to) = recipient(params, &planned, &project)? {
        relative.to = to;
    }
    Given::read(params, &project, now)?.apply(&mut relative)?;
    relative.walked_up_to = Some(0);

    let decide = move |work: &mut Work<'_, '_>, tx: &mut Tx<'_>| {
        if let Err(refused) = check_recipient(tx, work.project, &relative.to)? {
            return Ok(Err(refused));
        }
        if !relative_schedules::update(tx, &relative)? {
            return Ok(found(None));
        }
        RelativeView::read(tx, relative.clone()).map(Ok)
    };
    let show = move |view: RelativeView| Answer::object(&view, &fields);
    let none = Idempotency::none();
    let answer = unit::answer(&hub, &project, now, none, decide, show).await?;
    hub.bus.wake_followers();
    Ok(answer)
}
