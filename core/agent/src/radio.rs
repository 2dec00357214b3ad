//! The radio: the one thing that differs between a real phone and a virtual one.

use postrider_link::frame::Address;
use postrider_machine::{Log, RadioFact, ScanMark, SendParts, SendToken};
use postrider_model::{MessageText, SimSlot, UnixMs};
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    oneshot,
};

/// What a phone can do: send, dial, look up sent messages, read its logs, and confirm incoming
/// messages.
///
/// Each call returns soon and answers through [`RadioFacts`], never by its return value. It runs on
/// the phone's own task and must not wait for the network. Calls that put something on the air
/// are made once each, with `submitting` on disk.
pub trait Radio: Send + Sync + 'static {
    /// Hands a message to the radio: a text, or bytes for a port.
    ///
    /// A refusal is told as a `PartSent` with its code for every part.
    fn send_parts(&self, task: &SendParts);

    /// Dials a USSD code; the answer is a `UssdAnswered` or a `UssdFailed`, or never comes.
    fn dial_ussd(&self, task: &DialUssd);

    /// Places a voice call. `CallState` and the call log report its outcome, `CallRefused` a
    /// refusal.
    fn place_call(&self, task: &PlaceCall);

    /// Looks for a hand-over among the messages that the platform holds as sent; the answer is a
    /// `SentRowRead`.
    fn read_sent_row(&self, asked: &SentRowAsked);

    /// Reads one of the platform's logs after a mark; the answer is a `LogRead`, without rows
    /// if the log may not be read.
    fn read_log(&self, log: Log, from: ScanMark);

    /// Confirms something that came in: it is on disk here.
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

/// A message that is looked up among the sent ones.
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

/// Where a radio reports its facts; cheap to clone, callable from any thread.
///
/// No fact is ever refused: the queue is bounded by what the phone has in the air.
#[derive(Debug, Clone)]
pub struct RadioFacts(UnboundedSender<Told>);

/// The ring's end of [`RadioFacts`].
#[derive(Debug)]
pub struct RadioFactsInbox(pub(crate) UnboundedReceiver<Told>);

/// A fact, and who waits until its consequences are on disk.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) fact: RadioFact,
    pub(crate) on_disk: Option<oneshot::Sender<()>>,
}

impl RadioFacts {
    /// Makes both ends: one for the radio, one for the phone that it belongs to.
    pub fn channel() -> (Self, RadioFactsInbox) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), RadioFactsInbox(receiver))
    }

    /// Reports a fact; returns false when the phone has stopped. Its next start then finds the fact
    /// by itself.
    pub fn tell(&self, fact: RadioFact) -> bool {
        self.0
            .send(Told {
                fact,
                on_disk: None,
            })
            .is_ok()
    }

    /// Reports a fact. The receiver gets a value when all that follows from it is on disk, and an
    /// error if the phone stopped before that.
    ///
    /// Use it for a platform that forgets a fact once it was heard. The radio's own calls must not
    /// wait for it: they are part of what it waits for.
    pub fn tell_for_keeps(&self, fact: RadioFact) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let on_disk = Some(sender);
        // If the phone has stopped, dropping the sender tells the receiver.
        drop(self.0.send(Told { fact, on_disk }));
        receiver
    }
}
