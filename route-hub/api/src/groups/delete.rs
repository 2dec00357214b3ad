//! `DELETE /projects/{project_id}/groups/{group_id}`

use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::housekeeping;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::{groups, relative_schedules};
use hub_web::{Answer, ApiError};

/// Removes a group; its contacts stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let id = call.path_id("group_id", "group")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if !groups::delete(work.tx, work.project.id, id)? {
            return Err(ApiError::not_found("group").into());
        }
        relative_schedules::walk_group(work.tx, work.project.id, id)?;
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    housekeeping::leftovers_soon(&hub);
    Ok(answer)
}
