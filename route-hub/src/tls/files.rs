//! The operator's own certificate and key in PEM, read again when the files change.

use crate::tls::TlsError;
use crate::tls::certified::{self, certificates, certified, private_key};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

/// How often the hub looks whether the files changed.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The certificate in use, shared with every handshake.
#[derive(Debug)]
pub(super) struct CertificateFiles {
    cert: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl CertificateFiles {
    /// Reads the certificate chain and its key.
    ///
    /// # Errors
    /// When a file cannot be read or the two do not belong together.
    pub(super) fn read(cert: &Path, key: &Path) -> Result<Arc<Self>, TlsError> {
        let current = RwLock::new(Arc::new(read(cert, key)?));
        Ok(Arc::new(Self {
            cert: cert.to_owned(),
            key: key.to_owned(),
            current,
        }))
    }

    /// Watches the files and takes a new certificate when they change. If it cannot be used, the
    /// log says so and the old one stays.
    pub(super) async fn reload_on_change(self: Arc<Self>) {
        let mut seen = self.changed_at();
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = self.changed_at();
            if now == seen {
                continue;
            }
            match read(&self.cert, &self.key) {
                Ok(fresh) => {
                    *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(fresh);
                    seen = now;
                    tracing::info!("the certificate was read again");
                }
                Err(error) => {
                    tracing::warn!(%error, "the changed certificate cannot be used: the old one stays")
                }
            }
        }
    }

    fn changed_at(&self) -> [Option<SystemTime>; 2] {
        [&self.cert, &self.key].map(|path| {
            std::fs::metadata(path)
                .and_then(|meta| meta.modified())
                .ok()
        })
    }
}

impl ResolvesServerCert for CertificateFiles {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(
            &self.current.read().unwrap_or_else(PoisonError::into_inner),
        ))
    }
}

fn read(cert: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
    let chain = certificates(cert, &certified::read(cert)?)?;
    certified(chain, &private_key(key, &certified::read(key)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_pair(dir: &Path, name: &str) -> (PathBuf, PathBuf) {
        let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let (cert, key) = (
            dir.join(format!("{name}.cert")),
            dir.join(format!("{name}.key")),
        );
        std::fs::write(&cert, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        (cert, key)
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (cert, key) = write_pair(dir.path(), "a.example");
        let (_, other) = write_pair(dir.path(), "b.example");
        assert!(CertificateFiles::read(&cert, &key).is_ok());
        assert!(matches!(
            CertificateFiles::read(&cert, &other),
            Err(TlsError::Unusable(_))
        ));
    }

    #[test]
    fn a_file_without_a_certificate_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let (_, key) = write_pair(dir.path(), "a.example");
        let empty = dir.path().join("empty.pem");
        std::fs::write(&empty, "").unwrap();
        let error = CertificateFiles::read(&empty, &key).unwrap_err();
        assert!(error.to_string().contains("empty.pem"), "{error}");
    }
}
