//! What the radio and the platform report.

use postrider_agent::{
    CallLogRow, CallRefusal, CallState, Condition, Log, LogPage, RadioFact, ReceivedData,
    ReceivedMms, ReceivedSms, ReportStatus, SendToken, SentRow, SimInfo,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot, UnixMs};

/// What the radio and the platform report.
#[uniffi::remote(Enum)]
pub enum RadioFact {
    /// The sent result of one part.
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
    /// The answer to `read_sent_row`.
    SentRowRead {
        /// The hand-over that was asked about.
        token: SendToken,
        /// The rows of its SIM, recipient and text that are not older than it, oldest first.
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
    /// A data message came in.
    DataReceived(ReceivedData),
    /// A multimedia message came in, and the phone's own app has fetched it.
    MmsReceived(ReceivedMms),
    /// The network answered a USSD code.
    UssdAnswered {
        /// The hand-over.
        token: SendToken,
        /// What it said.
        text: MessageText,
    },
    /// A USSD code came back without an answer.
    UssdFailed {
        /// The hand-over.
        token: SendToken,
        /// The platform's code.
        code: i32,
    },
    /// A call was refused: nothing was dialled.
    CallRefused {
        /// The hand-over.
        token: SendToken,
        /// Why.
        why: CallRefusal,
    },
    /// A SIM's line changed, or its state is repeated.
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
    /// The answer to `read_log`.
    LogRead {
        /// The rows after the mark that was given, oldest first.
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
#[uniffi::remote(Record)]
pub struct SentRow {
    /// The provider's number of it.
    pub row: i64,
    /// Its date there.
    pub at: UnixMs,
}

/// A status report's value, by its standard.
#[uniffi::remote(Enum)]
pub enum ReportStatus {
    /// TP-Status of 3GPP.
    Gsm(u8),
    /// Message status of 3GPP2, as the platform gives it.
    Cdma(u32),
}

/// How a SIM's line is.
#[uniffi::remote(Enum)]
pub enum CallState {
    /// A call from outside rings.
    Ringing,
    /// A call is dialled or spoken on.
    OffHook,
    /// There is no call.
    Idle,
}

/// Why a call was not dialled.
#[uniffi::remote(Enum)]
pub enum CallRefusal {
    /// The app may not place calls.
    NotPermitted,
    /// The slot has no account that could call.
    NoAccount,
    /// The platform refused for another reason.
    Other,
}

/// A piece of one of the platform's logs, ordered by date and row.
#[uniffi::remote(Enum)]
pub enum LogPage {
    /// Incoming messages.
    Sms(Vec<ReceivedSms>),
    /// Incoming multimedia messages.
    Mms(Vec<ReceivedMms>),
    /// Calls of every kind.
    Calls(Vec<CallLogRow>),
}
