//! The hub's own proof that it made an exposure: an HMAC with a key that no phone has.
//!
//! The key is made once and kept in the database, so that every backup has it: a hub whose data went
//! backwards still recognizes its own proof when a phone shows it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hub_store::{Store, StoreError, meta};
use postrider_link::frame::InstallId;
use postrider_link::proof::{PROOF_BYTES, Proof, exposure_bytes};
use postrider_model::{DeviceId, MessageId};
use ring::hmac;

/// The key of the hub's proofs.
#[derive(Debug, Clone)]
pub struct Proofs(hmac::Key);

impl Proofs {
    /// Takes a key: a text that nobody can guess.
    pub fn new(key: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()))
    }

    /// Reads the key that is kept, and keeps `fresh` where there is none yet.
    pub fn kept(store: &Store, fresh: String) -> Result<Self, StoreError> {
        let kept = store.read_blocking(meta::kept_proof_key)?;
        let key = match kept {
            Some(key) => key,
            None => store.write_blocking(move |tx| meta::proof_key(tx, &fresh))?,
        };
        Ok(Self::new(&key))
    }

    /// Returns a key of the hub's for something else, which tells nothing of this one.
    pub(super) fn key_for(&self, purpose: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.0, purpose))
    }

    /// Proves that `id` was exposed to an installation of `device` as `ep`.
    pub fn of(&self, device: DeviceId, install: &InstallId, id: MessageId, ep: u32) -> Proof {
        let bytes = exposure_bytes(device, install, id, ep);
        let tag = hmac::sign(&self.0, &bytes);
        let mut proof = [0; PROOF_BYTES];
        proof.copy_from_slice(&tag.as_ref()[..PROOF_BYTES]);
        Proof(proof)
    }

    /// Says whether a shown proof is this hub's own, in a time that tells nothing about it.
    pub fn is_own(shown: &Proof, own: &Proof) -> bool {
        let pairs = shown.0.iter().zip(own.0);
        pairs.fold(0, |differing, (shown, own)| differing | (shown ^ own)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn message(n: i64) -> MessageId {
        MessageId::new(Key::new(n).unwrap())
    }

    #[test]
    fn a_proof_speaks_of_one_exposure_to_one_installation_by_one_hub() {
        let (proofs, device) = (Proofs::new("key"), DeviceId::new(Key::new(1).unwrap()));
        let install = |n: u8| {
            format!("install-of-tests-{n}")
                .parse::<InstallId>()
                .unwrap()
        };
        let own = proofs.of(device, &install(1), message(5), 1);
        assert!(Proofs::is_own(
            &own,
            &proofs.of(device, &install(1), message(5), 1)
        ));
        let another = DeviceId::new(Key::new(2).unwrap());
        for other in [
            proofs.of(another, &install(1), message(5), 1),
            proofs.of(device, &install(2), message(5), 1),
            proofs.of(device, &install(1), message(6), 1),
            proofs.of(device, &install(1), message(5), 2),
            Proofs::new("another key").of(device, &install(1), message(5), 1),
        ] {
            assert!(!Proofs::is_own(&own, &other));
        }
    }
}
