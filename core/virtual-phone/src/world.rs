//! What is around the radio: SIMs, service, power, and the platform's limit.

use postrider_agent::{Condition, SimInfo};
use postrider_model::{BootMs, SimSlot};
use std::collections::{BTreeSet, VecDeque};

/// The platform's codes for what keeps a SIM from sending.
mod code {
    pub(super) const RADIO_OFF: i32 = 2;
    pub(super) const NO_SERVICE: i32 = 4;
    pub(super) const NO_SIM: i32 = 120;
}

/// The platform's code for too many messages in a short time.
pub(crate) const LIMIT_EXCEEDED: i32 = 5;
/// Parts that the limited profile sends within its span.
const LIMIT_PARTS: u32 = 5;
/// That span, in milliseconds.
const LIMIT_SPAN_MS: u64 = 5_000;

/// The state of the world.
#[derive(Debug)]
pub(crate) struct World {
    /// The slots in use.
    pub(crate) sims: Vec<SimInfo>,
    /// What the platform reports of the phone.
    pub(crate) condition: Condition,
    without_service: BTreeSet<SimSlot>,
    airplane_mode: bool,
    recent: VecDeque<(BootMs, u32)>,
}

impl World {
    /// Makes a world in which every SIM has service, or none.
    pub(crate) fn new(sims: Vec<SimInfo>, condition: Condition, in_service: bool) -> Self {
        let without = sims.iter().map(|sim| sim.slot).filter(|_| !in_service);
        Self {
            without_service: without.collect(),
            sims,
            condition,
            airplane_mode: false,
            recent: VecDeque::new(),
        }
    }

    /// Returns the code that refuses what a SIM is to send now, if any.
    pub(crate) fn obstacle(&self, sim: SimSlot) -> Option<i32> {
        let is_here = self.sims.iter().any(|it| it.slot == sim);
        if self.airplane_mode {
            Some(code::RADIO_OFF)
        } else if !is_here {
            Some(code::NO_SIM)
        } else if self.without_service.contains(&sim) {
            Some(code::NO_SERVICE)
        } else {
            None
        }
    }

    /// Gives service to a SIM or takes it away.
    pub(crate) fn set_service(&mut self, sim: SimSlot, in_service: bool) {
        if in_service {
            self.without_service.remove(&sim)
        } else {
            self.without_service.insert(sim)
        };
    }

    /// Turns the radio off or on.
    pub(crate) fn set_airplane_mode(&mut self, on: bool) {
        self.airplane_mode = on;
    }

    /// Counts parts towards the platform's limit; returns false when they exceed it.
    pub(crate) fn is_within_limit(&mut self, parts: u8, now: BootMs) -> bool {
        while let Some((at, _)) = self.recent.front()
            && now.since_ms(*at) >= LIMIT_SPAN_MS
        {
            self.recent.pop_front();
        }
        let parts = u32::from(parts);
        let used: u32 = self.recent.iter().map(|(_, parts)| parts).sum();
        let fits = self.recent.is_empty() || used + parts <= LIMIT_PARTS;
        if fits {
            self.recent.push_back((now, parts));
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> World {
        let sim = |slot| SimInfo {
            slot: SimSlot::new(slot).unwrap(),
            ..SimInfo::default()
        };
        World::new(vec![sim(0), sim(1)], Condition::default(), true)
    }

    #[test]
    fn what_keeps_a_sim_from_sending_has_the_platforms_code() {
        let mut world = world();
        let [first, second, third] = [0, 1, 2].map(|slot| SimSlot::new(slot).unwrap());
        world.set_service(second, false);
        let all = |world: &World| [first, second, third].map(|sim| world.obstacle(sim));
        assert_eq!(all(&world), [None, Some(4), Some(120)]);
        world.set_airplane_mode(true);
        assert_eq!(all(&world), [Some(2); 3]);
        world.set_airplane_mode(false);
        world.set_service(second, true);
        assert_eq!(all(&world), [None, None, Some(120)]);
    }

    #[test]
    fn the_limit_opens_again_when_its_span_has_passed() {
        let mut world = world();
        let taken = (0..8)
            .filter(|n| world.is_within_limit(1, BootMs(*n)))
            .count();
        assert_eq!(taken, 5);
        assert!(world.is_within_limit(25, BootMs(LIMIT_SPAN_MS + 10)));
    }
}
