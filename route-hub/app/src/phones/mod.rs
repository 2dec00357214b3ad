//! Phones.

pub mod model;
