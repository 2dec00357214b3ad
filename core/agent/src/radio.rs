//! The radio: the one thing that differs between a real phone and a virtual one.

use postrider_link::frame::Address;
use postrider_machine::{Log, RadioFact, ScanMark, SendParts, SendToken};
use postrider_model::{MessageText, SimSlot, UnixMs};
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    oneshot,
};

/// What a phone can do: send, dial, look up what was sent, read its logs, and mark what came in as
/// safe.
///
/// Each call returns soon, answers by [`RadioFacts`] and never by its return, and is made from the
/// phone's own task: it must not wait for the network. The calls that put something on the air
/// are made once each, with `submitting` on disk.
pub trait Radio: Send + Sync + 'static {
    /// Hands a message to the radio: a text, or bytes for a port.
    ///
    /// A refusal is told as a `PartSent` with its code for every part.
    fn send_parts(&self, task: &SendParts);

    /// Dials a USSD code; the answer is a `UssdAnswered` or a `UssdFailed`, or never comes.
    fn dial_ussd(&self, task: &DialUssd);

    /// Places a voice call; what becomes of it is told by `CallState` and the log of calls, a
    /// refusal by `CallRefused`.
    fn place_call(&self, task: &PlaceCall);

    /// Looks a hand-over up among the messages that the platform holds as sent; the answer is a
    /// `SentRowRead`.
    fn read_sent_row(&self, asked: &SentRowAsked);

    /// Reads one of the platform's logs after a mark; the answer is a `LogRead`, with no rows
    /// where the log may not be read.
    fn read_log(&self, log: Log, from: ScanMark);

    /// Marks something that came in as safe: it is on disk here.
    fn confirm_received(&self, receipt: u64);
}

/// A USSD code to dial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialUssd {
    /// Names it in its answer.
    pub token: SendToken,
    /// The SIM to dial by.
    pub sim: SimSlot,
    /// The code.
    pub code: Address,
}

/// A voice call to place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceCall {
    /// Names it in a refusal.
    pub token: SendToken,
    /// The SIM to call by.
    pub sim: SimSlot,
    /// Whom to call.
    pub to: Address,
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
pub struct RadioFacts(UnboundedSender<Told>);

/// The ring's end of [`RadioFacts`].
#[derive(Debug)]
pub struct RadioFactsInbox(pub(crate) UnboundedReceiver<Told>);

/// A fact, and who waits until all that follows from it is on disk.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) fact: RadioFact,
    pub(crate) kept: Option<oneshot::Sender<()>>,
}

impl RadioFacts {
    /// Makes both ends: one for the radio, one for the phone that it belongs to.
    pub fn channel() -> (Self, RadioFactsInbox) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), RadioFactsInbox(receiver))
    }

    /// Tells a fact; returns false when the phone has stopped, and the fact is for its next start
    /// to find out.
    pub fn tell(&self, fact: RadioFact) -> bool {
        self.0.send(Told { fact, kept: None }).is_ok()
    }

    /// Tells a fact; what is returned hears when all that follows from it is on disk, and an error
    /// when the phone stopped before that.
    ///
    /// A platform that forgets a fact once it was heard waits for this. The radio's own calls must
    /// not: they are part of what is waited for.
    pub fn tell_for_keeps(&self, fact: RadioFact) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let kept = Some(sender);
        // Of a stopped phone the receiver hears by the sender's end.
        drop(self.0.send(Told { fact, kept }));
        receiver
    }
}
