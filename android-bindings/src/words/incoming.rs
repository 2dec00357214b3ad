//! What came in: messages, and calls as the log has them.

use postrider_agent::{CallKind, CallLogRow, ReceivedData, ReceivedMms, ReceivedSms};
use postrider_link::frame::{Address, Data};
use postrider_model::{MessageText, SimSlot, UnixMs};

/// A message that came in, by broadcast or from the provider.
#[uniffi::remote(Record)]
pub struct ReceivedSms {
    /// Names this report; comes back in `confirm_received`.
    pub receipt: u64,
    /// The SIM that it came by.
    pub sim: SimSlot,
    /// Its sender, as the network gave it.
    pub from: Address,
    /// The number it was sent to, where known.
    pub to: Option<Address>,
    /// Its text, all parts joined.
    pub text: MessageText,
    /// How many parts it had.
    pub parts: u8,
    /// The service centre's time.
    pub sent_at: Option<UnixMs>,
    /// When the phone received it, by the provider's row; a broadcast has none yet.
    pub received_at: Option<UnixMs>,
    /// Its row in the platform's provider; a broadcast has none yet.
    pub row: Option<i64>,
}

/// A data message that came in.
#[uniffi::remote(Record)]
pub struct ReceivedData {
    /// Names this report; comes back in `confirm_received`.
    pub receipt: u64,
    /// The SIM that it came by.
    pub sim: SimSlot,
    /// Its sender, as the network gave it.
    pub from: Address,
    /// Its port and its bytes.
    pub data: Data,
    /// The service centre's time.
    pub sent_at: Option<UnixMs>,
}

/// A multimedia message that came in, with its text; other content stays on the phone.
#[uniffi::remote(Record)]
pub struct ReceivedMms {
    /// Names this report; comes back in `confirm_received`.
    pub receipt: u64,
    /// The SIM that it came by.
    pub sim: SimSlot,
    /// Its sender, as the network gave it.
    pub from: Address,
    /// The number it was sent to, where known.
    pub to: Option<Address>,
    /// Its subject.
    pub subject: Option<MessageText>,
    /// Its text parts, joined.
    pub text: Option<MessageText>,
    /// When it was sent, by its own header.
    pub sent_at: Option<UnixMs>,
    /// When the phone received it, by the platform's row.
    pub received_at: UnixMs,
    /// Its row in the platform's provider.
    pub row: i64,
}

/// The kind of a call in the log.
#[uniffi::remote(Enum)]
pub enum CallKind {
    /// Incoming, answered.
    Incoming,
    /// Incoming, not answered.
    Missed,
    /// Incoming, declined.
    Rejected,
    /// Dialled on this phone.
    Outgoing,
    /// Incoming, blocked.
    Blocked,
    /// Incoming, answered by voice mail.
    Voicemail,
}

/// A call as the platform's log has it once it is over.
#[uniffi::remote(Record)]
pub struct CallLogRow {
    /// Its row.
    pub row: i64,
    /// The SIM.
    pub sim: SimSlot,
    /// The other end; none where it withheld its number.
    pub number: Option<Address>,
    /// What it was.
    pub kind: CallKind,
    /// When it began to ring or was dialled.
    pub started_at: UnixMs,
    /// How long people talked, in seconds; 0 when it was not answered.
    pub duration_s: i64,
}
