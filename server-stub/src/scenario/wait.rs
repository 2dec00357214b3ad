//! What a step waits for.

use postrider_model::WireState;
use serde::Deserialize;

/// `wait`: everything that is named must be so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wait {
    /// The phone is connected, for the n-th time or later.
    pub connected: Option<u64>,
    /// It dialled so many times after it had joined.
    pub dials: Option<u64>,
    /// So many connections have ended.
    pub ended: Option<u64>,
    /// So many frames of the kind `inbound` came.
    pub inbound: Option<u64>,
    /// So many events, inbound frames and health frames came.
    pub facts: Option<u64>,
    /// Every message has its result.
    pub settled: Option<bool>,
    /// So many messages reached a state.
    pub state: Option<StateWait>,
}

/// `wait.state`: what the phone must have reported.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateWait {
    /// The state that was reported.
    pub is: WireState,
    /// Of the messages with this label; of all when absent.
    pub label: Option<String>,
    /// By so many messages.
    #[serde(default = "one")]
    pub count: u64,
}

const fn one() -> u64 {
    1
}
