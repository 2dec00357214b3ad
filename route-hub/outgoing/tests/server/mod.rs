//! A server on loopback that answers every request in one way and remembers what it got.

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Writes these bytes and waits for the next request.
    Bytes(Vec<u8>),
    /// Writes these bytes, then nothing, and keeps the connection.
    BytesThenHang(Vec<u8>),
    /// Writes a body without an end.
    Endless,
    /// Writes nothing and keeps the connection.
    Hang,
}

impl Reply {
    /// An ordinary answer.
    pub(crate) fn text(status: &str, body: &str) -> Self {
        let length = body.len();
        let reply = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
        Self::Bytes(reply.into_bytes())
    }
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

/// A running server.
pub(crate) struct Server {
    pub port: u16,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(reply: Reply) -> Self {
        Self::listen(reply, None).await
    }

    pub(crate) async fn start_tls(reply: Reply, identity: ServerConfig) -> Self {
        Self::listen(reply, Some(TlsAcceptor::from(Arc::new(identity)))).await
    }

    async fn listen(reply: Reply, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let task = tokio::spawn(accept(listener, reply, tls, Arc::clone(&seen)));
        Self { port, seen, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// Closes the port.
    pub(crate) async fn stop(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}

/// A certificate for `host` that signs itself: what the server shows and what a client trusts.
pub(crate) fn tls_identity(host: &str) -> (ServerConfig, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([host.to_owned()]).unwrap();
    let root = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![root.clone()], key)
        .unwrap();
    (config, root)
}

async fn accept(listener: TcpListener, reply: Reply, tls: Option<TlsAcceptor>, seen: Arc<Seen>) {
    while let Ok((stream, _)) = listener.accept().await {
        seen.connections.fetch_add(1, Ordering::SeqCst);
        let (reply, tls, seen) = (reply.clone(), tls.clone(), Arc::clone(&seen));
        tokio::spawn(async move {
            match tls {
                None => serve(stream, &reply, &seen).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(stream, &reply, &seen).await;
                    }
                }
            }
        });
    }
}

async fn serve(mut stream: impl AsyncRead + AsyncWrite + Unpin, reply: &Reply, seen: &Seen) {
    while let Some(request) = read_request(&mut stream).await {
        seen.requests.lock().unwrap().push(request);
        match reply {
            Reply::Bytes(bytes) => {
                if stream.write_all(bytes).await.is_err() {
                    return;
                }
            }
            Reply::BytesThenHang(bytes) => {
                drop(stream.write_all(bytes).await);
                std::future::pending::<()>().await;
            }
            Reply::Endless => {
                let head = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
                drop(stream.write_all(head).await);
                while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
                return;
            }
            Reply::Hang => std::future::pending::<()>().await,
        }
    }
}

/// Reads one request with a Content-Length; `None` when the client has gone.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut got = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&got).into_owned();
        if let Some(end) = text.find("\r\n\r\n") {
            let length = text.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                let named = name.eq_ignore_ascii_case("content-length");
                named.then(|| value.parse::<usize>().ok()).flatten()
            });
            if got.len() >= end + 4 + length.unwrap_or(0) {
                return Some(text);
            }
        }
        let mut chunk = [0; 4096];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => got.extend_from_slice(&chunk[..n]),
        }
    }
}
