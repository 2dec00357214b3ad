//! One byte stream to the hub, plain or TLS.

use crate::address::HubAddress;
use rustls::{
    ClientConfig,
    client::verify_server_name,
    pki_types::{CertificateDer, ServerName},
    server::ParsedCertificate,
};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// How long connecting and the TLS handshake may take together.
const CONNECT_MAX: Duration = Duration::from_secs(15);

/// A connected stream.
pub(crate) enum Stream {
    /// On this machine, or if the owner allowed it.
    Plain(TcpStream),
    /// Anywhere else.
    Tls(Box<TlsStream<TcpStream>>),
}

/// The certificate that a hub showed.
#[derive(Debug)]
pub(crate) struct Certificate(CertificateDer<'static>);

impl Certificate {
    /// Keeps a certificate.
    pub(crate) fn new(certificate: CertificateDer<'static>) -> Self {
        Self(certificate)
    }

    /// Tells whether it covers a host of this name or address.
    pub(crate) fn covers(&self, host: &str) -> bool {
        let Ok(name) = ServerName::try_from(host) else {
            return false;
        };
        ParsedCertificate::try_from(&self.0).is_ok_and(|it| verify_server_name(&it, &name).is_ok())
    }
}

impl Stream {
    /// Returns the hub's certificate, when the connection is encrypted.
    pub(crate) fn certificate(&self) -> Option<Certificate> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => {
                let shown = stream.get_ref().1.peer_certificates()?.first()?;
                Some(Certificate::new(shown.clone().into_owned()))
            }
        }
    }

    /// Connects to a hub and, for an encrypted address, shakes hands.
    pub(crate) async fn connect(hub: &HubAddress, tls: &Arc<ClientConfig>) -> io::Result<Self> {
        let connecting = Self::connect_unbounded(hub, tls);
        timeout(CONNECT_MAX, connecting)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn connect_unbounded(hub: &HubAddress, tls: &Arc<ClientConfig>) -> io::Result<Self> {
        let stream = TcpStream::connect((hub.host(), hub.port())).await?;
        stream.set_nodelay(true)?;
        if !hub.is_secure() {
            return Ok(Self::Plain(stream));
        }
        let name = ServerName::try_from(hub.host().to_owned())
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let connector = TlsConnector::from(tls.clone());
        let stream = connector.connect(name, stream).await?;
        Ok(Self::Tls(Box::new(stream)))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::{SpkiPin, Trust};
    use rcgen::{CertifiedKey, KeyPair, PublicKeyData, generate_simple_self_signed};
    use rustls::{ServerConfig, crypto::ring::default_provider, pki_types::PrivatePkcs8KeyDer};
    use tokio::{io::AsyncWriteExt, net::TcpListener};
    use tokio_rustls::TlsAcceptor;

    /// Starts a server with a certificate that nobody signed; returns its address beside them.
    async fn server() -> (HubAddress, CertifiedKey<KeyPair>) {
        let key = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let private = PrivatePkcs8KeyDer::from(key.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![key.cert.der().clone()], private.into())
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    drop(stream.write_all(b"hub").await);
                }
            }
        });
        (format!("https://localhost:{port}").parse().unwrap(), key)
    }

    async fn connects(hub: &HubAddress, trust: Trust) -> bool {
        let tls = trust.client_config().unwrap();
        Stream::connect(hub, &tls).await.is_ok()
    }

    #[tokio::test]
    async fn a_private_certificate_is_trusted_by_its_pinned_key_alone() {
        let (hub, key) = server().await;
        let pin = SpkiPin::of_spki(&key.signing_key.subject_public_key_info());
        let other = SpkiPin::of_spki(b"another key");
        let pinned = |pins: &[SpkiPin]| Trust {
            pins: pins.to_vec(),
            ..Trust::default()
        };
        assert!(connects(&hub, pinned(&[other, pin])).await);
        assert!(!connects(&hub, pinned(&[other])).await);
        assert!(!connects(&hub, Trust::default()).await);
    }

    #[tokio::test]
    async fn a_root_of_its_own_is_trusted_for_its_names_only() {
        let (hub, key) = server().await;
        let trust = Trust {
            extra_roots: vec![key.cert.der().to_vec()],
            pins: Vec::new(),
            ..Trust::default()
        };
        assert!(connects(&hub, trust.clone()).await);
        let by_address = hub.to_string().replace("localhost", "127.0.0.1");
        assert!(!connects(&by_address.parse().unwrap(), trust).await);
    }
}
