//! Phones at providers: this hub has no connector to any of them yet.

use hub_domain::{Message, MessageType, Phone};
use postrider_link::ownership::hub::{HubState, Ownership};
use postrider_model::MessageStatus;

/// The `error_code` of a message for a phone that nothing here can send by.
pub(crate) const NO_CONNECTOR: &str = "no_connector";

/// The `error_code` of a message of a kind that a phone cannot send.
const UNSUPPORTED: &str = "unsupported";

/// Says that this hub cannot send by a phone.
pub(crate) fn missing(phone: &Phone) -> Option<String> {
    let kind = phone.phone_type;
    kind.is_provider()
        .then(|| format!("This hub has no connector for {kind} yet."))
}

/// Ends a new message at once, as failed, when nothing here can send it.
pub(crate) fn fail_without(message: &mut Message, phone: &Phone) {
    if message.simulated {
        return;
    }
    let no_connector = missing(phone).map(|reason| (NO_CONNECTOR, reason));
    if let Some((code, reason)) = no_connector.or_else(|| no_such_kind(message)) {
        message.status = MessageStatus::Failed;
        message.error_code = Some(code.to_owned());
        message.error_message = Some(reason);
        message.ownership = Some(Ownership {
            state: HubState::Failed,
            ..Ownership::new()
        });
    }
}

/// Says that phones do not send messages of this kind yet.
fn no_such_kind(message: &Message) -> Option<(&'static str, String)> {
    let reason = "Phones of this hub send no multimedia messages yet.";
    (message.message_type == MessageType::Mms).then(|| (UNSUPPORTED, reason.to_owned()))
}
