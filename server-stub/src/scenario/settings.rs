//! The tables that set up a run: `[hub]`, `[pairing]`, `[tls]`, `[end]`, `[rules]`.

use crate::watch::Rule;
use postrider_link::limits::HEARTBEAT_S_MAX;
use serde::{Deserialize, Serialize};

/// Most exposures without a result that a phone is given at once.
const WINDOW_MAX: u64 = 10_000;
/// Longest run.
pub(super) const TIMEOUT_S_MAX: u64 = 7 * 24 * 3_600;

/// `[hub]`: how the hub is.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hub {
    /// Its generation at first.
    pub generation: u64,
    /// Seconds between two pings that welcome tells.
    pub heartbeat_s: u64,
    /// Most exposures without a result of sending.
    pub window: u64,
    /// The name that hello signs; the host of the base address when absent.
    pub host: Option<String>,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            generation: 1,
            heartbeat_s: 45,
            window: 500,
            host: None,
        }
    }
}

impl Hub {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.generation == 0 || self.generation > u64::from(u32::MAX) {
            return Err("generation must be from 1 to 4294967295".to_owned());
        }
        if self.heartbeat_s == 0 || self.heartbeat_s > HEARTBEAT_S_MAX {
            return Err(format!("heartbeat_s must be from 1 to {HEARTBEAT_S_MAX}"));
        }
        if self.window == 0 || self.window > WINDOW_MAX {
            return Err(format!("window must be from 1 to {WINDOW_MAX}"));
        }
        Ok(())
    }
}

/// How a phone that wants to join is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairingAnswer {
    /// It joins at once.
    #[default]
    Confirm,
    /// It waits until the control interface says another answer.
    Wait,
    /// The code is refused.
    Refuse,
    /// The code has run out.
    Expire,
    /// The hub shows other digits than the phone.
    WrongDigits,
    /// It joins at once, and is told to dial a link that is not encrypted.
    PlainLink,
}

/// `[pairing]`: how a phone joins.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PairingSettings {
    /// How it is answered.
    pub answer: PairingAnswer,
    /// The typed code; drawn when absent.
    pub code: Option<String>,
}

impl PairingSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        match &self.code {
            Some(code) if crate::engine::Code::fixed(code).is_none() => {
                Err("code must have 12 letters and digits, with dashes as you like".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Which certificate is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certificate {
    /// One that a phone accepts that trusts the stub's root, or the pinned key.
    #[default]
    Good,
    /// The good key, but its time is over.
    Expired,
    /// The good key, for another host.
    WrongHost,
    /// The good key, signed by a root that nobody knows.
    UnknownRoot,
    /// Another key, signed by the stub's root: only a phone with pins refuses it.
    OtherKey,
}

/// What the phone of a run goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trusts {
    /// The pins of the pairing link: nothing but the key counts.
    #[default]
    Pins,
    /// The stub's root: name, time and signature count, and any key will do.
    Root,
}

impl Trusts {
    /// Returns whether a phone that goes by this may accept a certificate.
    pub const fn accepts(self, certificate: Certificate) -> bool {
        match (self, certificate) {
            (_, Certificate::Good) => true,
            (Self::Pins, Certificate::OtherKey) => false,
            (Self::Pins, _) => true,
            (Self::Root, Certificate::OtherKey) => true,
            (Self::Root, _) => false,
        }
    }
}

/// `[tls]`: whether and how the stub encrypts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// What every dial is shown, unless a fault says otherwise.
    #[serde(default)]
    pub certificate: Certificate,
    /// What the phone goes by, for the rule `trust`.
    #[serde(default)]
    pub trusts: Trusts,
    /// The names in a good certificate.
    #[serde(default = "local_names")]
    pub names: Vec<String>,
}

impl Default for TlsSettings {
    fn default() -> Self {
        Self {
            certificate: Certificate::Good,
            trusts: Trusts::Pins,
            names: local_names(),
        }
    }
}

fn local_names() -> Vec<String> {
    ["localhost", "127.0.0.1"].map(str::to_owned).to_vec()
}

/// When a run ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndWhen {
    /// When every step is done and every message has its result.
    #[default]
    Settled,
    /// When every step is done.
    Steps,
    /// When it is told to, or its time is over.
    Told,
}

/// `[end]`: when the run is over.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndSettings {
    /// What ends it.
    pub when: EndWhen,
    /// Seconds after which it ends in any case.
    pub timeout_s: u64,
    /// Whether a message that asked for a report waits for it.
    pub reports: bool,
    /// Milliseconds to go on listening after the end was reached.
    pub linger_ms: u64,
}

impl Default for EndSettings {
    fn default() -> Self {
        Self {
            when: EndWhen::Settled,
            timeout_s: 60,
            reports: true,
            linger_ms: 0,
        }
    }
}

impl EndSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.timeout_s == 0 || self.timeout_s > TIMEOUT_S_MAX {
            return Err(format!("timeout_s must be from 1 to {TIMEOUT_S_MAX}"));
        }
        if self.linger_ms > self.timeout_s * 1_000 {
            return Err("linger_ms must be below the timeout".to_owned());
        }
        Ok(())
    }
}

/// `[rules]`: what is judged.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Names of rules that are not judged.
    pub off: Vec<String>,
    /// Milliseconds that a phone may be late with anything that has a bound.
    pub grace_ms: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            off: Vec::new(),
            grace_ms: 15_000,
        }
    }
}

impl Rules {
    pub(super) fn check(&self) -> Result<(), String> {
        for name in &self.off {
            if Rule::by_name(name).is_none() {
                return Err(format!("off names no rule: {name}"));
            }
        }
        Ok(())
    }
}
