//! `GET`, `POST` and `DELETE /projects/{project_id}/groups/{group_id}`, and `PUT` and `DELETE` of
//! `…/contacts/{contact_id}` below it

use crate::groups::read;
use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::contacts::{PERMISSION, VIEW};
use hub_app::groups;
use hub_app::hub::Hub;
use hub_web::{Answer, Fields};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &[
    "id",
    "dynamic",
    "num_members",
    "time_created",
    "project_id",
    "url",
];

/// Shows one group.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("group_id", "group")?;
    let fields = Fields::read(&call.params)?;
    let view = groups::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Changes what is given of one group.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("group_id", "group")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = read::patch(&call.params)?;
    let view = groups::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}

/// Removes a group; its contacts stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("group_id", "group")?;
    groups::delete(&actor, id).await?;
    Ok(Answer::void())
}

/// Puts a contact into a group; one that is in it stays.
pub async fn join(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let group = call.path_id("group_id", "group")?;
    let contact = call.path_id("contact_id", "contact")?;
    groups::join(&actor, group, contact).await?;
    Ok(Answer::void())
}

/// Takes a contact out of a group; one that is not in it is left alone.
pub async fn leave(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let group = call.path_id("group_id", "group")?;
    let contact = call.path_id("contact_id", "contact")?;
    groups::leave(&actor, group, contact).await?;
    Ok(Answer::void())
}
