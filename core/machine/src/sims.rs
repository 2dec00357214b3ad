//! Which SIM is known in each slot, so that no text is sent from an unexpected number.
//!
//! The first SIM seen in a slot is the known one. Another SIM stops the slot until the
//! known one is back, the phone's owner confirms the new one, or the hub does: by settings without
//! pause, written after the hub had stored which SIM is there now.

use crate::change::{Change, SimRow};
use postrider_link::frame::SimInfo;
use postrider_model::SimSlot;
use std::collections::{BTreeMap, BTreeSet};

/// Whether the hub knows of a SIM that nobody has confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Not at all.
    No,
    /// The last hello contains it.
    InHello,
    /// The fact of this number contains it.
    By(u64),
    /// The hub has stored it.
    Stored,
}

/// The known SIMs, and the unconfirmed ones.
#[derive(Debug, Default)]
pub(crate) struct KnownSims {
    rows: BTreeMap<SimSlot, SimRow>,
    told: BTreeMap<SimSlot, Told>,
}

impl KnownSims {
    pub(crate) fn new(rows: Vec<SimRow>) -> Self {
        let rows = rows.into_iter().map(|row| (row.slot, row)).collect();
        Self {
            rows,
            told: BTreeMap::new(),
        }
    }

    /// Compares the present SIMs with the known ones; returns the rows that changed, and the slots
    /// in which another SIM appeared.
    pub(crate) fn see(&mut self, sims: &[SimInfo]) -> (Vec<Change>, Vec<SimSlot>) {
        let (mut changes, mut others) = (Vec::new(), Vec::new());
        for sim in sims {
            let Some(seen) = &sim.fingerprint else {
                continue;
            };
            let row = self.rows.get(&sim.slot);
            let known = row.map_or(seen, |row| &row.known);
            let other = Some(seen).filter(|seen| *seen != known);
            let now = SimRow {
                slot: sim.slot,
                known: known.clone(),
                other: other.cloned(),
            };
            if row == Some(&now) {
                continue;
            }
            self.told.insert(sim.slot, Told::No);
            if other.is_some() {
                others.push(sim.slot);
            }
            changes.push(Change::SimSeen(now.clone()));
            self.rows.insert(sim.slot, now);
        }
        (changes, others)
    }

    /// Returns the slots whose SIM nobody has confirmed.
    pub(crate) fn unconfirmed(&self) -> BTreeSet<SimSlot> {
        let rows = self.rows.values().filter(|row| row.other.is_some());
        rows.map(|row| row.slot).collect()
    }

    /// Makes the present SIM the known one.
    pub(crate) fn confirm(&mut self, slot: SimSlot) -> Option<Change> {
        let row = self.rows.get_mut(&slot)?;
        row.known = row.other.take()?;
        Some(Change::SimSeen(row.clone()))
    }

    /// Handles settings of the hub without pause, for one slot or for all.
    pub(crate) fn unpaused(&mut self, slot: Option<SimSlot>) -> Vec<Change> {
        let is_meant = |other: &SimSlot| slot.is_none_or(|slot| slot == *other);
        let is_stored = |slot: &SimSlot| self.told.get(slot) == Some(&Told::Stored);
        let slots = self.unconfirmed().into_iter();
        let slots: Vec<_> = slots.filter(is_meant).filter(is_stored).collect();
        let confirmed = slots.into_iter().filter_map(|slot| self.confirm(slot));
        confirmed.collect()
    }

    /// Notes that a hello contains the present SIMs.
    pub(crate) fn told_in_hello(&mut self) {
        for slot in self.unconfirmed() {
            self.told.insert(slot, Told::InHello);
        }
    }

    /// Notes that the hub accepted the hello, and so has stored what it contains.
    pub(crate) fn hello_accepted(&mut self) {
        for told in self.told.values_mut() {
            if *told == Told::InHello {
                *told = Told::Stored;
            }
        }
    }

    /// Notes that the fact of a number contains the present SIMs.
    pub(crate) fn told_by(&mut self, fact: u64) {
        for slot in self.unconfirmed() {
            let told = self.told.entry(slot).or_insert(Told::No);
            if *told == Told::No {
                *told = Told::By(fact);
            }
        }
    }

    /// Notes that the hub has stored every fact up to a number.
    pub(crate) fn acked(&mut self, up_to: u64) {
        for told in self.told.values_mut() {
            if matches!(told, Told::By(fact) if *fact <= up_to) {
                *told = Told::Stored;
            }
        }
    }
}
