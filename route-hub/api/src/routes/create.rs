//! `POST /projects/{project_id}/routes`

use crate::idempotency::Idempotency;
use crate::routes::model::RouteView;
use crate::routes::patch::RoutePatch;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::routing::{Actions, Route};
use hub_domain::{Permission, Vars};
use hub_store::routes;
use hub_web::{Answer, ApiError, Fields};

/// Makes a custom route.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let patch = RoutePatch::read(&call.params)?;
    for (name, is_given) in [
        ("name", patch.name.is_some()),
        ("actions", patch.actions.is_some()),
    ] {
        if !is_given {
            return Err(ApiError::invalid_param(name, "is required").into());
        }
    }
    let (now, _actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut route = Route {
            id: work.hub.id(now),
            project_id: work.project.id,
            name: String::new(),
            actions: Actions::default(),
            vars: Vars::default(),
            time_created: now.unix,
        };
        patch.apply(work.tx, &mut route)?;
        routes::insert(work.tx, &route)?;
        work.note("route.create", route.id)?;
        Ok(route)
    };
    let show = move |route| Answer::object(&RouteView(route), &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
