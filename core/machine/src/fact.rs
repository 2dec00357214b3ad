//! What the platform reports: results, delivery, incoming things, its logs, and its condition.

use crate::{
    condition::Condition,
    log::{CallLogRow, Log},
    token::SendToken,
};
use postrider_link::frame::{Address, Data, SimInfo};
use postrider_model::{MessageText, SimSlot, UnixMs};
use postrider_text::tp_status;

/// A fact of the radio or the platform, in raw form: codes are interpreted only here.
#[derive(Debug, Clone, PartialEq)]
pub enum RadioFact {
    /// The sent result of one part.
    ///
    /// A call that the platform refused outright is reported for every part, with the code from the
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
        /// Whom it is about, if the report says so.
        recipient: Option<Address>,
    },
    /// The answer to `ReadSentRow`.
    SentRowRead {
        /// The hand-over that was asked about.
        token: SendToken,
        /// The rows of its SIM, recipient and text that are not older than it, oldest first; the
        /// first [`SENT_ROWS_MAX`](crate::SENT_ROWS_MAX).
        rows: Vec<SentRow>,
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
    /// A data message came in; the platform keeps no row of it.
    DataReceived(ReceivedData),
    /// A multimedia message came in, and the phone's own app has fetched it.
    MmsReceived(ReceivedMms),
    /// The network answered a `DialUssd`.
    UssdAnswered {
        /// The hand-over.
        token: SendToken,
        /// What it said.
        text: MessageText,
    },
    /// A `DialUssd` came back without an answer.
    UssdFailed {
        /// The hand-over.
        token: SendToken,
        /// The platform's code: -1 is a failure on the way, -2 a service that is not there.
        code: i32,
    },
    /// A `PlaceCall` was refused: nothing was dialled.
    CallRefused {
        /// The hand-over.
        token: SendToken,
        /// Why.
        why: CallRefusal,
    },
    /// A SIM's line changed, or its state is repeated.
    ///
    /// The platform may report each change twice, first without the number and then with it. The
    /// shell also reports the state of every line when it starts.
    CallState {
        /// The SIM.
        sim: SimSlot,
        /// How its line is now.
        state: CallState,
        /// The other end, if the platform says so.
        number: Option<Address>,
        /// Whether it is an incoming call, if the platform says so.
        incoming: Option<bool>,
    },
    /// One of the platform's logs has changed.
    LogChanged(Log),
    /// The answer to `ReadLog`.
    LogRead {
        /// The rows after the given mark, oldest first; at most
        /// [`LOG_ROWS_MAX`](crate::LOG_ROWS_MAX).
        page: LogPage,
        /// Whether there are no more. A log that may not be read is complete without rows.
        complete: bool,
    },
    /// The slots in use, or what is known of their SIMs, changed.
    SimsChanged(Vec<SimInfo>),
    /// Battery, network or something else of the phone changed.
    ConditionChanged(Condition),
}

/// A message among the platform's sent ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRow {
    /// The provider's number of it.
    pub row: i64,
    /// Its date there.
    pub at: UnixMs,
}

/// A status report's value, by its standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportStatus {
    /// TP-Status of 3GPP.
    Gsm(u8),
    /// Message status of 3GPP2, as the platform gives it.
    Cdma(u32),
}

impl ReportStatus {
    /// Returns what it says about its part.
    pub(crate) fn decode(self) -> tp_status::DeliveryReport {
        match self {
            Self::Gsm(status) => tp_status::decode_3gpp(status),
            Self::Cdma(status) => tp_status::decode_3gpp2(status),
        }
    }
}

/// How a SIM's line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// An incoming call rings, perhaps beside an active one.
    Ringing,
    /// A call is dialled or active, and none rings.
    OffHook,
    /// There is no call.
    Idle,
}

/// Why a call was not dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRefusal {
    /// The app may not place calls.
    NotPermitted,
    /// The slot has no account that could call.
    NoAccount,
    /// The platform refused for another reason.
    Other,
}

/// A piece of one of the platform's logs, ordered by date and row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogPage {
    /// Incoming messages.
    Sms(Vec<ReceivedSms>),
    /// Incoming multimedia messages.
    Mms(Vec<ReceivedMms>),
    /// Calls of every kind.
    Calls(Vec<CallLogRow>),
}

/// A data message that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedData {
    /// Names this report towards the platform; comes back in `ConfirmReceived`.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMms {
    /// Names this report towards the platform; comes back in `ConfirmReceived`. A row of a log
    /// needs no confirmation.
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

/// A message that came in, by broadcast or from the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedSms {
    /// Names this report towards the platform; comes back in `ConfirmReceived`. A row of a log
    /// needs no confirmation.
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
