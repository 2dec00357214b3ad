//! Pairing: how a phone joins with a code.

pub mod ask;
pub mod claim;
pub mod code;
pub mod confirm;
pub mod open;
pub mod request;

#[cfg(test)]
mod tests;
