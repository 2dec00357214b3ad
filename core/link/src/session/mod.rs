//! The session of both roles, as pure machines.
//!
//! [`hub::HubSession`] lives as long as one connection; what outlives it is the device's row
//! ([`hub::DeviceLink`]). [`phone::PhoneSession`] lives as long as the agent, across connections.
//!
//! # Life of a connection
//!
//! ```text
//!  hub                                      phone
//!  challenge{nonce, gen}          ---->     conn + 1 and the snapshot for hello, committed
//!  fence, counters, exposures     <----     hello{…, sig}
//!      [ challenge{…, down_sent, up}  ---->                        ]  only after a new
//!      [                              <----  held pages, `last`    ]  generation
//!  welcome{up, limit}             ---->     goes on above `up`
//!  resumed sends and voids        ---->     from `down` + 1, gapless
//!  send, revoke, cancel, config   ---->     committed, then acked
//!  committed, then acked          <----     event, inbound, health
//! ```
//!
//! The counters belong to the phone, not to a session: a resume never expires, and a gap within
//! a connection is a protocol error.

pub mod hub;
pub mod phone;

use postrider_model::BootMs;

/// When a session must be called next, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline<R> {
    /// The moment on the boot clock.
    pub at: BootMs,
    /// What is due then.
    pub reason: R,
}

/// Returns the earlier of two deadlines.
fn earlier<R>(one: Option<Deadline<R>>, other: Option<Deadline<R>>) -> Option<Deadline<R>> {
    match (one, other) {
        (Some(one), Some(other)) if other.at < one.at => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}
