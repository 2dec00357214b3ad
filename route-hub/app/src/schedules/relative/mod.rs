//! Messages scheduled relative to a date that contacts have in a variable.

pub mod follow;
pub mod view;
