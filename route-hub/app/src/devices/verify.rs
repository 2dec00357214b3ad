//! Checking that a hello was signed with a device's key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_domain::Device;
use hub_store::lost_installs::FormerKey;
use postrider_link::frame::{Hello, Nonce};
use postrider_link::signature::expected_bytes;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey, VerificationAlgorithm};

/// A public key as it is stored, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceKey {
    /// The kind of key, by the name that pairing gives it.
    pub algorithm: String,
    /// The key in base64.
    pub public: String,
}

impl From<FormerKey> for DeviceKey {
    fn from(former: FormerKey) -> Self {
        Self {
            algorithm: former.algorithm,
            public: former.public,
        }
    }
}

impl DeviceKey {
    /// Returns the present key of a device.
    pub fn of(device: &Device) -> Self {
        Self {
            algorithm: device.key_algorithm.clone(),
            public: device.public_key.clone(),
        }
    }

    /// Says whether `hello` was signed for one of `hosts` and this nonce with this key.
    pub fn has_signed(&self, hello: &Hello, nonce: &Nonce, hosts: &[String]) -> bool {
        let algorithm: &dyn VerificationAlgorithm = match self.algorithm.as_str() {
            "ed25519" => &ED25519,
            "p256" => &ECDSA_P256_SHA256_ASN1,
            _ => return false,
        };
        let Ok(key) = STANDARD.decode(&self.public) else {
            return false;
        };
        let key = UnparsedPublicKey::new(algorithm, key);
        let signed_for =
            |host: &String| key.verify(&expected_bytes(host, nonce, hello), &hello.sig.0);
        hosts.iter().any(|host| signed_for(host).is_ok())
    }
}
