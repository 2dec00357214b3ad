//! How phones join: a code, the phone's requests, the operator's confirmation.
//!
//! # Life cycle
//! [`open`](hub_app::pairing::open) draws a code, which lives for ten minutes. The phone uses it with two `POST /pair`
//! ([`request`], [`claim`](hub_app::pairing::claim)): the first binds the code to a key and a number that the phone does not
//! tell yet, and is told the hub's number; the second tells them, and both sides show six digits
//! that follow from the code, the key and both numbers ([`postrider_link::pairing`]). The operator
//! compares them; [`confirm`](hub_app::pairing::confirm) makes the device and its Phones, or gives a replaced device's Phones to
//! the new installation. The phone repeats the second request until it is told so, and the answer to
//! a repeat is the same.
//!
//! ```text
//! open --commit--> committed --open--> claimed --confirm--> confirmed
//!   \ five wrong tries  \ another key   \ refuse
//!    `------------------`---------------`-------> ended
//! ```

pub mod offer;
pub mod page;
pub mod request;
mod wire;

#[cfg(test)]
mod tests;
