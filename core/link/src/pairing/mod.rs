//! The six digits of a pairing. Neither side can choose them, nor anybody in between.
//!
//! Both sides show the same digits when the hub has the phone's own key. Whoever puts in another
//! key must be unable to search for one that gives the same digits, so nobody who knows the other
//! inputs may choose the last one:
//!
//! ```text
//! phone                                       hub
//!   draws a number
//!   commitment (hides key and number)  ---->    keeps the first commitment of a code, no other
//!                                      <----    draws a number and tells it, the same each time
//!   opens it: key and number           ---->    must fit the commitment, or the code ends
//!   six digits                                  six digits
//! ```
//!
//! [`PhoneSide`] opens for one number of the hub, [`CodeUse`] gives its number for one commitment.
//! So somebody in between has one try with a chance of one in a million. SHA-256 comes in as a
//! function, because this crate depends on no cryptography library.

mod hub;
mod phone;

pub use hub::{CodeUse, Refused};
pub use phone::{Opening, PhoneSide};

use crate::frame::InstallId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// SHA-256.
pub type Sha256 = fn(&[u8]) -> [u8; 32];

/// Begins the bytes of a commitment, so that they have no other meaning.
const COMMITMENT_PURPOSE: &str = "postrider-pair-commitment-v2";
/// Begins the bytes from which the six digits are computed.
const DIGITS_PURPOSE: &str = "postrider-pair-digits-v2";

/// The text is not the base64 of 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotThirtyTwoBytes;

impl fmt::Display for NotThirtyTwoBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be the base64 of 32 bytes")
    }
}

impl std::error::Error for NotThirtyTwoBytes {}

macro_rules! thirty_two_bytes {
    ($(#[$doc:meta])* $name:ident, $shown:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// Returns the base64 that travels and is stored.
            pub fn base64(&self) -> String {
                STANDARD.encode(self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotThirtyTwoBytes;

            fn from_str(text: &str) -> Result<Self, NotThirtyTwoBytes> {
                let bytes = STANDARD.decode(text).map_err(|_| NotThirtyTwoBytes)?;
                bytes.try_into().map(Self).map_err(|_| NotThirtyTwoBytes)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($shown)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.base64())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    };
}

thirty_two_bytes! {
    /// A random number of one side, drawn for one pairing.
    Number, "<number>"
}

thirty_two_bytes! {
    /// Binds a phone to a key and a number without revealing them.
    Commitment, "<commitment>"
}

/// Who wants to join: what both sides must agree on.
#[derive(Clone, Copy)]
pub struct Joiner<'a> {
    /// The code as it was typed or scanned.
    pub code: &'a str,
    /// The name of the kind of key.
    pub key_algorithm: &'a str,
    /// The public key.
    pub public_key: &'a [u8],
    /// The phone's installation.
    pub install: &'a InstallId,
}

impl Joiner<'_> {
    /// Returns the commitment to this phone and its number.
    ///
    /// No algorithm name or installation contains a `|`, and the number has a
    /// fixed length, so two different phones never give the same bytes.
    pub fn commitment(&self, number: &Number, sha256: Sha256) -> Commitment {
        let (algorithm, install) = (self.key_algorithm, self.install.as_str());
        let head = format!("{COMMITMENT_PURPOSE}|{algorithm}|{install}|");
        let bytes = [head.as_bytes(), &number.0, self.public_key].concat();
        Commitment(sha256(&bytes))
    }

    /// Returns the six digits computed from the code, this phone and both numbers.
    ///
    /// Spaces, dashes and case in the code make no difference.
    pub fn digits(&self, own: &Number, hubs: &Number, sha256: Sha256) -> String {
        let counts = |c: &char| !c.is_whitespace() && *c != '-';
        let code: String = self.code.chars().filter(counts).collect();
        let head = format!("{DIGITS_PURPOSE}|{}|", code.to_ascii_uppercase());
        let commitment = self.commitment(own, sha256);
        let numbers = [head.as_bytes(), &commitment.0, &own.0, &hubs.0].concat();
        let hash = sha256(&[&numbers, self.public_key].concat());
        six_digits(&hash)
    }
}

/// The remainder of 64 bits: no digits are more likely than others by more than one in 10^13.
fn six_digits(hash: &[u8; 32]) -> String {
    let first = hash[..8]
        .iter()
        .fold(0, |sum: u64, byte| (sum << 8) | u64::from(*byte));
    format!("{:06}", first % 1_000_000)
}
