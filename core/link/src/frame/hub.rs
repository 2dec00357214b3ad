//! Frames that the hub writes.

use super::{Address, Data, Kind, Media, Nonce};
use crate::proof::Proof;
use postrider_model::{HubId, MessageId, MessageText, SimSlot};
use serde::{Deserialize, Serialize};

/// Opens a connection; a second one, with both counters, asks for `held` pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// What hello must sign.
    pub nonce: Nonce,
    /// The hub's generation.
    #[serde(rename = "gen")]
    pub generation: u64,
    /// The highest number that this hub remembers to have sent to this phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub down_sent: Option<u64>,
    /// The highest fact of this phone that this hub remembers to have stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<u64>,
}

/// Accepts a hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version spoken from here on.
    pub v: u32,
    /// The hub's generation, which the phone keeps.
    #[serde(rename = "gen")]
    pub generation: u64,
    /// The highest fact stored: the phone goes on above it.
    pub up: u64,
    /// The hub's wall clock, in Unix milliseconds.
    pub now: i64,
    /// Seconds between two pings at first.
    pub heartbeat_s: u64,
    /// The highest fact number that the phone may use now.
    pub limit: u64,
    /// The hub's own id, which the phone keeps; older hubs do not send it (ADR 13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<HubId>,
}

/// Hands one exposure of one message to the phone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Send {
    /// Its place in the phone's downward sequence.
    pub s: u64,
    /// The message.
    pub id: MessageId,
    /// Which exposure of it.
    pub ep: u32,
    /// The hub's own proof of the exposure; the phone keeps it and shows it in a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// What to do.
    pub kind: Kind,
    /// The recipient, or the USSD code.
    pub to: Address,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<MessageText>,
    /// The payload of a data message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Data>,
    /// The SIM that sends it.
    pub sim: SimSlot,
    /// Most parts that it may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts_max: Option<u16>,
    /// The time left until it expires when the frame is written, in milliseconds.
    pub ttl_ms: u64,
    /// Whether a delivery report is asked for.
    pub report: bool,
    /// Higher goes first.
    pub priority: i64,
    /// Whether another phone could send it; then this one does not retry for long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub movable: bool,
    /// Files of a multimedia message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
}

/// Takes an exposure back; answered by an event with its present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revoke {
    /// Its place in the phone's downward sequence.
    pub s: u64,
    /// The message.
    pub id: MessageId,
    /// Which exposure of it.
    pub ep: u32,
}

/// Cancels a message for its sender; answered by an event with its present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// Its place in the phone's downward sequence.
    pub s: u64,
    /// The message.
    pub id: MessageId,
    /// Which exposure of it.
    pub ep: u32,
}

/// Fills the place of a frame that is no longer needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Void {
    /// The place that it fills.
    pub s: u64,
}

/// The hub's settings for sending.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Config {
    /// Its place in the phone's downward sequence.
    pub s: u64,
    /// The SIM that it is for; all of them when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sim: Option<SimSlot>,
    /// Whether nothing may be submitted.
    pub pause: bool,
    /// The least time between two hand-overs, in milliseconds.
    pub send_delay_ms: u64,
    /// When nothing may be submitted: pairs of Unix milliseconds, the second exclusive.
    pub quiet: Vec<(i64, i64)>,
    /// Parts an hour that the hub allows; lowers the phone's own limit, never raises it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_limit_max: Option<u32>,
    /// Parts an hour that the hub allows for all SIMs of the device together; the lowest of several
    /// frames and of the owner's own limit counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_send_limit_max: Option<u32>,
    /// From a hand-over to the first doubt, in milliseconds; the owner's own setting comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_after_ms: Option<u64>,
    /// From a hand-over to `unknown`, in milliseconds; the owner's own setting comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_after_ms: Option<u64>,
    /// How long to wait for delivery reports, in milliseconds; the owner's own setting comes
    /// first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_window_ms: Option<u64>,
    /// Languages whose national shift tables the phone's platform uses, by their identifiers in
    /// 3GPP TS 23.038; the owner's own setting comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shift_tables: Vec<u8>,
}
