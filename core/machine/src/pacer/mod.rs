//! How fast messages may be sent: the owner's limit, the platform's guard and the gap.
//!
//! Parts count from the moment of their hand-over, in sliding windows:
//!
//! - the send limit, parts an hour, per SIM and, if set, for the whole phone;
//! - the guard: the platform counts an app's parts in a minute; above its limit it asks its user in
//!   a dialog and fails further parts. The guard stays below that, and counts every hand-over, even
//!   one that the radio refused;
//! - the gap between two hand-overs of a SIM.
//!
//! Every hand-over is a row, written in the transaction of its `submitting`, so that neither a
//! restart nor a reboot opens a window. Across a reboot the age of a row is the wall clock's
//! difference. A result of "limit exceeded" halves the pace; each quarter of an hour without one
//! undoes one halving.

mod window;

use crate::{
    change::{PaceRow, SpentRow},
    config::{Guard, PaceLimits},
    stamp::{BootId, Stamp},
};
use postrider_model::{BootMs, Now, SimSlot};
use std::collections::BTreeMap;
use window::{Tick, Window};

/// The span of a send limit.
pub const SEND_LIMIT_SPAN_MS: u64 = 3_600_000;
/// How long a halving lasts; another code 5 starts it again.
pub(crate) const HALVING_MS: u64 = 900_000;
/// Most halvings; a further code 5 changes nothing.
pub(crate) const HALVINGS_MAX: u8 = 6;

/// Which rule a message waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaceRule {
    /// The send limit of its SIM or of the phone.
    SendLimit,
    /// The platform's own guard.
    PlatformGuard,
    /// The gap between two hand-overs.
    SendDelay,
}

/// When a message may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Now.
    Free,
    /// Not before.
    At {
        /// The moment on the boot clock.
        at: BootMs,
        /// What it waits for.
        rule: PaceRule,
    },
}

#[derive(Debug)]
struct SimPace {
    window: Option<Window>,
    hub_limit: Option<u32>,
    last: Option<Tick>,
}

/// The pace of one phone.
#[derive(Debug)]
pub(crate) struct Pacer {
    limits: PaceLimits,
    sims: BTreeMap<SimSlot, SimPace>,
    phone: Option<Window>,
    hub_phone_limit: Option<u32>,
    guard: Option<Window>,
    next_no: u64,
    forgotten_below: u64,
    halvings: u8,
}

impl Pacer {
    /// Makes the pace of a phone without any hand-over.
    pub(crate) fn new(limits: PaceLimits, pace: Option<&PaceRow>) -> Self {
        let window = |limit: u32| Window::new(SEND_LIMIT_SPAN_MS, limit);
        let mut pacer = Self {
            limits,
            sims: BTreeMap::new(),
            phone: limits.phone_parts_per_hour.map(window),
            hub_phone_limit: None,
            guard: limits
                .guard
                .map(|guard| Window::new(guard.span_ms, guard.parts_max)),
            next_no: 1,
            forgotten_below: 0,
            halvings: pace.map_or(0, |row| row.halvings.min(HALVINGS_MAX)),
        };
        pacer.apply_limits();
        pacer
    }

    /// Restores from the rows of the journal, in order of their numbers.
    ///
    /// The hub's limits must be set before: without a limit a SIM has no window to count in.
    pub(crate) fn take_up(&mut self, rows: &[SpentRow], boot_id: &BootId, now: Now) {
        for row in rows {
            let age = Tick::try_from(row.at.age_ms(boot_id, now)).unwrap_or(Tick::MAX);
            self.count(row.no, row.sim, tick(now) - age, row.parts, row.guard_parts);
            self.next_no = row.no + 1;
        }
        self.apply_limits();
    }

    /// Returns when `parts` may be sent by `sim`.
    pub(crate) fn slot(&self, sim: SimSlot, parts: u32, gap_ms: u64, now: Now) -> Slot {
        let at = tick(now);
        let gap = Tick::try_from(gap_ms).unwrap_or(Tick::MAX);
        let pace = self.sims.get(&sim);
        let last = pace.and_then(|pace| pace.last);
        let delay_at = last.map_or(at, |last| last.saturating_add(gap));
        let room_at =
            |window: Option<&Window>| window.map_or(at, |window| window.room_at(parts, at));
        let sim_at = room_at(pace.and_then(|pace| pace.window.as_ref()));
        let phone_at = room_at(self.phone.as_ref());
        let guard_at = room_at(self.guard.as_ref());
        let (latest, rule) = [
            (delay_at, PaceRule::SendDelay),
            (guard_at, PaceRule::PlatformGuard),
            (sim_at.max(phone_at), PaceRule::SendLimit),
        ]
        .into_iter()
        .max_by_key(|(at, _)| *at)
        .unwrap_or((at, PaceRule::SendLimit));
        if latest <= at {
            return Slot::Free;
        }
        Slot::At {
            at: BootMs(latest.unsigned_abs()),
            rule,
        }
    }

    /// Counts a hand-over; returns its row, if there is any limit.
    pub(crate) fn spend(
        &mut self,
        sim: SimSlot,
        parts: u32,
        boot_id: &BootId,
        now: Now,
    ) -> Option<SpentRow> {
        let no = self.next_no;
        self.count(no, sim, tick(now), parts, parts);
        let sim_window = self.sim(sim).window.is_some();
        if !sim_window && self.phone.is_none() && self.guard.is_none() {
            return None;
        }
        self.next_no += 1;
        Some(SpentRow {
            no,
            sim,
            parts,
            guard_parts: parts,
            at: Stamp::new(boot_id, now),
        })
    }

    /// Changes the counted parts of a hand-over: fewer for the send limits with proof
    /// that some were not sent, more for both if the platform made more parts of the text.
    pub(crate) fn recount(&mut self, no: u64, sim: SimSlot, parts: u32, guard_parts: u32) {
        let limits = self
            .sims
            .get_mut(&sim)
            .and_then(|pace| pace.window.as_mut());
        for window in limits.into_iter().chain(&mut self.phone) {
            window.recount(no, parts);
        }
        if let Some(window) = &mut self.guard {
            window.recount(no, guard_parts);
        }
    }

    /// Halves the pace; returns how often it is halved now.
    pub(crate) fn halve(&mut self) -> u8 {
        self.halvings = (self.halvings + 1).min(HALVINGS_MAX);
        self.apply_limits();
        self.halvings
    }

    /// Undoes one halving; returns how many are left.
    pub(crate) fn recover(&mut self) -> u8 {
        self.halvings = self.halvings.saturating_sub(1);
        self.apply_limits();
        self.halvings
    }

    /// Returns the number below which no row counts any more, once for each advance.
    pub(crate) fn take_forgotten(&mut self, now: Now) -> Option<u64> {
        let below = self.forget(now);
        if below <= self.forgotten_below {
            return None;
        }
        self.forgotten_below = below;
        Some(below)
    }

    /// Sets the owner's limits; earlier hand-overs count as far as they are known.
    pub(crate) fn set_limits(&mut self, limits: PaceLimits) {
        self.limits = limits;
        self.make_windows();
    }

    /// Lowers the owner's limit of the whole phone to the hub's, which can never raise it.
    pub(crate) fn set_hub_phone_limit(&mut self, parts_per_hour: Option<u32>) {
        if self.hub_phone_limit != parts_per_hour {
            self.hub_phone_limit = parts_per_hour;
            self.make_windows();
        }
    }

    fn phone_limit(&self) -> Option<u32> {
        lower(self.limits.phone_parts_per_hour, self.hub_phone_limit)
    }

    /// Makes the windows over all SIMs again; earlier hand-overs count as far as they are known.
    fn make_windows(&mut self) {
        let known = [self.guard.as_ref(), self.phone.as_ref()];
        let of_sims = self.sims.values().map(|pace| pace.window.as_ref());
        let known = Window::joined(of_sims.chain(known).flatten());
        let made = |span_ms, parts_max| Window::new(span_ms, parts_max).filled(&known);
        let limit = self.phone_limit();
        self.phone = limit.map(|limit| made(SEND_LIMIT_SPAN_MS, limit));
        let guard = self.limits.guard;
        self.guard = guard.map(|guard| made(guard.span_ms, guard.parts_max));
        self.apply_limits();
    }

    /// Lowers the owner's limit to the hub's, which can never raise it.
    pub(crate) fn set_hub_limit(&mut self, sim: SimSlot, parts_per_hour: Option<u32>) {
        self.sim(sim).hub_limit = parts_per_hour;
        self.apply_limits();
    }

    fn sim(&mut self, sim: SimSlot) -> &mut SimPace {
        let limit = self.limits.sim_parts_per_hour;
        self.sims.entry(sim).or_insert_with(|| SimPace {
            window: limit.map(|limit| Window::new(SEND_LIMIT_SPAN_MS, limit)),
            hub_limit: None,
            last: None,
        })
    }

    fn count(&mut self, no: u64, sim: SimSlot, at: Tick, parts: u32, guard_parts: u32) {
        let pace = self.sim(sim);
        pace.last = Some(pace.last.map_or(at, |last| last.max(at)));
        if let Some(window) = &mut pace.window {
            window.add(no, at, parts);
        }
        if let Some(window) = &mut self.phone {
            window.add(no, at, parts);
        }
        if let Some(window) = &mut self.guard {
            window.add(no, at, guard_parts);
        }
    }

    fn forget(&mut self, now: Now) -> u64 {
        let at = tick(now);
        let next_no = self.next_no;
        let sims = self
            .sims
            .values_mut()
            .filter_map(|pace| pace.window.as_mut());
        sims.chain(&mut self.phone)
            .chain(&mut self.guard)
            .filter_map(|window| window.forget(at))
            .min()
            .unwrap_or(next_no)
    }

    fn apply_limits(&mut self) {
        let phone_limit = self.phone_limit();
        let Self {
            limits,
            sims,
            phone,
            guard,
            halvings,
            ..
        } = self;
        let strained = |limit: u32| (limit >> *halvings).max(1);
        if let (Some(window), Some(Guard { parts_max, .. })) = (guard.as_mut(), limits.guard) {
            window.set_parts_max(strained(parts_max));
        }
        let guarded = guard.is_some();
        let strained = |limit: u32| if guarded { limit } else { strained(limit) };
        if let (Some(window), Some(limit)) = (phone, phone_limit) {
            window.set_parts_max(strained(limit));
        }
        for pace in sims.values_mut() {
            match (
                &mut pace.window,
                lower(limits.sim_parts_per_hour, pace.hub_limit),
            ) {
                (Some(window), Some(limit)) => window.set_parts_max(strained(limit)),
                (Some(window), None) => window.set_parts_max(u32::MAX),
                (empty, Some(limit)) => {
                    *empty = Some(Window::new(SEND_LIMIT_SPAN_MS, strained(limit)));
                }
                (None, None) => {}
            }
        }
    }
}

fn lower(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    [one, other].into_iter().flatten().min()
}

fn tick(now: Now) -> Tick {
    Tick::try_from(now.boot.0).unwrap_or(Tick::MAX)
}

#[cfg(test)]
mod tests;
