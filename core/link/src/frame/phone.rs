//! Frames that the phone writes.

use super::{Address, Bytes, Data, HeldRow, InstallId, Kind, SimInfo};
use crate::clock::Stamp;
use postrider_model::{DeviceId, MessageId, MessageText, SimSlot, WireState};
use serde::{Deserialize, Serialize};

/// Answers a challenge: who the phone is, and what its journal holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The oldest and the newest version that the phone speaks.
    pub v: (u32, u32),
    /// Names of optional features.
    #[serde(default)]
    pub features: Vec<String>,
    /// The device.
    pub phone: DeviceId,
    /// Its installation.
    pub install: InstallId,
    /// Counts its connections.
    pub conn: u64,
    /// The signature of [`crate::signature::hello_bytes`].
    pub sig: Bytes,
    /// The hub's generation that the phone last agreed on.
    #[serde(rename = "gen")]
    pub generation: u64,
    /// The highest downward number in the phone's journal.
    pub down: u64,
    /// The lowest fact that is not acked; `up_hi + 1` when all are.
    pub up_lo: u64,
    /// The highest fact number given so far; 0 when none was.
    pub up_hi: u64,
    /// The highest downward number that a `send` may use now.
    pub limit: u64,
    /// Names the phone's present boot.
    pub boot: String,
    /// The wall clock, in Unix milliseconds.
    pub wall: i64,
    /// The boot clock, in milliseconds.
    pub mono: u64,
    /// The SIM slots in use.
    pub sims: Vec<SimInfo>,
    /// Exposures that may still be handed over or whose last fact is not acked.
    pub held: Vec<HeldRow>,
}

/// Reports the progress of an exposure, or of one part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the phone's upward sequence.
    pub s: u64,
    /// The message.
    pub id: MessageId,
    /// Which exposure of it.
    pub ep: u32,
    /// The state reached.
    pub state: WireState,
    /// The part, counted from 1; absent for the whole message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<u16>,
    /// How many parts the message has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u16>,
    /// Why, as a stable word or the platform's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Why, for a person: never a number or a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// With `failed`: some parts were sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// With `failed`: it is final, and provably no part went on the air (R3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsent: bool,
    /// With `sent`, a placed call's length in seconds; -1 when it was not answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<i64>,
    /// With `sent`, how long a placed call was dialled and rang, in seconds; -1 when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring_s: Option<i64>,
    /// When it happened by the wall clock, in Unix milliseconds.
    pub wall: i64,
    /// When it happened by the boot clock, in milliseconds.
    pub mono: u64,
    /// The boot that `mono` counts from, when it is not the one that hello named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

/// One page of everything that the hub may have forgotten; only after a new generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// At most [`crate::limits::HELD_ROWS_PER_PAGE`] rows.
    pub rows: Vec<HeldRow>,
    /// Whether no page follows.
    pub last: bool,
}

/// Reports what came in from the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbound {
    /// Its place in the phone's upward sequence.
    pub s: u64,
    /// The phone's own number of it: the same when it is uploaded again after a new generation,
    /// so that the hub counts it once per installation.
    pub n: u64,
    /// The installation that `n` counts in, if not the one that hello named: messages of a journal
    /// that was set aside are uploaded after the phone has paired again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<InstallId>,
    /// What it is.
    pub kind: Kind,
    /// The SIM that received it.
    pub sim: SimSlot,
    /// The sender, as the network gave it.
    pub from: Address,
    /// The number that was called or written to, when known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Address>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<MessageText>,
    /// The payload of a data message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Data>,
    /// How many parts it came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<u16>,
    /// The service centre's time, in Unix milliseconds; may be unreliable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<i64>,
    /// A call's length in seconds; -1 when it was not answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<i64>,
    /// How long a call rang, in seconds; -1 when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring_s: Option<i64>,
    /// When it came by the wall clock, in Unix milliseconds.
    pub wall: i64,
    /// When it came by the boot clock, in milliseconds.
    pub mono: u64,
    /// The boot that `mono` counts from, when it is not the one that hello named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

/// Reports the phone's state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Health {
    /// Its place in the phone's upward sequence.
    pub s: u64,
    /// The battery's charge, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery: Option<u8>,
    /// Whether it is on the charger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charging: Option<bool>,
    /// The kind of network that carries the link, as a word (`wifi`, `mobile`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Signal strength, 0 to 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<u8>,
    /// The SIM slots in use, each with its queue and its pace.
    #[serde(default)]
    pub sims: Vec<SimInfo>,
    /// Messages that wait on the phone, all SIMs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Milliseconds until the next message may leave on any SIM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_slot_in_ms: Option<u64>,
    /// What the next message waits for, as a word ([`WaitingFor`](super::WaitingFor)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// Whether the owner lets incoming messages be forwarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarding: Option<bool>,
    /// The app's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_version: Option<String>,
    /// The platform's API level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub android_sdk: Option<u32>,
    /// The maker of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manufacturer: Option<String>,
    /// The device's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Event {
    /// Returns when it happened, by the phone's clocks.
    pub fn stamp(&self) -> Stamp {
        Stamp::new(self.wall, self.mono, self.boot.is_some())
    }
}

impl Inbound {
    /// Returns when it came, by the phone's clocks.
    pub fn stamp(&self) -> Stamp {
        Stamp::new(self.wall, self.mono, self.boot.is_some())
    }
}
