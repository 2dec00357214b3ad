//! A hub that listens on loopback, and phones without a mind of their own.

mod hub;
mod phone;
mod rest;

pub use hub::{PATIENCE, TestHub, fresh_id, hub};
pub use phone::{Line, Phone, sim};

/// A recipient.
pub const TO: &str = "+15005550101";
/// Whoever writes to a phone.
pub const SENDER: &str = "+15005550102";
