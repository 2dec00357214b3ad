//! Whether a hello was signed with the phone's own key.

use super::memory::{Device, KeyAlgorithm};
use postrider_link::frame::{Hello, Nonce};
use postrider_link::signature::expected_bytes;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey, VerificationAlgorithm};

/// Returns whether `hello` was signed for `host` and `nonce` with the device's key.
pub(super) fn is_signed(hello: &Hello, nonce: &Nonce, device: &Device, host: &str) -> bool {
    let algorithm: &dyn VerificationAlgorithm = match device.algorithm {
        KeyAlgorithm::Ed25519 => &ED25519,
        KeyAlgorithm::P256 => &ECDSA_P256_SHA256_ASN1,
    };
    let key = UnparsedPublicKey::new(algorithm, &device.key);
    let bytes = expected_bytes(host, nonce, hello);
    key.verify(&bytes, &hello.sig.0).is_ok()
}
