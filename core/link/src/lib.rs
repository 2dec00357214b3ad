//! The link between phone and hub: frames, sessions, ownership.
pub mod clock;
pub mod close;
pub mod codec;
pub mod frame;
pub mod limits;
pub mod ownership;
pub mod session;
pub mod signature;
