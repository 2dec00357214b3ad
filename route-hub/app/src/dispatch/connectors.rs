//! Phones at providers: this hub has no connector to any of them yet.

use hub_domain::{Message, Phone};
use postrider_link::ownership::hub::{HubState, Ownership};
use postrider_model::MessageStatus;

/// The `error_code` of a message for a phone that nothing here can send by.
pub(crate) const NO_CONNECTOR: &str = "no_connector";

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
    if let Some(reason) = missing(phone) {
        message.status = MessageStatus::Failed;
        message.error_code = Some(NO_CONNECTOR.to_owned());
        message.error_message = Some(reason);
        message.ownership = Some(Ownership {
            state: HubState::Failed,
            ..Ownership::new()
        });
    }
}
