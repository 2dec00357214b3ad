//! The phone's own key, by which the hub recognises it.

use crate::{files, random};
use ring::signature::{Ed25519KeyPair, KeyPair};
use std::{io, path::Path};

/// The name of the key's file in a phone's folder.
const KEY_FILE: &str = "identity.pk8";

/// The kinds of key that a hub accepts, by the name that pairing gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAlgorithm {
    /// ECDSA on P-256 with SHA-256: what an Android keystore makes.
    P256,
    /// Ed25519: what a software key is.
    Ed25519,
}

impl KeyAlgorithm {
    /// Returns the name that travels in pairing.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::P256 => "p256",
            Self::Ed25519 => "ed25519",
        }
    }
}

/// Says why the phone's key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The key's file could not be read or written.
    #[error("the phone's key file cannot be used: {0}")]
    File(#[from] io::Error),
    /// The key's file holds something else.
    #[error("the phone's key file is damaged: the phone must be paired again")]
    Damaged,
    /// The system or the keystore would not make a key or a signature.
    #[error("the keystore refused")]
    Refused,
}

/// A key pair that never leaves the place where it was made: it signs, and never shows its private
/// half.
pub trait Identity: Send + Sync + 'static {
    /// Returns which kind of key this is.
    fn algorithm(&self) -> KeyAlgorithm;

    /// Returns the public half: the raw 32 bytes of Ed25519, the uncompressed point of P-256.
    fn public_key(&self) -> &[u8];

    /// Signs `bytes`.
    fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, IdentityError>;
}

/// An Ed25519 key kept in a file of the phone's folder, for phones without a keystore.
#[derive(Debug)]
pub struct SoftwareIdentity(Ed25519KeyPair);

impl SoftwareIdentity {
    /// Opens the key in a folder, or makes one that only its owner can read. A damaged file stays
    /// as it is.
    pub fn open(folder: &Path) -> Result<Self, IdentityError> {
        let path = folder.join(KEY_FILE);
        if let Some(bytes) = files::read(&path)? {
            return Self::from_pkcs8(&bytes);
        }
        let made = Ed25519KeyPair::generate_pkcs8(&random::system())
            .map_err(|_| IdentityError::Refused)?;
        files::write_private(&path, made.as_ref())?;
        Self::from_pkcs8(made.as_ref())
    }

    fn from_pkcs8(bytes: &[u8]) -> Result<Self, IdentityError> {
        Ed25519KeyPair::from_pkcs8(bytes)
            .map(Self)
            .map_err(|_| IdentityError::Damaged)
    }
}

impl Identity for SoftwareIdentity {
    fn algorithm(&self) -> KeyAlgorithm {
        KeyAlgorithm::Ed25519
    }

    fn public_key(&self) -> &[u8] {
        self.0.public_key().as_ref()
    }

    fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, IdentityError> {
        Ok(self.0.sign(bytes).as_ref().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ED25519, UnparsedPublicKey};

    #[test]
    fn a_folder_keeps_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let made = SoftwareIdentity::open(folder.path()).unwrap();
        let opened = SoftwareIdentity::open(folder.path()).unwrap();
        assert_eq!(made.public_key(), opened.public_key());
        let other = tempfile::tempdir().unwrap();
        let stranger = SoftwareIdentity::open(other.path()).unwrap();
        assert_ne!(made.public_key(), stranger.public_key());
    }

    #[test]
    fn what_it_signs_its_public_key_confirms() {
        let folder = tempfile::tempdir().unwrap();
        let identity = SoftwareIdentity::open(folder.path()).unwrap();
        let signature = identity.sign(b"nonce").unwrap();
        let public = UnparsedPublicKey::new(&ED25519, identity.public_key());
        assert!(public.verify(b"nonce", &signature).is_ok());
        assert!(public.verify(b"another", &signature).is_err());
    }

    #[test]
    fn a_damaged_key_file_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(KEY_FILE);
        std::fs::write(&path, b"not a key").unwrap();
        let refused = SoftwareIdentity::open(folder.path());
        assert!(matches!(refused, Err(IdentityError::Damaged)));
        assert_eq!(std::fs::read(&path).unwrap(), b"not a key");
    }

    #[test]
    fn only_the_owner_may_read_the_key() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        SoftwareIdentity::open(folder.path()).unwrap();
        let metadata = std::fs::metadata(folder.path().join(KEY_FILE)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o077, 0);
    }
}
