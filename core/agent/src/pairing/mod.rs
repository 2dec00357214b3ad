//! Joining a hub: a one-time code becomes a device with a key of its own.
//!
//! The phone repeats the same request until the operator has confirmed the six digits that both
//! sides show; the request is idempotent, so a lost answer costs nothing. The digits follow from
//! the code and the phone's key: whoever put another key in between shows other digits.

mod client;
mod ending;
mod record;
mod wire;

pub use client::{PairingError, pair};
pub(crate) use ending::{
    ASIDE_FILE, UNREADABLE_FILE, begin_leaving, finish, is_leaving, move_journal, remove_journal,
};
pub(crate) use record::is_recorded;
pub use record::{PairedPhone, Pairing, RecordError};
pub use wire::{DeviceDescription, SimDescription};
