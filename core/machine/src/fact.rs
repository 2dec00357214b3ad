//! What the platform tells: results, reports, messages that came in, and its condition.

use crate::{health::Condition, token::SendToken};
use postrider_link::frame::{Address, SimInfo};
use postrider_model::{MessageText, SimSlot, UnixMs};

/// A fact of the radio or the platform, as it was told; no code is read before it gets here.
#[derive(Debug, Clone, PartialEq)]
pub enum RadioFact {
    /// The sent result of one part.
    ///
    /// A call that the platform refused outright is reported for every part, with the code of the
    /// table that says why.
    PartSent {
        /// The hand-over.
        token: SendToken,
        /// The part, from 0.
        part: u8,
        /// How many parts the platform made of the text.
        of: u8,
        /// The result code; -1 is success.
        code: i32,
        /// The network's own cause, where the platform gave one.
        cause: Option<i32>,
    },
    /// A status report of one part.
    ReportArrived {
        /// The hand-over.
        token: SendToken,
        /// The part, from 0.
        part: u8,
        /// What it says.
        status: ReportStatus,
        /// Whom it is about, where the report names somebody.
        recipient: Option<Address>,
    },
    /// The answer to `ReadSentRow`.
    SentRowRead {
        /// The hand-over that was asked about.
        token: SendToken,
        /// True when the provider has it among the sent.
        found: bool,
    },
    /// The service of a SIM came or went.
    ServiceChanged {
        /// The SIM.
        sim: SimSlot,
        /// Whether it can send now.
        in_service: bool,
    },
    /// A message came in.
    SmsReceived(ReceivedSms),
    /// The slots in use, or what is known of their SIMs, changed.
    SimsChanged(Vec<SimInfo>),
    /// Battery, network or another thing of the phone changed.
    ConditionChanged(Condition),
}

/// A status report's value, by its standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportStatus {
    /// TP-Status of 3GPP.
    Gsm(u8),
    /// Message status of 3GPP2, as the platform gives it.
    Cdma(u32),
}

/// A message that came in, by broadcast or from the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSms {
    /// Names this hearing towards the platform; comes back in `ConfirmReceived`.
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
    /// Its row in the platform's provider; a broadcast has none yet.
    pub row: Option<i64>,
}
