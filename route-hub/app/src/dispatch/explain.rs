//! What the hub's own error codes mean, for people.

use postrider_link::ownership::hub::ErrorCode;

/// Returns a sentence for `error_message`.
pub(crate) const fn error(error: ErrorCode) -> &'static str {
    match error {
        ErrorCode::UnknownOutcome => {
            "Nobody can know whether the message was sent: the phone was lost or gave no result."
        }
        ErrorCode::Expired => "The message was not sent before its time was over.",
        ErrorCode::NeverSent => "The phone has proved that the message was never sent.",
        ErrorCode::Partial => "Some parts of the message were sent and some failed.",
        ErrorCode::FromEvent => "The phone could not send the message.",
    }
}
