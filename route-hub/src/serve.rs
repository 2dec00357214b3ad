//! The accept loop: HTTP/1.1 over plain TCP or TLS. Headers are bounded, each connection takes a
//! place of the front, and a stop lets running requests finish.

use crate::tls::CHALLENGE;
use axum::Router;
use axum::response::Response;
use hub_api::state::ApiState;
use hub_web::front::{Full, Noted, Visit, party};
use hub_web::{Party, Unanswered};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::io::Write as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

/// How long a TLS handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a request's head; hyper answers 431 above it.
const HEAD_MAX_BYTES: usize = 64 * 1024;
/// Most header fields of a request; hyper answers 431 above it.
const HEADERS_MAX: usize = 256;
/// How long to wait when the system has no more file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often the hub looks for connections that keep it waiting.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// The answer to a connection for which there is no place; with TLS it is closed without one.
const NO_PLACE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n\
    content-length: 0\r\nconnection: close\r\n\r\n";

/// Serves until `stop` turns true, then lets running requests finish for at most `drain`.
pub async fn serve(
    state: ApiState,
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    mut stop: watch::Receiver<bool>,
    drain: Duration,
) {
    let door = Door {
        state,
        acceptor,
        router,
        stop: stop.clone(),
    };
    let mut connections = JoinSet::new();
    let mut sweeps = tokio::time::interval(SWEEP_EVERY);
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
            Some(_) = connections.join_next() => continue,
            _ = sweeps.tick() => {
                door.sweep();
                continue;
            }
        };
        match accepted {
            Ok((stream, peer)) => door.accept(stream, peer.ip(), &mut connections),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let all_ended = async {
        loop {
            tokio::select! {
                ended = connections.join_next() => if ended.is_none() { break },
                _ = sweeps.tick() => door.sweep(),
            }
        }
    };
    if tokio::time::timeout(drain, all_ended).await.is_err() {
        tracing::warn!("connections were closed that were still open when the drain time ended");
    }
}

/// What a connection needs from the server.
#[derive(Clone)]
struct Door {
    state: ApiState,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    stop: watch::Receiver<bool>,
}

impl Door {
    fn sweep(&self) {
        let now_s = self.state.hub.clock.since_start().as_secs();
        let front = &self.state.front;
        front.sweep(u32::try_from(now_s).unwrap_or(u32::MAX));
    }

    fn accept(&self, stream: TcpStream, peer: IpAddr, connections: &mut JoinSet<()>) {
        let _ = stream.set_nodelay(true);
        let now = self.state.hub.now().boot;
        match self.state.front.connection(peer, now) {
            Ok(visit) => {
                connections.spawn(self.clone().connection(stream, peer, visit));
            }
            Err(full) => self.turn_away(stream, full),
        }
    }

    /// Answers that there is no place; does not wait until the peer reads it.
    fn turn_away(&self, stream: TcpStream, full: Full) {
        tracing::debug!(?full, "a connection was turned away");
        if self.acceptor.is_none()
            && let Ok(mut stream) = stream.into_std()
        {
            // The connection is closed either way.
            let _ = stream.write(NO_PLACE);
        }
    }

    async fn connection(self, stream: TcpStream, peer: IpAddr, visit: Arc<Visit>) {
        match &self.acceptor {
            None => self.speak_http(stream, peer, visit).await,
            Some(acceptor) => {
                let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream));
                if let Ok(Ok(stream)) = handshake.await
                    && stream.get_ref().1.alpn_protocol() != Some(CHALLENGE)
                {
                    self.speak_http(stream, peer, visit).await;
                }
            }
        }
    }

    async fn speak_http<S>(&self, stream: S, peer: IpAddr, visit: Arc<Visit>)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let stream = Noted::new(stream, Arc::clone(&visit));
        let service = service_fn(move |request| self.answer(request, peer, Arc::clone(&visit)));
        let served = http1::Builder::new()
            .header_read_timeout(None)
            .max_buf_size(HEAD_MAX_BYTES)
            .max_headers(HEADERS_MAX)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(served);
        let mut stop = self.stop.clone();
        tokio::select! {
            ended = served.as_mut() => return log_end(ended),
            _ = stop.wait_for(|stop| *stop) => served.as_mut().graceful_shutdown(),
        }
        log_end(served.await);
    }

    /// Answers one request, which carries its client and its place.
    async fn answer(
        &self,
        mut request: hyper::Request<Incoming>,
        peer: IpAddr,
        visit: Arc<Visit>,
    ) -> Result<Response, NoAnswer> {
        let front = &self.state.front;
        let watch = &visit.watch;
        visit.progress.request(watch.now_s());
        let guest = front.request(&visit, peer, request.headers());
        let extensions = request.extensions_mut();
        if front.is_capped(guest.client.address) {
            extensions.insert(Party(party(guest.client.address)));
        }
        extensions.insert(guest.clone());
        let Ok(answered) = self.router.clone().call(request).await;
        visit.progress.answered(watch.now_s());
        drop(guest);
        match answered.extensions().get::<Unanswered>() {
            Some(_) => Err(NoAnswer),
            None => Ok(answered),
        }
    }
}

/// Ends a connection without an answer.
#[derive(Debug, thiserror::Error)]
#[error("whether a request was done is not known, so it has no answer")]
struct NoAnswer;

fn log_end(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse as _;
    use axum::routing::get;
    use hub_app::data_folder;
    use hub_app::hub::Hub;
    use hub_store::StoreError;
    use hub_web::front::FrontSettings;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// Returns what a client gets for a request for `/` with this outcome.
    async fn answer_to(outcome: fn() -> Response) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let open = move || {
            let store = data_folder::open(&path, 0).unwrap();
            let parts = data_folder::parts(store, "http://127.0.0.1".into(), Vec::new());
            ApiState::new(Hub::new(parts.unwrap()), FrontSettings::default())
        };
        let state = tokio::task::spawn_blocking(open).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (_stop, stopped) = watch::channel(false);
        let router = Router::new().route("/", get(move || async move { outcome() }));
        tokio::spawn(serve(
            state,
            listener,
            None,
            router,
            stopped,
            Duration::ZERO,
        ));
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        client.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn what_nobody_knows_has_no_answer() {
        let unsure = || hub_api::Failure::from(StoreError::Unsure).into_response();
        assert_eq!(answer_to(unsure).await, b"");
        let busy = || hub_api::Failure::from(StoreError::Busy).into_response();
        assert!(answer_to(busy).await.starts_with(b"HTTP/1.1 503 "));
    }
}
