//! Joining of phones: codes, the phone's request, the operator's word.

pub mod code;
