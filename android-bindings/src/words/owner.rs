//! What the owner sets.

use postrider_agent::{Command, Guard, PaceLimits};
use postrider_model::SimSlot;

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
