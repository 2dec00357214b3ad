//! Exposures that are over; kept so that none is ever sent again.
//!
//! The journal has all of the last thirty days, which may be a million; memory has the newest.
//! If there are more on disk, a frame about a message waits until the journal was
//! asked about it ([`frame_gate`](crate::frame_gate)). The answer is kept until the next question.

use crate::{
    change::{EndedRow, MessageRow},
    token::MessageRef,
};
use postrider_link::ownership::phone::Claim;
use postrider_model::{MessageId, UnixMs};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How long texts are kept after the end of their message.
pub(super) const TEXT_MS: i64 = 86_400_000;
/// How long rows are kept after the end of their message.
pub(super) const ROW_MS: i64 = 2_592_000_000;
/// If the wall clock is set by at least this much, in milliseconds, the ends move with it, so that
/// no row is forgotten because somebody set the clock.
pub const ENDED_FOLLOWS_MS: u64 = 3_600_000;
/// Most ended exposures in memory; when full, the oldest is only on disk, where it is looked up.
pub const ENDED_MAX: usize = 10_000;

impl EndedRow {
    pub(super) fn of(row: &MessageRow, at: UnixMs) -> Self {
        Self {
            message: row.message,
            state: row.progress.state,
            partial: row.progress.partial,
            unsent: row.progress.unsent,
            proof: row.proof,
            s: row.s,
            fact: row.progress.fact,
            at,
        }
    }

    pub(super) fn claim(self) -> Claim {
        Claim {
            ep: self.message.ep,
            state: self.state,
            partial: self.partial,
            unsent: self.unsent,
        }
    }
}

/// The ended exposures.
#[derive(Debug, Default)]
pub(super) struct Ended {
    rows: BTreeMap<MessageRef, EndedRow>,
    by_age: VecDeque<(UnixMs, MessageRef)>,
    /// Whether the journal may have more.
    has_more_on_disk: bool,
    /// The messages of the last question to the journal, and its answer.
    recalled_ids: BTreeSet<MessageId>,
    recalled: BTreeMap<MessageRef, EndedRow>,
}

impl Ended {
    /// Restores from the journal: the newest, at most [`ENDED_MAX`].
    pub(super) fn new(rows: Vec<EndedRow>) -> Self {
        let mut ended = Self {
            has_more_on_disk: rows.len() >= ENDED_MAX,
            ..Self::default()
        };
        rows.into_iter().for_each(|row| ended.add(row));
        ended
    }

    pub(super) fn add(&mut self, row: EndedRow) {
        let last = self.by_age.back().map_or(row.at, |(last, _)| *last);
        self.by_age.push_back((row.at.max(last), row.message));
        self.rows.insert(row.message, row);
        if self.by_age.len() > ENDED_MAX
            && let Some((_, oldest)) = self.by_age.pop_front()
        {
            self.rows.remove(&oldest);
            self.has_more_on_disk = true;
        }
    }

    /// Notes that the link's counters start again.
    pub(super) fn restarted(&mut self, sinks_by: u64) {
        for row in self.rows.values_mut() {
            row.s = 0;
            row.fact = row.fact.saturating_sub(sinks_by);
        }
        self.recall(BTreeSet::new(), Vec::new());
    }

    /// Tells whether memory has everything about a message.
    pub(super) fn has_all_of(&self, id: MessageId) -> bool {
        !self.has_more_on_disk || self.recalled_ids.contains(&id)
    }

    /// Tells whether memory has everything.
    pub(super) fn has_all(&self) -> bool {
        !self.has_more_on_disk
    }

    /// Replaces the last answer of the journal by this one.
    pub(super) fn recall(&mut self, ids: BTreeSet<MessageId>, rows: Vec<EndedRow>) {
        self.recalled_ids = ids;
        self.recalled = rows.into_iter().map(|row| (row.message, row)).collect();
    }

    pub(super) fn get(&self, message: MessageRef) -> Option<EndedRow> {
        let row = self.rows.get(&message);
        row.or_else(|| self.recalled.get(&message)).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &EndedRow> {
        self.rows.values()
    }

    /// Returns every exposure of a message.
    pub(super) fn of(&self, message: MessageRef) -> impl Iterator<Item = &EndedRow> + use<'_> {
        let [first, last] = [0, u32::MAX].map(|ep| MessageRef { ep, ..message });
        let recalled = self.recalled.range(first..=last);
        let others = recalled.filter(|(message, _)| !self.rows.contains_key(message));
        let here = self.rows.range(first..=last);
        here.chain(others).map(|(_, row)| row)
    }

    /// The wall clock was set: the ends move with it, so that elapsed times are unchanged.
    pub(super) fn wall_moved(&mut self, by_ms: i64) {
        if by_ms.unsigned_abs() < ENDED_FOLLOWS_MS {
            return;
        }
        for row in self.rows.values_mut().chain(self.recalled.values_mut()) {
            row.at = row.at.plus_ms(by_ms);
        }
        for (at, _) in &mut self.by_age {
            *at = at.plus_ms(by_ms);
        }
    }

    /// Drops what ended before a moment.
    pub(super) fn forget(&mut self, before: UnixMs) {
        while let Some((at, message)) = self.by_age.pop_front_if(|(at, _)| *at < before) {
            // An exposure that was revived has a later end.
            if self.rows.get(&message).is_some_and(|row| row.at <= at) {
                self.rows.remove(&message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Key, MessageId, WireState};

    fn message(n: i64, ep: u32) -> MessageRef {
        MessageRef {
            id: MessageId::new(Key::new(n).unwrap()),
            ep,
        }
    }

    fn row(message: MessageRef, at: i64) -> EndedRow {
        EndedRow {
            message,
            state: WireState::Sent,
            partial: false,
            unsent: false,
            proof: None,
            s: 1,
            fact: 1,
            at: UnixMs(at),
        }
    }

    #[test]
    fn the_exposures_of_a_message_are_found_among_others() {
        let mut ended = Ended::default();
        for message in [message(1, 9), message(2, 1), message(2, 3), message(3, 7)] {
            ended.add(row(message, 0));
        }
        let of = |n| ended.of(message(n, 2)).map(|row| row.message.ep);
        assert_eq!(of(2).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(of(4).count(), 0);
    }

    #[test]
    fn what_is_old_enough_is_forgotten() {
        let mut ended = Ended::default();
        ended.add(row(message(1, 1), 10));
        ended.add(row(message(2, 1), 20));
        ended.forget(UnixMs(20));
        assert_eq!(ended.get(message(1, 1)), None);
        assert_eq!(ended.get(message(2, 1)), Some(row(message(2, 1), 20)));
    }

    #[test]
    fn what_is_over_twice_is_kept_from_its_last_end_on() {
        let mut ended = Ended::default();
        ended.add(row(message(1, 1), 10));
        ended.add(row(message(1, 1), 30));
        ended.forget(UnixMs(30));
        assert_eq!(ended.get(message(1, 1)), Some(row(message(1, 1), 30)));
        ended.forget(UnixMs(31));
        assert_eq!(ended.get(message(1, 1)), None);
    }

    #[test]
    fn what_is_too_much_is_recalled_from_disk() {
        let mut ended = Ended::default();
        let many = i64::try_from(ENDED_MAX).unwrap();
        for n in 1..=many {
            ended.add(row(message(n, 1), n));
        }
        assert!(ended.has_all() && ended.has_all_of(message(1, 1).id));
        ended.add(row(message(many + 1, 1), many + 1));
        let oldest = message(1, 1);
        assert_eq!(ended.get(oldest), None);
        assert!(!ended.has_all() && !ended.has_all_of(oldest.id));
        ended.recall([oldest.id].into(), vec![row(oldest, 1)]);
        assert!(ended.has_all_of(oldest.id) && !ended.has_all_of(message(2, 1).id));
        assert_eq!(ended.get(oldest), Some(row(oldest, 1)));
        assert_eq!(ended.of(oldest).count(), 1);
        ended.recall([message(2, 1).id].into(), Vec::new());
        assert_eq!(ended.get(oldest), None);
    }

    #[test]
    fn a_start_with_as_many_as_fit_supposes_more() {
        let rows = |count: usize| {
            let numbers = 1..=i64::try_from(count).unwrap();
            numbers.map(|n| row(message(n, 1), n)).collect::<Vec<_>>()
        };
        assert!(Ended::new(rows(ENDED_MAX - 1)).has_all());
        assert!(!Ended::new(rows(ENDED_MAX)).has_all());
    }
}
