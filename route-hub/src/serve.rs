//! The accept loop: HTTP/1.1 over plain TCP or TLS, with bounds on headers and idle time, and a
//! stop that finishes what runs.

use crate::tls::{Certificate, TlsError};
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

/// How long a client may take for a request's head, and stay idle between requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// How long a TLS handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a request's head; hyper answers 431 above it.
const HEAD_MAX_BYTES: usize = 64 * 1024;
/// Most header fields of a request; hyper answers 431 above it.
const HEADERS_MAX: usize = 256;
/// How long to wait when the system has no more file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The address of the client at the other end of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Serves until `stop` turns true, then lets running requests finish for at most `drain`.
///
/// # Errors
/// When the TLS configuration cannot be made.
pub async fn serve(
    listener: TcpListener,
    certificate: Option<Arc<Certificate>>,
    router: Router,
    mut stop: watch::Receiver<bool>,
    drain: Duration,
) -> Result<(), TlsError> {
    let acceptor = match &certificate {
        Some(certificate) => Some(TlsAcceptor::from(certificate.server_config()?)),
        None => None,
    };
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                let _ = stream.set_nodelay(true);
                let (router, stop) = (router.clone(), stop.clone());
                let acceptor = acceptor.clone();
                connections.spawn(async move {
                    connection(stream, acceptor, router, Peer(peer), stop).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(drain, all_ended).await.is_err() {
        tracing::warn!("connections still open at the end of the drain were closed");
    }
    Ok(())
}

async fn connection(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    peer: Peer,
    stop: watch::Receiver<bool>,
) {
    match acceptor {
        None => speak_http(stream, router, peer, stop).await,
        Some(acceptor) => {
            let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream));
            if let Ok(Ok(stream)) = handshake.await {
                speak_http(stream, router, peer, stop).await;
            }
        }
    }
}

async fn speak_http<S>(stream: S, router: Router, peer: Peer, mut stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.clone().call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_MAX_BYTES)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(served);
    tokio::select! {
        ended = served.as_mut() => return log_end(ended),
        _ = stop.wait_for(|stop| *stop) => served.as_mut().graceful_shutdown(),
    }
    log_end(served.await);
}

fn log_end(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
