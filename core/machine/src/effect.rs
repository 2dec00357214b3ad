//! What the ring is to do in the world, once the changes before it are on disk.

use crate::token::SendToken;
use postrider_link::{
    close::CloseCode,
    frame::{Address, PhoneFrame},
    session::phone::FactRange,
};
use postrider_model::{MessageText, SimSlot, UnixMs};

/// One thing to do; its outcome comes back as a fact.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Opens a connection to the hub; answered by `handle_connected` or `handle_disconnected`. An
    /// attempt that still runs is given up.
    Connect,
    /// Draws the next delay of the schedule of redials, with full jitter; answered by
    /// `handle_redial`.
    PlanRedial,
    /// Starts the schedule of redials over: the session was good.
    ResetRedial,
    /// Reads facts from the journal; answered by `handle_facts_loaded`.
    LoadFacts(FactRange),
    /// Reads the acked incoming messages that the journal still has; answered by
    /// `handle_inbound_loaded`.
    LoadInbound,
    /// Signs these bytes with the device's key; answered at once by `handle_signature`.
    SignHello {
        /// What to sign.
        bytes: Vec<u8>,
    },
    /// Writes a frame to the present connection; dropped when there is none.
    WriteFrame(PhoneFrame),
    /// Closes the present connection; nothing more is handed in from it.
    CloseLink(CloseCode),
    /// Hands a message to the radio: once, whatever happens.
    SendParts(SendParts),
    /// Looks a message up among the platform's sent ones; answered by `SentRowRead`.
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
    /// Tells the platform that an incoming message is safe: it is on disk.
    ConfirmReceived {
        /// The receipt of the hearing.
        receipt: u64,
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
    /// The whole text; the platform divides it.
    pub text: MessageText,
    /// How many parts the text is expected to make.
    pub parts: u8,
    /// Whether a delivery report is asked for.
    pub report: bool,
}
