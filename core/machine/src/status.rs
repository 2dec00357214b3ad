//! What waits for each SIM and until when, for the owner's screen and the hub's health.

use crate::{
    agent::Agent,
    config::WaitChoice,
    outbound::{Outbound, Waiting},
    timers::Timers,
};
use postrider_link::frame::Kind;
use postrider_model::{Now, SimSlot};

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
    fn of(waiting: Waiting, now: Now) -> Self {
        Self {
            in_ms: waiting.until.map(|until| until.since_ms(now.boot)),
            waiting_for: waiting.waiting_for,
        }
    }

    /// Returns the earliest; one without a time comes last.
    pub(crate) fn soonest(slots: impl Iterator<Item = Self>) -> Option<Self> {
        slots.min_by_key(|slot| (slot.in_ms.is_none(), slot.in_ms))
    }
}

impl Outbound {
    /// Returns what waits for a SIM.
    pub(crate) fn status_of(&self, sim: SimSlot, timers: &Timers, now: Now) -> SimStatus {
        let slot = |waiting: Option<Waiting>| waiting.map(|waiting| NextSlot::of(waiting, now));
        let lanes = self.lanes_of(sim, timers, now);
        let kinds: Vec<_> = lanes
            .into_iter()
            .map(|(kind, waiting, next)| KindStatus {
                kind,
                waiting,
                next: slot(next),
            })
            .collect();
        let texts = slot(self.queue_waits(sim, timers, now));
        let others = kinds.iter().filter_map(|kind| kind.next);
        SimStatus {
            sim,
            waiting: self.waiting_of_sim(sim),
            next: texts.or_else(|| NextSlot::soonest(others)),
            kinds,
            hub: self.hub_settings(sim),
        }
    }
}

impl Agent {
    /// Returns what waits for each SIM that is in use or has something waiting, in order of their
    /// slots, whether connected or not.
    pub fn slots(&self, now: Now) -> Vec<SimStatus> {
        let sims = self.outbound.sims_to_show();
        sims.map(|sim| self.outbound.status_of(sim, &self.timers, now))
            .collect()
    }
}
