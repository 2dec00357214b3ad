//! Webhooks: what the hub tells other servers, and how it keeps at it.
//!
//! `enqueue` writes rows into the outbox in the transaction of their cause. [`deliver`] posts
//! them: a thin ring around the machine of `deliveries`, which decides who goes next and when, with
//! `turns`, `shares` and `growth` for what is fair; `scan` reads the outbox for it, `settlement`
//! writes what became of each attempt. For users: `docs/webhooks.md`.

mod commits;
pub mod deliver;
mod deliveries;
pub(crate) mod enqueue;
mod growth;
mod lane;
mod retry;
mod scan;
mod scanning;
mod settlement;
mod shares;
mod signature;
mod slots;
mod turns;

#[cfg(test)]
mod deliver_tests;
#[cfg(test)]
mod enqueue_tests;
#[cfg(test)]
pub(crate) mod testing;
