//! The engine with the phone's own session.
