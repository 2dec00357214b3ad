//! `POST /projects/{project_id}/send_broadcast`

use crate::idempotency::Idempotency;
use crate::messages::patch::new_message;
use crate::{ApiResult, Call, Failure, accepting, enter, transaction};
use axum::extract::State;
use hub_app::broadcasts::new_broadcast::{NewBroadcast, Recipients, title};
use hub_app::broadcasts::view::BroadcastView;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::{MessageSource, Permission, Project};
use hub_web::{Answer, Field, Fields};
use postrider_model::Now;

/// Takes a broadcast, whatever its size: its messages are made from now on.
pub async fn send(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    let idempotency = Idempotency::of(&call, "send_broadcast")?;
    let given = read(&hub, &call, &project, now).await?;
    accepting(&hub, &project, 0, now).await?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let broadcast = given.store(work)?;
        Ok(BroadcastView::read(work.tx, broadcast)?)
    };
    let show = move |view: BroadcastView| Answer::object(&view, &fields);
    transaction::answer(&project, idempotency, decide, show).await
}

async fn read(
    hub: &Hub,
    call: &Call,
    project: &Project,
    now: Now,
) -> Result<NewBroadcast, Failure> {
    let params = &call.params;
    let message = new_message(call)?;
    let planned = message.planned_for_many(hub, project, now).await?;
    let numbers = |field: &Field<'_>| planned.numbers(field, project);
    let recipients = Recipients::read(hub, params, project, numbers).await?;
    Ok(NewBroadcast {
        id: hub.id(now),
        source: MessageSource::Api,
        scheduled_id: None,
        message_type: planned.message_type(),
        message,
        title: title(params, "title")?,
        recipients,
    })
}
