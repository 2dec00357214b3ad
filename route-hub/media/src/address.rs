//! Addresses of files that whoever has them may read, for a time, at every hub on one database.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use std::fmt;
use std::sync::Arc;

/// For how many seconds an address is valid at least.
const VALID_S: i64 = 24 * 3_600;
/// For how many seconds a file has the same address, so that an answer stays the same and a browser
/// need not load the file again.
const SAME_S: i64 = 3_600;
/// Bytes of a signature: nobody tries 2^128 of them.
const SIGNATURE_BYTES: usize = 16;

/// What an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The file.
    File,
    /// Its thumbnail.
    Thumbnail,
}

/// What proves that an address was given by the hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Until when it is valid, in seconds since 1970; `None`: as long as the file is there.
    pub expires: Option<i64>,
    /// Who signed it.
    pub signature: String,
}

impl Grant {
    /// Returns when an address ends that is given at a moment, both in seconds since 1970.
    pub fn end(now_s: i64) -> i64 {
        (now_s + VALID_S + SAME_S - 1).div_euclid(SAME_S) * SAME_S
    }
}

/// Signs addresses.
#[derive(Clone)]
pub struct Signer(Arc<hmac::Key>);

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer")
    }
}

impl Signer {
    /// Takes a key: a text that nobody can guess.
    pub fn new(key: &str) -> Self {
        Self(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())))
    }

    /// Grants the use of an address until a moment.
    pub fn grant(&self, what: Address, id: &str, expires: Option<i64>) -> Grant {
        let tag = hmac::sign(&self.0, signed(what, id, expires).as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(&tag.as_ref()[..SIGNATURE_BYTES]);
        Grant { expires, signature }
    }

    /// Says whether a grant is the hub's own and still valid.
    pub fn allows(&self, what: Address, id: &str, grant: &Grant, now_s: i64) -> bool {
        let own = self.grant(what, id, grant.expires);
        let differing = own.signature.bytes().zip(grant.signature.bytes());
        let differing = differing.fold(0, |differing, (own, given)| differing | (own ^ given));
        let is_own = differing == 0 && own.signature.len() == grant.signature.len();
        is_own && grant.expires.is_none_or(|end| now_s < end)
    }
}

fn signed(what: Address, id: &str, expires: Option<i64>) -> String {
    let what = match what {
        Address::File => "file",
        Address::Thumbnail => "thumbnail",
    };
    let expires = expires.map_or_else(|| "-".to_owned(), |at| at.to_string());
    format!("{what} {id} {expires}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_for_one_address_until_its_end() {
        let (signer, other) = (Signer::new("key"), Signer::new("other"));
        let grant = signer.grant(Address::File, "FI1", Some(100));
        assert!(signer.allows(Address::File, "FI1", &grant, 99));
        assert!(!signer.allows(Address::File, "FI1", &grant, 100));
        assert!(!signer.allows(Address::Thumbnail, "FI1", &grant, 99));
        assert!(!signer.allows(Address::File, "FI2", &grant, 99));
        assert!(!other.allows(Address::File, "FI1", &grant, 99));
        let lasting = signer.grant(Address::File, "FI1", None);
        assert!(signer.allows(Address::File, "FI1", &lasting, i64::MAX));
    }

    #[test]
    fn a_changed_grant_is_none() {
        let signer = Signer::new("key");
        let grant = signer.grant(Address::File, "FI1", Some(100));
        let without_end = Grant {
            expires: None,
            ..grant.clone()
        };
        let longer = Grant {
            expires: Some(101),
            ..grant.clone()
        };
        let mut changed = grant.clone();
        changed.signature.replace_range(
            0..1,
            if grant.signature.starts_with('A') {
                "B"
            } else {
                "A"
            },
        );
        let mut cut = grant.clone();
        cut.signature.pop();
        let mut more = grant.clone();
        more.signature.push('A');
        let empty = Grant {
            signature: String::new(),
            ..grant
        };
        for bad in [without_end, longer, changed, cut, more, empty] {
            assert!(!signer.allows(Address::File, "FI1", &bad, 1), "{bad:?}");
        }
    }

    #[test]
    fn an_address_stays_the_same_for_an_hour_and_is_valid_for_a_day() {
        let day = 24 * 3_600;
        assert_eq!(Grant::end(7_200), 7_200 + day);
        assert_eq!(Grant::end(7_201), 10_800 + day);
        assert_eq!(Grant::end(10_800), 10_800 + day);
    }
}
