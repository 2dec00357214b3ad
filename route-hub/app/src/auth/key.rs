//! API keys as people hold them: `prk_<id>_<secret>_<check>`.

use crate::digest::{same, sha256_hex};
use crate::random::Random;
use postrider_model::{ApiKeyId, Key, Secret};

const PREFIX: &str = "prk_";
/// Hex digits of the id.
const ID_LENGTH: usize = 16;
/// Characters of 32 random bytes in base64.
const SECRET_LENGTH: usize = 43;
/// Hex digits that catch a mistyped or cut key before anything is looked up.
const CHECK_LENGTH: usize = 6;

/// A fresh key: the text is shown once, only its hash is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What the customer gets.
    pub text: Secret,
    /// SHA-256 of the whole text in lower hex: what is stored.
    pub hash: String,
}

impl NewKey {
    /// Draws the key of an id.
    pub fn draw(id: ApiKeyId, random: &Random) -> Self {
        let body = format!("{PREFIX}{:016x}_{}", id.get(), random.token::<32>());
        let text = format!("{body}_{}", check(&body));
        Self {
            hash: sha256_hex(text.as_bytes()),
            text: Secret::new(text),
        }
    }
}

/// A key that came with a request and has a key's form.
#[derive(Clone, Copy)]
pub struct GivenKey<'t> {
    /// The id that it names.
    pub id: ApiKeyId,
    text: &'t str,
    body: &'t str,
    check: &'t str,
}

impl<'t> GivenKey<'t> {
    /// Reads a key; `None` when it has not the form of one.
    pub fn read(text: &'t Secret) -> Option<Self> {
        let text = text.as_str();
        let (body, check) = text.rsplit_once('_')?;
        let (id, secret) = body.strip_prefix(PREFIX)?.split_at_checked(ID_LENGTH)?;
        let formed = secret.len() == SECRET_LENGTH + 1 && secret.starts_with('_');
        if !formed || check.len() != CHECK_LENGTH {
            return None;
        }
        let id = i64::from_str_radix(id, 16).ok().and_then(Key::new)?;
        Some(Self {
            id: ApiKeyId::new(id),
            text,
            body,
            check,
        })
    }

    /// Says whether its last digits follow from the others: what does not is not worth a look at
    /// the database.
    pub fn is_whole(&self) -> bool {
        same(self.check, &check(self.body))
    }

    /// Says whether this is the key whose hash is stored.
    pub fn fits(&self, stored_hash: &str) -> bool {
        same(&sha256_hex(self.text.as_bytes()), stored_hash)
    }
}

fn check(body: &str) -> String {
    let mut hash = sha256_hex(body.as_bytes());
    hash.truncate(CHECK_LENGTH);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> ApiKeyId {
        ApiKeyId::new(Key::new(0x1234).unwrap())
    }

    #[test]
    fn a_drawn_key_is_read_back_and_fits_its_hash() {
        for _ in 0..100 {
            let new = NewKey::draw(id(), &Random::new());
            let given = GivenKey::read(&new.text).unwrap();
            assert_eq!(given.id, id());
            assert!(given.is_whole());
            assert!(given.fits(&new.hash));
            assert!(!given.fits(&NewKey::draw(id(), &Random::new()).hash));
        }
    }

    #[test]
    fn a_mistyped_or_cut_key_is_not_whole() {
        let new = NewKey::draw(id(), &Random::new());
        let text = new.text.as_str();
        for broken in [
            "",
            "prk_",
            "prk_nobody",
            &text[1..],
            &text[..text.len() - 1],
            &text.replacen("prk_0", "prk_1", 1),
            &format!("{text}x"),
        ] {
            let broken = Secret::new(broken);
            let given = GivenKey::read(&broken);
            assert!(!given.is_some_and(|given| given.is_whole()));
        }
    }
}
