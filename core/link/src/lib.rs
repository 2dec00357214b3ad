//! The link between phone and hub: frames, sessions of both roles, and ownership of a message.
//!
//! It promises two things. Every message exposed to a phone is either handed to the radio at most
//! once per proof or returned with proof that it was not. Every fact from the phone reaches the hub
//! at least once and counts once. Nothing here depends on comparing two machines' clocks.
//!
//! Everything is pure: time comes in with each call; there is no socket, no file, no random
//! number, and no key. The rings on both sides do what the machines say, in the order given in
//! their module documentation.
//!
//! # Life of a message
//!
//! 1. The hub commits the exposure ([`ownership::hub::Fact::Exposed`]) with its place in the
//!    phone's downward sequence ([`session::hub::HubSession::assign_send`]), then the frame is
//!    written ([`session::hub::HubSession::down_committed`]).
//! 2. [`codec`] writes and reads [`frame::Send`]; the phone's session hands it to the machines
//!    once ([`session::phone::Received`]), whatever is repeated on the way.
//! 3. [`ownership::phone::Claim::offer`] says whether it may be accepted; the row and the raised
//!    `down` are one commit, and only then the ack is sent.
//! 4. Each step there ([`ownership::phone::Claim::after`]) is stored with the fact that reports
//!    it ([`session::phone::PhoneSession::put`]), and only then the fact is sent.
//! 5. The hub commits the fact: `up`, the row as [`ownership::hub::Ownership::apply`] left it,
//!    the status and its webhook are one transaction; then it acks.
//!
//! It may be cut anywhere: what was committed is resumed by number, what was not is done again, and
//! what cannot be known is reported as unknown.
//!
//! # Modules
//!
//! [`frame`] the typed frames, [`codec`] strict reading and writing, [`close`] close codes,
//! [`limits`] every bound, [`signature`] what hello signs, [`proof`] what shows an exposure,
//! [`pairing`] the six digits of both sides, [`clock`] published times,
//! [`session`] both ends of a connection, [`ownership`] both sides of a message, [`dispatch`] what
//! the hub gives a phone and when.

pub mod clock;
pub mod close;
pub mod codec;
pub mod dispatch;
pub mod frame;
pub mod limits;
pub mod mistake;
pub mod ownership;
pub mod pairing;
pub mod proof;
pub mod session;
pub mod signature;
