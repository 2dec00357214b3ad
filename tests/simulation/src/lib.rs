//! Hub and phones in virtual time: one seed, one run, and a model that says what may be true.
//!
//! # What is real
//!
//! - both ends of the link, ownership on both sides, and every machine of the phone, as production
//!   compiles them;
//! - the phone's journal, in the suite that asks for it; elsewhere one in memory that is proven to
//!   do the same.
//!
//! # What is simulated
//!
//! - the ring of a phone, in production's order: rows, sync, world; it may die at every await;
//! - the hub's dispatcher, over rows in memory;
//! - radios, platforms, networks, clocks, disks, owners and operators, with their faults.
//!
//! # A run
//!
//! A [`plan::Plan`] is drawn from a seed. [`world::World`] lets it happen, one event at a time. The
//! [`model::Model`] judges each hand-over, each part on the air and each status that is shown. At
//! the end the weather clears: then everything must come to an end, and phones must send again. A
//! run that breaks a rule is made smaller by [`shrink`] and told by [`story`].
//!
//! # What it would see
//!
//! For each rule there is a mistake that a test plants in runs, and that has to be reported as a
//! breach of that rule (`tests/mistakes`). What a range never reached is named, too: it proves
//! nothing about that.

pub mod coverage;
pub mod hub;
pub mod journal;
pub mod log;
mod mistakes;
pub mod model;
pub mod net;
pub mod phone;
pub mod plan;
pub mod platform;
pub mod random;
pub mod range;
pub mod required;
pub mod run;
pub mod shrink;
pub mod story;
pub mod world;
