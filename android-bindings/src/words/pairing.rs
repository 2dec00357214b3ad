//! What a device says about itself when it joins.

use postrider_agent::{DeviceDescription, SimDescription};
use postrider_model::{PhoneNumber, SimSlot};

/// What a device says about itself when it joins.
#[uniffi::remote(Record)]
pub struct DeviceDescription {
    /// The name that people give it.
    pub name: String,
    /// Who made it.
    pub manufacturer: String,
    /// Which model it is.
    pub model: String,
    /// The app's version.
    pub app_version: String,
    /// The platform's API level.
    pub android_sdk: Option<u32>,
    /// The SIM slots in use.
    pub sims: Vec<SimDescription>,
}

/// What a device says about a SIM slot when it joins.
#[uniffi::remote(Record)]
pub struct SimDescription {
    /// The slot.
    pub slot: SimSlot,
    /// The SIM's number, when the phone knows it or its owner typed it.
    pub number: Option<PhoneNumber>,
    /// The network's name.
    pub carrier: Option<String>,
    /// The network's code: country and network.
    pub mccmnc: Option<String>,
    /// The country of the SIM, two letters.
    pub country: Option<String>,
}
