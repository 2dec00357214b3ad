//! A key and a certificate of the hub's own, made once, for a hub that phones know by its key.

use crate::tls::certified::{certificates, certified, private_key, read};
use crate::tls::{TlsError, private};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, DnType, KeyPair, PublicKeyData as _};
use ring::digest::{SHA256, digest};
use rustls::sign::CertifiedKey;
use std::net::IpAddr;
use std::path::Path;

/// Where the key is, in the hub's folder for TLS.
const KEY_FILE: &str = "self-signed.key.pem";
/// Where the certificate is.
const CERTIFICATE_FILE: &str = "self-signed.pem";
/// Whom the certificate names.
const COMMON_NAME: &str = "Postrider route hub";

/// The hub's own certificate.
pub(super) struct SelfSigned {
    pub(super) certified: CertifiedKey,
    /// The base64 of the public key's SHA-256.
    pub(super) pin: String,
}

/// Reads key and certificate, and makes what is not there. A certificate that is made covers `names`.
///
/// # Errors
/// When a file cannot be read or written, or the two do not belong together.
pub(super) fn open(folder: &Path, names: &[String]) -> Result<SelfSigned, TlsError> {
    private::folder(folder)?;
    let (key_file, certificate_file) = (folder.join(KEY_FILE), folder.join(CERTIFICATE_FILE));
    if !private::is_there(&key_file)? {
        let made = KeyPair::generate().map_err(|error| TlsError::file(&key_file, &error))?;
        private::write(&key_file, &made.serialize_pem())?;
    }
    let der = private_key(&key_file, &read(&key_file)?)?;
    let key = KeyPair::try_from(&der).map_err(|error| TlsError::file(&key_file, &error))?;
    if !private::is_there(&certificate_file)? {
        let made = certificate(&key, names);
        let made = made.map_err(|error| TlsError::file(&certificate_file, &error))?;
        private::write(&certificate_file, &made)?;
    }
    let chain = certificates(&certificate_file, &read(&certificate_file)?)?;
    Ok(SelfSigned {
        certified: certified(chain, &der)?,
        pin: STANDARD.encode(digest(&SHA256, &key.subject_public_key_info())),
    })
}

/// Makes a certificate in PEM, without an end: phones know its key.
fn certificate(key: &KeyPair, names: &[String]) -> Result<String, rcgen::Error> {
    let is_anywhere = |name: &&String| name.parse::<IpAddr>().is_ok_and(|it| it.is_unspecified());
    let names = names.iter().filter(|name| !is_anywhere(name));
    let names: Vec<_> = names.cloned().collect();
    let mut params = CertificateParams::new(names)?;
    params
        .distinguished_name
        .push(DnType::CommonName, COMMON_NAME);
    Ok(params.self_signed(key)?.pem())
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_agent::SpkiPin;
    use rustls::server::ParsedCertificate;
    use std::fs;

    fn names() -> Vec<String> {
        ["0.0.0.0", "127.0.0.1", "hub.lan"]
            .map(str::to_owned)
            .into()
    }

    #[test]
    fn key_and_certificate_are_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("tls");
        let first = open(&folder, &names()).unwrap();
        let again = open(&folder, &[]).unwrap();
        assert_eq!(first.pin, again.pin);
        assert_eq!(first.certified.cert, again.certified.cert);
        fs::remove_file(folder.join(CERTIFICATE_FILE)).unwrap();
        let renewed = open(&folder, &names()).unwrap();
        assert_eq!(first.pin, renewed.pin, "the key stays");
        assert_ne!(first.certified.cert, renewed.certified.cert);
    }

    #[test]
    fn the_pin_is_what_a_phone_reads_from_the_certificate() {
        let dir = tempfile::tempdir().unwrap();
        let made = open(dir.path(), &names()).unwrap();
        let parsed = ParsedCertificate::try_from(&made.certified.cert[0]).unwrap();
        let seen = SpkiPin::of_spki(&parsed.subject_public_key_info());
        assert_eq!(made.pin.parse::<SpkiPin>().unwrap(), seen);
    }

    #[test]
    fn a_key_of_another_certificate_is_refused_and_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        open(dir.path(), &names()).unwrap();
        let other = KeyPair::generate().unwrap().serialize_pem();
        fs::write(dir.path().join(KEY_FILE), &other).unwrap();
        assert!(matches!(
            open(dir.path(), &names()),
            Err(TlsError::Unusable(_))
        ));
        fs::write(dir.path().join(KEY_FILE), "").unwrap();
        let refused = open(dir.path(), &names()).err().unwrap();
        assert!(refused.to_string().contains(KEY_FILE), "{refused}");
    }
}
