//! Carries the hints between a hub's processes through NATS, in place of the database's own notices.

mod carry;
mod servers;

pub use carry::carry;
pub use servers::{NatsSettings, Refused, Servers, Unreachable};
