//! The radio: the one thing that differs between a real phone and a virtual one.

use postrider_link::frame::Address;
use postrider_machine::{RadioFact, SendParts, SendToken};
use postrider_model::{MessageText, SimSlot, UnixMs};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What a phone can do: send, look up what was sent, and mark what came in as safe.
///
/// Each call returns soon, answers by [`RadioFacts`] and never by its return, and is made from the
/// phone's own task: it must not wait for the network.
pub trait Radio: Send + Sync + 'static {
    /// Hands a message to the radio. It is called once for a hand-over, with `submitting` on disk.
    ///
    /// A refusal is told as a `PartSent` with its code for every part.
    fn send_parts(&self, task: &SendParts);

    /// Looks a hand-over up among the messages that the platform holds as sent; the answer is a
    /// `SentRowRead`.
    fn read_sent_row(&self, asked: &SentRowAsked);

    /// Marks a message that came in as safe: it is on disk here.
    fn confirm_received(&self, receipt: u64);
}

/// What is known of a message that is looked up among the sent ones.
#[derive(Debug, Clone, PartialEq)]
pub struct SentRowAsked {
    /// The hand-over.
    pub token: SendToken,
    /// The SIM that it went by.
    pub sim: SimSlot,
    /// Its recipient.
    pub to: Address,
    /// Its text.
    pub text: MessageText,
    /// When it was handed over.
    pub since: UnixMs,
}

/// Where a radio tells its facts; cheap to clone, callable from any thread.
///
/// No fact is ever refused: what waits here is bounded by what the phone has in the air.
#[derive(Debug, Clone)]
pub struct RadioFacts(UnboundedSender<RadioFact>);

/// The ring's end of [`RadioFacts`].
#[derive(Debug)]
pub struct RadioFactsInbox(pub(crate) UnboundedReceiver<RadioFact>);

impl RadioFacts {
    /// Makes both ends: one for the radio, one for the phone that it belongs to.
    pub fn channel() -> (Self, RadioFactsInbox) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), RadioFactsInbox(receiver))
    }

    /// Tells a fact; returns false when the phone has stopped, and the fact is for its next start
    /// to find out.
    pub fn tell(&self, fact: RadioFact) -> bool {
        self.0.send(fact).is_ok()
    }
}
