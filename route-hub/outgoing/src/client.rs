//! The client: one request in, one answer or one kind of failure out.

use crate::{
    Failure, Guard, InvalidRoot, Names, Owner, Target,
    clock::Started,
    connect::{ConnectFailure, Connector, OWNER, OpenCount},
    tls,
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy,
    rt::{TokioExecutor, TokioTimer},
};
use std::{error::Error, fmt, sync::Arc, time::Duration};
use tokio::time::timeout;

/// Largest head of an answer, in bytes; beyond it the request has failed.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most header lines of an answer.
const HEADERS_MAX: usize = 100;
/// What we call ourselves.
const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("Postrider/", env!("CARGO_PKG_VERSION")));
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// How long a request may take and how much it may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For name, connection and TLS.
    pub connect: Duration,
    /// For all of it, the answer's body included.
    pub total: Duration,
    /// What is read of an answer's body; the rest is left unread.
    pub body_bytes: usize,
    /// Connections kept open to one host and port while nobody uses them.
    pub idle_per_host: usize,
    /// How long they are kept.
    pub idle: Duration,
    /// Connections open to everybody; above it none is kept after its request.
    pub kept_open: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            total: Duration::from_secs(10),
            body_bytes: 64 * 1024,
            idle_per_host: 64,
            idle: Duration::from_secs(30),
            kept_open: 512,
        }
    }
}

/// What a server answered; its body is for the hub's own use and never shown to a caller.
#[derive(Clone)]
pub struct Answer {
    /// The status, a redirect as it came.
    pub status: StatusCode,
    /// Whether the body is called JSON by its Content-Type.
    pub is_json: bool,
    /// The body, cut off at [`Limits::body_bytes`].
    pub body: Bytes,
    /// Whether there was more of the body.
    pub truncated: bool,
    /// How long it all took.
    pub elapsed: Duration,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .field("elapsed", &self.elapsed)
            .finish_non_exhaustive()
    }
}

/// The guarded client; cheap to clone, one for the whole process.
#[derive(Clone)]
pub struct Client {
    guard: Arc<Guard>,
    limits: Limits,
    open: OpenCount,
    http: legacy::Client<Connector, Full<Bytes>>,
}

impl Client {
    /// Makes a client with the default [`Limits`] and the system's name servers; reads the system's
    /// root certificates.
    ///
    /// # Errors
    /// [`InvalidRoot`] for an extra root that cannot be used.
    pub fn new(guard: Guard) -> Result<Self, InvalidRoot> {
        Self::with_limits(guard, Limits::default(), Names::of_system())
    }

    /// Makes a client with limits and name servers of its own.
    ///
    /// # Errors
    /// [`InvalidRoot`] for an extra root that cannot be used.
    pub fn with_limits(guard: Guard, limits: Limits, names: Names) -> Result<Self, InvalidRoot> {
        let guard = Arc::new(guard);
        let open = OpenCount::default();
        let connector = Connector::new(
            Arc::clone(&guard),
            names,
            tls::connector(&guard.extra_roots)?,
            limits.connect,
            open.clone(),
        );
        let http = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(limits.idle)
            .pool_max_idle_per_host(limits.idle_per_host)
            .http1_max_buf_size(HEAD_BYTES_MAX)
            .http1_max_headers(HEADERS_MAX)
            .build(connector);
        Ok(Self {
            guard,
            limits,
            open,
            http,
        })
    }

    /// Returns what the operator allows.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Posts a form-encoded body and returns whatever the server answered, redirects included.
    ///
    /// Requests of one `owner` share the look-ups of names with each other. `headers` come beside our own `Content-Type`, `User-Agent` and `Host`. Dropping the future
    /// ends the request.
    ///
    /// # Errors
    /// A [`Failure`] when there is no whole answer in time. The server may still have got the
    /// request.
    pub async fn post_form(
        &self,
        owner: Owner,
        url: &str,
        headers: HeaderMap,
        body: impl Into<Bytes>,
    ) -> Result<Answer, Failure> {
        let started = Started::now();
        let target = self.guard.check_url(url).map_err(Failure::Url)?;
        let request = self.form_request(&target, headers, body.into());
        let (status, is_json, body, truncated) = timeout(
            self.limits.total,
            OWNER.scope(owner, self.exchange(request)),
        )
        .await
        .unwrap_or(Err(Failure::Timeout))?;
        Ok(Answer {
            status,
            is_json,
            body,
            truncated,
            elapsed: started.elapsed(),
        })
    }

    fn form_request(
        &self,
        target: &Target,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Request<Full<Bytes>> {
        headers.insert(header::CONTENT_TYPE, FORM);
        headers.insert(header::USER_AGENT, USER_AGENT);
        if self.open.get() >= self.limits.kept_open {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = target.uri().clone();
        *request.headers_mut() = headers;
        request
    }

    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<(StatusCode, bool, Bytes, bool), Failure> {
        let response = self.http.request(request).await.map_err(|e| failure(&e))?;
        let status = response.status();
        let is_json = is_json(&response);
        let (body, truncated) = self.read_body(response.into_body()).await?;
        Ok((status, is_json, body, truncated))
    }

    async fn read_body(&self, mut body: Incoming) -> Result<(Bytes, bool), Failure> {
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Failure::Protocol)?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let room = self.limits.body_bytes - read.len();
            if data.len() > room {
                read.extend_from_slice(&data[..room]);
                return Ok((read.into(), true));
            }
            read.extend_from_slice(&data);
        }
        Ok((read.into(), false))
    }
}

fn is_json(response: &Response<Incoming>) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE);
    content_type
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

/// Finds our own failure in the HTTP client's error.
fn failure(error: &legacy::Error) -> Failure {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = source {
        if let Some(ConnectFailure(kind)) = inner.downcast_ref() {
            return *kind;
        }
        source = inner.source();
    }
    Failure::Protocol
}
