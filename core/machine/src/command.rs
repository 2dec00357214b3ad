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
    /// Pauses sending, or resumes it; messages that are submitted already are not affected.
    SetPaused(bool),
    /// Resumes a SIM that is held or silent: somebody looked at the phone.
    ReleaseSim(SimSlot),
    /// Accepts the SIM that is in the slot now instead of the known one.
    ConfirmSim(SimSlot),
    /// Changes the pace; earlier messages still count. The shell keeps the limits and
    /// gives them again at each start.
    SetLimits(PaceLimits),
    /// Sends none of the hub's messages in these times, and in those that the hub sets. At most
    /// [`QUIET_SPELLS_MAX`](crate::QUIET_SPELLS_MAX). The shell keeps the setting, and gives the
    /// times to come at each start and again before they are over.
    SetQuietHours(Vec<Spell>),
    /// Sends a message of the owner at once, even while paused or in quiet hours. It counts like
    /// any other. [`Event::TestMoved`](crate::Event) shows its progress; the hub is not told
    /// of it.
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
    /// TS 23.038, because the phone's platform uses them; `None`: the hub decides.
    SetShiftTables(Option<Vec<u8>>),
}

/// Says why a wish was not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No such slot is in use.
    NoSuchSim(SimSlot),
    /// Another SIM is in the slot, and nobody has confirmed it.
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
    /// The text has more parts than a message may have.
    TooManyParts,
    /// There are more quiet times than are kept.
    TooManySpells,
    /// A quiet time ends before it begins.
    EmptySpell,
    /// One of the waits is too short or too long, or the first is longer than the second.
    InvalidWaits,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchSim(sim) => write!(f, "{sim} is not in use"),
            Self::SimChanged(sim) => write!(f, "the SIM in {sim} is not confirmed"),
            Self::NoSlot { in_ms, rule } => {
                write!(f, "{} allows no message for {in_ms} ms", rule.as_str())
            }
            Self::TestUnderway => f.write_str("an earlier test is with the radio"),
            Self::InvalidRecipient => f.write_str("the recipient is not a number"),
            Self::NoText => f.write_str("there is no text"),
            Self::TooManyParts => f.write_str("the text makes too many parts"),
            Self::TooManySpells => f.write_str("there are too many quiet times"),
            Self::InvalidWaits => f.write_str("a wait is too short, too long, or out of order"),
            Self::EmptySpell => f.write_str("a quiet time ends before it begins"),
        }
    }
}

impl std::error::Error for Refused {}
