//! What waits for a SIM, and what the hub has set for it.

use super::{Outbound, Waiting};
use crate::{
    config::WaitChoice,
    status::{HubSettings, KindStatus, NextSlot, SimStatus},
    timers::Timers,
};
use postrider_model::{Now, SimSlot};

impl Outbound {
    /// Returns what waits for a SIM.
    pub(crate) fn status_of(&self, sim: SimSlot, timers: &Timers, now: Now) -> SimStatus {
        let slot = |waiting: Option<Waiting>| waiting.map(|waiting| next_slot(waiting, now));
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

    /// Returns what the hub has set for a SIM.
    fn hub_settings(&self, sim: SimSlot) -> HubSettings {
        let config = self.rules.of(sim);
        HubSettings {
            parts_per_hour: config.send_limit_max,
            phone_parts_per_hour: self.rules.device_limit(),
            waits: WaitChoice::of_hub(config),
            shift_tables: config.shift_tables.clone(),
        }
    }
}

fn next_slot(waiting: Waiting, now: Now) -> NextSlot {
    NextSlot {
        in_ms: waiting.until.map(|until| until.since_ms(now.boot)),
        waiting_for: waiting.waiting_for,
    }
}
