//! Whose certificates are believed, for the servers that a hub works with.

use crate::StoreError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// Returns settings for TLS that check names, and trust the system's certificates and those of a file.
///
/// # Errors
/// [`StoreError::Refused`] when the file cannot be read.
pub fn trust(ca: Option<&Path>) -> Result<ClientConfig, StoreError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca {
        let unreadable = |error: &dyn Display| StoreError::Refused {
            why: format!("the certificates of {}: {error}", path.display()),
        };
        let own = roots.len();
        let file = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))?;
        for certificate in file {
            let certificate = certificate.map_err(|error| unreadable(&error))?;
            roots.add(certificate).map_err(|error| unreadable(&error))?;
        }
        if roots.len() == own {
            return Err(unreadable(&"there is none in PEM"));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
