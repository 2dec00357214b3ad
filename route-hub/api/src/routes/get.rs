//! `GET /projects/{project_id}/routes/{route_id}`

use super::found;
use super::model::RouteView;
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
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
