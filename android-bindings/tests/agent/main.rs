//! The bindings as the shell uses them, with a hub double behind.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

mod life;
mod shell;
