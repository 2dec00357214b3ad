//! Wrongs that a test plants in a run, to show that it would be found out.
//!
//! A plan that was drawn has none. Each is small: one party does one thing wrong, in one place, and
//! everything around it is as in every other run.

use crate::world::World;
use postrider_link::{
    frame::PhoneFrame,
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
/// The messages that a hub with a wrong in its rows is wrong about: the first, and each that
/// follows so many later.
const ONE_IN: i64 = 7;
/// Where the numbers of messages begin that are given to whole phones at the end.
const ORDINARY_BELOW: i64 = 1_000_000;

/// A small wrong of one party.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// A phone makes each hand-over twice.
    HandsOverTwice,
    /// A phone says that it gave back what it knows nothing of.
    SaysRevoked,
    /// A phone starts without its limits.
    ForgetsItsLimits,
    /// A phone takes an ambiguous failure for a refusal.
    HearsRefused,
    /// A phone takes an ambiguous failure for a success.
    HearsSent,
    /// A phone's own pause is on its disk, and its machine does not hear of it.
    MissesItsPause,
    /// A phone's machine does not hear that its hub does not know it.
    MissesThatItIsNotKnown,
    /// A phone's machine does not hear that its owner unpairs it.
    MissesItsUnpairing,
    /// A phone says that it keeps what it gives back.
    SaysItKeeps,
    /// A phone's machine does not hear how a line is.
    MissesTheLine,
    /// A phone does not read the hub's acks.
    MissesAcks,
    /// A phone never calls its radio.
    NeverCallsTheRadio,
    /// A phone dials each USSD code twice.
    DialsTwice,
    /// A phone writes numbers that no reader of JSON holds.
    WritesHugeNumbers,
    /// A phone acks what it has not stored.
    AcksTooEarly,
    /// A phone's disk loses what is decided on.
    LosesDecisions,
    /// A phone's disk loses what came in.
    LosesIncoming,
    /// Each start of a phone finds the journal of the start before.
    FindsAnOlderJournal,
    /// A radio sends what it tells to be refused.
    SendsTheRefused,
    /// A radio sends what it told to be refused, an hour later.
    SendsTheRefusedLater,
    /// A radio sends what it tells to try again with.
    SendsTheRetried,
    /// A platform tells of one text as if it were two.
    TellsOfTwo,
    /// A radio takes a time that follows from nothing.
    TakesItsOwnTime,
    /// The hub forgets messages.
    HubForgetsMessages,
    /// The hub offers what was given back as soon as it has it back.
    HubOffersAgain,
    /// The hub never takes in what becomes of some messages.
    HubIgnoresFacts,
    /// The hub acks what it has not stored.
    HubAcksTooEarly,
    /// The hub shows times that are still to come.
    HubIsAhead,
    /// The hub stores what comes in before what came before.
    HubTurnsTheOrder,
    /// The hub acks some of what comes in, and does not store it.
    HubLosesIncoming,
    /// The hub lets everybody go on when a proven row shows that it forgot.
    HubIgnoresProofs,
    /// The hub believes every row of every page.
    HubBelievesPages,
}

impl World {
    /// Tells whether a wrong is planted in this run.
    pub(crate) fn has(&self, wrong: Wrong) -> bool {
        self.plan.wrong == Some(wrong)
    }

    /// Tells whether a wrong is planted in the hub's rows of a message.
    pub(crate) fn has_about(&self, wrong: Wrong, id: MessageId) -> bool {
        self.has(wrong) && id.get() % ONE_IN == 1 && id.get() < ORDINARY_BELOW
    }

    /// Takes out of a commit what a wrong disk loses.
    pub(crate) fn lose_rows(&self, changes: &mut Vec<Change>) {
        match self.plan.wrong {
            Some(Wrong::LosesDecisions) => changes.retain(|change| !is_decision(change)),
            Some(Wrong::LosesIncoming) => changes.retain(|change| !is_incoming(change)),
            _ => {}
        }
    }

    /// Returns when a wrong radio sends all the same what it tells of with such a word, in
    /// milliseconds after the hand-over.
    pub(crate) fn sends_all_the_same(&self, word: &str) -> Option<u64> {
        match (self.plan.wrong, word) {
            (Some(Wrong::SendsTheRefused), "refused")
            | (Some(Wrong::SendsTheRetried), "try again") => Some(1),
            (Some(Wrong::SendsTheRefusedLater), "refused") => Some(HOUR),
            _ => None,
        }
    }

    /// Returns how much longer than its draw says a wrong radio takes, in milliseconds.
    pub(crate) fn own_time_ms(&self) -> u64 {
        let hash = |wrong| RandomState::new().hash_one(wrong as u64) % 1_000;
        let wrong = self.plan.wrong;
        wrong
            .filter(|wrong| *wrong == Wrong::TakesItsOwnTime)
            .map_or(0, hash)
    }

    /// Alters a frame that a wrong phone writes.
    pub(crate) fn alter(&self, frame: &mut PhoneFrame) {
        match (self.plan.wrong, frame) {
            (Some(Wrong::AcksTooEarly), PhoneFrame::Ack(ack)) => ack.a += 1,
            (Some(Wrong::WritesHugeNumbers), PhoneFrame::Ping(ping)) => ping.n = HUGE,
            (Some(Wrong::SaysRevoked), PhoneFrame::Event(event))
                if event.state == WireState::Unknown =>
            {
                event.state = WireState::Revoked;
            }
            (Some(Wrong::SaysItKeeps), PhoneFrame::Event(event))
                if event.state == WireState::Revoked =>
            {
                event.state = WireState::OnPhone;
            }
            _ => {}
        }
    }

    /// Returns a fact as a wrong phone hears it; `None` when it does not.
    pub(crate) fn heard(&self, fact: RadioFact) -> Option<RadioFact> {
        match (self.plan.wrong, fact) {
            (Some(Wrong::MissesTheLine), RadioFact::CallState { .. }) => None,
            (
                Some(wrong @ (Wrong::HearsRefused | Wrong::HearsSent)),
                RadioFact::PartSent {
                    token,
                    part,
                    of,
                    code,
                    cause,
                },
            ) if is_ambiguous(code) && !self.model.is_out(token.message.id) => {
                let code = match wrong {
                    Wrong::HearsSent => RESULT_OK,
                    _ => REFUSED,
                };
                Some(RadioFact::PartSent {
                    token,
                    part,
                    of,
                    code,
                    cause,
                })
            }
            (_, fact) => Some(fact),
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
