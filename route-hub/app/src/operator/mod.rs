//! What the operator does by hand: clearing alerts, revoking devices, giving up frozen ones, setting
//! plans.

mod clear_alert;
mod revoke_device;
mod set_plan;
mod unfreeze;

pub use clear_alert::{NoSuchAlert, clear_alert};
pub use revoke_device::{RevokeRefused, revoke_device};
pub use set_plan::{NoSuchOrganization, PlanPatch, set_plan};
pub use unfreeze::{NoSuchPhone, frozen, unfreeze};

#[cfg(test)]
mod tests;
