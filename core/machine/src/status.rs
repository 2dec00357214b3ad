//! What waits for each SIM and until when, for the owner's screen and the hub's health.

use crate::config::WaitChoice;
use postrider_link::frame::Kind;
use postrider_model::SimSlot;

/// What waits for a SIM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimStatus {
    /// The slot.
    pub sim: SimSlot,
    /// How many messages wait, of every kind, including those that wait for their own retry.
    pub waiting: usize,
    /// When the next of them leaves; `None` when nothing waits.
    pub next: Option<NextSlot>,
    /// USSD codes and calls, which wait in queues of their own, where there are any.
    pub kinds: Vec<KindStatus>,
    /// What the hub has set.
    pub hub: HubSettings,
}

/// What the hub has set for a SIM beside pause and quiet hours; `None` if it has not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindStatus {
    /// The kind.
    pub kind: Kind,
    /// How many wait; they also count for their SIM.
    pub waiting: usize,
    /// When the next of them leaves.
    pub next: Option<NextSlot>,
}

/// When the next message may leave, and what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextSlot {
    /// The time until then, at the latest, in milliseconds; `None` if it does not depend on a
    /// clock.
    pub in_ms: Option<u64>,
    /// The reason as a word, the same as in health: `send_limit`, `quiet_hours`, `sim_held`, ….
    pub waiting_for: &'static str,
}

impl NextSlot {
    /// Returns the earliest; one without a time comes last.
    pub(crate) fn soonest(slots: impl Iterator<Item = Self>) -> Option<Self> {
        slots.min_by_key(|slot| (slot.in_ms.is_none(), slot.in_ms))
    }
}
