//! `DELETE /projects/{project_id}/scheduled/{scheduled_id}`

use crate::idempotency::Idempotency;
use crate::scheduled::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::{broadcasts, schedules};
use hub_web::Answer;

/// Cancels a scheduled message, also for those of a group who have not got it yet.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if !schedules::delete(work.tx, work.project.id, id)? {
            return Ok(found(None)?);
        }
        broadcasts::end_of_schedule(work.tx, id, "the scheduled message was deleted")?;
        Ok(())
    };
    let show = |()| Answer::void();
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
