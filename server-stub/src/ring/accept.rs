//! The accept loop: each TCP connection is received as the engine says.

use super::shared::Shared;
use super::{http, link};
use crate::engine::{Reception, Treatment};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Most TCP connections at once; more wait until one ends.
const CONNECTIONS_MAX: usize = 1_024;
/// How long a TLS handshake or a request's head may take.
const HEAD_MAX: Duration = Duration::from_secs(15);
/// How long a dial is left without an answer at most.
const HANG_MAX: Duration = Duration::from_secs(600);
/// Bytes of a request that are read before it is answered by garbage.
const HEAD_BYTES: usize = 4 * 1024;
/// What a hub never says.
const GARBAGE: &[u8] = b"\x00\x01\x02 this is not HTTP \xff\xfe\r\n\r\n";

/// Serves until it is dropped.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                Ok((stream, _)) => {
                    let reception = shared.with(|engine, now| engine.accept(now));
                    connections.spawn(receive(stream, reception, shared.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn receive(stream: TcpStream, reception: Reception, shared: Arc<Shared>) {
    // A delayed small frame only makes a run slower.
    let _ = stream.set_nodelay(true);
    if reception.treatment == Treatment::Refuse {
        // Without it the phone only sees an end.
        let _ = stream.set_zero_linger();
        return;
    }
    let acceptor = reception
        .certificate
        .and_then(|certificate| shared.tls.as_ref()?.acceptor(certificate));
    let (Some(certificate), Some(acceptor)) = (reception.certificate, acceptor) else {
        return treat(stream, reception, shared).await;
    };
    match timeout(HEAD_MAX, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => {
            shared.with(|engine, now| engine.accepted(certificate, now));
            treat(stream, reception, shared).await;
        }
        Ok(Err(_)) | Err(_) => failed(reception, &shared),
    }
}

async fn treat<S>(mut stream: S, reception: Reception, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match reception.treatment {
        Treatment::Serve | Treatment::Refuse => return speak_http(stream, reception, shared).await,
        Treatment::Hang => drop(timeout(HANG_MAX, until_gone(&mut stream)).await),
        Treatment::Garbage => drop(timeout(HEAD_MAX, answer_garbage(&mut stream)).await),
    }
    failed(reception, &shared);
}

fn failed(reception: Reception, shared: &Shared) {
    if let Some(dial) = reception.dial {
        shared.with(|engine, now| engine.dial_failed(dial, now));
    }
}

async fn until_gone(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
    let mut bytes = [0; HEAD_BYTES];
    while stream.read(&mut bytes).await? > 0 {}
    Ok(())
}

async fn answer_garbage(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<()> {
    let mut bytes = [0; HEAD_BYTES];
    let _head = stream.read(&mut bytes).await?;
    stream.write_all(GARBAGE).await?;
    stream.shutdown().await
}

async fn speak_http<S>(stream: S, reception: Reception, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (upgrades, mut upgraded) = tokio::sync::mpsc::channel(1);
    let service = {
        let shared = shared.clone();
        service_fn(move |request| {
            http::answer(request, reception.dial, shared.clone(), upgrades.clone())
        })
    };
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "an HTTP connection ended");
    }
    if let Ok(upgrade) = upgraded.try_recv() {
        link::serve(upgrade, shared).await;
    }
}
