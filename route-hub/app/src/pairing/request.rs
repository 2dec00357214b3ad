//! What a phone asks for when it joins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use postrider_link::frame::InstallId;
use postrider_link::pairing::{Commitment, Joiner, Number};
use postrider_model::{Secret, SimSlot};
use serde::{Deserialize, Serialize};

/// A phone's request with everything checked but the code.
#[derive(Debug, Clone)]
pub struct PairRequest {
    /// The code as it was typed or scanned.
    pub code: Secret,
    /// Whether the phone dialled an https address, whatever this hub sees of it behind a proxy.
    pub is_over_https: bool,
    /// Which of the two requests this is.
    pub step: Step,
}

/// How far the phone is.
#[derive(Debug, Clone)]
pub enum Step {
    /// It binds itself to a key and a number that it does not tell yet.
    Commit(Commitment),
    /// It tells them.
    Open(Box<OpenRequest>),
}

/// A phone's second request.
#[derive(Debug, Clone)]
pub struct OpenRequest {
    /// The number that the phone was bound to.
    pub number: Number,
    /// The phone's public key: the raw 32 bytes of Ed25519, the uncompressed point of P-256.
    pub public_key: Vec<u8>,
    /// The kind of key.
    pub key_algorithm: KeyAlgorithm,
    /// The phone's installation.
    pub install: InstallId,
    /// What the phone says of itself.
    pub device: DeviceDescription,
}

/// The kinds of key that phones sign with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAlgorithm {
    /// ECDSA on P-256 with SHA-256, as a phone's keystore has it.
    P256,
    /// Ed25519.
    Ed25519,
}

impl KeyAlgorithm {
    /// Returns the name that travels and is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::P256 => "p256",
            Self::Ed25519 => "ed25519",
        }
    }

    /// Returns the kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::P256, Self::Ed25519]
            .into_iter()
            .find(|algorithm| algorithm.as_str() == name)
    }
}

/// What a phone says of itself when it joins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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

/// What a phone says of a SIM slot when it joins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimDescription {
    /// The slot.
    pub slot: SimSlot,
    /// The SIM's number, as the SIM has it or its owner typed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Secret>,
    /// The network's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
    /// The network's code: country and network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mccmnc: Option<String>,
    /// The country of the SIM, two letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

impl OpenRequest {
    /// Returns the phone that this request opens, for a code as it gave it.
    pub fn joiner<'a>(&'a self, code: &'a Secret) -> Joiner<'a> {
        Joiner {
            code: code.as_str(),
            key_algorithm: self.key_algorithm.as_str(),
            public_key: &self.public_key,
            install: &self.install,
        }
    }

    /// Returns the public key as it is stored.
    pub fn public_key_base64(&self) -> String {
        STANDARD.encode(&self.public_key)
    }
}
