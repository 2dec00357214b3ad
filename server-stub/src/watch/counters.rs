//! What the phone's numbers were, by generation.

use postrider_link::frame::{Event, Inbound, InstallId, PhoneFrame};
use postrider_model::{MessageId, WireState};
use std::collections::BTreeMap;

/// Facts behind the last ack that are still compared when they come again.
const KEPT_BEHIND: u64 = 4_096;

/// The numbers of one installation.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    /// The highest connection number.
    pub(super) conn: u64,
    /// Whether it surely took a welcome: before that it takes any generation.
    pub(super) agreed: bool,
    install: Option<InstallId>,
    by_generation: BTreeMap<u64, Known>,
}

/// The numbers of one generation.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// The highest downward number that was written.
    pub(super) written: u64,
    /// The highest that the phone said to have.
    pub(super) claimed: u64,
    /// The highest fact that came.
    pub(super) up_high: u64,
    /// The highest fact that the phone was told to be stored.
    pub(super) told_acked: u64,
    facts: BTreeMap<u64, Mark>,
}

/// Enough of a fact to know it again.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    Event(MessageId, u32, WireState, Option<u16>),
    Inbound(u64, String),
    Health,
    Unknown(String),
}

impl Counters {
    /// Starts over for another installation: it is a different peer.
    pub(super) fn of_install(&mut self, install: &InstallId) {
        if self.install.as_ref() != Some(install) {
            *self = Self {
                install: Some(install.clone()),
                ..Self::default()
            };
        }
    }

    pub(super) fn of(&mut self, generation: u64) -> &mut Known {
        self.by_generation.entry(generation).or_default()
    }
}

impl Known {
    /// Takes in a fact; returns false when it was another one before.
    pub(super) fn saw(&mut self, s: u64, frame: &PhoneFrame) -> bool {
        self.up_high = self.up_high.max(s);
        let Some(mark) = mark_of(frame) else {
            return true;
        };
        match self.facts.get(&s) {
            Some(before) => *before == mark,
            None => {
                self.facts.insert(s, mark);
                true
            }
        }
    }

    pub(super) fn prune(&mut self) {
        let from = self.told_acked.saturating_sub(KEPT_BEHIND);
        while self.facts.first_key_value().is_some_and(|(s, _)| *s < from) {
            self.facts.pop_first();
        }
    }
}

fn mark_of(frame: &PhoneFrame) -> Option<Mark> {
    match frame {
        PhoneFrame::Event(Event {
            id,
            ep,
            state,
            part,
            ..
        }) => Some(Mark::Event(*id, *ep, *state, *part)),
        PhoneFrame::Inbound(Inbound { n, kind, .. }) => {
            Some(Mark::Inbound(*n, kind.as_str().to_owned()))
        }
        PhoneFrame::Health(_) => Some(Mark::Health),
        PhoneFrame::Unknown(unknown) => Some(Mark::Unknown(unknown.t.clone())),
        PhoneFrame::Hello(_)
        | PhoneFrame::Held(_)
        | PhoneFrame::Ack(_)
        | PhoneFrame::Ping(_)
        | PhoneFrame::Pong(_)
        | PhoneFrame::Bye(_) => None,
    }
}
