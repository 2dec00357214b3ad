//! `POST /projects/{project_id}/routes`, and `POST` and `DELETE` of one route.

use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::routes::{self, NewRoute, PERMISSION, RoutePatch};
use hub_domain::routing::Actions;
use hub_web::{Answer, ApiError, Fields, Params};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &["id", "project_id", "url"];

/// Makes a custom route.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(&call.params)?;
    let missing = |name| ApiError::invalid_param(name, "is required");
    let command = NewRoute {
        name: patch.name.ok_or_else(|| missing("name"))?,
        actions: patch.actions.ok_or_else(|| missing("actions"))?,
        vars: patch.vars,
    };
    let route = routes::create(&actor, command).await?;
    Ok(Answer::object(&route, &fields))
}

/// Changes a custom route; what it has given to phones stays there while they can send.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("route_id", "route")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(&call.params)?;
    let route = routes::update(&actor, id, patch).await?;
    Ok(Answer::object(&route, &fields))
}

/// Removes a custom route: its messages keep their phones, and who had it as default has none.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("route_id", "route")?;
    routes::delete(&actor, id).await?;
    Ok(Answer::void())
}

fn patch(params: &Params) -> Result<RoutePatch, ApiError> {
    parse::refuse_read_only(params, READ_ONLY)?;
    let field = params.get("actions");
    let actions = field.is_present().then(|| Actions::parse(&field.to_json()));
    let actions = actions.transpose().map_err(|invalid| {
        let param = format!("actions{}", invalid.place);
        ApiError::invalid_param(param, invalid)
    })?;
    Ok(RoutePatch {
        name: parse::name(&params.get("name"))?,
        actions,
        vars: parse::vars(&params.get("vars"))?,
    })
}
