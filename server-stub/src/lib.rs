//! A hub double: it speaks the link as the real hub does, breaks it on purpose, and judges the
//! phone by what it saw.
//!
//! ```text
//!   scenario ──> engine ──> faults ──> socket ──> phone
//!      ^           ^                     |
//!   control        +──── watch <─────────+
//!                          |
//!                          +──> verdict
//! ```
//!
//! [`scenario`] reads what shall happen, [`engine`] is the hub (the production session and
//! ownership over a memory), [`watch`] judges by what crossed the wire, [`verdict`] says it.
//! None of them has a clock, a socket or a random number; [`Stub`] is the thin ring around them.

pub mod engine;
mod ring;
pub mod scenario;
pub mod verdict;
pub mod watch;

pub use ring::{Stopper, Stub, StubConfig, StubError};
