//! Certificates of a run: one that is good, and each way to be bad.

use super::StubError;
use crate::scenario::Certificate;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PublicKeyData, date_time_ymd,
};
use ring::digest::{SHA256, digest};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// A host that no stub has.
const OTHER_HOST: &str = "elsewhere.invalid";

/// Everything that TLS needs in a run.
pub(super) struct Tls {
    acceptors: BTreeMap<Certificate, TlsAcceptor>,
    /// The root that signed the good certificate, in DER.
    pub(super) root_der: Vec<u8>,
    /// The same in PEM.
    pub(super) root_pem: String,
    /// The good key's pin.
    pub(super) pin: String,
}

impl Tls {
    /// Makes a root, a key and all certificates; they live for the run alone.
    pub(super) fn new(names: &[String]) -> Result<Self, StubError> {
        let root = Root::new("Postrider stub")?;
        let stranger = Root::new("Nobody's root")?;
        let (key, other) = (KeyPair::generate()?, KeyPair::generate()?);
        let elsewhere = [OTHER_HOST.to_owned()];
        let mut expired = CertificateParams::new(names)?;
        expired.not_before = date_time_ymd(2000, 1, 1);
        expired.not_after = date_time_ymd(2001, 1, 1);
        let good = || CertificateParams::new(names);
        let shown = [
            (Certificate::Good, good()?, &key, &root),
            (Certificate::Expired, expired, &key, &root),
            (
                Certificate::WrongHost,
                CertificateParams::new(elsewhere)?,
                &key,
                &root,
            ),
            (Certificate::UnknownRoot, good()?, &key, &stranger),
            (Certificate::OtherKey, good()?, &other, &root),
        ];
        let mut acceptors = BTreeMap::new();
        for (certificate, params, key, root) in shown {
            let signed = params.signed_by(key, &root.issuer)?;
            acceptors.insert(certificate, acceptor(signed.der(), key)?);
        }
        Ok(Self {
            acceptors,
            root_der: root.der.to_vec(),
            root_pem: root.pem,
            pin: STANDARD.encode(digest(&SHA256, &key.subject_public_key_info())),
        })
    }

    pub(super) fn acceptor(&self, certificate: Certificate) -> Option<TlsAcceptor> {
        self.acceptors.get(&certificate).cloned()
    }
}

struct Root {
    issuer: Issuer<'static, KeyPair>,
    der: CertificateDer<'static>,
    pem: String,
}

impl Root {
    fn new(name: &str) -> Result<Self, StubError> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate()?;
        let signed = params.self_signed(&key)?;
        Ok(Self {
            der: signed.der().clone(),
            pem: signed.pem(),
            issuer: Issuer::new(params, key),
        })
    }
}

fn acceptor(
    certificate: &CertificateDer<'static>,
    key: &KeyPair,
) -> Result<TlsAcceptor, StubError> {
    let private = PrivatePkcs8KeyDer::from(key.serialize_der());
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], private.into())?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
