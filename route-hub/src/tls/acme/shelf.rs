//! The files of an authority in the data folder: the hub's account there, and a key and certificate for each name.

use crate::tls::acme::due::Validity;
use crate::tls::certified::{certificates, certified, private_key, read};
use crate::tls::{TlsError, private};
use postrider_model::UnixMs;
use rustls::sign::CertifiedKey;
use std::fs;
use std::path::{Path, PathBuf};
use x509_parser::parse_x509_certificate;

/// The name of the account's file.
const ACCOUNT_FILE: &str = "account.json";
/// How the files of keys and certificates end.
const CERTIFICATE_ENDING: &str = "pem";

/// The folder of an authority.
pub(super) struct Shelf(PathBuf);

/// A key and the chain of its certificate, in PEM.
pub(super) struct Issued {
    pub(super) key: String,
    pub(super) chain: String,
}

/// A certificate of the shelf.
pub(super) struct Kept {
    pub(super) certified: CertifiedKey,
    pub(super) validity: Validity,
}

impl Shelf {
    /// Opens the folder of the authority that has this directory.
    pub(super) fn open(folder: &Path, directory: &str) -> Result<Self, TlsError> {
        let path = folder.join(file_name(directory));
        private::folder(&path)?;
        Ok(Self(path))
    }

    /// Reads the account; `None` before there is one.
    pub(super) fn account(&self) -> Result<Option<String>, TlsError> {
        let path = self.0.join(ACCOUNT_FILE);
        if !private::is_there(&path)? {
            return Ok(None);
        }
        let read = fs::read_to_string(&path);
        read.map(Some)
            .map_err(|error| TlsError::file(&path, &error))
    }

    /// Keeps the account.
    pub(super) fn keep_account(&self, text: &str) -> Result<(), TlsError> {
        private::write(&self.0.join(ACCOUNT_FILE), text)
    }

    /// Forgets the account.
    pub(super) fn forget_account(&self) -> Result<(), TlsError> {
        let path = self.0.join(ACCOUNT_FILE);
        fs::remove_file(&path).map_err(|error| TlsError::file(&path, &error))
    }

    /// Reads the certificate of a name; `None` before there is one.
    pub(super) fn certificate(&self, name: &str) -> Result<Option<Kept>, TlsError> {
        let path = self.path_of(name);
        if private::is_there(&path)? {
            kept(&path, &read(&path)?).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Keeps a key and its certificates in place of those that a name had.
    pub(super) fn keep_certificate(&self, name: &str, issued: &Issued) -> Result<Kept, TlsError> {
        let path = self.path_of(name);
        let pem = format!("{}{}", issued.key, issued.chain);
        let kept = kept(&path, pem.as_bytes())?;
        private::write(&path, &pem)?;
        Ok(kept)
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.{CERTIFICATE_ENDING}"))
    }
}

/// Returns what names an authority's folder: its directory without what no file name may have.
fn file_name(directory: &str) -> String {
    let address = directory
        .split_once("://")
        .map_or(directory, |(_, rest)| rest);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let plain = |c| if is_plain(c) { c } else { '_' };
    address.trim_end_matches('/').chars().map(plain).collect()
}

fn kept(path: &Path, pem: &[u8]) -> Result<Kept, TlsError> {
    let certified = certified(certificates(path, pem)?, &private_key(path, pem)?)?;
    let validity = validity(&certified);
    let validity = validity.ok_or_else(|| TlsError::file(path, &"holds no X.509 certificate"))?;
    Ok(Kept {
        certified,
        validity,
    })
}

fn validity(certified: &CertifiedKey) -> Option<Validity> {
    let (_, parsed) = parse_x509_certificate(certified.cert.first()?).ok()?;
    let unix = |seconds: i64| UnixMs(seconds.saturating_mul(1_000));
    Some(Validity {
        from: unix(parsed.validity().not_before.timestamp()),
        until: unix(parsed.validity().not_after.timestamp()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    const DIRECTORY: &str = "https://acme-v02.api.letsencrypt.org/directory";

    #[test]
    fn each_authority_has_its_folder() {
        assert_eq!(
            file_name(DIRECTORY),
            "acme-v02.api.letsencrypt.org_directory"
        );
        assert_eq!(
            file_name("https://ca.lan:9000/acme/a/"),
            "ca.lan_9000_acme_a"
        );
        assert_eq!(file_name("https://../../x"), ".._.._x");
    }

    #[test]
    fn what_is_kept_is_read_again_with_its_validity() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(dir.path(), DIRECTORY).unwrap();
        assert!(shelf.certificate("hub.example").unwrap().is_none());
        let mut params = CertificateParams::new(vec!["hub.example".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2026, 1, 1);
        params.not_after = date_time_ymd(2026, 4, 1);
        let key = KeyPair::generate().unwrap();
        let issued = Issued {
            key: key.serialize_pem(),
            chain: params.self_signed(&key).unwrap().pem(),
        };
        shelf.keep_certificate("hub.example", &issued).unwrap();
        let kept = shelf.certificate("hub.example").unwrap().unwrap();
        let expected = Validity {
            from: UnixMs(1_767_225_600_000),
            until: UnixMs(1_775_001_600_000),
        };
        assert_eq!(kept.validity, expected);
        assert_eq!(kept.certified.cert.len(), 1);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(dir.path(), DIRECTORY).unwrap();
        fs::write(shelf.path_of("hub.example"), "nothing").unwrap();
        let refused = shelf.certificate("hub.example").err().unwrap();
        assert!(refused.to_string().contains("hub.example.pem"), "{refused}");
    }

    #[test]
    fn an_account_is_kept_until_it_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(dir.path(), DIRECTORY).unwrap();
        assert_eq!(shelf.account().unwrap(), None);
        shelf.keep_account("{}").unwrap();
        assert_eq!(shelf.account().unwrap().as_deref(), Some("{}"));
        shelf.forget_account().unwrap();
        assert_eq!(shelf.account().unwrap(), None);
    }
}
