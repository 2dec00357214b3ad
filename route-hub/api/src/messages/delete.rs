//! `DELETE /projects/{project_id}/messages/{message_id}`

use crate::idempotency::Idempotency;
use crate::messages::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::alerts::waiting;
use hub_app::dispatch::transitions::Detail;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Direction, Permission};
use hub_store::{contacts, messages, outbox};
use hub_web::Answer;
use postrider_link::ownership::hub::Fact;

/// Hides a message at once; one that is not sent yet is taken back, as a cancel would.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::DeleteMessages).await?;
    let id = call.path_id("message_id", "message")?;
    let now = hub.now();

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut message = found(messages::get(work.tx, work.project.id, id)?)?;
        if message.direction == Direction::Outgoing {
            work.apply(&mut message, Fact::DeleteAsked, &Detail::default())?;
        }
        messages::hide(work.tx, work.project.id, id, now.unix)?;
        contacts::forget_message(work.tx, &message)?;
        let gone = outbox::delete_of_message(work.tx, work.project.id, id)?;
        waiting::left(work, gone)?;
        work.effects.changed(id);
        Ok(())
    };
    let show = |()| Answer::void();
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
