//! The pace of a phone in true time: no window is ever exceeded.

use postrider_machine::{PaceLimits, SEND_LIMIT_SPAN_MS, SendToken};
use std::collections::{BTreeSet, VecDeque};

#[derive(Debug)]
struct Spent {
    token: SendToken,
    sim: u8,
    parts: u32,
    given_back: BTreeSet<u8>,
    at: u64,
}

impl Spent {
    fn counts(&self) -> u32 {
        let back = u32::try_from(self.given_back.len()).unwrap_or(0);
        self.parts.saturating_sub(back)
    }
}

/// What the pace of a hand-over is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Paced {
    /// When it was decided on, in milliseconds since the run began.
    pub decided_at: u64,
    /// The owner's limits.
    pub limits: PaceLimits,
    /// How late a slow disk may have made it and those before it.
    pub slack_ms: u64,
    /// The hub's limit of the SIM, and since when the phone knows of one.
    pub hub_limit: Option<(u32, u64)>,
}

/// What a phone handed over lately.
#[derive(Debug, Default)]
pub(super) struct Pace {
    spent: VecDeque<Spent>,
}

impl Pace {
    /// Counts a hand-over.
    ///
    /// # Errors
    /// Which window it exceeds.
    pub(super) fn spend(
        &mut self,
        token: SendToken,
        sim: u8,
        parts: u32,
        paced: &Paced,
    ) -> Result<(), String> {
        let Paced {
            decided_at: at,
            limits,
            slack_ms,
            hub_limit,
        } = *paced;
        let own = limits.sim_parts_per_hour;
        let (hub, since) = hub_limit.unzip();
        let sim_limit = [own, hub].into_iter().flatten().min();
        // A phone without a limit of its own counts from when it knows of the hub's.
        let since = since.filter(|_| own.is_none()).unwrap_or(0);
        let guard = limits.guard.map(|guard| (guard.parts_max, guard.span_ms));
        let hour = |limit: Option<u32>| limit.map(|limit| (limit, SEND_LIMIT_SPAN_MS));
        let of_sim = |spent: &&Spent| spent.sim == sim && spent.at > since;
        let all = |_: &&Spent| true;
        let at_most = at + slack_ms;
        let result = self
            .check(
                "SIM",
                hour(sim_limit),
                at_most,
                parts,
                of_sim,
                Spent::counts,
            )
            .and_then(|()| {
                let limit = hour(limits.phone_parts_per_hour);
                self.check("phone", limit, at_most, parts, all, Spent::counts)
            })
            .and_then(|()| self.check("guard", guard, at_most, parts, all, |spent| spent.parts));
        self.spent.push_back(Spent {
            token,
            sim,
            parts,
            given_back: BTreeSet::new(),
            at,
        });
        result
    }

    fn check(
        &self,
        name: &str,
        window: Option<(u32, u64)>,
        at: u64,
        parts: u32,
        which: impl Fn(&&Spent) -> bool,
        counts: impl Fn(&Spent) -> u32,
    ) -> Result<(), String> {
        let Some((limit, span_ms)) = window else {
            return Ok(());
        };
        let recent = |spent: &&Spent| spent.at + span_ms > at;
        let held: u32 = self
            .spent
            .iter()
            .filter(recent)
            .filter(which)
            .map(counts)
            .sum();
        if held == 0 || held + parts <= limit {
            return Ok(());
        }
        Err(format!(
            "{held} parts count in the {name} window of {span_ms} ms, {parts} more exceed {limit}"
        ))
    }

    /// What was handed over before a moment does not count any more.
    pub(super) fn forget_before(&mut self, at: u64) {
        self.spent.retain(|spent| spent.at >= at);
    }

    /// The platform made another number of parts than was expected.
    pub(super) fn made_parts(&mut self, token: SendToken, parts: u8) {
        let of = |spent: &&mut Spent| spent.token == token;
        if let Some(spent) = self.spent.iter_mut().rev().find(of) {
            spent.parts = u32::from(parts);
        }
    }

    /// The radio proved that a part never left.
    pub(super) fn give_back(&mut self, token: SendToken, part: u8) {
        let of = |spent: &&mut Spent| spent.token == token;
        if let Some(spent) = self.spent.iter_mut().rev().find(of) {
            spent.given_back.insert(part);
        }
    }
}
