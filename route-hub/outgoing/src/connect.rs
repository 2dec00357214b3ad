//! Connecting: the one place where an address is looked at and used.

use crate::{Failure, Guard, Names, Owner};
use http::Uri;
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use rustls::pki_types::ServerName;
use std::{
    fmt,
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tower_service::Service;

/// Most addresses of one name that are tried; each gets its share of the time to connect.
const ADDRESSES_TRIED_MAX: usize = 4;

tokio::task_local! {
    /// For whom the request of this task is made; the HTTP client connects within it.
    pub(crate) static OWNER: Owner;
}

/// How many connections are open, in use or kept alive.
#[derive(Clone, Default)]
pub(crate) struct OpenCount(Arc<AtomicUsize>);

impl OpenCount {
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn opened(&self) -> OpenOne {
        self.0.fetch_add(1, Ordering::Relaxed);
        OpenOne(self.clone())
    }
}

struct OpenOne(OpenCount);

impl Drop for OpenOne {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why no connection came about, on its way through the HTTP client's own error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectFailure(pub(crate) Failure);

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for ConnectFailure {}

/// Opens guarded connections for the HTTP client.
#[derive(Clone)]
pub(crate) struct Connector {
    guard: Arc<Guard>,
    names: Names,
    tls: TlsConnector,
    connect: Duration,
    open: OpenCount,
}

impl Connector {
    pub(crate) fn new(
        guard: Arc<Guard>,
        names: Names,
        tls: TlsConnector,
        connect: Duration,
        open: OpenCount,
    ) -> Self {
        Self {
            guard,
            names,
            tls,
            connect,
            open,
        }
    }

    async fn open(self, owner: Owner, uri: Uri) -> Result<TokioIo<Stream>, ConnectFailure> {
        timeout(self.connect, self.open_untimed(owner, &uri))
            .await
            .unwrap_or(Err(Failure::ConnectTimeout))
            .map(TokioIo::new)
            .map_err(ConnectFailure)
    }

    async fn open_untimed(&self, owner: Owner, uri: &Uri) -> Result<Stream, Failure> {
        let host = uri.host().ok_or(Failure::NoSuchHost)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let https = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        let addresses = self.addresses(owner, host, port).await?;
        let tcp = self.dial(&addresses).await?;
        let open = self.open.opened();
        // Small requests and answers: waiting to fill a packet only costs time.
        tcp.set_nodelay(true).map_err(|_| Failure::Connect)?;
        if !https {
            return Ok(Stream::new(tcp, open));
        }
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Failure::Tls)?;
        match self.tls.connect(name, tcp).await {
            Ok(tls) => Ok(Stream::new(tls, open)),
            Err(_) => Err(Failure::Tls),
        }
    }

    /// Resolves `host` and keeps what may be reached, in the resolver's order.
    async fn addresses(
        &self,
        owner: Owner,
        host: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, Failure> {
        let found = match host.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) => self.names.lookup(owner, host).await?,
        };
        let mut refused = None;
        let mut usable = Vec::new();
        for address in found {
            match self.guard.check_address(host, address) {
                Ok(()) => usable.push(SocketAddr::new(address, port)),
                Err(kind) => refused = Some(kind),
            }
        }
        usable.truncate(ADDRESSES_TRIED_MAX);
        match (usable.is_empty(), refused) {
            (false, _) => Ok(usable),
            (true, Some(kind)) => Err(Failure::AddressRefused(kind)),
            (true, None) => Err(Failure::NoSuchHost),
        }
    }

    /// Connects to the first address that answers within its share of the time.
    async fn dial(&self, addresses: &[SocketAddr]) -> Result<TcpStream, Failure> {
        let share = self.connect / u32::try_from(addresses.len().max(1)).unwrap_or(1);
        let mut last = Failure::Connect;
        for address in addresses {
            match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(_)) => last = Failure::Connect,
                Err(_) => last = Failure::ConnectTimeout,
            }
        }
        Err(last)
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = ConnectFailure;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ConnectFailure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectFailure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let owner = OWNER.try_with(|owner| *owner).unwrap_or_default();
        Box::pin(self.clone().open(owner, uri))
    }
}

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection, plain or encrypted, that counts itself while it is open.
pub(crate) struct Stream {
    io: Box<dyn Io>,
    _open: OpenOne,
}

impl Stream {
    fn new(io: impl Io + 'static, open: OpenOne) -> Self {
        Self {
            io: Box::new(io),
            _open: open,
        }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Special, names::tests::Server};

    fn connector(guard: Guard, server: &Server) -> Connector {
        let tls = crate::tls::connector(&[]).unwrap();
        let limit = Duration::from_secs(5);
        let open = OpenCount::default();
        Connector::new(Arc::new(guard), server.names(), tls, limit, open)
    }

    #[tokio::test]
    async fn what_a_name_resolves_to_is_checked_when_connecting() {
        let server = Server::start().await;
        for name in ["localhost", "good.example"] {
            let closed = connector(Guard::default(), &server);
            let refused = closed.addresses(1, name, 80).await;
            assert_eq!(refused, Err(Failure::AddressRefused(Special::Loopback)));
            let open = Guard {
                allow_loopback: true,
                ..Guard::default()
            };
            let found = connector(open, &server).addresses(1, name, 80).await;
            let loopback = |address: &SocketAddr| address.ip().is_loopback();
            assert!(found.unwrap().iter().all(loopback), "{name}");
        }
    }

    #[tokio::test]
    async fn a_literal_is_checked_when_connecting_too() {
        let server = Server::start().await;
        let closed = connector(Guard::default(), &server);
        let refused = closed.addresses(1, "10.0.0.1", 80).await;
        assert_eq!(refused, Err(Failure::AddressRefused(Special::Private)));
    }

    #[tokio::test]
    async fn numbers_that_only_a_resolver_understands_are_no_addresses() {
        let server = Server::start().await;
        for host in ["127.1", "2130706433", "0x7f000001", "0177.0.0.1"] {
            let outcome = connector(Guard::default(), &server)
                .addresses(1, host, 80)
                .await;
            assert!(outcome.is_err(), "{host}");
        }
    }
}
