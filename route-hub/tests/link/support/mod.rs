//! A hub that listens on loopback, and phones without a mind of their own.

mod hub;
mod phone;
mod rest;

pub(crate) use hub::{PATIENCE, TestHub, fresh_id, hub};
pub(crate) use phone::{Line, Phone, sim};

/// A recipient.
pub(crate) const TO: &str = "+15005550101";
/// Whoever writes to a phone.
pub(crate) const SENDER: &str = "+15005550102";
