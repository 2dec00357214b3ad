//! Devices and their pairing.

use crate::code::coded;
use postrider_link::dispatch::hello::Service;
use postrider_model::{DeviceId, OrganizationId, PairingId, ProjectId, UnixMs};

coded! {
    /// Whether a device may connect.
    DeviceState {
        /// It may.
        Active = "active" / 0,
        /// Its journal was copied or went backwards: it must pair again.
        NeedsPairing = "needs_pairing" / 1,
        /// It was taken out of service.
        Revoked = "revoked" / 2,
    }
}

impl DeviceState {
    /// Returns what it means for its link.
    pub const fn service(self) -> Service {
        match self {
            Self::Active => Service::Open,
            Self::NeedsPairing => Service::NeedsPairing,
            Self::Revoked => Service::Ended,
        }
    }
}

/// A device that runs the agent: it joins once, holds one link and one or more Phones.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Its id.
    pub id: DeviceId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// The project its Phones are in.
    pub project_id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Its public key, in base64.
    pub public_key: String,
    /// The kind of key: `p256` or `ed25519`.
    pub key_algorithm: String,
    /// The installation that paired last.
    pub install: String,
    /// The highest connection number seen.
    pub conn: u64,
    /// The hub's generation that it last answered to.
    pub gen_seen: u64,
    /// The generation that this device alone is to agree on; none where it is not above the hub's.
    pub gen_own: u64,
    /// The highest number given to a frame for it.
    pub down_sent: u64,
    /// The highest number it acked.
    pub down_acked: u64,
    /// The highest number of its own that is committed here.
    pub up: u64,
    /// Whether it may connect.
    pub state: DeviceState,
    /// Whether dispatch to it waits for its answer after a restore.
    pub frozen: bool,
    /// When it paired last.
    pub time_paired: UnixMs,
    /// When a frame of it last arrived.
    pub time_last_seen: Option<UnixMs>,
    /// What it last said of itself, as JSON.
    pub facts: Option<String>,
    /// Since when it is offline; `None` while it is connected or was never.
    pub offline_since: Option<UnixMs>,
    /// The number of the hub's process that it is connected to.
    pub connected_to: Option<u8>,
}

coded! {
    /// How far a pairing has come.
    PairingState {
        /// The code waits for a phone.
        Open = "open" / 0,
        /// A phone used the code and waits for the operator.
        Claimed = "claimed" / 1,
        /// The operator said that the digits agree.
        Confirmed = "confirmed" / 2,
        /// Refused, used up or out of tries.
        Ended = "ended" / 3,
        /// A phone has bound itself to a key that it has not told yet.
        Committed = "committed" / 4,
    }
}

/// One pairing, from the code to the operator's word.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairing {
    /// Its id.
    pub id: PairingId,
    /// The project that the device joins.
    pub project_id: ProjectId,
    /// The device that is replaced; `None`: a new one.
    pub device_id: Option<DeviceId>,
    /// The name that the device gets.
    pub name: String,
    /// The four characters that name the typed code.
    pub code_name: String,
    /// SHA-256 of the typed code's secret part, in lower hex.
    pub code_hash: String,
    /// SHA-256 of the full code, in lower hex.
    pub full_hash: String,
    /// Wrong typed codes so far.
    pub wrong_tries: u32,
    /// What the phone bound itself to before it told its key, in base64.
    pub commitment: Option<String>,
    /// The hub's random number that the phone was told then, in base64.
    pub hub_number: Option<String>,
    /// The public key that was offered, in base64.
    pub public_key: Option<String>,
    /// The kind of key that was offered.
    pub key_algorithm: Option<String>,
    /// What the phone said of itself, as JSON.
    pub device_json: Option<String>,
    /// The six digits that both sides show.
    pub digits: Option<String>,
    /// How far it has come.
    pub state: PairingState,
    /// When the code was made.
    pub time_created: UnixMs,
    /// When the code ends.
    pub time_expires: UnixMs,
}
