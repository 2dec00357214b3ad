//! What the hub gives a phone, and when: the rules of its dispatcher, without its database.
//!
//! - [`newest`]: which connection of a device counts;
//! - [`link`]: what one connection commits, and what follows;
//! - [`hello`]: what an admission stores;
//! - [`held`]: what a phone's own list of its exposures means;
//! - [`turn`]: the order of the work in one commit;
//! - [`window`]: how many exposures a SIM may have;
//! - [`freeze`]: what waits after the hub went backwards.
//!
//! Rules that store something use small traits of rows. The hub implements them on its tables, its
//! doubles in memory, so the doubles run the code that ships (`docs/adr/0020-one-hub.md`).

pub mod freeze;
pub mod held;
pub mod hello;
pub mod link;
pub mod newest;
pub mod turn;
pub mod window;
