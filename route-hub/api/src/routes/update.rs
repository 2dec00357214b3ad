//! `POST /projects/{project_id}/routes/{route_id}`

use crate::idempotency::Idempotency;
use crate::routes::found;
use crate::routes::model::RouteView;
use crate::routes::patch::RoutePatch;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::routes;
use hub_web::{Answer, Fields};

/// Changes a custom route; what it has given to phones stays there while they can send.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let id = call.path_id("route_id", "route")?;
    let fields = Fields::read(&call.params)?;
    let patch = RoutePatch::read(&call.params)?;
    let (_now, _actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut route = found(routes::get(work.tx, work.project.id, id)?)?;
        patch.apply(work.tx, &mut route)?;
        routes::update(work.tx, &route)?;
        work.note("route.update", id)?;
        Ok(route)
    };
    let show = move |route| Answer::object(&RouteView(route), &fields);
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_route(id);
    Ok(answer)
}
