//! Proof that a phone's journal keeps what it confirmed.
//!
//! [`vfs`] stands between SQLite and the file system: it writes down each write, sync, truncation
//! and deletion, and fails the calls that it is told to. [`life`] is what a journal goes through in
//! such a run: a phone's own machine drives it. [`replay`] makes, for every moment of a run, the
//! files that a power loss would have left. The tests open those with the real journal.

pub mod life;
pub mod replay;
pub mod seeded;
pub mod state;
pub mod vfs;
