//! What the owner of the phone asks for.

use crate::config::PaceLimits;
use postrider_model::SimSlot;
use std::fmt;

/// A wish of the phone's owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Lets the hub dial codes that change the phone's or the SIM's own settings, or no longer.
    AllowUssdCodes(bool),
}

/// Says why a wish was not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No such slot is in use.
    NoSuchSim(SimSlot),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchSim(sim) => write!(f, "{sim} is not in use"),
        }
    }
}

impl std::error::Error for Refused {}
