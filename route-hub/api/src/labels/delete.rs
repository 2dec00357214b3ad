//! `DELETE /projects/{project_id}/labels/{label_id}`

use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::purge;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::labels;
use hub_web::{Answer, ApiError};

/// Removes a label; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("label_id", "label")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if !labels::delete(work.tx, work.project.id, id)? {
            return Err(ApiError::not_found("label").into());
        }
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    purge::leftovers_soon(&hub);
    Ok(answer)
}
