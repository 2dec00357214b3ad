//! What a person can watch a virtual phone do.

use postrider_agent::Event;
use postrider_link::frame::{Address, Data};
use postrider_model::{MessageId, MessageText, PhoneNumber, SimSlot, WireState};
use std::{fmt, sync::Arc};

/// Gets what the phone shows, like its screen. Called from the phone's own tasks, it must not
/// block.
pub type Watcher = Arc<dyn Fn(&Seen<'_>) + Send + Sync>;

/// One thing to see. It prints numbers and texts: it belongs on a screen, never in a log.
#[derive(Debug)]
pub enum Seen<'a> {
    /// The phone asks to join; the hub must show the same six digits.
    Digits(&'a str),
    /// The phone has joined.
    Paired,
    /// A message went on the air.
    Sent {
        /// The SIM.
        sim: SimSlot,
        /// The recipient.
        to: &'a Address,
        /// What it says.
        text: &'a MessageText,
        /// How many parts it took.
        parts: u8,
    },
    /// A data message went on the air.
    SentData {
        /// The SIM.
        sim: SimSlot,
        /// The recipient.
        to: &'a Address,
        /// Its port and its bytes.
        data: &'a Data,
    },
    /// A USSD code was dialled.
    Dialled {
        /// The SIM.
        sim: SimSlot,
        /// The code.
        code: &'a Address,
    },
    /// A call was placed.
    Called {
        /// The SIM.
        sim: SimSlot,
        /// Whom it is to.
        to: &'a Address,
    },
    /// The radio refused a message; nothing went on the air.
    Refused {
        /// The recipient.
        to: &'a Address,
        /// The platform's result code.
        code: i32,
    },
    /// A message came in.
    Received {
        /// The SIM.
        sim: SimSlot,
        /// The sender.
        from: &'a PhoneNumber,
        /// What it says.
        text: &'a MessageText,
    },
    /// Something else than a text message came in.
    ReceivedOther {
        /// The SIM.
        sim: SimSlot,
        /// The sender.
        from: &'a PhoneNumber,
        /// What it is: a few words.
        what: &'static str,
    },
    /// A call came in.
    Rang {
        /// The SIM.
        sim: SimSlot,
        /// Who calls; nobody where the number is withheld.
        from: Option<&'a PhoneNumber>,
    },
    /// A message reached its end.
    Ended {
        /// The message.
        message: MessageId,
        /// How.
        state: WireState,
    },
    /// The link to the hub is up.
    LinkUp,
    /// The link to the hub is down.
    LinkDown,
    /// The hub does not know this phone, usually by an operator's mistake.
    NotKnown,
    /// The hub took this phone out of service, or does not trust its journal.
    PairingNeeded,
    /// Something else that the agent reports: ids and words only.
    Other(&'a Event),
}

impl<'a> Seen<'a> {
    /// Returns what an event of the agent shows; `None` if the radio has shown it already, or
    /// it means nothing to a person.
    pub(crate) fn of_event(event: &'a Event) -> Option<Self> {
        match event {
            Event::LinkUp => Some(Self::LinkUp),
            Event::LinkDown => Some(Self::LinkDown),
            Event::NotKnownHere => Some(Self::NotKnown),
            Event::PairingNeeded { .. } => Some(Self::PairingNeeded),
            Event::MessageMoved { message, state, .. } => match state {
                WireState::Delivered
                | WireState::NotDelivered
                | WireState::Failed
                | WireState::Unknown
                | WireState::Expired
                | WireState::Revoked
                | WireState::Cancelled => Some(Self::Ended {
                    message: message.id,
                    state: *state,
                }),
                WireState::OnPhone
                | WireState::Retrying
                | WireState::Submitting
                | WireState::Sent => None,
            },
            Event::MessageAccepted { .. }
            | Event::MessageSubmitted { .. }
            | Event::MessageReceived { .. }
            | Event::ReportMismatched { .. }
            | Event::StrayResult { .. } => None,
            other => Some(Self::Other(other)),
        }
    }
}

impl fmt::Display for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digits(digits) => write!(f, "joins with the digits {digits}"),
            Self::Paired => f.write_str("has joined"),
            Self::Sent {
                sim: _,
                to,
                text,
                parts,
            } => {
                let (to, text) = (OneLine(to.as_str()), OneLine(text.as_str()));
                match parts {
                    1 => write!(f, "sent to {to}: {text}"),
                    parts => write!(f, "sent to {to} in {parts} parts: {text}"),
                }
            }
            Self::SentData { sim: _, to, data } => {
                let (to, bytes) = (OneLine(to.as_str()), data.base64.0.len());
                write!(f, "sent {bytes} bytes to {to}, port {}", data.port)
            }
            Self::Dialled { sim: _, code } => write!(f, "dialled {}", OneLine(code.as_str())),
            Self::Called { sim: _, to } => write!(f, "called {}", OneLine(to.as_str())),
            Self::Refused { to, code } => {
                let to = OneLine(to.as_str());
                write!(f, "could not send to {to}: result code {code}")
            }
            Self::Received { sim: _, from, text } => {
                let (from, text) = (OneLine(from.as_str()), OneLine(text.as_str()));
                write!(f, "received from {from}: {text}")
            }
            Self::ReceivedOther { sim: _, from, what } => {
                write!(f, "received {what} from {}", OneLine(from.as_str()))
            }
            Self::Rang { sim: _, from } => match from {
                Some(from) => write!(f, "was called by {}", OneLine(from.as_str())),
                None => f.write_str("was called by somebody"),
            },
            Self::Ended { message, state } => write!(f, "{message} is {state}"),
            Self::LinkUp => f.write_str("is connected"),
            Self::LinkDown => f.write_str("is not connected"),
            Self::NotKnown => f.write_str("is not known to the hub, and keeps trying"),
            Self::PairingNeeded => f.write_str("must be paired again"),
            Self::Other(event) => write!(f, "{event:?}"),
        }
    }
}

/// A text on one line, its control characters escaped.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |c: &char| {
            c.is_control()
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        for c in self.0.chars() {
            if hidden(&c) {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_write_lines_of_its_own() {
        let text = MessageText::new("one\ntwo \u{1b}[31m \u{202e}");
        let seen = Seen::Sent {
            sim: SimSlot::default(),
            to: &Address::new("+15005550123"),
            text: &text,
            parts: 1,
        };
        assert_eq!(
            seen.to_string(),
            r"sent to +15005550123: one\ntwo \u{1b}[31m \u{202e}"
        );
    }
}
