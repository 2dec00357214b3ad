//! What the hub gives a phone, and when: the rules of its dispatcher, without its database.
//!
//! [`newest`] says which connection of a device counts, [`link`] what one connection commits and what
//! follows, [`hello`] what an admission stores, [`held`] what a phone's own list of its exposures
//! means, [`turn`] in which order one commit does its work, [`window`] how many exposures a SIM may
//! have, [`freeze`] what waits after the hub went backwards. Those that store something stand over
//! small traits of rows. The hub implements these on its tables, the simulation and `server-stub` in
//! memory, so that what they run is what ships (`docs/adr/0020-one-hub.md`).

pub mod freeze;
pub mod held;
pub mod hello;
pub mod link;
pub mod newest;
pub mod turn;
pub mod window;
