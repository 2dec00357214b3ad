//! `GET /projects/{project_id}/scheduled`, the schedules of one contact or group, and `GET` and
//! `DELETE` of one.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, MIN_MAX_EXISTS, code};
use crate::scheduled::SCHEDULED;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::schedules::{PERMISSION, VIEW, existing};
use hub_domain::MessageType;
use hub_store::list::{Filter, Sort};
use hub_store::schedules::by;
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
        Entry::time("next_time", by::NEXT_TIME, MIN_MAX_EXISTS),
        Entry::id::<kind::RelativeScheduled>("relative_scheduled_id", by::RELATIVE_ID, EQUAL),
    ],
    sorts: &[DEFAULT, ("next_time", Sort::by(by::NEXT_TIME))],
};

operation! {
    /// Lists the scheduled messages of a project.
    LIST = "listScheduledMessages": Project(VIEW), list -> List(&SCHEDULES, &SCHEDULED);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    list_within(&actor, &call, None).await
}

operation! {
    /// Lists the scheduled messages to a contact itself, not those to its groups.
    OF_CONTACT = "listContactScheduledMessages": Project(VIEW), of_contact -> List(&SCHEDULES, &SCHEDULED);
}

async fn of_contact(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("contact_id", "contact")?;
    let within = existing::of_contact(&actor, id).await?;
    list_within(&actor, &call, Some(within)).await
}

operation! {
    /// Lists the scheduled messages to a group.
    OF_GROUP = "listGroupScheduledMessages": Project(VIEW), of_group -> List(&SCHEDULES, &SCHEDULED);
}

async fn of_group(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("group_id", "group")?;
    let within = existing::of_group(&actor, id).await?;
    list_within(&actor, &call, Some(within)).await
}

async fn list_within(actor: &Actor, call: &Call, within: Option<Filter>) -> ApiResult {
    let mut asked = call.list()?;
    asked.query.filters.extend(within);
    let listed = existing::list(actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Returns one scheduled message.
    GET = "getScheduledMessage": Project(VIEW), get -> Object(&SCHEDULED);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Cancels a scheduled message.
    DELETE = "deleteScheduledMessage": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("scheduled_id", "scheduled message")?;
    existing::delete(&actor, id).await?;
    Ok(Answer::void())
}
