//! Joining of phones: codes, the phone's request, the operator's word.
//!
//! # Life cycle
//! [`open`] draws a code, which lives for ten minutes. The phone uses it with `POST /pair`
//! ([`request`]): [`claim`] binds the code to the phone's key and installation, and both sides show
//! six digits that follow from code and key. The operator compares them; [`confirm`] makes the
//! device and its Phones, or gives a replaced device's Phones to the new installation. The phone
//! repeats the same request until it is told so, and the answer to a repeat is the same.
//!
//! ```text
//! open --claim--> claimed --confirm--> confirmed
//!   \ five wrong tries   \ refuse
//!    `-------------------`----------> ended
//! ```

pub mod claim;
pub mod code;
pub mod confirm;
pub mod invitation;
pub mod open;
pub mod request;
pub mod tries;
pub mod wire;

#[cfg(test)]
mod tests;
