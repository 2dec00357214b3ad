//! What the hub gives a phone, and when: the rules of its dispatcher, without its database.
//!
//! [`freeze`] says what waits after the hub went backwards, [`window`] how many exposures a SIM may
//! have, [`turn`] in which order one commit of a link does its work. Each stands over a small trait
//! of rows. The hub implements it on its tables, the simulation and `server-stub` in memory, so that
//! what they run is what ships (`docs/adr/0020-one-hub.md`).

pub mod freeze;
pub mod turn;
pub mod window;
