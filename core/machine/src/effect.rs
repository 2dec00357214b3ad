//! What the ring must do in the world, once the changes before it are on disk.

use crate::{
    log::{Log, ScanMark},
    token::{MessageRef, SendToken},
};
use postrider_link::{
    close::CloseCode,
    frame::{Address, Data, PhoneFrame},
    session::phone::{FactRange, RedialPace},
};
use postrider_model::{MessageId, MessageText, SimSlot, UnixMs};
use std::collections::BTreeSet;

/// One thing to do; its outcome comes back as a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Opens a connection to the hub; answered by `handle_connected` or `handle_disconnected`. An
    /// attempt that is still running is given up.
    Connect,
    /// Draws the next delay of a schedule of redials, with full jitter; answered by
    /// `handle_redial`.
    PlanRedial(RedialPace),
    /// Resets both schedules of redials, after a good session.
    ResetRedial,
    /// Reads facts from the journal; answered by `handle_facts_loaded`.
    LoadFacts(FactRange),
    /// Reads the acked incoming messages that the journal still has; answered by
    /// `handle_inbound_loaded`.
    LoadInbound,
    /// Reads ended exposures from the journal; answered by `handle_ended_loaded`, before any other
    /// frame of the hub is handled.
    LoadEnded(EndedAsked),
    /// Reads an exposure that is over, all of its row; answered by `handle_message_loaded`.
    LoadMessage(MessageRef),
    /// Signs these bytes with the device's key; answered at once by `handle_signature`.
    SignHello {
        /// What to sign.
        bytes: Vec<u8>,
    },
    /// Writes a frame to the present connection; dropped when there is none.
    WriteFrame(PhoneFrame),
    /// Closes the present connection; nothing more is handed in from it.
    CloseLink(CloseCode),
    /// Hands a message to the radio, exactly once.
    SendParts(SendParts),
    /// Looks for a message among the platform's sent ones; answered by `SentRowRead`.
    ReadSentRow {
        /// The hand-over.
        token: SendToken,
        /// The SIM that it went by.
        sim: SimSlot,
        /// Its recipient.
        to: Address,
        /// Its text.
        text: MessageText,
        /// When it was handed over.
        since: UnixMs,
    },
    /// Dials a USSD code, exactly once; answered by `UssdAnswered` or `UssdFailed`.
    DialUssd {
        /// Names it in its answer.
        token: SendToken,
        /// The SIM to dial by.
        sim: SimSlot,
        /// The code.
        code: Address,
    },
    /// Places a voice call, exactly once; followed by `CallState`, or `CallRefused`.
    PlaceCall {
        /// Names it in a refusal.
        token: SendToken,
        /// The SIM to call by.
        sim: SimSlot,
        /// Whom to call.
        to: Address,
    },
    /// Reads one of the platform's logs; answered by `LogRead`.
    ReadLog {
        /// Which.
        log: Log,
        /// Rows after this mark, oldest first.
        from: ScanMark,
    },
    /// Tells the platform that an incoming message is safe on disk.
    ConfirmReceived {
        /// The receipt of the report.
        receipt: u64,
    },
}

/// Which ended exposures to read from the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndedAsked {
    /// Those of these messages.
    Of(BTreeSet<MessageId>),
    /// Those that came by a frame above `down`, were reported by a fact above `up`, or are of an
    /// older generation: what a hub that went back may have forgotten.
    Above {
        /// The highest downward number that the hub remembers.
        down: u64,
        /// The highest fact that the hub remembers.
        up: u64,
    },
}

/// A hand-over to the radio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendParts {
    /// Names it in every result and report.
    pub token: SendToken,
    /// The SIM to send by.
    pub sim: SimSlot,
    /// The recipient.
    pub to: Address,
    /// What to send.
    pub body: Body,
    /// How many parts it is expected to make.
    pub parts: u8,
    /// Whether a delivery report is asked for.
    pub report: bool,
}

/// What a message carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// The whole text; the platform divides it.
    Text(MessageText),
    /// Bytes for a port, in one part. The platform keeps no sent row of it.
    Data(Data),
}

impl Body {
    /// Returns the text, if it is one.
    pub const fn text(&self) -> Option<&MessageText> {
        match self {
            Self::Text(text) => Some(text),
            Self::Data(_) => None,
        }
    }
}
