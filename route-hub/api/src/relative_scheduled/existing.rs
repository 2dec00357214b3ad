//! `GET /projects/{project_id}/relative_scheduled`, and `GET` and `DELETE` of one.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, code};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::relative::existing;
use hub_app::schedules::{PERMISSION, VIEW};
use hub_domain::MessageType;
use hub_store::relative_schedules::by;
use hub_web::{Answer, Fields};
use postrider_model::kind;

const LIST: List = List {
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

/// Lists the relative scheduled messages of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let asked = LIST.read(&call.params)?;
    let listed = existing::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Returns one relative scheduled message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Deletes one with the scheduled messages that it made.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    existing::delete(&actor, id).await?;
    Ok(Answer::void())
}
