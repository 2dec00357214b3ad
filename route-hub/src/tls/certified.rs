//! Certificates and keys from PEM.

use crate::tls::TlsError;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fs;
use std::path::Path;

/// Reads a file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(file).map_err(|error| TlsError::file(file, &error))
}

/// Finds a chain of certificates in what was read from `file`.
pub(super) fn certificates(
    file: &Path,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|error| TlsError::file(file, &error))?;
    if chain.is_empty() {
        return Err(TlsError::file(file, &"holds no certificate"));
    }
    Ok(chain)
}

/// Finds a private key in what was read from `file`.
pub(super) fn private_key(file: &Path, pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| TlsError::file(file, &error))
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
