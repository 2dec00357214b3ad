//! Dispatch: from the queue to phones, and from their reports to statuses and webhooks.
//!
//! Every function here runs inside a job of the store and decides nothing about who may send a
//! message: `postrider_link::ownership` does, and this module writes down what it says.

pub mod connectors;
mod device_lost;
pub mod expiry;
mod explain;
pub mod expose;
pub mod failover;
pub mod freeze;
pub mod ownership;
pub mod quiet;
pub mod report;
pub mod routing;
pub mod transitions;
