//! `GET /projects/{project_id}/messages`, and what there is of one of them.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, NE_EXISTS, code};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::actor::Actor;
use hub_app::hub::Hub;
use hub_app::messages::existing::{self, Receipt, Within};
use hub_app::messages::{PERMISSION, VIEW, change};
use hub_domain::{Direction, MessageSource, MessageType, status_code};
use hub_store::messages::by;
use hub_web::{Answer, Fields};
use postrider_model::kind;

const LIST: List = List {
    filters: &[
        Entry::within::<kind::Label>("label_id", by::LABEL),
        Entry::one_of("direction", Direction::NAMES, by::DIRECTION, |value| {
            code(value, |name| name.parse().ok().map(Direction::code))
        }),
        Entry::one_of(
            "message_type",
            MessageType::NAMES,
            by::MESSAGE_TYPE,
            |value| code(value, |name| name.parse().ok().map(MessageType::code)),
        ),
        Entry::one_of("source", MessageSource::NAMES, by::SOURCE, |value| {
            code(value, |name| name.parse().ok().map(MessageSource::code))
        }),
        Entry::flag("starred", by::STARRED),
        Entry::one_of("status", STATUSES, by::STATUS, |value| {
            code(value, |name| name.parse().ok().map(status_code))
        }),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::text("external_id", by::EXTERNAL_ID, NE_EXISTS),
        Entry::id::<kind::Contact>("contact_id", by::CONTACT_ID, NE_EXISTS),
        Entry::id::<kind::Phone>("phone_id", by::PHONE_ID, EQUAL),
        Entry::id::<kind::Broadcast>("broadcast_id", by::BROADCAST_ID, NE_EXISTS),
        Entry::id::<kind::Scheduled>("scheduled_id", by::SCHEDULED_ID, NE_EXISTS),
        Entry::within::<kind::Group>("group_id", by::GROUP),
    ],
    sorts: &[DEFAULT],
};

const STATUSES: &[&str] = &[
    "ignored",
    "processing",
    "received",
    "sent",
    "queued",
    "failed",
    "failed_queued",
    "cancelled",
    "delivered",
    "not_delivered",
    "read",
];

/// Lists the messages of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    list_within(&actor, &call, Within::Project).await
}

/// Lists messages with every filter that messages have.
pub(crate) async fn list_within(actor: &Actor, call: &Call, within: Within) -> ApiResult {
    let asked = LIST.read(&call.params)?;
    let listed = existing::list(actor, within, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Shows one message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Lists the parts of a multimedia message that came in; any other message has none.
pub async fn mms_parts(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("message_id", "message")?;
    let wanted = Fields::read(&call.params)?;
    let parts = existing::mms_parts(&actor, id).await?;
    Ok(Answer::value(&parts, &wanted)?)
}

/// Refuses to tell a sender that the message was read: only `WhatsApp` takes that.
pub async fn send_read_receipt(State(hub): State<Hub>, call: Call) -> ApiResult {
    tell_sender(&hub, &call, Receipt::Read).await
}

/// Refuses to tell a sender that an answer is being written: only `WhatsApp` takes that.
pub async fn send_typing_indicator(State(hub): State<Hub>, call: Call) -> ApiResult {
    tell_sender(&hub, &call, Receipt::Typing).await
}

async fn tell_sender(hub: &Hub, call: &Call, receipt: Receipt) -> ApiResult {
    let actor = enter(hub, call, PERMISSION).await?;
    let id = call.path_id("message_id", "message")?;
    match existing::tell_sender(&actor, id, receipt).await? {}
}

/// Deletes a message; one that is not sent yet is cancelled first.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, change::DELETE).await?;
    let id = call.path_id("message_id", "message")?;
    change::delete(&actor, id).await?;
    Ok(Answer::void())
}
