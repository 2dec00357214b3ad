//! The hub's own proof that it made an exposure.
//!
//! A hub whose data went back has forgotten exposures that it made. Only the phones know of
//! them, and a phone may claim anything. So each `send` carries a proof, and the phone keeps it and
//! shows it in its `held` pages: a row with the proof comes from the hub itself. The proof is an
//! HMAC; the rings make and check it, and the pure code sees only whether a row is proven.

use crate::frame::InstallId;
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use postrider_model::{DeviceId, MessageId};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{borrow::Cow, fmt};

/// Begins the bytes of a proof, so that they have no other meaning.
pub const EXPOSURE_PURPOSE: &str = "postrider-exposure-v1";
/// How long a proof is: the first half of an HMAC with SHA-256.
pub const PROOF_BYTES: usize = 16;

/// A proof; it means nothing to a phone, and prints as `<proof>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proof(pub [u8; PROOF_BYTES]);

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<proof>")
    }
}

impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD_NO_PAD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let mut proof = [0; PROOF_BYTES];
        match STANDARD_NO_PAD.decode_slice(text.as_bytes(), &mut proof) {
            Ok(PROOF_BYTES) => Ok(Self(proof)),
            _ => Err(de::Error::custom("is not a proof")),
        }
    }
}

/// Returns the bytes whose HMAC proves that `id` was exposed to an installation of `device` as
/// `ep`. The fields are separated by `|`; none of them can contain one.
pub fn exposure_bytes(device: DeviceId, install: &InstallId, id: MessageId, ep: u32) -> Vec<u8> {
    let install = install.as_str();
    format!("{EXPOSURE_PURPOSE}|{device}|{install}|{id}|{ep}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    #[test]
    fn the_proven_bytes_are_fixed() {
        let install: InstallId = "install-0000-0001".parse().unwrap();
        let (device, id) = (
            DeviceId::new(Key::new(1).unwrap()),
            MessageId::new(Key::new(2).unwrap()),
        );
        insta::assert_snapshot!(
            String::from_utf8(exposure_bytes(device, &install, id, 3)).unwrap(),
            @"postrider-exposure-v1|DV0000000000000001|install-0000-0001|SM0000000000000002|3"
        );
    }

    #[test]
    fn a_proof_travels_as_base64_of_one_length() {
        let proof = Proof([0xfb; PROOF_BYTES]);
        let text = serde_json::to_string(&proof).unwrap();
        assert_eq!(text, r#""+/v7+/v7+/v7+/v7+/v7+w""#);
        assert_eq!(serde_json::from_str::<Proof>(&text).unwrap(), proof);
        for other in [
            "",
            "AAAA",
            "+/v7+/v7+/v7+/v7+/v7+w==",
            "+/v7+/v7+/v7+/v7+/v7+/v7",
        ] {
            let text = format!("{other:?}");
            assert!(serde_json::from_str::<Proof>(&text).is_err(), "{other}");
        }
        assert_eq!(format!("{proof:?}"), "<proof>");
    }
}
