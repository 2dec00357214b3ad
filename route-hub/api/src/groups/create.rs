//! `POST /projects/{project_id}/groups` and `POST /projects/{project_id}/create_group`

use crate::groups::{GROUP, NAME, read};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::contacts::PERMISSION;
use hub_app::groups::{self, NewGroup};
use hub_web::{Answer, ApiError, ErrorCode, Fields, Params};

operation! {
    /// Finds the group of a name, or makes a normal one.
    GET_OR_CREATE = "getOrCreateGroup": Project(PERMISSION), get_or_create -> Object(&GROUP);
    .takes(&[&[NAME.required()]])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"name":"Subscribers"}"#)
}

async fn get_or_create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let view = groups::find_or_create(&actor, name).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Makes a group, dynamic when it has filters.
    CREATE = "createGroup": Project(PERMISSION), create -> Object(&GROUP);
    .takes(&[&[NAME.required()], read::TAKES])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"name":"From Nairobi","filters":{"vars.city":"Nairobi"}}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
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
