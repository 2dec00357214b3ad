//! The border as the shell uses it, with a hub double behind it.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

mod life;
mod shell;
