//! The queue of one SIM: what waits, what is with the radio, and what holds it.

use crate::token::MessageRef;
use postrider_link::frame::WaitingFor;
use postrider_model::BootMs;
use postrider_text::result_code::{Action, look_up};
use std::{cmp::Reverse, collections::BTreeSet};

/// Most messages of a SIM that wait for a sent result at once.
pub(super) const FLYING_MAX: usize = 2;
/// Frequent looks at a held SIM before they become rare.
pub(super) const FREQUENT_LOOKS: u32 = 15;
/// The time between two of the frequent looks, in milliseconds.
pub(super) const FREQUENT_LOOK_MS: u64 = 60_000;
/// The time between two of the later looks, in milliseconds.
pub(super) const RARE_LOOK_MS: u64 = 900_000;

/// A message's place: higher priority first, then what arrived earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) priority: Reverse<i64>,
    pub(super) arrived: u64,
    pub(super) message: MessageRef,
}

/// Why a SIM is held, and how often it was tried since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hold {
    pub(super) code: i32,
    pub(super) looks: u32,
    /// Whether one message is trying whether the SIM sends again.
    pub(super) looking: bool,
}

impl Hold {
    /// Returns the wait before the next look.
    pub(super) fn wait_ms(&self) -> u64 {
        if self.looks < FREQUENT_LOOKS {
            FREQUENT_LOOK_MS
        } else {
            RARE_LOOK_MS
        }
    }
}

/// What keeps a SIM from sending, apart from its pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// There is no SIM in the slot any more.
    NoSim,
    /// The radio holds it.
    Held,
    /// Enough messages wait for their sent result.
    SentResults,
    /// A sent result is missing for too long.
    Silent,
    /// The hub does not know this phone.
    NotKnown,
    /// The owner does not allow it.
    NotPermitted,
    /// Another SIM is in the slot, and nobody has confirmed it.
    SimChanged,
    /// The owner or the hub paused it.
    Paused,
    /// Quiet hours, until a moment.
    Quiet { until: BootMs },
}

impl Obstacle {
    /// Returns the word for health and screens.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::NoSim => WaitingFor::NoSim,
            Self::Held => WaitingFor::SimHeld,
            Self::SentResults => WaitingFor::SentResults,
            Self::Silent => WaitingFor::SilentRadio,
            Self::NotKnown => WaitingFor::NotKnown,
            Self::NotPermitted => WaitingFor::NotPermitted,
            Self::SimChanged => WaitingFor::SimChanged,
            Self::Paused => WaitingFor::Paused,
            Self::Quiet { .. } => WaitingFor::QuietHours,
        }
        .as_str()
    }
}

/// One SIM's queue.
#[derive(Debug, Default)]
pub(super) struct SimQueue {
    /// How many messages wait here, including those that wait for their own retry.
    pub(super) waiting: usize,
    /// Messages that may be sent as soon as there is a slot.
    pub(super) ready: BTreeSet<Place>,
    /// Messages that were handed over and have no sent result.
    pub(super) flying: BTreeSet<MessageRef>,
    /// Those of them without a result for too long.
    pub(super) silent: BTreeSet<MessageRef>,
    /// Those of them that no longer block others: the owner let the silent SIM go on.
    pub(super) excused: BTreeSet<MessageRef>,
    pub(super) hold: Option<Hold>,
    /// Whether the slot has a SIM.
    pub(super) present: bool,
}

impl SimQueue {
    /// Returns what the radio keeps the next message waiting for.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        if !self.present {
            return Some(Obstacle::NoSim);
        }
        if !self.silent.is_empty() {
            return Some(Obstacle::Silent);
        }
        let most = match self.hold {
            None => FLYING_MAX,
            Some(hold) if hold.looking => 1,
            Some(_) => return Some(Obstacle::Held),
        };
        (self.awaited().count() >= most).then_some(Obstacle::SentResults)
    }

    /// Returns messages without a sent result that block others.
    pub(super) fn awaited(&self) -> impl Iterator<Item = &MessageRef> {
        self.flying.difference(&self.excused)
    }

    /// Lets others go on beside the silent ones. Returns whether there were any.
    pub(super) fn excuse_silent(&mut self) -> bool {
        let was_silent = !self.silent.is_empty();
        self.excused.append(&mut self.silent);
        was_silent
    }

    /// Removes a message that is no longer with the radio.
    pub(super) fn landed(&mut self, message: MessageRef) {
        self.flying.remove(&message);
        self.silent.remove(&message);
        self.excused.remove(&message);
    }

    /// Tells whether its radio cannot dial either; the platform's limit concerns only messages.
    pub(super) fn keeps_from_dialling(&self) -> bool {
        let hold = self.hold.filter(|hold| !hold.looking);
        hold.is_some_and(|hold| look_up(hold.code).action == Action::HoldSim)
    }

    /// Holds the SIM, or keeps holding it.
    pub(super) fn hold(&mut self, code: i32) -> Hold {
        let looks = self.hold.map_or(0, |hold| hold.looks + 1);
        let hold = Hold {
            code,
            looks,
            looking: false,
        };
        self.hold = Some(hold);
        hold
    }

    /// Lets one message try.
    pub(super) fn look(&mut self) {
        if let Some(hold) = &mut self.hold {
            hold.looking = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Key, MessageId};

    fn place(priority: i64, arrived: u64) -> Place {
        Place {
            priority: Reverse(priority),
            arrived,
            message: message(arrived),
        }
    }

    fn message(n: u64) -> MessageRef {
        MessageRef {
            id: MessageId::new(Key::new(n.cast_signed()).unwrap()),
            ep: 1,
        }
    }

    #[test]
    fn higher_priority_goes_first_and_then_the_older() {
        let mut queue = SimQueue::default();
        queue.ready.extend([place(0, 1), place(5, 3), place(5, 2)]);
        let order: Vec<_> = queue.ready.iter().map(|place| place.arrived).collect();
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn two_wait_for_their_results_and_only_one_while_looking() {
        let mut queue = SimQueue {
            present: true,
            ..SimQueue::default()
        };
        queue.flying.insert(message(1));
        assert_eq!(queue.obstacle(), None);
        queue.hold(4);
        assert_eq!(queue.obstacle(), Some(Obstacle::Held));
        queue.look();
        assert_eq!(queue.obstacle(), Some(Obstacle::SentResults));
        queue.hold = None;
        queue.flying.insert(message(2));
        assert_eq!(queue.obstacle(), Some(Obstacle::SentResults));
    }

    #[test]
    fn what_the_owner_excused_keeps_nobody_back_and_is_with_the_radio_all_the_same() {
        let mut queue = SimQueue {
            present: true,
            ..SimQueue::default()
        };
        queue.flying.extend([message(1), message(2)]);
        assert!(!queue.excuse_silent());
        queue.silent.insert(message(1));
        assert_eq!(queue.obstacle(), Some(Obstacle::Silent));
        assert!(queue.excuse_silent());
        assert_eq!(queue.obstacle(), None);
        queue.flying.insert(message(3));
        assert_eq!(queue.obstacle(), Some(Obstacle::SentResults));
        assert!(queue.awaited().eq(&[message(2), message(3)]));
        queue.landed(message(1));
        queue.flying.insert(message(1));
        assert_eq!(queue.awaited().count(), 3, "a new hand-over counts");
    }

    #[test]
    fn looks_become_rare() {
        let mut queue = SimQueue::default();
        let waits: Vec<_> = (0..20).map(|_| queue.hold(2).wait_ms()).collect();
        assert_eq!(
            waits
                .iter()
                .filter(|wait| **wait == FREQUENT_LOOK_MS)
                .count(),
            15
        );
        assert_eq!(waits.last(), Some(&RARE_LOOK_MS));
    }

    #[test]
    fn words_for_screens_stay_as_they_are() {
        let until = BootMs(0);
        let obstacles = [
            (Obstacle::NoSim, "no_sim"),
            (Obstacle::Held, "sim_held"),
            (Obstacle::SentResults, "sent_results"),
            (Obstacle::Silent, "silent_radio"),
            (Obstacle::NotKnown, "not_known"),
            (Obstacle::SimChanged, "sim_changed"),
            (Obstacle::Paused, "paused"),
            (Obstacle::Quiet { until }, "quiet_hours"),
        ];
        for (obstacle, word) in obstacles {
            assert_eq!(obstacle.as_str(), word);
        }
    }
}
