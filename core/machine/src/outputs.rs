//! Holds a call's outputs for the ring, so that an effect comes after its rows.

use crate::{change::Change, effect::Effect, event::Event};
use std::collections::VecDeque;

/// The outputs. An effect appears only when every change pushed before it is on disk.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    changes: VecDeque<Change>,
    effects: VecDeque<(u64, Effect)>,
    events: VecDeque<Event>,
    pushed: u64,
    polled: u64,
    committed: u64,
    last_of_link: u64,
}

impl Outputs {
    pub(crate) fn change(&mut self, change: Change) {
        self.pushed += 1;
        self.changes.push_back(change);
    }

    /// Pushes a change that the link made.
    pub(crate) fn link_change(&mut self, change: Change) {
        self.change(change);
        self.last_of_link = self.pushed;
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.effects.push_back((self.pushed, effect));
    }

    pub(crate) fn event(&mut self, event: Event) {
        self.events.push_back(event);
    }

    pub(crate) fn poll_change(&mut self) -> Option<Change> {
        let change = self.changes.pop_front()?;
        self.polled += 1;
        Some(change)
    }

    /// Notes that every change polled so far is on disk; returns whether every change of the
    /// link is.
    pub(crate) fn committed(&mut self) -> bool {
        self.committed = self.polled;
        self.last_of_link <= self.committed
    }

    pub(crate) fn poll_effect(&mut self) -> Option<Effect> {
        let (after, _) = self.effects.front()?;
        if *after > self.committed {
            return None;
        }
        self.effects.pop_front().map(|(_, effect)| effect)
    }

    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confirm(receipt: u64) -> Effect {
        Effect::ConfirmReceived { receipt }
    }

    #[test]
    fn an_effect_without_rows_shows_at_once() {
        let mut outputs = Outputs::default();
        outputs.effect(confirm(1));
        assert_eq!(outputs.poll_effect(), Some(confirm(1)));
    }

    #[test]
    fn an_effect_waits_until_its_rows_are_on_disk() {
        let mut outputs = Outputs::default();
        outputs.change(Change::PausedSet(true));
        outputs.effect(confirm(1));
        assert_eq!(outputs.poll_effect(), None);
        assert!(outputs.poll_change().is_some());
        assert_eq!(outputs.poll_effect(), None);
        outputs.committed();
        assert_eq!(outputs.poll_effect(), Some(confirm(1)));
    }

    #[test]
    fn a_commit_does_not_count_for_rows_that_came_after_it() {
        let mut outputs = Outputs::default();
        outputs.change(Change::PausedSet(true));
        outputs.effect(confirm(1));
        assert!(outputs.poll_change().is_some());
        outputs.change(Change::PausedSet(false));
        outputs.effect(confirm(2));
        outputs.committed();
        assert_eq!(outputs.poll_effect(), Some(confirm(1)));
        assert_eq!(outputs.poll_effect(), None);
    }

    #[test]
    fn the_link_hears_of_a_commit_only_once_its_own_changes_are_in_it() {
        let mut outputs = Outputs::default();
        outputs.link_change(Change::PausedSet(true));
        assert!(!outputs.committed());
        assert!(outputs.poll_change().is_some());
        outputs.change(Change::PausedSet(false));
        assert!(outputs.committed(), "what waits is not the link's");
    }
}
