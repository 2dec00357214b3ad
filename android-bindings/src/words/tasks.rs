//! What the phone is asked to do.

use postrider_agent::{
    Body, DialUssd, Log, MessageRef, Outlook, PlaceCall, ScanMark, SendParts, SendToken,
    SentRowAsked,
};
use postrider_link::frame::{Address, Bytes, Data};
use postrider_model::{BootMs, MessageId, MessageText, SimSlot, UnixMs};

/// One exposure of a message.
#[uniffi::remote(Record)]
pub struct MessageRef {
    /// The message.
    pub id: MessageId,
    /// The exposure.
    pub ep: u32,
}

/// One hand-over to the radio: every result and report names it.
#[uniffi::remote(Record)]
pub struct SendToken {
    /// The exposure.
    pub message: MessageRef,
    /// Which try of this exposure, from 1.
    pub attempt: u32,
}

/// A hand-over to the radio.
#[uniffi::remote(Record)]
pub struct SendParts {
    /// Names it in every result and report.
    pub token: SendToken,
    /// The SIM to send by.
    pub sim: SimSlot,
    /// The recipient.
    pub to: Address,
    /// What to send.
    pub body: Body,
    /// How many parts it is expected to make.
    pub parts: u8,
    /// Whether a delivery report is asked for.
    pub report: bool,
}

/// What a message carries.
#[uniffi::remote(Enum)]
pub enum Body {
    /// The whole text; the platform divides it.
    Text(MessageText),
    /// Bytes for a port, in one part.
    Data(Data),
}

/// A data message's port and bytes.
#[uniffi::remote(Record)]
pub struct Data {
    /// The destination port.
    pub port: u16,
    /// The payload's bytes.
    pub base64: Bytes,
}

/// A USSD code to dial.
#[uniffi::remote(Record)]
pub struct DialUssd {
    /// Names it in its answer.
    pub token: SendToken,
    /// The SIM to dial by.
    pub sim: SimSlot,
    /// The code.
    pub code: Address,
}

/// A voice call to place.
#[uniffi::remote(Record)]
pub struct PlaceCall {
    /// Names it in a refusal.
    pub token: SendToken,
    /// The SIM to call by.
    pub sim: SimSlot,
    /// Whom to call.
    pub to: Address,
}

/// A message that is looked up among the sent ones.
#[uniffi::remote(Record)]
pub struct SentRowAsked {
    /// The hand-over.
    pub token: SendToken,
    /// The SIM that it went by.
    pub sim: SimSlot,
    /// Its recipient.
    pub to: Address,
    /// Its text.
    pub text: MessageText,
    /// When it was handed over.
    pub since: UnixMs,
}

/// A log that the platform keeps.
#[uniffi::remote(Enum)]
pub enum Log {
    /// Incoming messages.
    Sms,
    /// Incoming multimedia messages.
    Mms,
    /// Calls.
    Calls,
}

/// A place in a log. Rows are ordered by date, and by number within the same millisecond.
#[uniffi::remote(Record)]
pub struct ScanMark {
    /// When the platform wrote the row; of a call, when it began.
    pub date: UnixMs,
    /// Its number.
    pub row: i64,
}

/// What the platform must do for the phone.
#[uniffi::remote(Record)]
pub struct Outlook {
    /// When the phone must run at the latest, by the clock that counts sleep
    /// (`elapsedRealtime`).
    pub wake_at: Option<BootMs>,
    /// Whether a message is in hand, so that the phone must stay awake.
    pub is_busy: bool,
}
