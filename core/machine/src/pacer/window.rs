//! One sliding window that counts parts.

use std::collections::{BTreeMap, VecDeque};

/// Milliseconds on the present boot clock; negative before this boot.
pub(super) type Tick = i64;

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    no: u64,
    at: Tick,
    parts: u32,
}

/// At most `parts_max` parts in any `span_ms`: an entry counts from its moment until just before
/// `span_ms` later.
#[derive(Debug)]
pub(super) struct Window {
    span_ms: Tick,
    parts_max: u32,
    entries: VecDeque<Entry>,
    parts: u64,
}

impl Window {
    pub(super) fn new(span_ms: u64, parts_max: u32) -> Self {
        Self {
            span_ms: span_ms.try_into().unwrap_or(Tick::MAX),
            parts_max,
            entries: VecDeque::new(),
            parts: 0,
        }
    }

    /// Returns the entries of several windows together; if they differ about one, the larger count.
    pub(super) fn joined<'a>(windows: impl Iterator<Item = &'a Self>) -> Vec<Entry> {
        let mut entries: BTreeMap<u64, Entry> = BTreeMap::new();
        for entry in windows.flat_map(|window| &window.entries) {
            let known = entries.entry(entry.no).or_insert(*entry);
            known.parts = known.parts.max(entry.parts);
        }
        entries.into_values().collect()
    }

    /// Adds the entries of another window.
    pub(super) fn filled(mut self, entries: &[Entry]) -> Self {
        for entry in entries {
            self.add(entry.no, entry.at, entry.parts);
        }
        self
    }

    pub(super) fn set_parts_max(&mut self, parts_max: u32) {
        self.parts_max = parts_max;
    }

    /// Drops what no longer counts; returns the lowest number that still does.
    pub(super) fn forget(&mut self, now: Tick) -> Option<u64> {
        while let Some(first) = self.entries.front() {
            if first.at.saturating_add(self.span_ms) > now {
                return Some(first.no);
            }
            self.parts -= u64::from(first.parts);
            self.entries.pop_front();
        }
        None
    }

    /// Returns the earliest moment, not before `now`, at which `parts` more fit.
    ///
    /// If `parts` is more than the window ever holds, it waits for an empty window.
    pub(super) fn room_at(&self, parts: u32, now: Tick) -> Tick {
        let fits = |held: u64| held == 0 || held + u64::from(parts) <= u64::from(self.parts_max);
        let (mut held, mut at) = (self.parts, now);
        for entry in &self.entries {
            if fits(held) {
                break;
            }
            held -= u64::from(entry.parts);
            at = at.max(entry.at.saturating_add(self.span_ms));
        }
        at
    }

    /// Counts parts; entries come in order of number and moment.
    pub(super) fn add(&mut self, no: u64, at: Tick, parts: u32) {
        let at = self.entries.back().map_or(at, |last| last.at.max(at));
        self.entries.push_back(Entry { no, at, parts });
        self.parts += u64::from(parts);
    }

    /// Counts more or fewer parts for an entry that still counts.
    pub(super) fn recount(&mut self, no: u64, parts: u32) {
        let place = self.entries.binary_search_by_key(&no, |entry| entry.no);
        if let Some(entry) = place.ok().and_then(|index| self.entries.get_mut(index)) {
            self.parts = self.parts - u64::from(entry.parts) + u64::from(parts);
            entry.parts = parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_counts_until_its_span_is_over() {
        let mut window = Window::new(100, 3);
        window.add(1, 0, 2);
        window.add(2, 10, 1);
        assert_eq!(window.room_at(1, 20), 100);
        assert_eq!(window.room_at(3, 20), 110);
        window.forget(99);
        assert_eq!(window.room_at(1, 99), 100);
        window.forget(100);
        assert_eq!(window.room_at(1, 100), 100);
        assert_eq!(window.room_at(3, 100), 110);
    }

    #[test]
    fn a_message_larger_than_the_window_waits_for_an_empty_one() {
        let mut window = Window::new(100, 3);
        assert_eq!(window.room_at(5, 7), 7);
        window.add(1, 7, 5);
        assert_eq!(window.room_at(1, 8), 107);
        window.forget(107);
        window.add(2, 107, 1);
        assert_eq!(window.room_at(5, 107), 207);
    }

    #[test]
    fn parts_given_back_make_room_at_once() {
        let mut window = Window::new(100, 2);
        window.add(1, 0, 1);
        window.add(2, 5, 1);
        assert_eq!(window.room_at(1, 6), 100);
        window.recount(2, 0);
        assert_eq!(window.room_at(1, 6), 6);
        window.recount(9, 0);
        assert_eq!(window.room_at(2, 6), 100);
    }

    #[test]
    fn a_lowered_limit_holds_for_what_is_already_counted() {
        let mut window = Window::new(100, 4);
        for no in 0..4 {
            window.add(no, no.cast_signed(), 1);
        }
        window.set_parts_max(2);
        assert_eq!(window.room_at(1, 4), 102);
    }
}
