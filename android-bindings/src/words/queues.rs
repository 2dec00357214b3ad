//! What waits for each SIM.

use postrider_agent::{HubSettings, KindStatus, NextSlot, SimStatus, WaitChoice};
use postrider_link::frame::Kind;
use postrider_model::SimSlot;

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
    /// What the hub has set for the SIM.
    #[uniffi(default = None)]
    pub hub: Option<HubSettings>,
}

/// What the hub has set for a SIM beside pause and quiet hours; `None` if it has not.
#[uniffi::remote(Record)]
pub struct HubSettings {
    /// Parts an hour of the SIM.
    pub parts_per_hour: Option<u32>,
    /// Parts an hour of all SIMs together: the lowest that it set for any of them.
    pub phone_parts_per_hour: Option<u32>,
    /// How long to wait for results that may never come.
    pub waits: WaitChoice,
    /// Languages whose national shift tables the platform uses, by their identifiers.
    pub shift_tables: Vec<u8>,
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
    /// The time until then, in milliseconds; none if it does not depend on a clock.
    pub in_ms: Option<u64>,
    /// The reason as a word: `send_limit`, `quiet_hours`, `sim_held`, ….
    pub waiting_for: String,
}

impl From<SimStatus> for SimQueue {
    fn from(status: SimStatus) -> Self {
        Self {
            sim: status.sim,
            waiting: narrow(status.waiting),
            next: status.next.map(Wait::from),
            kinds: status.kinds.into_iter().map(KindWaiting::from).collect(),
            hub: Some(status.hub),
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
