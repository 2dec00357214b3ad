//! The typed frames of both directions.
//!
//! Field names are those of the wire, except `gen`, which is a keyword here. A
//! frame is written with `t` first; [`crate::codec`] reads and writes it.

mod both;
mod hub;
mod parts;
mod phone;
mod tokens;
mod waiting;

pub use both::{Ack, Bye, Ping, Pong};
pub use hub::{Cancel, Challenge, Config, Revoke, Send, Void, Welcome};
pub use parts::{Address, Bytes, Data, HeldRow, Kind, KindQueue, Media, SimInfo};
pub use phone::{Event, Health, Held, Hello, Inbound};
pub use tokens::{InstallId, InvalidToken, Nonce};
pub use waiting::WaitingFor;

use serde::Serialize;

/// A frame from hub to phone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum HubFrame {
    /// Opens a connection.
    Challenge(Challenge),
    /// Accepts a hello.
    Welcome(Welcome),
    /// Hands over an exposure.
    Send(Send),
    /// Takes an exposure back.
    Revoke(Revoke),
    /// Cancels a message.
    Cancel(Cancel),
    /// Fills a place.
    Void(Void),
    /// Sets the hub's settings.
    Config(Config),
    /// Says what is stored.
    Ack(Ack),
    /// Asks for a pong.
    Ping(Ping),
    /// Answers a ping.
    Pong(Pong),
    /// Ends the connection.
    Bye(Bye),
    /// A frame of a later version that need not be understood; never written.
    #[serde(skip)]
    Unknown(Unknown),
}

/// A frame from phone to hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum PhoneFrame {
    /// Answers a challenge.
    Hello(Hello),
    /// Reports on an exposure.
    Event(Event),
    /// Shows what the hub may have forgotten.
    Held(Held),
    /// Reports what came in.
    Inbound(Inbound),
    /// Reports the phone's state.
    Health(Health),
    /// Says what is stored.
    Ack(Ack),
    /// Asks for a pong.
    Ping(Ping),
    /// Answers a ping.
    Pong(Pong),
    /// Ends the connection.
    Bye(Bye),
    /// A frame of a later version that need not be understood; never written.
    #[serde(skip)]
    Unknown(Unknown),
}

/// A frame whose `t` this end does not know: ignored, and acked if it has a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its type.
    pub t: String,
    /// Its place in the sequence, if it has one.
    pub s: Option<u64>,
}

impl HubFrame {
    /// Returns the frame's place in the downward sequence, if it has one.
    pub fn s(&self) -> Option<u64> {
        match self {
            Self::Send(frame) => Some(frame.s),
            Self::Revoke(frame) => Some(frame.s),
            Self::Cancel(frame) => Some(frame.s),
            Self::Void(frame) => Some(frame.s),
            Self::Config(frame) => Some(frame.s),
            Self::Unknown(frame) => frame.s,
            Self::Challenge(_)
            | Self::Welcome(_)
            | Self::Ack(_)
            | Self::Ping(_)
            | Self::Pong(_)
            | Self::Bye(_) => None,
        }
    }
}

impl PhoneFrame {
    /// Returns the frame's place in the upward sequence, if it has one.
    pub fn s(&self) -> Option<u64> {
        match self {
            Self::Event(frame) => Some(frame.s),
            Self::Inbound(frame) => Some(frame.s),
            Self::Health(frame) => Some(frame.s),
            Self::Unknown(frame) => frame.s,
            Self::Hello(_)
            | Self::Held(_)
            | Self::Ack(_)
            | Self::Ping(_)
            | Self::Pong(_)
            | Self::Bye(_) => None,
        }
    }
}
