//! Dispatch: from the queue to phones, and from their reports to statuses and webhooks.
//!
//! Who may send a message is decided by `postrider_link::ownership`; the functions here write down
//! what it says, in a job of the store.

pub(crate) mod connectors;
mod device_lost;
pub mod expiry;
mod explain;
pub mod expose;
pub mod failover;
pub mod freeze;
pub mod quiet;
pub mod report;
pub(crate) mod routing;
pub mod transitions;
