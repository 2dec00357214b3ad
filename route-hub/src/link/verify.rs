//! Checking that a hello was signed with the device's own key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_domain::Device;
use postrider_link::frame::{Hello, Nonce};
use postrider_link::signature::expected_bytes;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey, VerificationAlgorithm};

/// Says whether `hello` was signed for one of `host_names` and this nonce with the device's key.
pub fn is_signed(hello: &Hello, nonce: &Nonce, device: &Device, host_names: &[String]) -> bool {
    let algorithm: &dyn VerificationAlgorithm = match device.key_algorithm.as_str() {
        "ed25519" => &ED25519,
        "p256" => &ECDSA_P256_SHA256_ASN1,
        _ => return false,
    };
    let Ok(key) = STANDARD.decode(&device.public_key) else {
        return false;
    };
    let key = UnparsedPublicKey::new(algorithm, key);
    let signed_for = |host: &String| key.verify(&expected_bytes(host, nonce, hello), &hello.sig.0);
    host_names.iter().any(|host| signed_for(host).is_ok())
}
