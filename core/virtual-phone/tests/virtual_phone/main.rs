//! A virtual phone at a small hub, as a library and as a process.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

mod process;
mod support;
mod way_of_a_message;
