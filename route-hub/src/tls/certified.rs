//! Certificates and keys from PEM.

use crate::tls::TlsError;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;

/// Reads a chain of certificates.
pub(super) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| TlsError::file(file, &error))?;
    if chain.is_empty() {
        return Err(TlsError::file(file, &"holds no certificate"));
    }
    Ok(chain)
}

/// Reads a private key.
pub(super) fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_file(file).map_err(|error| TlsError::file(file, &error))
}

/// Puts together a chain and its key.
pub(super) fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'_>,
) -> Result<CertifiedKey, TlsError> {
    let certified = CertifiedKey::new(chain, any_supported_type(key)?);
    certified.keys_match()?;
    Ok(certified)
}
