//! `POST /projects/{project_id}/labels`, and `POST` and `DELETE` of one label.

use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::labels::{self, LabelPatch, PERMISSION};
use hub_web::{Answer, Fields};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &["id", "time_created", "project_id", "url"];

/// Finds the label of a name, or makes it.
pub async fn get_or_create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let label = labels::get_or_create(&actor, name).await?;
    Ok(Answer::object(&label, &fields))
}

/// Changes a label's name and variables.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("label_id", "label")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = LabelPatch {
        name: parse::name(&call.params.get("name"))?,
        vars: parse::vars(&call.params.get("vars"))?,
    };
    let label = labels::update(&actor, id, patch).await?;
    Ok(Answer::object(&label, &fields))
}

/// Removes a label; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("label_id", "label")?;
    labels::delete(&actor, id).await?;
    Ok(Answer::void())
}
