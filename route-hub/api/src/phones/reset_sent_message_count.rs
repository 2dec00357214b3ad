//! `POST /projects/{project_id}/phones/{phone_id}/reset_sent_message_count`

use crate::idempotency::Idempotency;
use crate::phones::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::phones;
use hub_web::Answer;

/// Begins a phone's count anew; one that its limit paused sends again.
pub async fn reset_sent_message_count(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let id = call.path_id("phone_id", "phone")?;
    let now = hub.now();

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut phone = found(phones::get(work.tx, work.project.id, id)?)?;
        phone.reset_sent_count(now.unix);
        phones::update(work.tx, &phone)?;
        work.effects.settings(id);
        work.effects.queued(id);
        work.effects.simulated();
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_phone(id);
    Ok(answer)
}
