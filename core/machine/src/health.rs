//! How the phone is, told to the hub when it changes and at most once a minute.

use postrider_link::frame::Health;

/// The least time between two health facts, in milliseconds; what changes in between is told
/// together.
pub const HEALTH_MS_MIN: u64 = 60_000;

/// What the platform knows of the phone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    /// The battery's charge, in percent.
    pub battery: Option<u8>,
    /// Whether it is on the charger.
    pub charging: Option<bool>,
    /// The kind of network that carries the link, as a word.
    pub network: Option<String>,
    /// Signal strength, 0 to 4.
    pub signal: Option<u8>,
    /// Whether the owner lets incoming messages be forwarded.
    pub forwarding: Option<bool>,
    /// The app's version.
    pub app_version: Option<String>,
    /// The platform's API level.
    pub android_sdk: Option<u32>,
    /// The maker of the device.
    pub manufacturer: Option<String>,
    /// The device's model.
    pub model: Option<String>,
}

impl Condition {
    /// Fills the platform's part of a health fact.
    pub(crate) fn fill(&self, health: &mut Health) {
        health.battery = self.battery;
        health.charging = self.charging;
        health.network.clone_from(&self.network);
        health.signal = self.signal;
        health.forwarding = self.forwarding;
        health.app_version.clone_from(&self.app_version);
        health.android_sdk = self.android_sdk;
        health.manufacturer.clone_from(&self.manufacturer);
        health.model.clone_from(&self.model);
    }
}
