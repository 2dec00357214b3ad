//! What the owner of the phone asks for.

use crate::{
    config::{PaceLimits, ReportChoice, Spell, WaitChoice},
    pacer::PaceRule,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot};
use std::fmt;

/// A wish of the phone's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Stops handing messages to the radio, or goes on; what is submitted already is not affected.
    SetPaused(bool),
    /// Goes on with a SIM that is held or silent: somebody looked at the phone.
    ReleaseSim(SimSlot),
    /// Sends by the SIM that is in the slot now, which is not the one that was known.
    ConfirmSim(SimSlot),
    /// Sends at another pace from now on; what was sent counts on. The shell keeps the limits and
    /// gives them again at each start.
    SetLimits(PaceLimits),
    /// Sends nothing of the hub's in these times, and in those that the hub sets. At most
    /// [`QUIET_SPELLS_MAX`](crate::QUIET_SPELLS_MAX); the shell keeps the setting, and gives the times
    /// to come at each start and again before they are over.
    SetQuietHours(Vec<Spell>),
    /// Sends a message of the owner's own at once, in spite of pause and quiet hours. It counts as
    /// any other; what becomes of it is shown by [`Event::TestMoved`](crate::Event), and told to no
    /// hub.
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
    /// TS 23.038, for the phone's platform uses them; `None`: as the hub says.
    SetShiftTables(Option<Vec<u8>>),
}

/// Says why a wish was not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchSim(sim) => write!(f, "{sim} is not in use"),
            Self::SimChanged(sim) => write!(f, "the SIM in {sim} is not confirmed"),
            Self::NoSlot { in_ms, rule } => {
                write!(f, "{} leaves no place for {in_ms} ms", rule.as_str())
            }
            Self::TestUnderway => f.write_str("an earlier test is with the radio"),
            Self::InvalidRecipient => f.write_str("the recipient is not a number"),
            Self::NoText => f.write_str("there is no text"),
            Self::TooManyParts => f.write_str("the text makes too many parts"),
            Self::TooManySpells => f.write_str("there are too many quiet times"),
            Self::InvalidWaits => f.write_str("a wait is too short, too long, or out of order"),
            Self::EmptySpell => f.write_str("a quiet time is over before it begins"),
        }
    }
}

impl std::error::Error for Refused {}
