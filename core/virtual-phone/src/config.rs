//! The configuration of a virtual phone.

use crate::{profile::Profile, radio_log::RadioLog, seen::Watcher};
use postrider_agent::{
    Condition, DeviceDescription, HubAddress, PaceLimits, SimDescription, SimInfo,
};
use postrider_link::frame::Address;
use postrider_model::{PhoneNumber, Secret, SimSlot};
use std::{path::PathBuf, sync::Arc};

/// The network that a simulated SIM is in: 001-01, the one set aside for tests.
const TEST_NETWORK: &str = "00101";
/// Its name.
const CARRIER: &str = "Postrider Test";
/// Who makes virtual phones.
const MANUFACTURER: &str = "Postrider";
/// And what.
const MODEL: &str = "Virtual Phone";

/// The configuration of a virtual phone; [`VirtualPhoneConfig::new`] has the usual values.
pub struct VirtualPhoneConfig {
    /// Its own folder; made when missing.
    pub folder: PathBuf,
    /// The hub. A phone that has joined may leave it out; if given, it is dialled there.
    pub hub: Option<HubAddress>,
    /// The one-time code to join with, when the folder has no pairing yet.
    pub code: Option<Secret>,
    /// The name that people give the phone.
    pub name: String,
    /// The numbers of its SIMs, slot by slot; none is one SIM without a known number.
    pub numbers: Vec<PhoneNumber>,
    /// How its radio behaves.
    pub profile: Profile,
    /// The seed of the radio's random choices.
    pub seed: u64,
    /// At most so many parts are sent in any minute; `None` means no limit.
    pub parts_per_minute: Option<u32>,
    /// Where hand-overs are logged; phones may share one.
    pub radio_log: Option<Arc<RadioLog>>,
    /// The TLS settings, shared by all phones of a process; `None` makes them from the system's
    /// roots.
    pub tls: Option<Arc<postrider_agent::TlsConfig>>,
    /// Whether an unencrypted hub may be on another machine.
    pub plain_allowed: bool,
    /// Gets what the phone does.
    pub watcher: Option<Watcher>,
}

impl VirtualPhoneConfig {
    /// Makes the usual configuration: one SIM, the normal profile, no limits, nobody watching.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            hub: None,
            code: None,
            name: MODEL.to_owned(),
            numbers: Vec::new(),
            profile: Profile::Normal,
            seed: 0,
            parts_per_minute: None,
            radio_log: None,
            tls: None,
            plain_allowed: false,
            watcher: None,
        }
    }

    pub(crate) fn limits(&self) -> PaceLimits {
        match self.parts_per_minute {
            Some(parts) => PaceLimits::per_minute(parts),
            None => PaceLimits::UNLIMITED,
        }
    }

    pub(crate) fn device(&self) -> DeviceDescription {
        DeviceDescription {
            name: self.name.clone(),
            manufacturer: MANUFACTURER.to_owned(),
            model: MODEL.to_owned(),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            android_sdk: None,
            sims: self.slots().map(describe).collect(),
        }
    }

    pub(crate) fn sims(&self) -> Vec<SimInfo> {
        self.slots().map(inform).collect()
    }

    pub(crate) fn condition(&self) -> Condition {
        Condition {
            battery: Some(100),
            charging: Some(true),
            network: Some("wifi".to_owned()),
            signal: Some(4),
            forwarding: Some(true),
            app_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            android_sdk: None,
            manufacturer: Some(MANUFACTURER.to_owned()),
            model: Some(MODEL.to_owned()),
            ..Condition::default()
        }
    }

    fn slots(&self) -> impl Iterator<Item = (SimSlot, Option<&PhoneNumber>)> {
        let count = self.numbers.len().max(1);
        let slots = (0..=SimSlot::MAX).filter_map(SimSlot::new).take(count);
        slots
            .enumerate()
            .map(|(n, slot)| (slot, self.numbers.get(n)))
    }
}

fn describe((slot, number): (SimSlot, Option<&PhoneNumber>)) -> SimDescription {
    SimDescription {
        slot,
        number: number.cloned(),
        carrier: Some(CARRIER.to_owned()),
        mccmnc: Some(TEST_NETWORK.to_owned()),
        country: None,
    }
}

fn inform((slot, number): (SimSlot, Option<&PhoneNumber>)) -> SimInfo {
    SimInfo {
        slot,
        number: number.map(Address::from),
        carrier: Some(CARRIER.to_owned()),
        mccmnc: Some(TEST_NETWORK.to_owned()),
        fingerprint: Some(format!("virtual-{}", slot.get())),
        ..SimInfo::default()
    }
}
