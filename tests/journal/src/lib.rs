//! Proof that a phone's journal keeps what it confirmed.
//!
//! [`vfs`] stands between SQLite and the file system: it records each write, sync, truncation
//! and deletion, and fails chosen calls. [`life`] is the history of a journal in
//! such a run, driven by a real phone's machine. [`replay`] makes, for every moment of a run, the
//! files that a power loss would have left. The tests open those with the real journal.

pub mod life;
pub mod replay;
pub mod seeded;
pub mod state;
pub mod vfs;
