//! What kind of message it is.

use crate::code::coded;

coded! {
    /// What kind of message it is.
    MessageType {
        /// A text message.
        Sms = "sms" / 1,
        /// A message with media.
        Mms = "mms" / 2,
        /// A USSD request.
        Ussd = "ussd" / 3,
        /// A USSD dialogue.
        UssdSession = "ussd_session" / 4,
        /// A voice call.
        Call = "call" / 5,
        /// A message of a chat app.
        Chat = "chat" / 6,
        /// The start of a service.
        Service = "service" / 7,
    }
}
