//! `POST /projects/{project_id}/labels`, and `POST` and `DELETE` of one label.

use crate::labels::{LABEL, NAME};
use crate::members::{VARS, read_only};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::labels::{self, LabelPatch, PERMISSION};
use hub_web::{Answer, Fields, Member};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only(["id", "time_created", "project_id", "url"]);

operation! {
    /// Finds the label of a name, or makes it.
    GET_OR_CREATE = "createLabel": Project(PERMISSION), get_or_create -> Object(&LABEL);
    .takes(&[&[NAME.required()]])
    .example(r#"{"name":"urgent"}"#)
}

async fn get_or_create(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let label = labels::get_or_create(&actor, name).await?;
    Ok(Answer::object(&label, &fields))
}

operation! {
    /// Changes a label's name and variables.
    UPDATE = "updateLabel": Project(PERMISSION), update -> Object(&LABEL);
    .takes(&[&[NAME, VARS], READ_ONLY])
    .example(r#"{"name":"very urgent","vars":{"colour":"red"}}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("label_id", "label")?;
    let fields = Fields::read(&call.params)?;
    let patch = LabelPatch {
        name: parse::name(&call.params.get("name"))?,
        vars: parse::vars(&call.params.get("vars"))?,
    };
    let label = labels::update(&actor, id, patch).await?;
    Ok(Answer::object(&label, &fields))
}

operation! {
    /// Removes a label; its messages stay.
    DELETE = "deleteLabel": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("label_id", "label")?;
    labels::delete(&actor, id).await?;
    Ok(Answer::void())
}
