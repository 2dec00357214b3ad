//! The stub over loopback, with real agents.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

mod control;
mod dials;
mod faults;
mod program;
mod scenarios;
mod support;
