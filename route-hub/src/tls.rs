//! TLS of the hub's own: with the operator's certificate, or with one that the hub has made.

mod acme;
mod certified;
mod files;
mod private;
mod self_signed;

pub use self::acme::AcmeSettings;
pub(crate) use self::acme::{CHALLENGE, is_certifiable};

use self::acme::Acme;
use self::files::CertificateFiles;
use hub_app::hub::Hub;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::server::ResolvesServerCert;
use rustls::sign::SingleCertAndKey;
use std::fmt::Display;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Where the hub keeps what it has made for TLS, in the data folder.
const FOLDER: &str = "tls";
/// What is spoken within TLS.
const HTTP: &[u8] = b"http/1.1";

/// Says why a certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that cannot be read or written, or is not PEM of the right kind.
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

impl TlsError {
    fn file(path: &Path, reason: &dyn Display) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// What the hub speaks TLS with.
pub struct Tls {
    config: Arc<ServerConfig>,
    source: Source,
}

/// Where its certificate is from.
enum Source {
    Files(Arc<CertificateFiles>),
    SelfSigned { pin: String },
    Acme(Box<Acme>),
}

impl Tls {
    /// Speaks with the operator's certificate and its key, which are read again when they change.
    ///
    /// # Errors
    /// When a file cannot be read or the two do not belong together.
    pub fn with_files(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        let files = CertificateFiles::read(cert, key)?;
        Ok(Self {
            config: Arc::new(config(Arc::clone(&files) as Arc<dyn ResolvesServerCert>)?),
            source: Source::Files(files),
        })
    }

    /// Speaks with a key and a certificate of the hub's own, which are made in the data folder unless they
    /// are there.
    ///
    /// # Errors
    /// When they cannot be made or read.
    pub fn self_signed(data_folder: &Path, names: &[String]) -> Result<Self, TlsError> {
        let own = self_signed::open(&data_folder.join(FOLDER), names)?;
        Ok(Self {
            config: Arc::new(config(Arc::new(SingleCertAndKey::from(own.certified)))?),
            source: Source::SelfSigned { pin: own.pin },
        })
    }

    /// Speaks with certificates from an authority, which are kept in the data folder and renewed in time. Until
    /// there is one for a name, no handshake under it succeeds.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub fn acme(data_folder: &Path, settings: AcmeSettings) -> Result<Self, TlsError> {
        let acme = Acme::open(&data_folder.join(FOLDER), settings)?;
        let mut config = config(acme.shown())?;
        config.alpn_protocols.push(CHALLENGE.to_vec());
        Ok(Self {
            config: Arc::new(config),
            source: Source::Acme(Box::new(acme)),
        })
    }

    /// Returns what takes connections.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }

    /// Returns what phones know the hub's key by, if nobody else vouches for it.
    pub fn pin(&self) -> Option<&str> {
        match &self.source {
            Source::SelfSigned { pin } => Some(pin),
            Source::Files(_) | Source::Acme(_) => None,
        }
    }

    /// Keeps the certificate up to date, for as long as the hub runs.
    pub async fn keep(self, hub: Hub) {
        match self.source {
            Source::Files(files) => files.reload_on_change().await,
            Source::SelfSigned { .. } => pending().await,
            Source::Acme(acme) => acme.run(hub).await,
        }
    }
}

/// Makes a configuration that presents what `certificates` has.
fn config(certificates: Arc<dyn ResolvesServerCert>) -> Result<ServerConfig, TlsError> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.alpn_protocols = vec![HTTP.to_vec()];
    Ok(config)
}
