//! `DELETE /projects/{project_id}/contacts/{contact_id}`

use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::{contacts, relative_schedules};
use hub_web::{Answer, ApiError};

/// Removes a contact; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let id = call.path_id("contact_id", "contact")?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let project = work.project.id;
        if !contacts::delete(work.tx, project, id)? {
            return Err(ApiError::not_found("contact").into());
        }
        if relative_schedules::any(work.tx, project)? {
            relative_schedules::note_change(work.tx, project, id)?;
        }
        Ok(())
    };
    let show = |()| Answer::void();
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
