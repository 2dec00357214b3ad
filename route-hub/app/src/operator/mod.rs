//! What the operator does by hand: clearing alerts, revoking devices, giving up frozen ones.

mod clear_alert;
mod revoke_device;
mod unfreeze;

pub use clear_alert::{NoSuchAlert, clear_alert};
pub use revoke_device::{RevokeRefused, revoke_device};
pub use unfreeze::{NoSuchPhone, frozen, unfreeze};

#[cfg(test)]
mod tests;
