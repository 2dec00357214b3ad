//! The book as a shell drives it: what it says is kept and shown, also across the end of the
//! process.

mod alerts;
mod contact;
mod log;
mod shell;
