//! What Kotlin does for the agent.

use crate::error::ShellError;
use postrider_agent::{
    DialUssd, Event, Log, Outlook, PlaceCall, ScanMark, SendParts, SentRowAsked,
};

/// The phone's radio and the platform's records of it.
///
/// Each call returns soon and answers with a fact, never with its return value. An exception is
/// logged, and counts as the platform's refusal where an answer is needed.
#[uniffi::export(foreign)]
pub trait Radio: Send + Sync {
    /// Hands a message to the radio; every part is answered by a `PartSent`.
    fn send_parts(&self, task: SendParts) -> Result<(), ShellError>;

    /// Dials a USSD code; answered by `UssdAnswered` or `UssdFailed`.
    fn dial_ussd(&self, task: DialUssd) -> Result<(), ShellError>;

    /// Places a voice call; followed by `CallState`, or answered by `CallRefused`.
    fn place_call(&self, task: PlaceCall) -> Result<(), ShellError>;

    /// Looks for a hand-over among the sent messages; answered by `SentRowRead`.
    fn read_sent_row(&self, asked: SentRowAsked) -> Result<(), ShellError>;

    /// Reads a log after a mark; answered by `LogRead`.
    fn read_log(&self, log: Log, from: ScanMark) -> Result<(), ShellError>;

    /// Says that something that came in is on disk here.
    fn confirm_received(&self, receipt: u64) -> Result<(), ShellError>;
}

/// The phone's key, which never leaves the keystore: ECDSA on P-256 with SHA-256.
#[uniffi::export(foreign)]
pub trait Keystore: Send + Sync {
    /// Returns the uncompressed point of the public key, 65 bytes, making the key pair when there
    /// is none.
    fn public_key(&self) -> Result<Vec<u8>, ShellError>;

    /// Signs bytes; returns the signature in ASN.1 DER, as the keystore gives it.
    fn sign(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ShellError>;
}

/// The app around the agent: gets events, and what to do for the agent.
#[uniffi::export(foreign)]
pub trait Shell: Send + Sync {
    /// Something worth showing happened.
    fn on_event(&self, event: Event);

    /// The phone must be woken at another time, or stay awake.
    fn on_outlook(&self, outlook: Outlook);

    /// The agent has stopped by itself.
    fn on_stopped(&self, stopped: Stopped);

    /// The six digits that the hub shows, too.
    fn on_pairing_digits(&self, digits: String);

    /// A pairing that was begun is over.
    fn on_pairing_over(&self, outcome: PairingOutcome);
}

/// Why the agent stopped by itself.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum Stopped {
    /// The hub does not know the phone any more: everything is erased.
    Revoked,
    /// The hub does not trust the journal: it is set aside, and the phone is to be paired again.
    JournalNotTrusted,
    /// The owner unpaired it: everything is erased.
    Unpaired {
        /// Whether the hub got everything before.
        is_told: bool,
    },
    /// It failed; starting it again may help.
    Failed {
        /// A text that is safe to show.
        reason: String,
    },
}

/// How a pairing ended.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum PairingOutcome {
    /// The phone has joined its hub.
    Paired,
    /// The hub refused the code.
    Refused {
        /// The hub's error code.
        code: String,
        /// What the hub says about it.
        message: String,
    },
    /// The hub shows other digits: somebody may be in between.
    OtherDigits,
    /// Nobody confirmed in time, or the hub could not be reached.
    TimedOut,
    /// The owner gave it up.
    Cancelled,
    /// It failed; the log says more.
    Failed {
        /// What failed.
        why: PairingFailure,
    },
}

/// What failed in a pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum PairingFailure {
    /// What answered at the address is not a hub.
    NotAHub,
    /// The hub names a link that is not encrypted, or that its certificate does not cover.
    UnsafeLink,
    /// The phone's storage cannot be used.
    Storage,
    /// The keystore cannot use the phone's key.
    Key,
    /// None of the phone's trusted roots can be read.
    NoRoots,
    /// The app itself failed.
    App,
}
