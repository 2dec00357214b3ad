//! Joining a hub: a one-time code becomes a device with a key of its own.
//!
//! The phone commits to its key and a number, gets the hub's number, and reveals its own. It
//! repeats that until the operator has confirmed the six digits that both sides show. Each request
//! is idempotent, so a lost answer does no harm. The digits follow from the code, the key and both
//! numbers: whoever puts in another key in between shows other digits, and cannot search for a key
//! that gives the same ([`postrider_link::pairing`]).

mod aside;
mod client;
mod ending;
mod expiry;
mod record;
mod wire;

pub use aside::erase as erase_aside;
pub(crate) use aside::{has_known_origin, journal_of as aside_of, of_pairing as asides_of};
pub use client::{PairingError, pair};
pub(crate) use ending::{begin_leaving, finish, is_leaving};
pub use expiry::{Aside, asides};
pub(crate) use record::is_recorded;
pub use record::{PairedPhone, Pairing, RecordError};
pub use wire::{DeviceDescription, SimDescription};
