//! How the phone is: battery, network, versions, and what its owner lets the app do.

/// What the platform reports of the phone.
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
    /// Whether the owner lets the app send messages; `None` counts as yes.
    pub may_send: Option<bool>,
    /// Whether the owner lets the app call and dial codes; `None` counts as yes.
    pub may_call: Option<bool>,
}
