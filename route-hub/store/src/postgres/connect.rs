//! How the server is reached, and which servers are refused.

use super::failure::failure;
use super::processes::BEAT;
use crate::trust::trust;
use crate::{StoreError, stopwatch};
use postrider_model::UnixMs;
use std::fmt;
use std::future::poll_fn;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a new connection may take.
const CONNECT_WAIT: Duration = Duration::from_secs(3);
/// How long bytes may stay unanswered before the connection counts as lost.
const TCP_WAIT: Duration = Duration::from_secs(10);
/// What each connection is opened with.
const OPTIONS: &str = "-c statement_timeout=5000 -c lock_timeout=2000 \
    -c idle_in_transaction_session_timeout=1000 -c enable_seqscan=off \
    -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off \
    -c plan_cache_mode=force_generic_plan -c jit=off";

/// Where and how to open a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresSettings {
    /// `postgres://user@host:port/database`, with several hosts separated by commas.
    pub url: String,
    /// The password, unless it is in the URL.
    pub password: Option<String>,
    /// A file of certificates that are trusted besides the system's.
    pub ca: Option<PathBuf>,
    /// Whether the connection may be plain over a network.
    pub plain: bool,
    /// Threads that read; each has a connection.
    pub readers: usize,
    /// Whether an empty database is made a hub's.
    pub create: bool,
    /// Whether this process serves, and so works for a share of the projects: a command does not.
    pub serves: bool,
    /// How often a process shows that it lives: who does not through ten beats of another is taken
    /// over. The same for all processes on a database.
    pub beat: Duration,
    /// This machine's clock, which is compared with the database's.
    pub clock: fn() -> UnixMs,
    /// Whether hints between processes go by the server's own notices; else
    /// [`crate::Store::take_carrier`] gives them to somebody else.
    pub notices: bool,
    /// The mistake that a test plants.
    #[cfg(feature = "mistakes")]
    pub mistake: &'static str,
}

impl PostgresSettings {
    /// Returns settings for `url`: four readers, an empty database is made a hub's.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            password: None,
            ca: None,
            plain: false,
            readers: 4,
            create: true,
            serves: true,
            beat: BEAT,
            clock: stopwatch::unix,
            notices: true,
            #[cfg(feature = "mistakes")]
            mistake: "",
        }
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresSettings { .. }")
    }
}

/// Names a database by its name and hosts alone.
pub(crate) fn named(settings: &PostgresSettings) -> String {
    let config = Config::from_str(&settings.url).unwrap_or_default();
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    };
    let hosts: Vec<_> = config.get_hosts().iter().map(host).collect();
    let name = config.get_dbname().or(config.get_user());
    format!(
        "the database {} at {}",
        name.unwrap_or_default(),
        hosts.join(", ")
    )
}

/// Opens connections to one database.
#[derive(Clone)]
pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Connector {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`StoreError::Refused`] when the URL or the file of certificates cannot be read.
    pub(crate) fn new(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let mut config = Config::from_str(&settings.url)
            .map_err(|error| refused(format!("the database's URL cannot be read: {error}")))?;
        if let Some(password) = &settings.password {
            config.password(password);
        }
        if config.get_application_name().is_none() {
            config.application_name("route-hub");
        }
        config
            .options(OPTIONS)
            .connect_timeout(CONNECT_WAIT)
            .tcp_user_timeout(TCP_WAIT)
            .target_session_attrs(TargetSessionAttrs::ReadWrite);
        let is_plain = settings.plain || config.get_hosts().iter().all(is_near);
        config.ssl_mode(if is_plain {
            SslMode::Disable
        } else {
            SslMode::Require
        });
        Ok(Self {
            config,
            tls: MakeRustlsConnect::new(trust(settings.ca.as_deref())?),
        })
    }

    /// Opens a connection to a server that keeps what it commits.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with why; [`StoreError::Unreachable`].
    pub(crate) async fn connect(&self) -> Result<Client, StoreError> {
        self.connect_hearing(|_| {}).await
    }

    /// As [`Self::connect`]; `hear` is told what the server says without being asked.
    pub(crate) async fn connect_hearing(
        &self,
        mut hear: impl FnMut(AsyncMessage) + Send + 'static,
    ) -> Result<Client, StoreError> {
        let opened = self.config.connect(self.tls.clone()).await;
        let (client, mut connection) = opened.map_err(failure)?;
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                hear(message);
            }
        });
        check(&client).await?;
        Ok(client)
    }

    /// Asks the server to end what a connection is doing.
    pub(crate) async fn cancel(&self, client: &Client) {
        let token = client.cancel_token();
        let asked = token.cancel_query(self.tls.clone());
        drop(tokio::time::timeout(CONNECT_WAIT, asked).await);
    }
}

/// Says whether a host is this very machine.
fn is_near(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            let address = name.parse::<std::net::IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
    }
}

/// What must be so on every server.
const CHECK: &str = "SELECT current_setting('server_version_num')::int, \
    current_setting('fsync'), current_setting('full_page_writes'), \
    current_setting('synchronous_commit'), current_setting('server_encoding'), \
    pg_is_in_recovery(), current_setting('statement_timeout')";

/// The oldest version that is supported.
const VERSION_MIN: i32 = 150_000;

async fn check(client: &Client) -> Result<(), StoreError> {
    let row = client.query_one(CHECK, &[]).await.map_err(failure)?;
    let text = |column| row.get::<_, &str>(column);
    let wrong = if row.get::<_, i32>(0) < VERSION_MIN {
        "PostgreSQL 15 or newer is needed"
    } else if text(1) == "off" {
        "its fsync is off: a power failure would lose messages"
    } else if text(2) == "off" {
        "its full_page_writes is off: a power failure would damage it"
    } else if matches!(text(3), "off" | "local") {
        "its synchronous_commit is off or local: a crash would lose messages"
    } else if text(4) != "UTF8" {
        "its encoding is not UTF-8"
    } else if row.get(5) {
        "it is a standby: the hub needs the primary"
    } else if text(6) != "5s" {
        "the connection's own settings did not arrive: is there a pooler in between?"
    } else {
        return Ok(());
    };
    Err(refused(format!("the database is refused: {wrong}")))
}

fn refused(why: String) -> StoreError {
    StoreError::Refused { why }
}
