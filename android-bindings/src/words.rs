//! The agent's own types as Kotlin sees them: the same names, the same fields.
//!
//! Ids, texts and addresses cross as strings, slots and times as numbers. What cannot be one of
//! them (a slot above the highest, an id of another shape) is an exception at the border.

use postrider_agent::{
    Body, CallKind, CallLogRow, CallRefusal, CallState, Command, Condition, DeviceDescription,
    DialUssd, Event, Guard, KindStatus, Log, LogPage, MessageRef, NextSlot, Outlook, PaceLimits,
    PlaceCall, RadioFact, ReceivedData, ReceivedMms, ReceivedSms, ReportStatus, ScanMark,
    SendParts, SendToken, SentRow, SentRowAsked, SimDescription, SimInfo, SimStatus, Source,
};
use postrider_link::{
    close::CloseCode,
    frame::{Address, Bytes, Data, Kind, KindQueue},
};
use postrider_model::{
    BootMs, DeviceId, MessageId, MessageText, PhoneId, PhoneNumber, SimSlot, UnixMs, WireState,
};

/// Says that a slot is above the highest.
#[derive(Debug, thiserror::Error)]
#[error("a SIM slot is 0 to {}", SimSlot::MAX)]
pub(crate) struct InvalidSlot;

uniffi::custom_type!(SimSlot, u8, {
    remote,
    try_lift: |slot| SimSlot::new(slot).ok_or_else(|| InvalidSlot.into()),
    lower: |slot| slot.get(),
});
uniffi::custom_type!(MessageId, String, {
    remote,
    try_lift: |id| Ok(id.parse()?),
    lower: |id| id.to_string(),
});
uniffi::custom_type!(DeviceId, String, {
    remote,
    try_lift: |id| Ok(id.parse()?),
    lower: |id| id.to_string(),
});
uniffi::custom_type!(PhoneId, String, {
    remote,
    try_lift: |id| Ok(id.parse()?),
    lower: |id| id.to_string(),
});
uniffi::custom_type!(PhoneNumber, String, {
    remote,
    try_lift: |number| Ok(number.parse()?),
    lower: |number| number.as_str().to_owned(),
});
uniffi::custom_type!(Address, String, {
    remote,
    try_lift: |address| Ok(Address::new(address)),
    lower: |address| address.as_str().to_owned(),
});
uniffi::custom_type!(MessageText, String, {
    remote,
    try_lift: |text| Ok(MessageText::new(text)),
    lower: |text| text.into_string(),
});
uniffi::custom_type!(Bytes, Vec<u8>, {
    remote,
    try_lift: |bytes| Ok(Bytes(bytes)),
    lower: |bytes| bytes.0,
});
uniffi::custom_type!(UnixMs, i64, {
    remote,
    try_lift: |ms| Ok(UnixMs(ms)),
    lower: |ms| ms.0,
});
uniffi::custom_type!(BootMs, u64, {
    remote,
    try_lift: |ms| Ok(BootMs(ms)),
    lower: |ms| ms.0,
});

// What the phone is asked to do.

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

/// What is known of a message that is looked up among the sent ones.
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

/// A place in a log: rows are ordered by their date, and by their number within one moment.
#[uniffi::remote(Record)]
pub struct ScanMark {
    /// When the platform wrote the row; of a call, when it began.
    pub date: UnixMs,
    /// Its number.
    pub row: i64,
}

// What the phone has seen.

/// What the radio and the platform tell.
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
        /// Whom it is about, where the report names somebody.
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
    /// A SIM's line changed, or is told again.
    CallState {
        /// The SIM.
        sim: SimSlot,
        /// How its line is now.
        state: CallState,
        /// The other end, where the platform tells it.
        number: Option<Address>,
        /// Whether it is a call from outside, where the platform tells that.
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
    /// Battery, network or another thing of the phone changed.
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

/// A piece of one of the platform's logs, rows rising by date and row.
#[uniffi::remote(Enum)]
pub enum LogPage {
    /// Incoming messages.
    Sms(Vec<ReceivedSms>),
    /// Incoming multimedia messages.
    Mms(Vec<ReceivedMms>),
    /// Calls of every kind.
    Calls(Vec<CallLogRow>),
}

/// A message that came in, by broadcast or from the provider.
#[uniffi::remote(Record)]
pub struct ReceivedSms {
    /// Names this hearing; comes back in `confirm_received`.
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
    /// When the phone took it in, by the provider's row; a broadcast has none yet.
    pub received_at: Option<UnixMs>,
    /// Its row in the platform's provider; a broadcast has none yet.
    pub row: Option<i64>,
}

/// A data message that came in.
#[uniffi::remote(Record)]
pub struct ReceivedData {
    /// Names this hearing; comes back in `confirm_received`.
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

/// A multimedia message that came in: its text; what else it holds stays on the phone.
#[uniffi::remote(Record)]
pub struct ReceivedMms {
    /// Names this hearing; comes back in `confirm_received`.
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
    /// When the phone took it in, by the platform's row.
    pub received_at: UnixMs,
    /// Its row in the platform's provider.
    pub row: i64,
}

/// What a call in the log was.
#[uniffi::remote(Enum)]
pub enum CallKind {
    /// From outside, answered.
    Incoming,
    /// From outside, not answered.
    Missed,
    /// From outside, declined.
    Rejected,
    /// Dialled on this phone.
    Outgoing,
    /// From outside, not let through.
    Blocked,
    /// From outside, taken by the voice mail.
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
    /// How long it was spoken on, in seconds; 0 when it was not.
    pub duration_s: i64,
}

/// A SIM slot in use. The shell says the first six; the rest is the agent's to say.
#[uniffi::remote(Record)]
pub struct SimInfo {
    /// The slot.
    pub slot: SimSlot,
    /// Its number, as the SIM says or the owner typed.
    pub number: Option<Address>,
    /// The network's name.
    pub carrier: Option<String>,
    /// The network's country and network code, digits.
    pub mccmnc: Option<String>,
    /// Tells one SIM from another without naming it.
    pub fingerprint: Option<String>,
    /// Parts an hour that the phone allows itself on this SIM, when not those of its limits.
    #[uniffi(default = None)]
    pub send_limit: Option<u32>,
    /// Messages that wait on the phone for this SIM.
    #[uniffi(default = None)]
    pub queue: Option<u32>,
    /// Milliseconds until the next message may leave.
    #[uniffi(default = None)]
    pub next_slot_in_ms: Option<u64>,
    /// What the next message waits for, as a word.
    #[uniffi(default = None)]
    pub waiting_for: Option<String>,
    /// What waits in queues of its own.
    #[uniffi(default = [])]
    pub kinds: Vec<KindQueue>,
}

/// What waits on the phone for a SIM of a kind that has a queue of its own.
#[uniffi::remote(Record)]
pub struct KindQueue {
    /// The kind.
    pub kind: Kind,
    /// How many wait.
    pub queue: u32,
    /// Milliseconds until the next may go; none where only an event ends the wait.
    pub next_slot_in_ms: Option<u64>,
    /// What the next waits for, as a word.
    pub waiting_for: Option<String>,
}

/// A kind of message.
#[uniffi::remote(Enum)]
pub enum Kind {
    /// A text message.
    Sms,
    /// A data message on a port.
    DataSms,
    /// A multimedia message.
    Mms,
    /// A USSD request or its answer.
    Ussd,
    /// A voice call.
    Call,
    /// A kind that this version does not know.
    Other(String),
}

/// What the platform knows of the phone.
#[uniffi::remote(Record)]
pub struct Condition {
    /// The battery's charge, in percent.
    pub battery: Option<u8>,
    /// Whether it is on the charger.
    pub charging: Option<bool>,
    /// The kind of network that carries the link, as a word.
    pub network: Option<String>,
    /// Signal strength, 0 to 4.
    pub signal: Option<u8>,
    /// Whether the owner lets incoming messages be forwarded.
    pub forwarding: Option<bool>,
    /// The app's version.
    pub app_version: Option<String>,
    /// The platform's API level.
    pub android_sdk: Option<u32>,
    /// The maker of the device.
    pub manufacturer: Option<String>,
    /// The device's model.
    pub model: Option<String>,
}

// What the owner sets.

/// The platform's own guard, as the agent keeps below it.
#[uniffi::remote(Record)]
pub struct Guard {
    /// Most parts in any span.
    pub parts_max: u32,
    /// The span.
    pub span_ms: u64,
}

/// How many parts may leave; none is without a limit.
#[uniffi::remote(Record)]
pub struct PaceLimits {
    /// Parts an hour of each SIM, set by the phone's owner.
    pub sim_parts_per_hour: Option<u32>,
    /// Parts an hour of all SIMs together.
    pub phone_parts_per_hour: Option<u32>,
    /// The platform's guard, over all SIMs.
    pub guard: Option<Guard>,
}

/// A wish of the phone's owner.
#[uniffi::remote(Enum)]
pub enum Command {
    /// Stops handing messages to the radio, or goes on.
    SetPaused(bool),
    /// Goes on with a SIM that is held or silent: somebody looked at the phone.
    ReleaseSim(SimSlot),
    /// Sends by the SIM that is in the slot now.
    ConfirmSim(SimSlot),
    /// Sends at another pace from now on.
    SetLimits(PaceLimits),
    /// Lets the hub dial codes that change the phone's or the SIM's own settings, or no longer.
    AllowUssdCodes(bool),
}

// What the screens show.

/// The state of one exposure.
#[uniffi::remote(Enum)]
pub enum WireState {
    /// On the phone's disk.
    OnPhone,
    /// Waiting on the phone for its own retry.
    Retrying,
    /// On disk before the radio call.
    Submitting,
    /// The phone cannot know whether it went on the air.
    Unknown,
    /// Every part was accepted by the network.
    Sent,
    /// Some or all parts failed.
    Failed,
    /// The network gave up delivering.
    NotDelivered,
    /// Every part was delivered.
    Delivered,
    /// Given back: the phone will never send this exposure.
    Revoked,
    /// Cancelled on the phone before it was sent.
    Cancelled,
    /// Its life ended on the phone before it was sent.
    Expired,
}

/// Why a connection was closed.
#[uniffi::remote(Enum)]
pub enum CloseCode {
    /// The other end goes away.
    GoingAway,
    /// The hub could not store something.
    Internal,
    /// The other end broke the protocol.
    ProtocolError,
    /// The phone is not paired, or was revoked.
    NotPaired,
    /// The phone needs a newer app.
    NeedsNewerApp,
    /// The same phone opened a newer connection.
    Replaced,
    /// The phone's journal was copied or went backwards.
    JournalWentBack,
    /// No version of the link is spoken by both.
    VersionNotSpoken,
}

/// What something that came in is.
#[uniffi::remote(Enum)]
pub enum Source {
    /// A text message.
    Sms,
    /// A data message.
    DataSms,
    /// A multimedia message.
    Mms,
    /// The answer to a USSD code.
    Ussd,
    /// A call.
    Call,
}

/// Something worth showing or logging: ids, words and counts, never numbers or texts.
#[uniffi::remote(Enum)]
pub enum Event {
    /// The hub accepted the connection.
    LinkUp,
    /// The connection ended.
    LinkDown,
    /// The hub does not know this phone any more, or does not trust its journal: pair again.
    PairingNeeded {
        /// What the hub said.
        close: CloseCode,
    },
    /// The hub needs a newer app.
    UpdateNeeded,
    /// The hub and this phone misunderstand each other again and again.
    LinkFailing,
    /// A message is on this phone's disk.
    MessageAccepted {
        /// The exposure.
        message: MessageRef,
        /// The SIM that will send it.
        sim: SimSlot,
    },
    /// A message is handed to the radio.
    MessageSubmitted {
        /// The hand-over.
        token: SendToken,
        /// Its parts.
        parts: u8,
    },
    /// A message reached another state.
    MessageMoved {
        /// The exposure.
        message: MessageRef,
        /// The state that it reached.
        state: WireState,
        /// The result code that led there.
        code: Option<i32>,
    },
    /// Something came in.
    MessageReceived {
        /// What it is.
        source: Source,
        /// The SIM that it came by.
        sim: SimSlot,
    },
    /// Another SIM than the known one is in a slot, which is held until somebody confirms it.
    SimChanged {
        /// The slot.
        sim: SimSlot,
    },
    /// Nothing is sent by a SIM until its service changes or somebody looks at it.
    SimHeld {
        /// The SIM.
        sim: SimSlot,
        /// The result code that says why.
        code: i32,
    },
    /// A SIM sends again.
    SimReleased {
        /// The SIM.
        sim: SimSlot,
    },
    /// The radio says nothing about a message: a dialog may be open on the phone.
    LookAtPhone {
        /// The SIM.
        sim: SimSlot,
    },
    /// The platform's limit was reached; the pace is halved so many times now.
    PaceHalved {
        /// How often.
        halvings: u8,
    },
    /// A report names a hand-over and somebody else than its recipient.
    ReportMismatched {
        /// The hand-over.
        token: SendToken,
    },
    /// A result or report names a hand-over that this journal does not know.
    StrayResult {
        /// The hand-over.
        token: SendToken,
    },
}

/// What the platform has to do for the phone to go on.
#[uniffi::remote(Record)]
pub struct Outlook {
    /// When the phone wants to run at the latest, by the clock that counts sleep
    /// (`elapsedRealtime`).
    pub wake_at: Option<BootMs>,
    /// Whether a message is in hand, for which the phone is to stay awake.
    pub is_busy: bool,
}

/// What waits for a SIM.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct SimQueue {
    /// The slot.
    pub sim: SimSlot,
    /// How many messages wait, of every kind.
    pub waiting: u32,
    /// When the next of them leaves; none when nothing waits.
    pub next: Option<Wait>,
    /// USSD codes and calls, which wait in queues of their own, where there are any.
    pub kinds: Vec<KindWaiting>,
}

/// What waits of one kind.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct KindWaiting {
    /// The kind.
    pub kind: Kind,
    /// How many wait.
    pub waiting: u32,
    /// When the next of them leaves.
    pub next: Option<Wait>,
}

/// When the next message may leave, and what it waits for.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Wait {
    /// The time until then, in milliseconds; none where no clock decides it.
    pub in_ms: Option<u64>,
    /// A word for it: `send_limit`, `quiet_hours`, `sim_held`, ….
    pub waiting_for: String,
}

impl From<SimStatus> for SimQueue {
    fn from(status: SimStatus) -> Self {
        Self {
            sim: status.sim,
            waiting: narrow(status.waiting),
            next: status.next.map(Wait::from),
            kinds: status.kinds.into_iter().map(KindWaiting::from).collect(),
        }
    }
}

impl From<KindStatus> for KindWaiting {
    fn from(status: KindStatus) -> Self {
        Self {
            kind: status.kind,
            waiting: narrow(status.waiting),
            next: status.next.map(Wait::from),
        }
    }
}

impl From<NextSlot> for Wait {
    fn from(next: NextSlot) -> Self {
        Self {
            in_ms: next.in_ms,
            waiting_for: next.waiting_for.to_owned(),
        }
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

// What pairing says.

/// What a device says about itself when it joins.
#[uniffi::remote(Record)]
pub struct DeviceDescription {
    /// The name that people give it.
    pub name: String,
    /// Who made it.
    pub manufacturer: String,
    /// Which model it is.
    pub model: String,
    /// The app's version.
    pub app_version: String,
    /// The platform's API level.
    pub android_sdk: Option<u32>,
    /// The SIM slots in use.
    pub sims: Vec<SimDescription>,
}

/// What a device says about a SIM slot when it joins.
#[uniffi::remote(Record)]
pub struct SimDescription {
    /// The slot.
    pub slot: SimSlot,
    /// The SIM's number, when the phone knows it or its owner typed it.
    pub number: Option<PhoneNumber>,
    /// The network's name.
    pub carrier: Option<String>,
    /// The network's code: country and network.
    pub mccmnc: Option<String>,
    /// The country of the SIM, two letters.
    pub country: Option<String>,
}
