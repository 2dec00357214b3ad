//! The agent's own types as Kotlin sees them: the same names, the same fields.
//!
//! Ids, texts and addresses cross as strings, slots and times as numbers. An invalid value
//! (a slot above the highest, a malformed id) is an exception at the border.

mod book;
mod condition;
mod events;
mod facts;
mod incoming;
mod owner;
mod pairing;
mod queues;
mod tasks;
mod values;

pub use queues::{KindWaiting, SimQueue, Wait};
