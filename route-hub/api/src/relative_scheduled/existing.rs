//! `GET /projects/{project_id}/relative_scheduled`, and `GET` and `DELETE` of one.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, code};
use crate::relative_scheduled::RELATIVE;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::schedules::relative::existing;
use hub_app::schedules::{PERMISSION, VIEW};
use hub_domain::MessageType;
use hub_store::relative_schedules::by;
use hub_web::{Answer, Fields};
use postrider_model::kind;

const SCHEDULES: List = List {
    filters: &[
        Entry::one_of(
            "message_type",
            MessageType::NAMES,
            by::MESSAGE_TYPE,
            |value| code(value, |name| name.parse().ok().map(MessageType::code)),
        ),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::id::<kind::Group>("group_id", by::GROUP_ID, EQUAL),
        Entry::id::<kind::Contact>("contact_id", by::CONTACT_ID, EQUAL),
    ],
    sorts: &[DEFAULT],
};

operation! {
    /// Lists the relative scheduled messages of a project.
    LIST = "listRelativeScheduledMessages": Project(VIEW), list -> List(&SCHEDULES, &RELATIVE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = existing::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Returns one relative scheduled message.
    GET = "getRelativeScheduledMessage": Project(VIEW), get -> Object(&RELATIVE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Deletes one with the scheduled messages that it made.
    DELETE = "deleteRelativeScheduledMessage": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    existing::delete(&actor, id).await?;
    Ok(Answer::void())
}
