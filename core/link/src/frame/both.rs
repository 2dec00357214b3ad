//! Frames that either end writes.

use serde::{Deserialize, Serialize};

/// Says that everything up to `a` is on the writer's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// The highest number that is stored, with everything below it.
    pub a: u64,
    /// The highest number that the other end may use now; never shrinks within a connection.
    pub limit: u64,
    /// The writer's boot clock, in milliseconds.
    pub mono: u64,
}

/// Asks for a [`Pong`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ping {
    /// Numbers the ping within its connection.
    pub n: u64,
    /// The writer's boot clock, in milliseconds.
    pub mono: u64,
    /// Seconds until the writer's next ping.
    pub next_s: u64,
}

/// Answers a [`Ping`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pong {
    /// The ping's number.
    pub n: u64,
    /// The writer's boot clock, in milliseconds.
    pub mono: u64,
}

/// Announces that the writer closes the connection in good order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bye {
    /// Why, as a close code.
    pub code: u16,
    /// Milliseconds after which the phone may connect again.
    pub retry_ms: u64,
}
