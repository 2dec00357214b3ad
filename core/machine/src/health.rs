//! The phone's state, reported to the hub when it changes and at most once a minute.

use crate::{
    condition::Condition,
    config::PaceLimits,
    outbound::Outbound,
    status::{KindStatus, NextSlot, SimStatus},
    timers::Timers,
};
use postrider_link::frame::{self, KindQueue, SimInfo};
use postrider_model::{BootMs, Now};

/// The least time between two health facts, in milliseconds; changes in between are reported
/// together.
pub const HEALTH_MS_MIN: u64 = 60_000;

/// The part of the last report whose changes matter.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    version: u64,
    queues: Vec<(usize, Option<&'static str>)>,
    kinds: Vec<(usize, Option<&'static str>)>,
}

/// What is known of the phone, and what was reported to the hub.
#[derive(Debug)]
pub(crate) struct Health {
    condition: Condition,
    limits: PaceLimits,
    sims: Vec<SimInfo>,
    version: u64,
    told: Option<(BootMs, Told)>,
}

/// The result of [`Health::next`].
#[derive(Debug)]
pub(crate) enum NextHealth {
    /// Nothing has changed.
    Nothing,
    /// Something may have changed, but it is too early.
    NotBefore(BootMs),
    /// Report this now.
    Tell(Box<frame::Health>),
}

impl Health {
    pub(crate) fn new(condition: Condition, limits: PaceLimits, sims: Vec<SimInfo>) -> Self {
        let mut health = Self {
            condition,
            limits,
            sims: Vec::new(),
            version: 0,
            told: None,
        };
        health.set_sims(sims);
        health
    }

    /// Sets the owner's new limits, for every slot that had the former ones.
    pub(crate) fn set_limits(&mut self, limits: PaceLimits) {
        let mut sims = self.sims.clone();
        for sim in &mut sims {
            if sim.send_limit == self.limits.sim_parts_per_hour {
                sim.send_limit = None;
            }
        }
        self.limits = limits;
        self.set_sims(sims);
    }

    pub(crate) fn condition(&self) -> &Condition {
        &self.condition
    }

    pub(crate) fn sims(&self) -> &[SimInfo] {
        &self.sims
    }

    pub(crate) fn set_condition(&mut self, condition: Condition) {
        if self.condition != condition {
            self.condition = condition;
            self.version += 1;
        }
    }

    /// Sets the slots in use; a slot without a limit has the phone's.
    pub(crate) fn set_sims(&mut self, mut sims: Vec<SimInfo>) {
        for sim in &mut sims {
            sim.send_limit = sim.send_limit.or(self.limits.sim_parts_per_hour);
        }
        if self.sims != sims {
            self.sims = sims;
            self.version += 1;
        }
    }

    /// Reports what has changed since the last report, once a minute has passed.
    pub(crate) fn next(&mut self, outbound: &Outbound, timers: &Timers, now: Now) -> NextHealth {
        if let Some((at, _)) = &self.told {
            let next = at.plus_ms(HEALTH_MS_MIN);
            if now.boot < next {
                return NextHealth::NotBefore(next);
            }
        }
        let status = |sim: &SimInfo| outbound.status_of(sim.slot, timers, now);
        let queues: Vec<_> = self.sims.iter().map(status).collect();
        let told = self.told_by(&queues);
        if self
            .told
            .as_ref()
            .is_some_and(|(_, before)| *before == told)
        {
            return NextHealth::Nothing;
        }
        self.told = Some((now.boot, told));
        NextHealth::Tell(Box::new(self.fact(&queues, outbound.waiting())))
    }

    fn told_by(&self, queues: &[SimStatus]) -> Told {
        let word = |next: Option<NextSlot>| next.map(|next| next.waiting_for);
        let kinds = queues.iter().flat_map(|queue| &queue.kinds);
        Told {
            version: self.version,
            queues: queues
                .iter()
                .map(|queue| (queue.waiting, word(queue.next)))
                .collect(),
            kinds: kinds.map(|kind| (kind.waiting, word(kind.next))).collect(),
        }
    }

    fn fact(&self, queues: &[SimStatus], waiting: usize) -> frame::Health {
        let condition = self.condition.clone();
        let describe = |sim: &SimInfo, queue: &SimStatus| SimInfo {
            queue: Some(narrow(queue.waiting)),
            next_slot_in_ms: queue.next.map_or(Some(0), |next| next.in_ms),
            waiting_for: queue.next.map(|next| next.waiting_for.to_owned()),
            kinds: queue.kinds.iter().map(of_kind).collect(),
            ..sim.clone()
        };
        let next = NextSlot::soonest(queues.iter().filter_map(|queue| queue.next));
        frame::Health {
            s: 0,
            battery: condition.battery,
            charging: condition.charging,
            network: condition.network,
            signal: condition.signal,
            sims: self
                .sims
                .iter()
                .zip(queues)
                .map(|(sim, queue)| describe(sim, queue))
                .collect(),
            queue: Some(narrow(waiting)),
            next_slot_in_ms: next.and_then(|next| next.in_ms),
            waiting_for: next.map(|next| next.waiting_for.to_owned()),
            forwarding: condition.forwarding,
            app_version: condition.app_version,
            android_sdk: condition.android_sdk,
            manufacturer: condition.manufacturer,
            model: condition.model,
        }
    }
}

fn of_kind(kind: &KindStatus) -> KindQueue {
    KindQueue {
        kind: kind.kind.clone(),
        queue: narrow(kind.waiting),
        next_slot_in_ms: kind.next.map_or(Some(0), |next| next.in_ms),
        waiting_for: kind.next.map(|next| next.waiting_for.to_owned()),
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
