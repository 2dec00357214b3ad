//! Webhooks: what the hub tells other servers, and how it keeps at it.
//!
//! [`enqueue`] writes rows into the outbox in the transaction of their cause. [`deliver`] posts
//! them: a thin ring around the machine of [`deliveries`], which decides who goes next and when;
//! [`scan`] reads the outbox for it, [`settle`] writes what became of each attempt. For users:
//! `docs/webhooks.md`.

pub mod deliver;
pub mod deliveries;
pub mod enqueue;
pub mod form;
pub mod lane;
pub mod retry;
pub mod scan;
pub mod settle;
pub mod signature;
pub mod views;

#[cfg(test)]
mod deliver_tests;
#[cfg(test)]
mod enqueue_tests;
#[cfg(test)]
pub(crate) mod testing;
