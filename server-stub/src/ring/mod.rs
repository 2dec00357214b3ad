//! The ring: sockets, TLS, clock and random numbers around the engine.

mod accept;
mod clock;
mod control;
mod http;
mod link;
mod random;
mod shared;
mod tls;

use crate::engine::{Code, Engine, Setting};
use crate::scenario::{Scenario, Wait};
use crate::verdict::Verdict;
use serde_json::Value;
use shared::Shared;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tls::Tls;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// How long the connections of a run that is over may take to end.
const LEAVE_MAX: Duration = Duration::from_secs(3);
/// Loopback, on a free port.
const FREE_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// What a stub is started with.
#[derive(Debug)]
pub struct StubConfig {
    /// What it does.
    pub scenario: Scenario,
    /// Where phones find it.
    pub listen: SocketAddr,
    /// Where the control interface listens.
    pub control: SocketAddr,
    /// The address that phones use, when it is not the one that it listens on.
    pub public_url: Option<String>,
    /// The log of hand-overs to compare with.
    pub radio_log: Option<PathBuf>,
}

impl StubConfig {
    /// Makes the usual configuration: free ports on loopback.
    pub const fn new(scenario: Scenario) -> Self {
        Self {
            scenario,
            listen: FREE_PORT,
            control: FREE_PORT,
            public_url: None,
            radio_log: None,
        }
    }
}

/// Returns why a stub did not start.
#[derive(Debug, thiserror::Error)]
pub enum StubError {
    /// It cannot listen, or the system lacks something.
    #[error("the stub cannot start: {0}")]
    Io(#[from] io::Error),
    /// The public address is none.
    #[error("the public address must be one such as https://hub.example.org")]
    PublicUrl,
    /// A certificate could not be made.
    #[error("a certificate could not be made: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A certificate could not be used.
    #[error("a certificate could not be used: {0}")]
    Tls(#[from] rustls::Error),
}

/// Ends a run from elsewhere.
#[derive(Clone)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Ends the run: [`Stub::finish`] returns its verdict.
    pub fn stop(&self) {
        self.0.with(|engine, _| engine.stop());
    }
}

/// A running hub double; dropping it stops it.
pub struct Stub {
    shared: Arc<Shared>,
    control_url: String,
    tasks: JoinSet<()>,
}

impl Stub {
    /// Starts a stub on the present runtime.
    ///
    /// # Errors
    /// When it cannot listen, or the public address is none.
    pub async fn start(config: StubConfig) -> Result<Self, StubError> {
        let listener = TcpListener::bind(config.listen).await?;
        let control = TcpListener::bind(config.control).await?;
        let scheme = if config.scenario.tls.is_some() {
            "https"
        } else {
            "http"
        };
        let found_at = listener.local_addr()?;
        let base_url = match config.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None if config.scenario.tls.is_some() && found_at.ip().is_loopback() => {
                format!("{scheme}://localhost:{}", found_at.port())
            }
            None => format!("{scheme}://{found_at}"),
        };
        let setting = Setting {
            host: host_of(&base_url).ok_or(StubError::PublicUrl)?,
            // http becomes ws, https becomes wss.
            link_url: format!("ws{}/link", base_url.trim_start_matches("http")),
            code: code_of(&config.scenario)?,
        };
        let tls = match &config.scenario.tls {
            Some(settings) => Some(Tls::new(&settings.names)?),
            None => None,
        };
        let engine = Engine::new(config.scenario, setting, clock::now());
        let shared = Shared::new(engine, tls, config.radio_log, base_url);
        let control_url = format!("http://{}", control.local_addr()?);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept::serve(listener, shared.clone()));
        let router = control::router(shared.clone());
        tasks.spawn(async move { serve_control(control, router).await });
        let timed = shared.clone();
        tasks.spawn(async move { timed.keep_time().await });
        Ok(Self {
            shared,
            control_url,
            tasks,
        })
    }

    /// Returns the address that phones join at.
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// Returns the address of the control interface.
    pub fn control_url(&self) -> &str {
        &self.control_url
    }

    /// Returns the pairing code in the form for typing.
    pub fn code(&self) -> String {
        self.shared.look(|engine, _| engine.code().typed())
    }

    /// Returns what is printed once ready: addresses, code, link, pins.
    pub fn ready(&self) -> Value {
        let mut ready = control::invitation(&self.shared);
        ready["control_url"] = Value::from(self.control_url.clone());
        ready
    }

    /// Returns the root that signed the good certificate, in DER and in PEM; `None` without TLS.
    pub fn root(&self) -> Option<(Vec<u8>, String)> {
        let tls = self.shared.tls.as_ref()?;
        Some((tls.root_der.clone(), tls.root_pem.clone()))
    }

    /// Returns the pin of the good key; `None` without TLS.
    pub fn pin(&self) -> Option<String> {
        self.shared.tls.as_ref().map(|tls| tls.pin.clone())
    }

    /// Waits until everything that `wait` names is so.
    pub async fn until(&self, wait: &Wait) {
        self.shared.until(|engine| engine.is_met(wait)).await;
    }

    /// Returns the verdict as of now.
    pub async fn verdict(&self) -> Verdict {
        self.shared.verdict().await
    }

    /// Returns a handle that ends the run from elsewhere.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.shared.clone())
    }

    /// Ends the run.
    pub fn stop(&self) {
        self.shared.with(|engine, _| engine.stop());
    }

    /// Waits until the run is over, and returns its verdict; the phone is sent away.
    pub async fn finish(mut self) -> Verdict {
        self.shared.until(|engine| engine.ended().is_some()).await;
        let verdict = self.shared.verdict().await;
        self.shared.with(|engine, now| engine.shut(now));
        let leaving = self
            .shared
            .until(|engine| engine.state().connections.is_empty());
        // A phone that does not take its goodbye is left.
        let _ = tokio::time::timeout(LEAVE_MAX, leaving).await;
        self.tasks.shutdown().await;
        verdict
    }
}

async fn serve_control(listener: TcpListener, router: axum::Router) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let service = hyper_util::service::TowerToHyperService::new(router.clone());
        let serving = hyper::server::conn::http1::Builder::new()
            .serve_connection(hyper_util::rt::TokioIo::new(stream), service);
        tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::debug!(%error, "a control connection ended");
            }
        });
    }
}

fn code_of(scenario: &Scenario) -> io::Result<Code> {
    match scenario.pairing.code.as_deref().and_then(Code::fixed) {
        Some(code) => Ok(code),
        None => Ok(Code::drawn(&random::bytes()?)),
    }
}

fn host_of(base_url: &str) -> Option<String> {
    let uri: ::http::Uri = base_url.parse().ok()?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    let host = uri.host().filter(|_| known)?;
    Some(host.trim_matches(['[', ']']).to_lowercase())
}
