//! A journal in memory: what the real one does with each change.
//!
//! The scenarios of the machine read it from here. That it does the same as the real one is shown
//! by the test `journals` of the simulation.

use postrider_link::{
    frame::{Address, Inbound},
    session::phone::{FactRange, LinkChange, PhoneFact},
};
use postrider_machine::{
    Change, ENDED_FOLLOWS_MS, ENDED_MAX, EndedAsked, MessageRef, Snapshot,
    change::{EndedRow, MessageRow},
};
use postrider_model::UnixMs;
use std::collections::BTreeMap;

/// The rows of a journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    rest: Snapshot,
    messages: BTreeMap<MessageRef, MessageRow>,
    facts: BTreeMap<u64, PhoneFact>,
    inbound: BTreeMap<u64, (Inbound, UnixMs)>,
}

impl Rows {
    /// Applies changes in order.
    ///
    /// # Panics
    /// When one cannot be: the real journal would refuse it.
    pub fn commit(&mut self, changes: Vec<Change>) {
        changes.into_iter().for_each(|change| self.apply(change));
    }

    /// Returns the row of an exposure.
    pub fn message(&self, message: MessageRef) -> Option<&MessageRow> {
        self.messages.get(&message)
    }

    /// Returns every exposure.
    pub fn messages(&self) -> impl Iterator<Item = &MessageRow> {
        self.messages.values()
    }

    /// Returns what the link and the small tables hold.
    pub const fn rest(&self) -> &Snapshot {
        &self.rest
    }

    /// Returns whether a fact waits for its ack.
    pub fn has_fact(&self, s: u64) -> bool {
        self.facts.contains_key(&s)
    }

    /// Reads facts that wait for their ack.
    pub fn facts(&self, range: FactRange) -> Vec<PhoneFact> {
        let above = self.facts.range(range.above + 1..);
        above
            .take(range.count_max)
            .map(|(_, fact)| fact.clone())
            .collect()
    }

    /// Reads the acked incoming messages that are kept aside.
    pub fn inbound(&self) -> Vec<Inbound> {
        self.inbound.values().map(|(row, _)| row.clone()).collect()
    }

    /// Reads ended exposures, as `LoadEnded` asks for.
    pub fn ended(&self, asked: &EndedAsked) -> Vec<EndedRow> {
        let ended = self.messages.values().filter_map(ended_row);
        let is_asked = |row: &EndedRow| match asked {
            EndedAsked::Of(ids) => ids.contains(&row.message.id),
            EndedAsked::Above { down, up } => row.s == 0 || row.s > *down || row.fact > *up,
        };
        ended.map(|(_, row)| row).filter(is_asked).collect()
    }

    /// Reads an exposure that is over, as `LoadMessage` asks for.
    pub fn message_over(&self, message: MessageRef) -> Option<MessageRow> {
        let row = self.messages.get(&message);
        let mut row = row.filter(|row| row.progress.ended.is_some())?.clone();
        row.progress.ended = None;
        Some(row)
    }

    /// Reads what a start needs.
    pub fn snapshot(&self) -> Snapshot {
        let mut rows: Vec<&MessageRow> = self.messages.values().collect();
        rows.sort_by_key(|row| row.arrived);
        let mut ended: Vec<(u64, EndedRow)> =
            rows.iter().filter_map(|row| ended_row(row)).collect();
        ended.sort_by_key(|(arrived, row)| (row.at, *arrived));
        let surplus = ended.len().saturating_sub(ENDED_MAX);
        Snapshot {
            arrived_max: rows.last().map_or(0, |row| row.arrived),
            messages: rows
                .into_iter()
                .filter(|row| row.progress.ended.is_none())
                .cloned()
                .collect(),
            ended: ended
                .into_iter()
                .skip(surplus)
                .map(|(_, row)| row)
                .collect(),
            ..self.rest.clone()
        }
    }

    fn apply(&mut self, change: Change) {
        let rest = &mut self.rest;
        match change {
            Change::MessageAdded(row) => {
                let known = self.messages.insert(row.message, *row);
                assert!(known.is_none(), "an exposure is added twice");
            }
            Change::MessageMoved { message, progress } => {
                let row = self.messages.get_mut(&message);
                row.expect("what moves is there").progress = progress;
            }
            Change::TextsErased { ended_before } => self.erase(ended_before),
            Change::MessagesForgotten { ended_before } => {
                let stays =
                    |row: &MessageRow| row.progress.ended.is_none_or(|at| at >= ended_before);
                self.messages.retain(|_, row| stays(row));
            }
            Change::SpentAdded(row) => {
                match rest.spent.iter_mut().find(|known| known.no == row.no) {
                    Some(known) => known.at = row.at,
                    None => rest.spent.push(row),
                }
            }
            Change::SpentMoved {
                no,
                parts,
                guard_parts,
            } => {
                for row in rest.spent.iter_mut().filter(|row| row.no == no) {
                    (row.parts, row.guard_parts) = (parts, guard_parts);
                }
            }
            Change::SpentForgotten { below } => {
                let last = rest.spent.last().map(|row| row.no);
                rest.spent
                    .retain(|row| row.no >= below || Some(row.no) == last);
            }
            Change::PaceSet(row) => rest.pace = Some(row),
            Change::WallMoved { by_ms } => self.wall_moved(by_ms),
            Change::SentRowClaimed(claim) => {
                rest.claims.retain(|other| other.row != claim.row);
                rest.claims.push(claim);
                rest.claims.sort_by_key(|claim| (claim.at, claim.row));
            }
            Change::ClaimsForgotten { before } => rest.claims.retain(|claim| claim.at >= before),
            Change::SeenAdded(row) => rest.seen.push(row),
            Change::SeenBound { no, row } => {
                for seen in rest.seen.iter_mut().filter(|seen| seen.no == no) {
                    seen.provider_row = row;
                }
            }
            Change::SeenForgotten { below } => {
                let last = rest.seen.last().map(|row| row.no);
                rest.seen
                    .retain(|row| row.no >= below || Some(row.no) == last);
            }
            Change::ScanMoved(row) => {
                rest.scans.retain(|other| other.log != row.log);
                rest.scans.push(row);
                rest.scans.sort_by_key(|row| row.log.as_str());
            }
            Change::SimSeen(row) => {
                rest.sims.retain(|other| other.slot != row.slot);
                rest.sims.push(row);
                rest.sims.sort_by_key(|row| row.slot);
            }
            Change::UssdCodesAllowed(allowed) => rest.ussd_codes_allowed = allowed,
            Change::ConfigSet(config) => {
                rest.configs
                    .retain(|other| config.sim.is_some() && other.sim != config.sim);
                rest.configs.push(config);
                rest.configs.sort_by_key(|config| config.sim);
            }
            Change::PausedSet(paused) => rest.paused = paused,
            Change::InstallSet(install) => rest.install = Some(install),
            Change::Link { change, at } => self.apply_link(change, at),
        }
    }

    /// Moves the stamps that ages are taken from along with the wall clock.
    fn wall_moved(&mut self, by_ms: i64) {
        if by_ms.unsigned_abs() >= ENDED_FOLLOWS_MS {
            let ends = self
                .messages
                .values_mut()
                .map(|row| &mut row.progress.ended);
            ends.flatten().for_each(|at| *at = at.plus_ms(by_ms));
        }
        let rest = &mut self.rest;
        let spent = rest.spent.iter_mut().map(|row| &mut row.at);
        let pace = rest.pace.iter_mut().map(|row| &mut row.since);
        let open = self
            .messages
            .values_mut()
            .filter(|row| row.progress.ended.is_none());
        let stamps = open.flat_map(|row| {
            let retry = row.progress.retry.as_mut().map(|(since, _)| since);
            std::iter::once(&mut row.received).chain(retry)
        });
        for stamp in spent.chain(pace).chain(stamps) {
            stamp.unix = stamp.unix.plus_ms(by_ms);
        }
    }

    fn erase(&mut self, before: UnixMs) {
        for row in self.messages.values_mut() {
            if row.progress.ended.is_some_and(|at| at < before) {
                (row.text, row.data) = (None, None);
                row.to = Address::new("");
            }
        }
        self.inbound.retain(|_, (_, acked)| *acked >= before);
    }

    fn apply_link(&mut self, change: LinkChange, at: UnixMs) {
        let link = &mut self.rest.link;
        match change {
            LinkChange::Conn(conn) => link.conn = conn,
            LinkChange::Down(down) => link.down = down,
            LinkChange::FactStored(fact) => {
                link.up_highest = fact.s();
                if let PhoneFact::Inbound(inbound) = &fact {
                    self.inbound.remove(&inbound.n);
                }
                let known = self.facts.insert(fact.s(), fact);
                assert!(known.is_none(), "a fact's number is given twice");
            }
            LinkChange::FactsAcked { up_to } => {
                link.up_acked = up_to;
                let kept = self.facts.split_off(&(up_to + 1));
                for fact in std::mem::replace(&mut self.facts, kept).into_values() {
                    if let PhoneFact::Inbound(inbound) = fact {
                        self.inbound.insert(inbound.n, (inbound, at));
                    }
                }
            }
            LinkChange::HubLearned(hub) => link.hub = Some(hub),
            LinkChange::NotKnown(not_known) => link.not_known = not_known,
            LinkChange::Restarted {
                generation,
                sinks_by,
            } => {
                link.generation = generation;
                (link.down, link.up_acked) = (0, 0);
                link.up_highest = link.up_highest.saturating_sub(sinks_by);
                let sunk = std::mem::take(&mut self.facts).into_values();
                let sink = |fact: PhoneFact| (fact.s().saturating_sub(sinks_by), fact);
                self.facts = sunk
                    .map(sink)
                    .map(|(s, fact)| (s, fact.at_place(s)))
                    .collect();
                for row in self.messages.values_mut() {
                    row.s = 0;
                    row.progress.fact = row.progress.fact.saturating_sub(sinks_by);
                }
            }
        }
    }
}

fn ended_row(row: &MessageRow) -> Option<(u64, EndedRow)> {
    let ended = EndedRow {
        message: row.message,
        state: row.progress.state,
        partial: row.progress.partial,
        unsent: row.progress.unsent,
        proof: row.proof,
        s: row.s,
        fact: row.progress.fact,
        at: row.progress.ended?,
    };
    Some((row.arrived, ended))
}
