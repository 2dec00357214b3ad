//! `DELETE /projects/{project_id}/phones/{phone_id}`

use crate::idempotency::Idempotency;
use crate::phones::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::{phone_accounts, phones};
use hub_web::{Answer, ApiError};

/// Removes a test route or a phone at a provider, whose secret is erased; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let id = call.path_id("phone_id", "phone")?;
    let (_now, _actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut phone = found(phones::get(work.tx, work.project.id, id)?)?;
        if phone.device_id.is_some() {
            let text = "this phone belongs to a device: it goes when its device is revoked";
            return Err(ApiError::invalid_body(text).into());
        }
        phone.removed = true;
        phones::update(work.tx, &phone)?;
        phone_accounts::delete(work.tx, id)?;
        work.note("phone.delete", id)?;
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_phone(id);
    Ok(answer)
}
