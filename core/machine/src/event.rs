//! What happened, for a screen and for the log: ids, words and counts, never numbers or texts.

use crate::inbound::Source;
use crate::token::{MessageRef, SendToken};
use postrider_link::close::CloseCode;
use postrider_model::{SimSlot, WireState};

/// Something worth showing or logging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The hub accepted the connection.
    LinkUp,
    /// The connection ended.
    LinkDown,
    /// The hub does not know this phone, usually by an operator's mistake. Nothing is lost: the
    /// phone sends nothing more and keeps trying until the hub knows it again.
    NotKnownHere,
    /// The hub took this phone out of service, or does not trust its journal: pair again.
    PairingNeeded {
        /// What the hub said.
        close: CloseCode,
    },
    /// The hub needs a newer app.
    UpdateNeeded,
    /// The hub and this phone keep misunderstanding each other.
    LinkFailing,
    /// Another connection with this phone's key replaced its own.
    LinkReplaced,
    /// A message is on this phone's disk.
    MessageAccepted {
        /// The exposure.
        message: MessageRef,
        /// The SIM that will send it.
        sim: SimSlot,
    },
    /// A message is handed to the radio.
    MessageSubmitted {
        /// The hand-over.
        token: SendToken,
        /// Its parts.
        parts: u8,
    },
    /// A message reached another state.
    MessageMoved {
        /// The exposure.
        message: MessageRef,
        /// The state that it reached.
        state: WireState,
        /// The result code that led there.
        code: Option<i32>,
    },
    /// A test message reached another state: submitting, unknown, sent, failed, not delivered or
    /// delivered.
    TestMoved {
        /// The hand-over.
        token: SendToken,
        /// The state that it reached.
        state: WireState,
        /// The result code of a failure.
        code: Option<i32>,
    },
    /// Something came in.
    MessageReceived {
        /// What it is.
        source: Source,
        /// The SIM that it came by.
        sim: SimSlot,
    },
    /// Another SIM is in a slot, which is held until somebody confirms it.
    SimChanged {
        /// The slot.
        sim: SimSlot,
    },
    /// A slot that was held for another SIM sends again: the known SIM is back, or somebody
    /// confirmed the other one.
    SimConfirmed {
        /// The slot.
        sim: SimSlot,
    },
    /// A SIM sends nothing until its service changes or somebody looks at it.
    SimHeld {
        /// The SIM.
        sim: SimSlot,
        /// The result code that says why.
        code: i32,
    },
    /// A SIM sends again.
    SimReleased {
        /// The SIM.
        sim: SimSlot,
    },
    /// The radio says nothing about a message: a dialog may be open on the phone.
    LookAtPhone {
        /// The SIM.
        sim: SimSlot,
    },
    /// The platform's limit was reached; the pace is now halved this many times.
    PaceHalved {
        /// How often.
        halvings: u8,
    },
    /// A report names a hand-over, but a different recipient; it is ignored.
    ReportMismatched {
        /// The hand-over.
        token: SendToken,
    },
    /// A result or report names a hand-over that this journal does not know.
    StrayResult {
        /// The hand-over.
        token: SendToken,
    },
}
