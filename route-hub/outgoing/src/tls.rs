//! TLS: verification against the system's roots and the operator's own.

use rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer};
use std::{fmt, sync::Arc};
use tokio_rustls::TlsConnector;

/// Says that a certificate of [`crate::Guard::extra_roots`] cannot be a root.
#[derive(Debug)]
pub struct InvalidRoot(rustls::Error);

impl fmt::Display for InvalidRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an extra root certificate cannot be used: {}", self.0)
    }
}

impl std::error::Error for InvalidRoot {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Makes the connector that verifies against the system's roots and `extra`.
///
/// # Errors
/// [`InvalidRoot`] for a certificate that cannot be read, or when the versions of TLS that we
/// speak are not built in.
pub(crate) fn connector(extra: &[CertificateDer<'static>]) -> Result<TlsConnector, InvalidRoot> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    let (usable, unusable) = roots.add_parsable_certificates(native.certs);
    tracing::debug!(usable, unusable, "read the system's root certificates");
    for certificate in extra {
        roots.add(certificate.clone()).map_err(InvalidRoot)?;
    }
    if roots.is_empty() {
        tracing::warn!("there are no root certificates: every https request will fail");
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(InvalidRoot)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
