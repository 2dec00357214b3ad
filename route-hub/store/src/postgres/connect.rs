//! How the server is reached, and which servers are refused.

use super::failure::failure;
use super::process::BEAT;
use super::servers::{Lead, Servers, refused};
use crate::trust::trust;
use crate::{StoreError, stopwatch};
use futures_util::future::join_all;
use postrider_model::UnixMs;
use std::error::Error as _;
use std::fmt;
use std::future::poll_fn;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{AsyncMessage, Client, Config, Error, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a new connection may take until it was looked at. A server that stands still takes
/// connections, too, and says nothing.
const CONNECT_WAIT: Duration = Duration::from_secs(3);
/// How long bytes may stay unanswered before the connection counts as lost.
const TCP_WAIT: Duration = Duration::from_secs(10);
/// What each connection is opened with.
const OPTIONS: &str = "-c statement_timeout=5000 -c lock_timeout=2000 \
    -c idle_in_transaction_session_timeout=1000 -c enable_seqscan=off \
    -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off \
    -c plan_cache_mode=force_generic_plan -c jit=off";

/// What the operator says of a database that changed while no hub lived: one that was brought back from
/// a dump or to an earlier moment, copied, or promoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nothing: a hub that is to serve refuses it.
    Unknown,
    /// It holds all that was ever answered.
    NothingLost,
    /// It may have forgotten something: hubs send nothing before [`crate::meta::end_loss`].
    Restored,
}

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
    /// What the operator says of a database that changed while no hub lived.
    pub since: Since,
    /// How often a process shows that it lives: who does not through ten beats of another is taken
    /// over. The same for all processes on a database.
    pub beat: Duration,
    /// This machine's clock, which is compared with the database's.
    pub clock: fn() -> UnixMs,
    /// Whether hints between processes go by the server's own notices; else
    /// [`crate::Store::take_carrier`] gives them to somebody else.
    pub notices: bool,
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
            since: Since::Unknown,
            beat: BEAT,
            clock: stopwatch::unix,
            notices: true,
        }
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresSettings { .. }")
    }
}

/// The port of servers that name none.
const PORT_DEFAULT: u16 = 5432;

/// Names a database by its name, hosts and ports alone.
pub(crate) fn named(settings: &PostgresSettings) -> String {
    let config = Config::from_str(&settings.url).unwrap_or_default();
    let host = |(place, host): (usize, &Host)| {
        let name = match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        match port(&config, place) {
            PORT_DEFAULT => name,
            port => format!("{name}:{port}"),
        }
    };
    let hosts: Vec<_> = config.get_hosts().iter().enumerate().map(host).collect();
    let name = config.get_dbname().or(config.get_user());
    format!(
        "the database {} at {}",
        name.unwrap_or_default(),
        hosts.join(", ")
    )
}

/// Returns the port of the host at a place.
fn port(config: &Config, place: usize) -> u16 {
    let ports = config.get_ports();
    let port = ports.get(place).or(ports.first());
    port.copied().unwrap_or(PORT_DEFAULT)
}

/// Opens connections to one database.
#[derive(Clone)]
pub(crate) struct Connector {
    /// One for each host, in their order in the URL.
    hosts: Vec<Config>,
    /// The place of the host that is tried first: the one that was taken last.
    last: Arc<AtomicUsize>,
    /// How long each host has to answer.
    wait: Duration,
    tls: MakeRustlsConnect,
    pub(crate) servers: Arc<Servers>,
}

impl Connector {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`StoreError::Refused`] when the URL or the file of certificates cannot be read, and where no name
    /// says whose certificate to expect.
    pub(crate) fn new(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let mut config = Config::from_str(&settings.url).map_err(|error| {
            let what = error
                .source()
                .map_or_else(String::new, |what| format!(": {what}"));
            StoreError::Refused {
                why: format!("the database's URL cannot be read: {error}{what}"),
            }
        })?;
        refuse_parameters(&config, settings.plain)?;
        if let Some(password) = &settings.password {
            config.password(password);
        }
        let is_plain =
            config.get_ssl_mode() != SslMode::Require && (settings.plain || is_near(&config));
        if !is_plain && config.get_hosts().len() < config.get_hostaddrs().len() {
            return Err(refused(
                "its URL has a hostaddr without a host, whose name the server's certificate could be checked for",
            ));
        }
        let mut hosts = each_host(&config);
        for host in &mut hosts {
            host.application_name(config.get_application_name().unwrap_or("route-hub"))
                .options(OPTIONS)
                .connect_timeout(CONNECT_WAIT)
                .tcp_user_timeout(TCP_WAIT)
                .ssl_mode(if is_plain {
                    SslMode::Disable
                } else {
                    SslMode::Require
                });
        }
        Ok(Self {
            hosts,
            last: Arc::default(),
            wait: CONNECT_WAIT,
            tls: MakeRustlsConnect::new(trust(settings.ca.as_deref())?),
            servers: Arc::new(Servers::new()),
        })
    }

    /// Opens a connection to a server that keeps what it commits.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with why; [`StoreError::Unreachable`].
    pub(crate) async fn connect(&self) -> Result<Client, StoreError> {
        let (client, _) = self.connect_hearing(|_| {}).await?;
        Ok(client)
    }

    /// As [`Self::connect`], and returns where the connection leads to; `hear` is told what the server
    /// says without being asked.
    pub(crate) async fn connect_hearing(
        &self,
        hear: impl FnMut(AsyncMessage) + Clone + Send + 'static,
    ) -> Result<(Client, Lead), StoreError> {
        let connected = self.connect_to_one(hear).await;
        match &connected {
            Ok(_) => self.servers.outage.worked(),
            // Whoever starts says by itself why it cannot.
            Err(StoreError::Unreachable(cause)) if !self.servers.none_was_met() => {
                self.servers.outage.failed(cause);
            }
            Err(_) => {}
        }
        connected
    }

    async fn connect_to_one(
        &self,
        hear: impl FnMut(AsyncMessage) + Clone + Send + 'static,
    ) -> Result<(Client, Lead), StoreError> {
        let count = self.hosts.len();
        if count > 1 && self.servers.none_was_met() {
            self.look_around().await;
        }
        let last = self.last.load(Ordering::Acquire);
        let mut failed = None;
        for place in (0..count).map(|turn| (last + turn) % count) {
            let connecting = self.connect_to(&self.hosts[place], hear.clone());
            let connected = timeout(self.wait, connecting).await;
            match connected.unwrap_or_else(|_| Err(StoreError::Unreachable(Arc::new(NoAnswer)))) {
                Ok(connected) => {
                    self.last.store(place, Ordering::Release);
                    return Ok(connected);
                }
                // Why a server is refused says more than that another cannot be reached.
                Err(error) => match failed {
                    Some(StoreError::Refused { .. }) => {}
                    _ => failed = Some(error),
                },
            }
        }
        Err(failed.unwrap_or_else(|| refused("its URL names no host")))
    }

    /// Looks at all hosts at once: who starts beside two that take writes begins with the one that was
    /// promoted last.
    async fn look_around(&self) {
        let looks = self
            .hosts
            .iter()
            .map(|host| timeout(self.wait, self.open(host, |_| {})));
        let mut newest = 0;
        for (place, looked) in join_all(looks).await.into_iter().enumerate() {
            let Ok(Ok((_, lead))) = looked else { continue };
            if self.servers.meet(&lead).is_ok() && lead.timeline > newest {
                newest = lead.timeline;
                self.last.store(place, Ordering::Release);
            }
        }
    }

    async fn connect_to(
        &self,
        host: &Config,
        hear: impl FnMut(AsyncMessage) + Send + 'static,
    ) -> Result<(Client, Lead), StoreError> {
        let (client, lead) = self.open(host, hear).await?;
        self.servers.meet(&lead)?;
        Ok((client, lead))
    }

    async fn open(
        &self,
        host: &Config,
        mut hear: impl FnMut(AsyncMessage) + Send + 'static,
    ) -> Result<(Client, Lead), StoreError> {
        let opened = host.connect(self.tls.clone()).await;
        let (client, mut connection) = opened.map_err(not_opened)?;
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                hear(message);
            }
        });
        let lead = check(&client).await?;
        Ok((client, lead))
    }

    /// Asks the server to end what a connection is doing.
    pub(crate) async fn cancel(&self, client: &Client) {
        let token = client.cancel_token();
        drop(token.cancel_query(self.tls.clone()).await);
    }
}

/// The server does not answer.
#[derive(Debug, thiserror::Error)]
#[error("the server does not answer")]
pub(super) struct NoAnswer;

/// Refuses what a URL may say and the hub decides.
fn refuse_parameters(config: &Config, plain: bool) -> Result<(), StoreError> {
    let why = if plain && config.get_ssl_mode() == SslMode::Require {
        "its URL has sslmode=require, and --database-plain says the opposite"
    } else if !plain && !is_near(config) && config.get_ssl_mode() == SslMode::Disable {
        "its URL has sslmode=disable: over a network that needs --database-plain"
    } else if config.get_target_session_attrs() == TargetSessionAttrs::ReadOnly {
        "its URL has target_session_attrs=read-only: the hub writes"
    } else if config.get_options().is_some() {
        "its URL has options, which the hub sets itself"
    } else if config.get_connect_timeout().is_some() {
        "its URL has connect_timeout, which the hub sets itself"
    } else {
        return Ok(());
    };
    Err(refused(why))
}

/// Returns the settings for each host alone: which of them is the primary is not the client's to say,
/// since one that was left behind takes writes, too.
fn each_host(config: &Config) -> Vec<Config> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let one = |place: usize| {
        let mut one = Config::new();
        match hosts.get(place) {
            Some(Host::Tcp(name)) => drop(one.host(name)),
            Some(Host::Unix(path)) => drop(one.host_path(path)),
            None => {}
        }
        if let Some(address) = addresses.get(place) {
            one.hostaddr(*address);
        }
        one.port(port(config, place));
        if let Some(user) = config.get_user() {
            one.user(user);
        }
        if let Some(password) = config.get_password() {
            one.password(password);
        }
        if let Some(name) = config.get_dbname() {
            one.dbname(name);
        }
        one
    };
    (0..hosts.len().max(addresses.len())).map(one).collect()
}

/// Translates why there is no connection. What poolers know of a connection's settings is a list.
fn not_opened(error: Error) -> StoreError {
    let told = error.as_db_error().map_or("", |told| told.message());
    if told.contains("startup parameter") {
        return refused(POOLER);
    }
    failure(error)
}

/// Says whether all hosts are this very machine. Where a host has an address beside its name, the
/// connection goes to the address.
fn is_near(config: &Config) -> bool {
    let is_near = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            let address = name.parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
    };
    let addresses = config.get_hostaddrs();
    config.get_hosts().iter().all(is_near) && addresses.iter().all(IpAddr::is_loopback)
}

/// What must be so on every server, and where it is. A setting is left on the session, to be found again.
const CHECK: &str = "SELECT current_setting('server_version_num')::int4 AS version, \
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes, \
    current_setting('synchronous_commit') AS synchronous_commit, \
    current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_standby, \
    current_setting('transaction_read_only') AS read_only, \
    current_setting('statement_timeout') AS statement_timeout, pg_backend_pid() AS backend, \
    set_config('postrider.session', 'kept', false) AS kept, \
    (SELECT system_identifier FROM pg_control_system()) || '/' || \
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS server, \
    CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name( \
    pg_current_wal_lsn()), 8))::bit(32)::int8 END AS timeline";
/// Whether the session is still the same.
const CHECK_AGAIN: &str = "SELECT pg_backend_pid() AS backend, \
    COALESCE(current_setting('postrider.session', true), '') AS kept";

/// The oldest version that is supported.
const VERSION_MIN: i32 = 150_000;
/// Sessions that are shared with others, or that have not the hub's settings.
pub(crate) const POOLER: &str = "there is a pooler before it that shares its sessions, or that passes over \
    their settings: connect to PostgreSQL directly";

async fn check(client: &Client) -> Result<Lead, StoreError> {
    let row = client.query_one(CHECK, &[]).await.map_err(failure)?;
    if let Some(wrong) = wrong(&row) {
        return Err(refused(wrong));
    }
    let again = client.query_one(CHECK_AGAIN, &[]).await.map_err(failure)?;
    let backend = |row: &Row| row.get::<_, i32>("backend");
    if backend(&again) != backend(&row) || again.get::<_, &str>("kept") != "kept" {
        return Err(refused(POOLER));
    }
    Ok(Lead {
        server: row.get("server"),
        timeline: row.get("timeline"),
    })
}

fn wrong(row: &Row) -> Option<&'static str> {
    let text = |column| row.get::<_, &str>(column);
    if row.get::<_, i32>("version") < VERSION_MIN {
        Some("PostgreSQL 15 or newer is needed")
    } else if text("fsync") == "off" {
        Some("its fsync is off: a power failure would lose messages")
    } else if text("full_page_writes") == "off" {
        Some("its full_page_writes is off: a power failure would damage it")
    } else if matches!(text("synchronous_commit"), "off" | "local") {
        Some("its synchronous_commit is off or local: a crash would lose messages")
    } else if text("encoding") != "UTF8" {
        Some("its encoding is not UTF-8")
    } else if row.get("is_standby") {
        Some("it is a standby: the hub needs the primary")
    } else if text("read_only") == "on" {
        Some("it takes no writes: its default_transaction_read_only is on")
    } else if text("statement_timeout") != "5s" {
        Some(POOLER)
    } else {
        None
    }
}

/// How many connections this session's user may still open, after those that are kept for superusers, and
/// what limits them.
const ROOM: &str = "SELECT room, setting FROM ( \
    SELECT current_setting('max_connections')::int8 - used.everywhere - CASE WHEN rolsuper THEN 0 \
    ELSE current_setting('superuser_reserved_connections')::int8 \
    + COALESCE(current_setting('reserved_connections', true), '0')::int8 END AS room, \
    'max_connections of the server' AS setting FROM own, used \
    UNION ALL SELECT rolconnlimit - used.by_role, 'connection limit of its user' FROM own, used \
    WHERE rolconnlimit >= 0 AND NOT rolsuper \
    UNION ALL SELECT datconnlimit - used.here, 'connection limit of the database' \
    FROM pg_database, own, used WHERE datname = current_database() AND datconnlimit >= 0 \
    AND NOT rolsuper) AS limits ORDER BY room LIMIT 1";
const WITH_USED: &str = "WITH own AS (SELECT rolsuper, rolconnlimit FROM pg_roles \
    WHERE rolname = session_user), \
    used AS (SELECT (SELECT sum(numbackends) FROM pg_stat_database)::int8 AS everywhere, \
    (SELECT numbackends FROM pg_stat_database WHERE datname = current_database())::int8 AS here, \
    (SELECT count(*) FROM pg_stat_activity WHERE usename = session_user) AS by_role) ";

/// Refuses a server that has no room for so many connections more.
///
/// # Errors
/// [`StoreError::Refused`]; what the server says.
pub(crate) async fn has_room(client: &Client, needed: usize) -> Result<(), StoreError> {
    let look = format!("{WITH_USED}{ROOM}");
    let row = client.query_one(&look, &[]).await.map_err(failure)?;
    let (room, setting) = (
        row.get::<_, i64>("room").max(0),
        row.get::<_, &str>("setting"),
    );
    if usize::try_from(room).is_ok_and(|room| room >= needed) {
        return Ok(());
    }
    Err(refused(&format!(
        "it has room for {room} connections more, and {needed} are needed: raise the {setting}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PostgresDatabase, server};
    use tokio::net::TcpListener;

    /// Returns the URL of a database with one more host, before its own.
    fn with_first(url: &str, address: std::net::SocketAddr) -> String {
        let (user, rest) = url.split_once('@').unwrap();
        format!("{user}@{address},{rest}")
    }

    /// Returns whether each host is to be reached by TLS, or why the URL is refused.
    fn tls(url: &str, plain: bool) -> Result<Vec<bool>, String> {
        let settings = PostgresSettings {
            plain,
            ..PostgresSettings::new(url)
        };
        let connector = Connector::new(&settings).map_err(|error| error.to_string())?;
        let is_tls = |host: &Config| host.get_ssl_mode() == SslMode::Require;
        Ok(connector.hosts.iter().map(is_tls).collect())
    }

    #[test]
    fn a_database_is_named_with_its_ports() {
        let name = |url: &str| named(&PostgresSettings::new(url));
        assert_eq!(name("postgres://u@db:5432/hub"), "the database hub at db");
        assert_eq!(
            name("postgres://u:p@one:5433,two:5432/hub"),
            "the database hub at one:5433, two"
        );
    }

    #[test]
    fn what_a_url_says_is_followed_or_refused_by_name() {
        let required = tls("postgres://u@127.0.0.1/d?sslmode=require", false);
        assert_eq!(required, Ok(vec![true]));
        for (url, plain, why) in [
            (
                "postgres://u@db/d?sslmode=disable",
                false,
                "sslmode=disable",
            ),
            (
                "postgres://u@db/d?sslmode=require",
                true,
                "--database-plain",
            ),
            ("postgres://u@db/d?options=-cfsync=off", false, "options"),
            (
                "postgres://u@db/d?connect_timeout=2",
                false,
                "connect_timeout",
            ),
            (
                "postgres://u@db/d?target_session_attrs=read-only",
                false,
                "read-only",
            ),
            ("postgres://u@db/d?nonsense=2", false, "nonsense"),
        ] {
            let refused = tls(url, plain).unwrap_err();
            assert!(refused.contains(why), "{url}: {refused}");
        }
    }

    #[test]
    fn whatever_leads_to_another_machine_needs_tls_or_to_be_told() {
        for near in [
            "postgres://u@localhost,127.0.0.1,[::1]/d",
            "postgres:///d?host=/run/postgresql&user=u",
            "postgres://u@localhost/d?hostaddr=127.0.0.1",
            "postgres:///d?user=u&hostaddr=127.0.0.1",
        ] {
            let plain = tls(near, false).unwrap();
            assert!(plain.iter().all(|tls| !tls), "{near}");
        }
        for far in [
            "postgres://u@db.example.org/d",
            "postgres://u@localhost,db.example.org/d",
            "postgres://u@localhost/d?hostaddr=192.0.2.1",
            "postgres://u@db.example.org/d?hostaddr=127.0.0.1",
        ] {
            assert!(tls(far, false).unwrap().iter().all(|tls| *tls), "{far}");
            assert!(tls(far, true).unwrap().iter().all(|tls| !tls), "{far}");
        }
        let nameless = "postgres:///d?user=u&hostaddr=192.0.2.1";
        let refusal = tls(nameless, false).unwrap_err();
        assert!(refusal.contains("hostaddr without a host"), "{refusal}");
        assert_eq!(tls(nameless, true), Ok(vec![false]));
    }

    #[tokio::test]
    async fn a_host_that_says_nothing_is_passed_over_and_tried_last_from_then_on() {
        let Some(server) = server() else {
            return;
        };
        let database = PostgresDatabase::empty(&server);
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = with_first(&database.url(), silent.local_addr().unwrap());
        let mut connector = Connector::new(&PostgresSettings::new(url)).unwrap();
        connector.wait = Duration::from_millis(500);
        connector.connect().await.unwrap();
        let (first, _) = silent.accept().await.unwrap();
        connector.connect().await.unwrap();
        let none = futures_util::FutureExt::now_or_never(silent.accept());
        assert!(none.is_none(), "nobody waits for it again");
        drop(first);
    }
}
