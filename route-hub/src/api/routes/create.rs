//! `POST /projects/{project_id}/routes`

use super::given::Given;
use super::model::RouteView;
use crate::api::idempotency::Idempotency;
use crate::api::{ApiResult, Call, enter, unit};
use crate::dispatch::settle::Work;
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::routing::{Actions, Route};
use hub_domain::{Permission, Vars};
use hub_store::{Tx, routes};
use hub_web::{Answer, ApiError, Fields};

/// Makes a custom route.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let given = Given::read(&call.params)?;
    for (name, is_given) in [
        ("name", given.name.is_some()),
        ("actions", given.actions.is_some()),
    ] {
        if !is_given {
            return Err(ApiError::invalid_param(name, "is required").into());
        }
    }
    let (now, actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut Work<'_, '_>, tx: &mut Tx<'_>| {
        let mut route = Route {
            id: work.hub.id(now),
            project_id: work.project.id,
            name: String::new(),
            actions: Actions::default(),
            vars: Vars::default(),
            time_created: now.unix,
        };
        given.apply(tx, &mut route)?;
        routes::insert(tx, &route)?;
        work.note(tx, actor, "route.create", route.id)?;
        Ok(route)
    };
    let show = move |route| Answer::object(&RouteView(route), &fields);
    unit::answer(&hub, &project, now, Idempotency::none(), decide, show).await
}
