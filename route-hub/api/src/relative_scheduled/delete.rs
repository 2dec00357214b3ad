//! `DELETE /projects/{project_id}/relative_scheduled/{relative_scheduled_id}`

use crate::idempotency::Idempotency;
use crate::relative_scheduled::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::relative_schedules;
use hub_web::Answer;

/// Deletes one with the scheduled messages that it made: none of them sends any more.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let removed = relative_schedules::remove(work.tx, work.project.id, id)?;
        Ok(found(removed.then_some(()))?)
    };
    let show = |()| Answer::void();
    let none = Idempotency::none();
    let answer = transaction::answer(&project, none, decide, show).await?;
    hub.bus.wake_followers();
    Ok(answer)
}
