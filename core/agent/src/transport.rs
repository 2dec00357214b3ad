//! One byte stream to the hub, plain or TLS.

use crate::address::HubAddress;
use rustls::{ClientConfig, pki_types::ServerName};
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
    /// On this machine, or where the owner allowed it.
    Plain(TcpStream),
    /// Anywhere else.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
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
