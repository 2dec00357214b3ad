//! `POST /projects/{project_id}/routes`, and `POST` and `DELETE` of one route.

use crate::members::{VARS, read_only};
use crate::routes::{ACTIONS, NAME, ROUTE};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::routes::{self, NewRoute, PERMISSION, RoutePatch};
use hub_domain::routing::Actions;
use hub_web::{Answer, ApiError, Fields, Member, Params};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only(["id", "project_id", "url"]);

operation! {
    /// Makes a custom route.
    CREATE = "createRoute": Project(PERMISSION), create -> Object(&ROUTE);
    .takes(&[&[NAME.required(), ACTIONS.required(), VARS], READ_ONLY])
    .example(r#"{"name":"Any","actions":[{"type":"use_phone","phone_ids":["PN0000000000000001"]}]}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
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

operation! {
    /// Changes a custom route; what it has given to phones stays there while they can send.
    UPDATE = "updateRoute": Project(PERMISSION), update -> Object(&ROUTE);
    .takes(&[&[NAME, ACTIONS, VARS], READ_ONLY])
    .example(r#"{"name":"Any of mine"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("route_id", "route")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(&call.params)?;
    let route = routes::update(&actor, id, patch).await?;
    Ok(Answer::object(&route, &fields))
}

operation! {
    /// Removes a custom route: its messages keep their phones, and who had it as default has none.
    DELETE = "deleteRoute": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("route_id", "route")?;
    routes::delete(&actor, id).await?;
    Ok(Answer::void())
}

fn patch(params: &Params) -> Result<RoutePatch, ApiError> {
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
