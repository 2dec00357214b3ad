//! `POST /projects/{project_id}/phones/{phone_id}/release_quiet_hours`

use crate::idempotency::Idempotency;
use crate::phones::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::{Permission, QuietMode};
use hub_store::phones;
use hub_web::{Answer, ApiError};

/// Lets what waits in the present quiet hours of a phone go: the word that mode `confirm` waits for.
///
/// It holds until these hours end. Outside of them there is nothing to release.
pub async fn release_quiet_hours(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let id = call.path_id("phone_id", "phone")?;
    let (now, _actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut phone = found(phones::get(work.tx, work.project.id, id)?)?;
        if phone.quiet_mode != QuietMode::Confirm {
            let rule = "is not confirm: there is nothing to release";
            return Err(ApiError::invalid_param("quiet_mode", rule).into());
        }
        if !phone.release_quiet(&work.project.timezone_id, now.unix) {
            return Ok(());
        }
        phones::update(work.tx, &phone)?;
        work.note("phone.release_quiet_hours", id)?;
        work.effects.settings(id);
        work.effects.simulated();
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_phone(id);
    Ok(answer)
}
