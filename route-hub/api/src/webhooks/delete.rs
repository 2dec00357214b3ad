//! `DELETE /projects/{project_id}/webhooks/{webhook_id}`

use crate::idempotency::Idempotency;
use crate::webhooks::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::webhooks;
use hub_web::Answer;

/// Removes a webhook object; what waits to be delivered for it is still delivered.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ManageWebhooks).await?;
    let id = call.path_id("webhook_id", "webhook")?;
    let _now = hub.now();
    let _actor = call.caller.key.id;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        found(webhooks::get(work.tx, work.project.id, id)?)?;
        webhooks::delete(work.tx, work.project.id, id)?;
        work.note("webhook.delete", id)?;
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_webhooks(project.id);
    Ok(answer)
}
