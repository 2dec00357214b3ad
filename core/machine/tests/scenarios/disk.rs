//! A journal in memory: what a real one does with each change, and nothing else.

use postrider_link::{
    frame::{Address, Inbound},
    session::phone::{FactRange, LinkChange, PhoneFact},
};
use postrider_machine::{
    Change, EndedAsked, MessageRef, Snapshot,
    change::{EndedRow, MessageRow},
};
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Disk {
    rest: Snapshot,
    messages: BTreeMap<MessageRef, MessageRow>,
    facts: BTreeMap<u64, PhoneFact>,
    inbound: BTreeMap<u64, Inbound>,
}

impl Disk {
    pub(crate) fn commit(&mut self, changes: Vec<Change>) {
        changes.into_iter().for_each(|change| self.apply(change));
    }

    pub(crate) fn message(&self, message: MessageRef) -> Option<&MessageRow> {
        self.messages.get(&message)
    }

    pub(crate) fn facts(&self, range: FactRange) -> Vec<PhoneFact> {
        let above = self.facts.range(range.above + 1..);
        above
            .take(range.count_max)
            .map(|(_, fact)| fact.clone())
            .collect()
    }

    pub(crate) fn inbound(&self) -> Vec<Inbound> {
        self.inbound.values().cloned().collect()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut rows: Vec<_> = self.messages.values().cloned().collect();
        rows.sort_by_key(|row| row.arrived);
        let mut ended: Vec<_> = rows.iter().filter_map(ended_row).collect();
        ended.sort_by_key(|row| row.at);
        Snapshot {
            arrived_max: rows.last().map_or(0, |row| row.arrived),
            messages: rows
                .into_iter()
                .filter(|row| row.progress.ended.is_none())
                .collect(),
            ended,
            ..self.rest.clone()
        }
    }

    pub(crate) fn ended(&self, asked: &EndedAsked) -> Vec<EndedRow> {
        let rows = self.messages.values().filter_map(ended_row);
        let is_asked = |row: &EndedRow| match asked {
            EndedAsked::Of(ids) => ids.contains(&row.message.id),
            EndedAsked::Above { down, up } => row.s == 0 || row.s > *down || row.fact > *up,
        };
        rows.filter(is_asked).collect()
    }

    fn apply(&mut self, change: Change) {
        let rest = &mut self.rest;
        match change {
            Change::MessageAdded(row) => {
                assert!(self.messages.insert(row.message, *row).is_none());
            }
            Change::MessageMoved { message, progress } => {
                self.messages.get_mut(&message).unwrap().progress = progress;
            }
            Change::TextsErased { ended_before } => {
                for row in self.messages.values_mut() {
                    if row.progress.ended.is_some_and(|at| at < ended_before) {
                        row.text = None;
                        row.data = None;
                        row.to = Address::new("");
                    }
                }
            }
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
            Change::WallMoved { by_ms } => self.move_wall(by_ms),
            Change::SentRowClaimed(claim) => rest.claims.push(claim),
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
            }
            Change::SimSeen(row) => {
                rest.sims.retain(|other| other.slot != row.slot);
                rest.sims.push(row);
            }
            Change::UssdCodesAllowed(allowed) => rest.ussd_codes_allowed = allowed,
            Change::ConfigSet(config) => {
                rest.configs
                    .retain(|other| config.sim.is_some() && other.sim != config.sim);
                rest.configs.push(config);
            }
            Change::PausedSet(paused) => rest.paused = paused,
            Change::InstallSet(install) => rest.install = Some(install),
            Change::Link { change, .. } => self.apply_link(change),
        }
    }

    fn move_wall(&mut self, by_ms: i64) {
        let open = self.messages.values_mut();
        let open = open.filter(|row| row.progress.ended.is_none());
        for row in open {
            row.received.unix = row.received.unix.plus_ms(by_ms);
            if let Some((since, _)) = &mut row.progress.retry {
                since.unix = since.unix.plus_ms(by_ms);
            }
        }
        let spent = self.rest.spent.iter_mut().map(|row| &mut row.at);
        let pace = self.rest.pace.iter_mut().map(|row| &mut row.since);
        spent
            .chain(pace)
            .for_each(|at| at.unix = at.unix.plus_ms(by_ms));
    }

    fn apply_link(&mut self, change: LinkChange) {
        let link = &mut self.rest.link;
        match change {
            LinkChange::Conn(conn) => link.conn = conn,
            LinkChange::Down(down) => link.down = down,
            LinkChange::FactStored(fact) => {
                link.up_highest = fact.s();
                assert!(self.facts.insert(fact.s(), fact).is_none());
            }
            LinkChange::FactsAcked { up_to } => {
                link.up_acked = up_to;
                let kept = self.facts.split_off(&(up_to + 1));
                for fact in std::mem::replace(&mut self.facts, kept).into_values() {
                    if let PhoneFact::Inbound(inbound) = fact {
                        self.inbound.insert(inbound.n, inbound);
                    }
                }
            }
            LinkChange::Restarted {
                generation,
                sinks_by,
            } => {
                link.generation = generation;
                (link.down, link.up_acked) = (0, 0);
                link.up_highest -= sinks_by;
                let sunk = std::mem::take(&mut self.facts).into_values();
                let sink = |fact: PhoneFact| (fact.s() - sinks_by, fact);
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

fn ended_row(row: &MessageRow) -> Option<EndedRow> {
    Some(EndedRow {
        message: row.message,
        state: row.progress.state,
        partial: row.progress.partial,
        unsent: row.progress.unsent,
        s: row.s,
        fact: row.progress.fact,
        at: row.progress.ended?,
    })
}
