//! `DELETE /projects/{project_id}/routes/{route_id}`

use crate::idempotency::Idempotency;
use crate::routes::found;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::routes;
use hub_web::Answer;

/// Removes a custom route: its messages keep their phones, and who had it as default has none.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let id = call.path_id("route_id", "route")?;
    let (_now, _actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let gone = routes::delete(work.tx, work.project.id, id)?;
        found(gone.then_some(()))?;
        work.note("route.delete", id)?;
        Ok(())
    };
    let show = |()| Answer::void();
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_route(id);
    Ok(answer)
}
