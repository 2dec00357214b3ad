//! Webhooks: what the hub tells other servers, and how it keeps at it.
//!
//! [`enqueue`] writes rows into the outbox in the transaction of their cause. [`deliver`] posts
//! them: a thin ring around the machine of [`deliveries`], which decides who goes next and when, with
//! [`turns`], [`shares`] and [`growth`] for what is fair; [`scan`] reads the outbox for it, [`settlement`]
//! writes what became of each attempt. For users: `docs/webhooks.md`.

pub mod commits;
pub mod deliver;
pub mod deliveries;
pub mod enqueue;
pub mod growth;
pub mod lane;
pub mod retry;
pub mod scan;
pub mod scanning;
pub mod settlement;
pub mod shares;
pub mod signature;
pub mod slots;
pub mod turns;
pub mod views;

#[cfg(test)]
mod deliver_tests;
#[cfg(test)]
mod enqueue_tests;
#[cfg(test)]
pub(crate) mod testing;
