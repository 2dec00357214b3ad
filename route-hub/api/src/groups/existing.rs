//! `GET`, `POST` and `DELETE /projects/{project_id}/groups/{group_id}`, and `PUT` and `DELETE` of
//! `…/contacts/{contact_id}` below it

use crate::groups::{GROUP, NAME, read};
use crate::members::read_only;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::contacts::{PERMISSION, VIEW};
use hub_app::groups;
use hub_web::{Answer, Fields, Member};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "dynamic",
    "num_members",
    "time_created",
    "project_id",
    "url",
]);

operation! {
    /// Shows one group.
    GET = "getGroup": Project(VIEW), get -> Object(&GROUP);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("group_id", "group")?;
    let fields = Fields::read(&call.params)?;
    let view = groups::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Changes what is given of one group.
    UPDATE = "updateGroup": Project(PERMISSION), update -> Object(&GROUP);
    .takes(&[&[NAME], read::TAKES, READ_ONLY])
    .example(r#"{"allow_sending":true}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("group_id", "group")?;
    let fields = Fields::read(&call.params)?;
    let patch = read::patch(&call.params)?;
    let view = groups::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Removes a group; its contacts stay.
    DELETE = "deleteGroup": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("group_id", "group")?;
    groups::delete(&actor, id).await?;
    Ok(Answer::void())
}

operation! {
    /// Puts a contact into a group; one that is in it stays.
    JOIN = "addToGroup": Project(PERMISSION), join -> Nothing;
}

async fn join(actor: Actor, call: Call) -> ApiResult {
    let group = call.path_id("group_id", "group")?;
    let contact = call.path_id("contact_id", "contact")?;
    groups::join(&actor, group, contact).await?;
    Ok(Answer::void())
}

operation! {
    /// Takes a contact out of a group; one that is not in it is left alone.
    LEAVE = "removeFromGroup": Project(PERMISSION), leave -> Nothing;
}

async fn leave(actor: Actor, call: Call) -> ApiResult {
    let group = call.path_id("group_id", "group")?;
    let contact = call.path_id("contact_id", "contact")?;
    groups::leave(&actor, group, contact).await?;
    Ok(Answer::void())
}
