//! Joining of phones: what becomes of a code.

pub mod claim;
pub mod code;
pub mod confirm;
pub mod open;
pub mod tries;
pub mod wire;
