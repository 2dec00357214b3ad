//! The phone's journal in SQLite.
