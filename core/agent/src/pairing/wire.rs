//! The pairing requests and answers, as JSON.

use postrider_link::pairing::{Commitment, Number};
use postrider_model::{DeviceId, HubId, PhoneId, PhoneNumber, ProjectId, SimSlot};
use serde::{Deserialize, Serialize};

/// What a device says about itself when it joins.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DeviceDescription {
    /// The name that people give it.
    pub name: String,
    /// Who made it.
    pub manufacturer: String,
    /// Which model it is.
    pub model: String,
    /// The version of the agent.
    pub app_version: String,
    /// The platform's API level, for Android.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub android_sdk: Option<u32>,
    /// The SIM slots in use.
    pub sims: Vec<SimDescription>,
}

/// What a device says about a SIM slot when it joins.
#[derive(Debug, Clone, Serialize)]
pub struct SimDescription {
    /// The slot.
    pub slot: SimSlot,
    /// The SIM's number, when the phone knows it or its owner typed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<PhoneNumber>,
    /// The network's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
    /// The network's code: country and network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mccmnc: Option<String>,
    /// The country of the SIM, two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// The first request: the phone commits to a key and a number that it does not reveal yet.
#[derive(Serialize)]
pub(super) struct Commit<'a> {
    pub(super) code: &'a str,
    pub(super) hub_url: &'a str,
    pub(super) commitment: Commitment,
}

/// The second one, repeated until the operator has confirmed: it reveals them.
#[derive(Serialize)]
pub(super) struct Open<'a> {
    pub(super) code: &'a str,
    pub(super) hub_url: &'a str,
    pub(super) number: Number,
    pub(super) public_key: String,
    pub(super) key_algorithm: &'static str,
    pub(super) install: &'a str,
    pub(super) device: &'a DeviceDescription,
}

/// The answer to the first request.
#[derive(Deserialize)]
pub(super) struct Committed {
    pub(super) number: Number,
}

/// The answer to the second one.
#[derive(Deserialize)]
pub(super) struct Answer {
    pub(super) status: Status,
    pub(super) digits: Option<String>,
    pub(super) device_id: Option<DeviceId>,
    pub(super) host: Option<String>,
    pub(super) link_url: Option<String>,
    pub(super) hub_id: Option<HubId>,
    pub(super) project_id: Option<ProjectId>,
    #[serde(default)]
    pub(super) phones: Vec<Phone>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Pending,
    Confirmed,
}

#[derive(Deserialize)]
pub(super) struct Phone {
    pub(super) id: PhoneId,
    pub(super) sim: SimSlot,
    pub(super) phone_number: Option<PhoneNumber>,
}

#[derive(Deserialize)]
pub(super) struct Failure {
    pub(super) error: FailureBody,
}

#[derive(Deserialize)]
pub(super) struct FailureBody {
    pub(super) code: String,
    pub(super) message: String,
}
