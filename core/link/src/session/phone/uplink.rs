//! The upward sequence: numbers, the window, and what is loaded from the journal.

use super::PhoneFact;
use crate::limits::FACTS_IN_FLIGHT_MAX;
use std::collections::VecDeque;

/// The facts of one phone: all of them are in the journal, only a window of them is here.
///
/// `acked <= sent <= known <= highest`; facts above `sent` up to `known` are in `ready`.
#[derive(Debug)]
pub(super) struct Uplink {
    acked: u64,
    sent: u64,
    highest: u64,
    limit: u64,
    ready: VecDeque<PhoneFact>,
    loading: bool,
    connected: bool,
}

/// Which facts to read from the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactRange {
    /// Facts above this place.
    pub above: u64,
    /// At most so many, in order.
    pub count_max: usize,
}

/// An ack that no working hub sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImpossibleAck;

impl Uplink {
    pub(super) const fn new(acked: u64, highest: u64) -> Self {
        Self {
            acked,
            sent: acked,
            highest,
            limit: 0,
            ready: VecDeque::new(),
            loading: false,
            connected: false,
        }
    }

    /// Returns the lowest fact that is not acked and the highest one there is.
    pub(super) const fn bounds(&self) -> (u64, u64) {
        (self.acked + 1, self.highest)
    }

    /// Accepts a new fact: gives it its place, and keeps it if it is the next one to write.
    pub(super) fn put(&mut self, fact: PhoneFact) -> PhoneFact {
        self.highest += 1;
        let fact = fact.at_place(self.highest);
        let next = self.known() + 1 == self.highest && !self.loading;
        if self.connected && next && self.ready.len() < ready_max() {
            self.ready.push_back(fact.clone());
        }
        fact
    }

    /// Starts at what the hub has, on a new connection. Returns whether that acks anything.
    pub(super) fn connect(&mut self, up: u64, limit: u64) -> Result<bool, ImpossibleAck> {
        if up < self.acked || up > self.highest {
            return Err(ImpossibleAck);
        }
        self.disconnect();
        let more = up > self.acked;
        self.acked = up;
        self.sent = up;
        self.limit = limit;
        self.connected = true;
        Ok(more)
    }

    pub(super) fn disconnect(&mut self) {
        self.ready.clear();
        self.loading = false;
        self.connected = false;
        self.sent = self.acked;
    }

    /// Handles an ack. Returns whether it acks anything more.
    pub(super) fn ack(&mut self, a: u64, limit: u64) -> Result<bool, ImpossibleAck> {
        if a > self.sent {
            return Err(ImpossibleAck);
        }
        self.limit = self.limit.max(limit);
        let more = a > self.acked;
        self.acked = self.acked.max(a);
        Ok(more)
    }

    /// Before the counters start again, notes that the hub has everything up to `up`.
    pub(super) const fn ack_before_restart(&mut self, up: u64) -> bool {
        let more = up > self.acked && up <= self.highest;
        if more {
            self.acked = up;
            self.sent = up;
        }
        more
    }

    /// Starts the counters again: the unacked facts keep their order from 1 on.
    /// Returns by how much each place sinks.
    pub(super) fn restart(&mut self) -> u64 {
        let sinks_by = self.acked;
        self.disconnect();
        self.highest -= sinks_by;
        self.acked = 0;
        self.sent = 0;
        sinks_by
    }

    /// Returns the next fact to write, within the credit and the window.
    pub(super) fn next(&mut self) -> Option<PhoneFact> {
        if self.sent >= self.end() {
            return None;
        }
        let fact = self.ready.pop_front()?;
        self.sent = fact.s();
        Some(fact)
    }

    /// Returns what must be loaded from the journal to go on, once.
    pub(super) fn wanted(&mut self) -> Option<FactRange> {
        let needed = self.connected && !self.loading && self.ready.is_empty();
        if !needed || self.sent >= self.end().min(self.highest) {
            return None;
        }
        self.loading = true;
        Some(FactRange {
            above: self.sent,
            count_max: ready_max(),
        })
    }

    /// Accepts what the journal loaded; what does not continue the sequence is ignored.
    pub(super) fn loaded(&mut self, facts: Vec<PhoneFact>) {
        if !self.loading {
            return;
        }
        self.loading = false;
        for fact in facts {
            if fact.s() == self.known() + 1 && self.ready.len() < ready_max() {
                self.ready.push_back(fact);
            }
        }
    }

    fn known(&self) -> u64 {
        self.ready.back().map_or(self.sent, PhoneFact::s)
    }

    fn end(&self) -> u64 {
        self.limit.min(self.acked + FACTS_IN_FLIGHT_MAX)
    }
}

/// Most facts kept in memory before they are written: one window.
fn ready_max() -> usize {
    usize::try_from(FACTS_IN_FLIGHT_MAX).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Health;

    fn fact(s: u64) -> PhoneFact {
        PhoneFact::Health(Health {
            s,
            ..Health::default()
        })
    }

    fn written(uplink: &mut Uplink) -> Vec<u64> {
        std::iter::from_fn(|| uplink.next())
            .map(|f| f.s())
            .collect()
    }

    #[test]
    fn at_most_256_facts_are_in_flight() {
        let mut uplink = Uplink::new(0, 0);
        uplink.connect(0, 10_000).unwrap();
        for _ in 0..400 {
            uplink.put(fact(0));
        }
        assert_eq!(written(&mut uplink), Vec::from_iter(1..=256));
        assert_eq!(uplink.wanted(), None);
        assert_eq!(uplink.ack(10, 10_000), Ok(true));
        let range = uplink.wanted().unwrap();
        assert_eq!(range.above, 256);
        uplink.loaded((257..=400).map(fact).collect());
        assert_eq!(written(&mut uplink), Vec::from_iter(257..=266));
    }

    #[test]
    fn the_hubs_credit_holds_facts_back() {
        let mut uplink = Uplink::new(0, 0);
        uplink.connect(0, 2).unwrap();
        for _ in 0..5 {
            uplink.put(fact(0));
        }
        assert_eq!(written(&mut uplink), [1, 2]);
        assert_eq!(uplink.ack(1, 3), Ok(true));
        assert_eq!(uplink.ack(1, 2), Ok(false), "credit never shrinks");
        assert_eq!(written(&mut uplink), [3]);
    }

    #[test]
    fn facts_of_the_journal_come_before_new_ones() {
        let mut uplink = Uplink::new(5, 9);
        uplink.connect(6, 1_000).unwrap();
        assert_eq!(uplink.wanted().map(|range| range.above), Some(6));
        assert_eq!(uplink.put(fact(0)).s(), 10);
        assert!(written(&mut uplink).is_empty());
        uplink.loaded((7..=10).map(fact).collect());
        assert_eq!(written(&mut uplink), [7, 8, 9, 10]);
        assert_eq!(uplink.wanted(), None);
    }

    #[test]
    fn an_ack_of_what_was_not_written_is_impossible() {
        let mut uplink = Uplink::new(5, 9);
        assert_eq!(uplink.connect(4, 100), Err(ImpossibleAck));
        assert_eq!(uplink.connect(10, 100), Err(ImpossibleAck));
        uplink.connect(5, 100).unwrap();
        assert_eq!(uplink.ack(6, 100), Err(ImpossibleAck));
    }

    #[test]
    fn after_a_restart_the_unacked_facts_keep_their_order_from_1() {
        let mut uplink = Uplink::new(5, 9);
        assert!(uplink.ack_before_restart(7));
        assert_eq!(uplink.restart(), 7);
        assert_eq!(uplink.bounds(), (1, 2));
    }

    #[test]
    fn what_the_hub_is_known_to_have_acks_nothing() {
        let mut uplink = Uplink::new(5, 9);
        assert_eq!(uplink.connect(5, 100), Ok(false));
        assert_eq!(uplink.connect(9, 100), Ok(true));
        assert_eq!(uplink.ack(9, 100), Ok(false));
        let mut uplink = Uplink::new(5, 9);
        assert!(!uplink.ack_before_restart(5));
        assert!(!uplink.ack_before_restart(10), "more than there is");
        assert!(uplink.ack_before_restart(9));
        assert_eq!(uplink.bounds(), (10, 9));
    }

    #[test]
    fn the_journal_is_asked_once_for_one_window_and_only_for_what_may_be_written() {
        let mut uplink = Uplink::new(5, 900);
        assert_eq!(uplink.wanted(), None, "not connected");
        uplink.connect(5, 5).unwrap();
        assert_eq!(uplink.wanted(), None, "no credit");
        uplink.connect(5, 1_000).unwrap();
        let range = FactRange {
            above: 5,
            count_max: 256,
        };
        assert_eq!(uplink.wanted(), Some(range));
        assert_eq!(uplink.wanted(), None, "it was asked");
        uplink.loaded((6..=300).map(fact).collect());
        assert_eq!(written(&mut uplink).len(), 256);
        uplink.loaded(vec![fact(262)]);
        assert_eq!(uplink.next().map(|fact| fact.s()), None, "nobody asked");
    }
}
