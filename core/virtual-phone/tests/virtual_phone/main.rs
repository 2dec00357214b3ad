//! A virtual phone at a small hub, as a library and as a process.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

mod ends;
mod kinds;
mod link;
mod process;
mod profiles;
mod support;
mod way_of_a_message;
