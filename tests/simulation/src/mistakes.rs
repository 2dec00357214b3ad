//! Mistakes around the rules: of phones, radios, disks and the hub's rows.
//!
//! A test plants them by name, like those in the rules themselves (`postrider_link::mistake`), to show
//! that a run would be found out. Each is small: one party does one thing wrong, in one place, and
//! everything around it is as in every other run.

use crate::world::World;
use postrider_link::{
    frame::PhoneFrame,
    mistake,
    session::phone::{LinkChange, PhoneFact},
};
use postrider_machine::{Change, RadioFact};
use postrider_model::{MessageId, WireState};
use postrider_text::result_code::{Action, RESULT_OK, look_up};
use std::hash::{BuildHasher, RandomState};

/// A code that says that the network refused a message: proof that it did not go out.
const REFUSED: i32 = 8;
/// More than a number of a frame may be.
const HUGE: u64 = 1 << 60;
const HOUR: u64 = 3_600_000;
/// A mistake in the hub's rows is about the first message, and about each that follows so many later.
const ONE_IN: i64 = 7;
/// Where the numbers of messages begin that are given to whole phones at the end.
const ORDINARY_BELOW: i64 = 1_000_000;

/// Returns whether a mistake is planted in the hub's rows of a message.
pub(crate) fn is_about(name: &str, id: MessageId) -> bool {
    mistake::is(name) && id.get() % ONE_IN == 1 && id.get() < ORDINARY_BELOW
}

/// Takes out of a commit what a wrong disk loses.
pub(crate) fn lose_rows(changes: &mut Vec<Change>) {
    let loses_decisions = mistake::is("loses_decisions");
    let loses_incoming = mistake::is("loses_incoming");
    changes.retain(|change| {
        !(loses_decisions && is_decision(change) || loses_incoming && is_incoming(change))
    });
}

/// Returns when a wrong radio sends all the same what it tells of with such a word, in milliseconds
/// after the hand-over.
pub(crate) fn sends_all_the_same(word: &str) -> Option<u64> {
    match word {
        "refused" if mistake::is("sends_the_refused") => Some(1),
        "refused" if mistake::is("sends_the_refused_later") => Some(HOUR),
        "try again" if mistake::is("sends_the_retried") => Some(1),
        _ => None,
    }
}

/// Returns how much longer than its draw says a wrong radio takes, in milliseconds.
pub(crate) fn own_time_ms() -> u64 {
    if mistake::is("takes_its_own_time") {
        RandomState::new().hash_one(0) % 1_000
    } else {
        0
    }
}

/// Alters a frame that a wrong phone writes.
pub(crate) fn alter(frame: &mut PhoneFrame) {
    match frame {
        PhoneFrame::Ping(ping) if mistake::is("writes_huge_numbers") => ping.n = HUGE,
        PhoneFrame::Event(event) => match event.state {
            WireState::Unknown if mistake::is("says_revoked") => event.state = WireState::Revoked,
            WireState::Revoked if mistake::is("says_it_keeps") => event.state = WireState::OnPhone,
            _ => {}
        },
        _ => {}
    }
}

impl World {
    /// Returns a fact as a wrong phone hears it; `None` when it does not.
    pub(crate) fn heard(&self, fact: RadioFact) -> Option<RadioFact> {
        match fact {
            RadioFact::CallState { .. } if mistake::is("misses_the_line") => None,
            RadioFact::PartSent {
                token,
                part,
                of,
                code,
                cause,
            } => {
                let is_misheard = is_ambiguous(code) && !self.model.is_out(token.message.id);
                let code = if is_misheard && mistake::is("hears_sent") {
                    RESULT_OK
                } else if is_misheard && mistake::is("hears_refused") {
                    REFUSED
                } else {
                    code
                };
                Some(RadioFact::PartSent {
                    token,
                    part,
                    of,
                    code,
                    cause,
                })
            }
            fact => Some(fact),
        }
    }
}

fn is_decision(change: &Change) -> bool {
    match change {
        Change::MessageMoved { progress, .. } => progress.state == WireState::Submitting,
        _ => false,
    }
}

fn is_incoming(change: &Change) -> bool {
    match change {
        Change::Link { change, .. } => {
            matches!(change, LinkChange::FactStored(PhoneFact::Inbound(_)))
        }
        _ => false,
    }
}

fn is_ambiguous(code: i32) -> bool {
    look_up(code).action == Action::FailAmbiguous
}
