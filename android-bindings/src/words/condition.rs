//! The state of the phone and its SIMs.

use postrider_agent::{Condition, SimInfo};
use postrider_link::frame::{Address, Kind, KindQueue};
use postrider_model::SimSlot;

/// A SIM slot in use. The shell fills the first six fields; the agent fills the rest.
#[uniffi::remote(Record)]
pub struct SimInfo {
    /// The slot.
    pub slot: SimSlot,
    /// Its number, as the SIM says or the owner typed.
    pub number: Option<Address>,
    /// The network's name.
    pub carrier: Option<String>,
    /// The network's country and network code, digits.
    pub mccmnc: Option<String>,
    /// Tells one SIM from another without naming it.
    pub fingerprint: Option<String>,
    /// Parts an hour that the phone allows on this SIM, if not those of its limits.
    #[uniffi(default = None)]
    pub send_limit: Option<u32>,
    /// Messages that wait on the phone for this SIM.
    #[uniffi(default = None)]
    pub queue: Option<u32>,
    /// Milliseconds until the next message may leave.
    #[uniffi(default = None)]
    pub next_slot_in_ms: Option<u64>,
    /// What the next message waits for, as a word.
    #[uniffi(default = None)]
    pub waiting_for: Option<String>,
    /// What waits in queues of its own.
    #[uniffi(default = [])]
    pub kinds: Vec<KindQueue>,
}

/// What waits on the phone for a SIM of a kind that has a queue of its own.
#[uniffi::remote(Record)]
pub struct KindQueue {
    /// The kind.
    pub kind: Kind,
    /// How many wait.
    pub queue: u32,
    /// Milliseconds until the next may go; none where only an event ends the wait.
    pub next_slot_in_ms: Option<u64>,
    /// What the next waits for, as a word.
    pub waiting_for: Option<String>,
}

/// A kind of message.
#[uniffi::remote(Enum)]
pub enum Kind {
    /// A text message.
    Sms,
    /// A data message on a port.
    DataSms,
    /// A multimedia message.
    Mms,
    /// A USSD request or its answer.
    Ussd,
    /// A voice call.
    Call,
    /// A kind that this version does not know.
    Other(String),
}

/// What the platform reports of the phone.
#[uniffi::remote(Record)]
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
    /// Whether the owner lets the app send messages; if not, they wait.
    #[uniffi(default = None)]
    pub may_send: Option<bool>,
    /// Whether the owner lets the app call and dial codes; if not, they wait.
    #[uniffi(default = None)]
    pub may_call: Option<bool>,
}
