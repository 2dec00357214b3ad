//! `POST /projects/{project_id}/groups` and `POST /projects/{project_id}/create_group`

use crate::groups::read;
use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::contacts::PERMISSION;
use hub_app::groups::{self, NewGroup};
use hub_app::hub::Hub;
use hub_web::{Answer, ApiError, Fields, Params};

/// Finds the group of a name, or makes a normal one.
pub async fn get_or_create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let view = groups::find_or_create(&actor, name).await?;
    Ok(Answer::object(&view, &fields))
}

/// Makes a group, dynamic when it has filters.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let command = new_group(&call.params)?;
    let view = groups::create(&actor, command).await?;
    Ok(Answer::object(&view, &fields))
}

fn new_group(params: &Params) -> Result<NewGroup, ApiError> {
    let mut settings = read::patch(params)?;
    let name = settings.name.take();
    let name = name.ok_or_else(|| params.get("name").refuse("is required"))?;
    Ok(NewGroup { name, settings })
}
