//! `GET /projects/{project_id}/messages`, and what there is of one of them.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, NE_EXISTS, code};
use crate::messages::{MESSAGE, MMS_PART, STATUSES};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::messages::existing::{self, Receipt, Within};
use hub_app::messages::{PERMISSION, VIEW, change};
use hub_domain::{Direction, MessageSource, MessageType, status_code};
use hub_store::messages::by;
use hub_web::{Answer, Fields};
use postrider_model::kind;

pub(crate) const LIST_OF: List = List {
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

operation! {
    /// Lists the messages of a project.
    LIST = "listMessages": Project(VIEW), list -> List(&LIST_OF, &MESSAGE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    list_within(&actor, &call, Within::Project).await
}

/// Lists messages with every filter that messages have.
pub(crate) async fn list_within(actor: &Actor, call: &Call, within: Within) -> ApiResult {
    let asked = call.list()?;
    let listed = existing::list(actor, within, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one message.
    GET = "getMessage": Project(VIEW), get -> Object(&MESSAGE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Lists the parts of a multimedia message that came in; any other message has none.
    MMS_PARTS = "listMmsParts": Project(VIEW), mms_parts -> Array(&MMS_PART);
}

async fn mms_parts(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    let wanted = Fields::read(&call.params)?;
    let parts = existing::mms_parts(&actor, id).await?;
    Ok(Answer::value(&parts, &wanted)?)
}

operation! {
    /// Refuses to tell a sender that the message was read: only `WhatsApp` takes that.
    SEND_READ_RECEIPT = "sendReadReceipt": Project(PERMISSION), send_read_receipt -> Nothing;
}

async fn send_read_receipt(actor: Actor, call: Call) -> ApiResult {
    tell_sender(&actor, &call, Receipt::Read).await
}

operation! {
    /// Refuses to tell a sender that an answer is being written: only `WhatsApp` takes that.
    SEND_TYPING_INDICATOR = "sendTypingIndicator": Project(PERMISSION), send_typing_indicator -> Nothing;
}

async fn send_typing_indicator(actor: Actor, call: Call) -> ApiResult {
    tell_sender(&actor, &call, Receipt::Typing).await
}

async fn tell_sender(actor: &Actor, call: &Call, receipt: Receipt) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    match existing::tell_sender(actor, id, receipt).await? {}
}

operation! {
    /// Deletes a message; one that is not sent yet is cancelled first.
    DELETE = "deleteMessage": Project(change::DELETE), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    change::delete(&actor, id).await?;
    Ok(Answer::void())
}
