//! Organizations: the accounts that own projects.

mod billing;
mod existing;
mod usage;

pub use billing::BILLING;
pub use existing::{GET, LIST, UPDATE};
pub use usage::{USAGE, USAGE_HISTORY};
