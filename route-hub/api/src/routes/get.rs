//! `GET /projects/{project_id}/routes/{route_id}`

use crate::routes::found;
use crate::routes::model::RouteView;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::routes;
use hub_web::{Answer, Fields};

/// Shows one custom route.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let (project_id, id) = (project.id, call.path_id("route_id", "route")?);
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| routes::get(tx, project_id, id));
    let route = found(reading.await?)?;
    Ok(Answer::object(&RouteView(route), &fields))
}
