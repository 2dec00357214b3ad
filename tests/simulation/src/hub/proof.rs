//! The double's proof that it made an exposure: no phone of a run can make one.

use postrider_link::{
    ownership::hub::Holder,
    proof::{PROOF_BYTES, Proof, exposure_bytes},
};
use postrider_model::MessageId;

/// Returns the proof of an exposure.
pub(super) fn of(by: &Holder, id: MessageId, ep: u32) -> Proof {
    let bytes = exposure_bytes(by.device, &by.install, id, ep);
    let half = |start: u64| {
        let take_up =
            |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        bytes.iter().fold(start, take_up).to_be_bytes()
    };
    let mut proof = [0; PROOF_BYTES];
    proof[..8].copy_from_slice(&half(0xcbf2_9ce4_8422_2325));
    proof[8..].copy_from_slice(&half(0x6c62_272e_07bb_0142));
    Proof(proof)
}
