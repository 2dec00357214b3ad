//! The hub's resources and their transitions.
