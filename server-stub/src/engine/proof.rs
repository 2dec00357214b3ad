//! The double's proof that it made an exposure: as the hub's, with a key that is no secret.

use postrider_link::ownership::hub::Holder;
use postrider_link::proof::{PROOF_BYTES, Proof, exposure_bytes};
use postrider_model::MessageId;
use ring::hmac;

/// Returns the proof of an exposure.
pub(super) fn of(by: &Holder, id: MessageId, ep: u32) -> Proof {
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"a hub double");
    let tag = hmac::sign(&key, &exposure_bytes(by.device, &by.install, id, ep));
    let mut proof = [0; PROOF_BYTES];
    proof.copy_from_slice(&tag.as_ref()[..PROOF_BYTES]);
    Proof(proof)
}
