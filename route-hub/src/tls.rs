//! TLS of the hub's own: a certificate and key in PEM, read again when the files change.

use rustls::ServerConfig;
use rustls::crypto::ring::{default_provider, sign::any_supported_type};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

/// How often the hub looks whether the files changed.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Says why a certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that cannot be read, or is not PEM of the right kind.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        reason: String,
    },
    /// The key does not belong to the certificate, or its kind is unknown.
    #[error("the certificate and its key cannot be used together: {0}")]
    Unusable(#[from] rustls::Error),
}

/// The certificate in use, shared with every handshake.
#[derive(Debug)]
pub struct Certificate {
    cert: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificate {
    /// Reads the certificate chain and its key.
    ///
    /// # Errors
    /// When a file cannot be read or the two do not belong together.
    pub fn read(cert: &Path, key: &Path) -> Result<Arc<Self>, TlsError> {
        let current = RwLock::new(Arc::new(certified(cert, key)?));
        Ok(Arc::new(Self {
            cert: cert.to_owned(),
            key: key.to_owned(),
            current,
        }))
    }

    /// Returns a server configuration that always presents the certificate in use.
    ///
    /// # Errors
    /// When the library's protocol versions do not fit its provider.
    pub fn server_config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, TlsError> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// Watches the files and takes a new certificate when they change. If it cannot be used, the
    /// log says so and the old one stays.
    pub async fn reload_on_change(self: Arc<Self>) {
        let mut seen = self.changed_at();
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = self.changed_at();
            if now == seen {
                continue;
            }
            match certified(&self.cert, &self.key) {
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

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(
            &self.current.read().unwrap_or_else(PoisonError::into_inner),
        ))
    }
}

fn certified(cert: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
    let bad = |path: &Path, reason: String| TlsError::File {
        path: path.to_owned(),
        reason,
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| bad(cert, error.to_string()))?;
    if chain.is_empty() {
        return Err(bad(cert, "holds no certificate".into()));
    }
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| bad(key, error.to_string()))?;
    let certified = CertifiedKey::new(chain, any_supported_type(&key_der)?);
    certified.keys_match()?;
    Ok(certified)
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
        assert!(Certificate::read(&cert, &key).is_ok());
        assert!(matches!(
            Certificate::read(&cert, &other),
            Err(TlsError::Unusable(_))
        ));
    }

    #[test]
    fn a_file_without_a_certificate_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let (_, key) = write_pair(dir.path(), "a.example");
        let empty = dir.path().join("empty.pem");
        std::fs::write(&empty, "").unwrap();
        let error = Certificate::read(&empty, &key).unwrap_err();
        assert!(error.to_string().contains("empty.pem"), "{error}");
    }
}
