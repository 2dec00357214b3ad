//! What the owner sets.

use postrider_agent::{
    Command, Guard, PaceLimits, PaceRule, Refused, ReportChoice, Spell, WaitChoice,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot, UnixMs};

/// The platform's own guard; the agent stays below it.
#[uniffi::remote(Record)]
pub struct Guard {
    /// Most parts in a span.
    pub parts_max: u32,
    /// The span.
    pub span_ms: u64,
}

/// How many parts may be sent; none means no limit.
#[uniffi::remote(Record)]
pub struct PaceLimits {
    /// Parts an hour of each SIM, set by the phone's owner.
    pub sim_parts_per_hour: Option<u32>,
    /// Parts an hour of all SIMs together.
    pub phone_parts_per_hour: Option<u32>,
    /// The platform's guard, over all SIMs.
    pub guard: Option<Guard>,
}

/// A time in which nothing is sent.
#[uniffi::remote(Record)]
pub struct Spell {
    /// When it begins.
    pub from: UnixMs,
    /// When it is over.
    pub until: UnixMs,
}

/// How long the agent waits for results that may never come, if somebody has set it.
#[uniffi::remote(Record)]
pub struct WaitChoice {
    /// After a hand-over without a result for so long, its SIM sends nothing more.
    pub silence_ms: Option<u64>,
    /// After a hand-over without a result for so long, the message is `unknown`.
    pub unknown_ms: Option<u64>,
    /// How long a delivery report is awaited after `sent`.
    pub report_window_ms: Option<u64>,
}

/// The owner's choice of delivery reports on one SIM.
#[uniffi::remote(Record)]
pub struct ReportChoice {
    /// The SIM.
    pub sim: SimSlot,
    /// Whether they are asked for.
    pub wanted: bool,
}

/// Which rule a message waits for.
#[uniffi::remote(Enum)]
pub enum PaceRule {
    /// The send limit of its SIM or of the phone.
    SendLimit,
    /// The platform's own guard.
    PlatformGuard,
    /// The gap between two hand-overs.
    SendDelay,
}

/// Why a wish was not granted.
#[uniffi::remote(Enum)]
pub enum Refused {
    /// No such slot is in use.
    NoSuchSim(SimSlot),
    /// Another SIM than the known one is in the slot, and nobody has confirmed it.
    SimChanged(SimSlot),
    /// A limit leaves no room for it now.
    NoSlot {
        /// In how many milliseconds there is room.
        in_ms: u64,
        /// The limit.
        rule: PaceRule,
    },
    /// An earlier test is still with the radio.
    TestUnderway,
    /// The recipient is not a number that can be reached.
    InvalidRecipient,
    /// There is no text.
    NoText,
    /// The text makes more parts than a message may have.
    TooManyParts,
    /// There are more quiet times than are kept.
    TooManySpells,
    /// A quiet time ends before it begins.
    EmptySpell,
    /// One of the waits is too short or too long, or the first is longer than the second.
    InvalidWaits,
}

/// A wish of the phone's owner.
#[uniffi::remote(Enum)]
pub enum Command {
    /// Pauses sending, or resumes it.
    SetPaused(bool),
    /// Resumes a SIM that is held or silent: somebody looked at the phone.
    ReleaseSim(SimSlot),
    /// Accepts the SIM that is in the slot now.
    ConfirmSim(SimSlot),
    /// Changes the pace from now on.
    SetLimits(PaceLimits),
    /// Sends none of the hub's messages in these times, at most 64, and in those that the hub sets.
    /// They cover the next days and must be set again before they are over.
    SetQuietHours(Vec<Spell>),
    /// Sends a message of the owner at once, even while paused or in quiet hours; `TestMoved`
    /// reports its progress.
    SendTest {
        /// The SIM to send by.
        sim: SimSlot,
        /// The recipient.
        to: Address,
        /// The text.
        text: MessageText,
    },
    /// Allows or forbids the hub to dial codes that change settings of the phone or SIM.
    AllowUssdCodes(bool),
    /// Sets on these SIMs whether to ask for delivery reports; on the others the hub decides.
    SetReports(Vec<ReportChoice>),
    /// Sets how long to wait for results, from the next hand-over on; for what is not set, the
    /// hub's setting counts.
    SetWaits(WaitChoice),
    /// Counts parts with the national shift tables of these languages, by their identifiers in 3GPP
    /// TS 23.038, because the phone's platform uses them; none: the hub decides.
    SetShiftTables(Option<Vec<u8>>),
}
