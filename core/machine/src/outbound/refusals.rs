//! Why a message is refused before it was ever tried; each proves that it was not sent.

use postrider_link::ownership::phone::{
    CODE_ALREADY_SENT, CODE_ATTEMPT_OPEN, CODE_SUPERSEDED, CODE_UNSUPPORTED,
};

/// More parts than the hub allows, or than any message may have.
pub(super) const TOO_MANY_PARTS: &str = "too_many_parts";
/// The recipient is not a number.
pub(super) const INVALID_RECIPIENT: &str = "invalid_recipient";
/// A data message has more bytes than fit one part.
pub(super) const TOO_LONG: &str = "too_long";
/// A data message has no bytes.
pub(super) const NO_DATA: &str = "no_data";
/// The code to dial is not a USSD code.
pub(super) const INVALID_USSD: &str = "invalid_ussd";
/// The code would change settings, which the owner does not allow.
pub(super) const USSD_REFUSED: &str = "ussd_refused";

/// Returns the text for people.
pub(super) fn detail(code: &str) -> &'static str {
    match code {
        CODE_UNSUPPORTED => "the phone cannot do this",
        CODE_ATTEMPT_OPEN => "an earlier try is in the radio's hands",
        CODE_ALREADY_SENT => "an earlier try was sent",
        CODE_SUPERSEDED => "a newer try is on the phone",
        TOO_MANY_PARTS => "the text makes too many parts",
        INVALID_RECIPIENT => "the recipient is not a number",
        TOO_LONG => "the data does not fit one message",
        NO_DATA => "the message has no data",
        INVALID_USSD => "this is not a USSD code",
        USSD_REFUSED => "the phone's owner does not allow codes that change settings",
        "ussd_unavailable" => "the telephone service was not there",
        "ussd_failed" => "the request failed, or the network asked for a further answer",
        "call_not_permitted" => "the app may not place calls",
        "call_no_account" => "the SIM cannot call",
        "call_refused" => "the phone refused the call",
        _ => "the message was not sent",
    }
}
