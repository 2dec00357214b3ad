//! Whom the agent trusts: the system's roots, roots of its own, or pinned keys.

use base64::{Engine, engine::general_purpose::STANDARD};
use ring::digest::{SHA256, digest};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{self, CryptoProvider},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};
use std::{str::FromStr, sync::Arc};

/// The SHA-256 of a certificate's public key (its SubjectPublicKeyInfo, in DER).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpkiPin([u8; 32]);

/// Says that a text is not a pin: 44 characters of Base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the Base64 of a SHA-256")]
pub struct InvalidPin;

impl FromStr for SpkiPin {
    type Err = InvalidPin;

    fn from_str(text: &str) -> Result<Self, InvalidPin> {
        let bytes = STANDARD.decode(text.trim()).map_err(|_| InvalidPin)?;
        bytes.try_into().map(Self).map_err(|_| InvalidPin)
    }
}

impl SpkiPin {
    /// Returns the pin of a certificate's public key in DER.
    pub fn of_spki(der: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, der).as_ref());
        Self(hash)
    }
}

/// Whom a phone trusts to be its hub.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// The platform's roots in DER, if it hands them over; otherwise the system's files are
    /// read. Roots that do not parse are skipped.
    pub platform_roots: Option<Vec<Vec<u8>>>,
    /// Additional roots of the operator, in DER; each must be a certificate.
    pub extra_roots: Vec<Vec<u8>>,
    /// If there are any, the hub must show one of these keys, and nothing else of its
    /// certificate is checked. Meant for private certificates.
    pub pins: Vec<SpkiPin>,
}

/// Says that a file holds no certificate in PEM or DER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("holds no certificate")]
pub struct InvalidCertificate;

/// Returns the certificates of a PEM or DER file, in DER.
pub fn certificates(file: &[u8]) -> Result<Vec<Vec<u8>>, InvalidCertificate> {
    if !file.starts_with(b"-----") && !file.windows(7).any(|text| text == b"\n-----B") {
        let is_certificate = ParsedCertificate::try_from(&CertificateDer::from(file)).is_ok();
        return if is_certificate {
            Ok(vec![file.to_vec()])
        } else {
            Err(InvalidCertificate)
        };
    }
    let sections = CertificateDer::pem_slice_iter(file);
    let found: Result<Vec<_>, _> = sections.map(|der| der.map(|der| der.to_vec())).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(InvalidCertificate),
    }
}

/// Says why no trust could be set up.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// An additional root is not a certificate.
    #[error("an extra root is not a certificate")]
    Root,
    /// None of the platform's roots is a certificate.
    #[error("the platform has no trusted root that can be read")]
    NoRoots,
    /// The TLS library refused its own settings.
    #[error("TLS cannot be set up: {0}")]
    Library(#[from] rustls::Error),
}

impl Trust {
    /// Makes the TLS settings. They are large, so all phones of a process share one value.
    pub fn client_config(&self) -> Result<Arc<ClientConfig>, TrustError> {
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()?;
        let config = if self.pins.is_empty() {
            builder.with_root_certificates(self.roots()?)
        } else {
            let pins = self.pins.clone();
            let verifier = Arc::new(PinnedKeys { pins, provider });
            builder
                .dangerous()
                .with_custom_certificate_verifier(verifier)
        };
        Ok(Arc::new(config.with_no_client_auth()))
    }

    fn roots(&self) -> Result<RootCertStore, TrustError> {
        let mut roots = RootCertStore::empty();
        let (added, ignored) = roots.add_parsable_certificates(self.systems_roots());
        if ignored > 0 {
            tracing::warn!(added, ignored, "some of the system's roots cannot be read");
        }
        for der in &self.extra_roots {
            let der = CertificateDer::from(der.clone());
            roots.add(der).map_err(|_| TrustError::Root)?;
        }
        match &self.platform_roots {
            Some(_) if roots.is_empty() => Err(TrustError::NoRoots),
            Some(_) | None => Ok(roots),
        }
    }

    fn systems_roots(&self) -> Vec<CertificateDer<'static>> {
        match &self.platform_roots {
            Some(roots) => roots.iter().cloned().map(CertificateDer::from).collect(),
            None => rustls_native_certs::load_native_certs().certs,
        }
    }
}

/// Accepts a certificate by its key alone; the handshake still proves that the hub holds the key.
#[derive(Debug)]
struct PinnedKeys {
    pins: Vec<SpkiPin>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedKeys {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let spki = ParsedCertificate::try_from(end_entity)?.subject_public_key_info();
        if self.pins.contains(&SpkiPin::of_spki(&spki)) {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, cert, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, cert, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::generate_simple_self_signed;

    fn of_platform(roots: &[&[u8]]) -> Trust {
        Trust {
            platform_roots: Some(roots.iter().map(|der| der.to_vec()).collect()),
            ..Trust::default()
        }
    }

    #[test]
    fn a_platforms_root_that_cannot_be_read_is_left_out() {
        let made = generate_simple_self_signed(["hub.example".to_owned()]).unwrap();
        let good = made.cert.der().to_vec();
        let trust = of_platform(&[b"not a certificate", &good]);
        assert_eq!(trust.roots().unwrap().len(), 1);
    }

    #[test]
    fn a_platform_without_a_root_that_can_be_read_is_told_apart() {
        for roots in [&[][..], &[&b"not a certificate"[..]]] {
            let refused = of_platform(roots).client_config();
            assert!(matches!(refused, Err(TrustError::NoRoots)), "{refused:?}");
        }
        let pinned = Trust {
            pins: vec![SpkiPin([0; 32])],
            ..of_platform(&[])
        };
        assert!(pinned.client_config().is_ok());
    }

    #[test]
    fn an_operators_root_must_be_one() {
        let trust = Trust {
            extra_roots: vec![b"not a certificate".to_vec()],
            ..Trust::default()
        };
        assert!(matches!(trust.client_config(), Err(TrustError::Root)));
    }

    #[test]
    fn a_file_of_certificates_is_read_in_both_forms() {
        let made = generate_simple_self_signed(["hub.example".to_owned()]).unwrap();
        let der = made.cert.der().to_vec();
        assert_eq!(certificates(&der), Ok(vec![der.clone()]));
        let pem = format!("a comment\n{0}{0}", made.cert.pem());
        assert_eq!(certificates(pem.as_bytes()), Ok(vec![der.clone(), der]));
        let key = made.signing_key.serialize_pem();
        assert_eq!(certificates(key.as_bytes()), Err(InvalidCertificate));
        assert_eq!(certificates(b"nothing"), Err(InvalidCertificate));
    }
}
