//! What an operator does by hand to what the hub has raised, let in or is waiting for.

mod clear_alert;
mod revoke_device;
mod unfreeze;

pub use clear_alert::{NoSuchAlert, clear_alert};
pub use revoke_device::{RevokeRefused, revoke_device};
pub use unfreeze::{NoSuchPhone, unfreeze};

#[cfg(test)]
mod tests;
