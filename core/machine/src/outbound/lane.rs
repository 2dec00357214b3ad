//! Queues for kinds other than texts: beside the texts of their SIM, in the same order.

use super::queue::Place;
use crate::token::MessageRef;
use postrider_model::SimSlot;
use std::collections::{BTreeMap, BTreeSet};

/// The queues of one kind, one for each SIM.
///
/// They share the bound of their SIM's texts, [`WAITING_MAX`](super::WAITING_MAX).
#[derive(Debug, Default)]
pub(super) struct Lane(BTreeMap<SimSlot, BTreeSet<Place>>);

impl Lane {
    pub(super) fn enter(&mut self, sim: SimSlot, place: Place) {
        self.0.entry(sim).or_default().insert(place);
    }

    pub(super) fn leave(&mut self, sim: SimSlot, place: &Place) {
        if let Some(queue) = self.0.get_mut(&sim) {
            queue.remove(place);
        }
    }

    /// Returns every SIM that has something waiting.
    pub(super) fn sims(&self) -> Vec<SimSlot> {
        let waiting = self.0.iter().filter(|(_, queue)| !queue.is_empty());
        waiting.map(|(sim, _)| *sim).collect()
    }

    /// Returns the place that is next for a SIM.
    pub(super) fn first(&self, sim: SimSlot) -> Option<Place> {
        self.0.get(&sim)?.first().copied()
    }

    /// Returns the message that is next for a SIM.
    pub(super) fn next(&self, sim: SimSlot) -> Option<MessageRef> {
        self.first(sim).map(|place| place.message)
    }

    /// Returns how many wait for a SIM.
    pub(super) fn count(&self, sim: SimSlot) -> usize {
        self.0.get(&sim).map_or(0, BTreeSet::len)
    }
}
