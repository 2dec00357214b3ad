//! What the owner sets.

use postrider_agent::{
    Command, Guard, PaceLimits, PaceRule, Refused, ReportChoice, Spell, WaitChoice,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot, UnixMs};

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

/// A time in which nothing is sent.
#[uniffi::remote(Record)]
pub struct Spell {
    /// When it begins.
    pub from: UnixMs,
    /// When it is over.
    pub until: UnixMs,
}

/// How long the agent waits for what the platform may never say, as far as somebody has set it.
#[uniffi::remote(Record)]
pub struct WaitChoice {
    /// From a hand-over to the first doubt: nothing more is submitted on its SIM.
    pub silence_ms: Option<u64>,
    /// From a hand-over to `unknown`.
    pub unknown_ms: Option<u64>,
    /// From `sent` to its being the last word where no report comes.
    pub report_window_ms: Option<u64>,
}

/// What the phone's owner says of delivery reports on one SIM.
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
    /// A limit leaves no place for it now.
    NoSlot {
        /// In how many milliseconds there is one.
        in_ms: u64,
        /// The limit.
        rule: PaceRule,
    },
    /// An earlier test is still with the radio.
    TestUnderway,
    /// The recipient is no number that can be reached.
    InvalidRecipient,
    /// There is no text.
    NoText,
    /// The text makes more parts than a message may have.
    TooManyParts,
    /// These are more quiet times than are kept.
    TooManySpells,
    /// A quiet time is over before it begins.
    EmptySpell,
    /// One of the waits is shorter or longer than makes sense, or the doubt comes after the end.
    InvalidWaits,
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
    /// Sends nothing of the hub's in these times, at most 64, and in those that the hub sets: those
    /// of the next days, to be told again before they are over.
    SetQuietHours(Vec<Spell>),
    /// Sends a message of the owner's own at once, in spite of pause and quiet hours; `TestMoved`
    /// tells what becomes of it.
    SendTest {
        /// The SIM to send by.
        sim: SimSlot,
        /// The recipient.
        to: Address,
        /// The text.
        text: MessageText,
    },
    /// Lets the hub dial codes that change the phone's or the SIM's own settings, or no longer.
    AllowUssdCodes(bool),
    /// Asks for delivery reports or does without, on these SIMs; on the others the hub says.
    SetReports(Vec<ReportChoice>),
    /// Waits so long for what the platform may never say, from the next hand-over on; where nothing is
    /// set, as the hub says.
    SetWaits(WaitChoice),
    /// Counts parts with the national shift tables of these languages, by their identifiers in 3GPP
    /// TS 23.038, for the phone's platform uses them; none: as the hub says.
    SetShiftTables(Option<Vec<u8>>),
}
