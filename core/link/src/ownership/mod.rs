//! Ownership of one message: who may send it.
//!
//! *Exposed* means committed to (device, install, `ep`) before the frame is written. The hub may
//! expose a message again only with proof, and the proofs are the only ways back to
//! [`hub::HubState::Waiting`]:
//!
//! - R0 it was never exposed;
//! - R1 the phone durably answered `revoked` (or `cancelled`);
//! - R2 a newer connection of the same install shows in hello that it never received it;
//! - R3 the phone reported a final `failed`, provably with no part sent;
//! - R4 the outcome is unknown and the sender chose to send again.
//!
//! No timer ever frees a message for another phone: a timer cannot undo a submit already made.
//! What cannot be known is reported as unknown. Later proof corrects that
//! to `sent` or higher, or to failed with `never_sent`, and never queues it again.
//!
//! [`hub`] holds the hub's side, [`phone`] the phone's. Both are pure: a fact goes in, the new
//! state and everything that must be done come out, and the caller commits both together.

pub mod hub;
pub mod phone;
