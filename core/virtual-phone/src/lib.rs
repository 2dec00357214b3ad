//! A phone without a phone: the agent with a simulated radio.
//!
//! Everything above the radio is real: pairing, link, journal, machines. The radio sends
//! by a [`Profile`] and writes each hand-over to a [`RadioLog`] before its call returns. It keeps
//! its sent messages in a file, like Android's provider, so that a phone that was killed can
//! look them up. The network keeps its delivery reports in another file, and delivers the rest
//! at the next start. A virtual phone that is started again counts as rebooted.
//!
//! The library runs any number of phones in one process ([`VirtualPhone::start`]); the binary runs
//! one, which may be killed at any moment and started again on its folder.

mod calls;
mod clock;
mod config;
mod delayed;
mod happening;
mod inbox;

mod line;
mod phone;
mod profile;
mod provider;
mod radio;
mod radio_log;
mod reports;
mod seen;
mod standard_input;
mod table;
mod world;

pub use config::VirtualPhoneConfig;
pub use phone::{VirtualPhone, VirtualPhoneError};
pub use profile::{InvalidProfile, Profile};
pub use radio_log::RadioLog;
pub use seen::{Seen, Watcher};
pub use standard_input::{Incoming, IncomingCall, IncomingData, IncomingMms, Input, InvalidLine};
