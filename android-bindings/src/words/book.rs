//! The log and the alerts for the owner.

use postrider_model::{BootMs, MessageId, SimSlot, UnixMs};
use postrider_owner::{
    Alert, AlertKind, Day, Effect, Entry, Fact, Kept, Moment, Restart, TodayCounts, What,
};

/// What happened, in words that never hold a number or a text.
#[uniffi::remote(Enum)]
pub enum What {
    /// The agent runs.
    Started,
    /// The owner stopped it.
    StoppedByOwner,
    /// The owner stopped it in the platform's own settings.
    StoppedInAndroid,
    /// It failed.
    FailedToRun,
    /// The phone joined a hub.
    Paired,
    /// The phone left its hub.
    Unpaired,
    /// The hub accepted the connection.
    LinkUp,
    /// The connection ended.
    LinkDown,
    /// The hub and this phone misunderstand each other.
    LinkFailing,
    /// Something else took this phone's place.
    LinkReplaced,
    /// The hub does not know this phone.
    NotKnown,
    /// The hub took this phone out of service.
    PairingNeeded,
    /// The hub needs a newer app.
    UpdateNeeded,
    /// A message is on this phone's disk.
    Accepted,
    /// A message is handed to the radio.
    Submitted,
    /// A message waits for its own retry.
    Retrying,
    /// Every part was accepted by the network.
    Sent,
    /// Some or all parts failed.
    Failed,
    /// Every part was delivered.
    Delivered,
    /// The network gave up delivering.
    NotDelivered,
    /// It is not known whether a message went on the air.
    Unknown,
    /// A message was given back.
    Revoked,
    /// A message was cancelled.
    Cancelled,
    /// A message's life ended.
    Expired,
    /// A test is handed to the radio.
    TestSubmitted,
    /// A test was sent.
    TestSent,
    /// A test failed.
    TestFailed,
    /// A test was delivered.
    TestDelivered,
    /// A test was not delivered.
    TestNotDelivered,
    /// It is not known what became of a test.
    TestUnknown,
    /// A text came in.
    SmsReceived,
    /// A data message came in.
    DataReceived,
    /// A multimedia message came in.
    MmsReceived,
    /// A USSD code was answered.
    UssdAnswered,
    /// A call was seen.
    CallSeen,
    /// Another SIM is in a slot.
    SimChanged,
    /// A slot is settled again.
    SimConfirmed,
    /// A SIM sends nothing.
    SimHeld,
    /// A SIM sends again.
    SimReleased,
    /// The radio says nothing.
    LookAtPhone,
    /// The pace is halved.
    PaceHalved,
    /// A report names somebody else.
    ReportMismatched,
    /// A result names an unknown hand-over.
    StrayResult,
}

/// One line of the log.
#[uniffi::remote(Record)]
pub struct Entry {
    /// When.
    pub at: UnixMs,
    /// What happened.
    pub what: What,
    /// The message that it happened to.
    pub message: Option<MessageId>,
    /// The SIM.
    pub sim: Option<SimSlot>,
    /// The result code.
    pub code: Option<i32>,
}

/// What happened since midnight, by the phone's clock.
#[uniffi::remote(Record)]
pub struct TodayCounts {
    /// Messages that were sent.
    #[uniffi(default = 0)]
    pub sent: u32,
    /// Messages that failed or were not delivered.
    #[uniffi(default = 0)]
    pub failed: u32,
    /// Messages that came in.
    #[uniffi(default = 0)]
    pub received: u32,
    /// Messages with an unknown outcome.
    #[uniffi(default = 0)]
    pub unknown: u32,
}

/// Kinds of alerts; each has a title and a text of what to do in the resources.
#[uniffi::remote(Enum)]
pub enum AlertKind {
    /// The radio says nothing: a dialog may be open on the phone.
    LookAtPhone,
    /// Another SIM is in a slot; it sends nothing until somebody confirms it.
    SimChanged,
    /// A SIM cannot send until its service comes back or somebody looks at it.
    SimHeld,
    /// There has been no connection for a long time.
    Offline,
    /// The hub does not know this phone, usually by an operator's mistake. Nothing is lost.
    NotKnown,
    /// The hub took this phone out of service: revoked, or replaced.
    PairedElsewhere,
    /// The hub does not trust this phone's journal, which is set aside.
    JournalNotTrusted,
    /// The journal could not be read and is set aside.
    JournalSetAside,
    /// The keystore has lost the key.
    KeyLost,
    /// The hub needs a newer app.
    UpdateNeeded,
    /// The hub and this phone misunderstand each other.
    LinkFailing,
    /// Something else with this phone's key and records took its place at the hub.
    LinkReplaced,
    /// The agent failed again and again, or its storage cannot be used.
    AgentFailing,
    /// The app may not send texts.
    MayNotSend,
}

/// What the owner has to look at.
#[uniffi::remote(Record)]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// The SIM, where it is about one.
    pub sim: Option<SimSlot>,
    /// Since when.
    pub since: UnixMs,
}

/// A day in the phone's time zone.
#[uniffi::remote(Record)]
pub struct Day {
    /// Its year times a thousand, and which day of that year it is, from 1.
    pub number: u32,
    /// When it began.
    pub began: UnixMs,
}

/// A moment, and the day that it is in.
#[uniffi::remote(Record)]
pub struct Moment {
    /// The moment.
    pub at: UnixMs,
    /// The day.
    pub day: Day,
}

/// What an earlier process kept.
#[uniffi::remote(Record)]
pub struct Kept {
    /// The log's file.
    pub log: String,
    /// The alerts of `KeepAlerts`.
    pub standing: Vec<String>,
    /// Which of them were swiped away.
    pub silent: Vec<String>,
    /// The time of `KeepContact`.
    pub contact: Option<UnixMs>,
}

/// What the shell reports; everything else comes from the agent's own events.
#[uniffi::remote(Enum)]
pub enum Fact {
    /// The agent is fully running.
    Started,
    /// The agent failed.
    FailedToRun {
        /// Whether it failed so often that its owner should know.
        is_for_owner: bool,
    },
    /// The owner stopped the agent.
    StoppedByOwner,
    /// The owner stopped the app in the platform's own settings.
    StoppedInAndroid,
    /// The phone joined a hub.
    Paired,
    /// The phone has no hub any more.
    Left {
        /// Whether it had one.
        was_paired: bool,
        /// Why, unless the owner wished it.
        alert: Option<AlertKind>,
    },
    /// The keystore has lost the key.
    KeyLost,
    /// The owner confirmed the SIM that is in a slot now.
    SimConfirmed {
        /// The slot.
        sim: SimSlot,
    },
    /// A regular look at a fully running agent.
    Looked {
        /// Whether the hub holds a connection.
        is_linked: bool,
        /// Whether the app may send texts.
        may_send: bool,
    },
    /// The owner has looked at an alert: it ends.
    Dismissed {
        /// The alert.
        alert: Alert,
    },
    /// An alert was swiped away: it stands, but is not shown again by itself.
    WavedAway {
        /// The alert.
        alert: Alert,
    },
}

/// What the shell must do, in this order.
#[uniffi::remote(Enum)]
pub enum Effect {
    /// Append this to the log's file.
    AppendLog(String),
    /// Replace the log's file with this.
    WriteLog(String),
    /// Keep these alerts instead of the earlier ones.
    KeepAlerts {
        /// The standing alerts.
        standing: Vec<String>,
        /// Which of them were swiped away.
        silent: Vec<String>,
    },
    /// Keep this time instead of the earlier one.
    KeepContact(Option<UnixMs>),
    /// Show this alert.
    Show(Alert),
    /// Stop showing it.
    Hide(Alert),
}

/// The next start of an agent that failed.
#[uniffi::remote(Record)]
pub struct Restart {
    /// When it is due.
    pub at: BootMs,
    /// The time until then.
    pub in_ms: u64,
    /// Whether it failed so often that its owner should know.
    pub is_for_owner: bool,
}
