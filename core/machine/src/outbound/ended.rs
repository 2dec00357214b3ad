//! Exposures that are over: what is kept of them so that none is ever sent again.

use crate::{
    change::{EndedRow, MessageRow},
    token::MessageRef,
};
use postrider_link::ownership::phone::Claim;
use postrider_model::UnixMs;
use std::collections::{BTreeMap, VecDeque};

/// How long a text outlives the end of its message.
pub const TEXT_MS: i64 = 86_400_000;
/// How long a row outlives it.
pub const ROW_MS: i64 = 2_592_000_000;
/// Most ended exposures in memory; when full, the oldest is forgotten before its time. The hub
/// repeats none of them: it acked them all.
pub const ENDED_MAX: usize = 250_000;

impl EndedRow {
    pub(super) fn of(row: &MessageRow, at: UnixMs) -> Self {
        Self {
            message: row.message,
            state: row.progress.state,
            partial: row.progress.partial,
            unsent: row.progress.unsent,
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
}

impl Ended {
    pub(super) fn add(&mut self, row: EndedRow) {
        let last = self.by_age.back().map_or(row.at, |(last, _)| *last);
        self.by_age.push_back((row.at.max(last), row.message));
        self.rows.insert(row.message, row);
    }

    /// Takes it that the link's counters start over.
    pub(super) fn restarted(&mut self, sinks_by: u64) {
        for row in self.rows.values_mut() {
            row.s = 0;
            row.fact = row.fact.saturating_sub(sinks_by);
        }
    }

    pub(super) fn get(&self, message: MessageRef) -> Option<EndedRow> {
        self.rows.get(&message).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &EndedRow> {
        self.rows.values()
    }

    /// Returns every exposure of a message.
    pub(super) fn of(&self, message: MessageRef) -> impl Iterator<Item = &EndedRow> + use<'_> {
        let [first, last] = [0, u32::MAX].map(|ep| MessageRef { ep, ..message });
        self.rows.range(first..=last).map(|(_, row)| row)
    }

    /// Drops what ended before a moment, and what is too much; returns the moment before which
    /// nothing is left.
    pub(super) fn forget(&mut self, before: UnixMs) -> UnixMs {
        let mut forgotten = before;
        while let Some(&(at, message)) = self.by_age.front() {
            if at >= before && self.by_age.len() <= ENDED_MAX {
                break;
            }
            self.by_age.pop_front();
            self.rows.remove(&message);
            forgotten = forgotten.max(at);
        }
        forgotten
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
        assert_eq!(ended.forget(UnixMs(20)), UnixMs(20));
        assert_eq!(ended.get(message(1, 1)), None);
        assert_eq!(ended.get(message(2, 1)), Some(row(message(2, 1), 20)));
    }
}
