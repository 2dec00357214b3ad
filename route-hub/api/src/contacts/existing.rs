//! `GET`, `POST` and `DELETE /projects/{project_id}/contacts/{contact_id}`

use crate::contacts::create::GROUPS;
use crate::contacts::{CONTACT, READ_ONLY, read};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::contacts::{self, PERMISSION, VIEW};
use hub_web::{Answer, Fields, Member};

operation! {
    /// Shows one contact.
    GET = "getContact": Project(VIEW), get -> Object(&CONTACT);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    let fields = Fields::read(&call.params)?;
    let view = contacts::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Changes what is given of one contact.
    UPDATE = "updateContact": Project(PERMISSION), update -> Object(&CONTACT);
    .takes(&[read::TAKES, GROUPS, &[Member::read_only("id")], READ_ONLY])
    .example(r#"{"name":"Ann","vars":{"city":"Nairobi"}}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    let fields = Fields::read(&call.params)?;
    let region = actor.project.country.as_deref();
    let patch = read::patch(|name| call.params.get(name), region)?;
    let groups = read::groups(&call.params)?;
    let view = contacts::update(&actor, id, patch, groups).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Removes a contact; its messages stay.
    DELETE = "deleteContact": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    contacts::delete(&actor, id).await?;
    Ok(Answer::void())
}
