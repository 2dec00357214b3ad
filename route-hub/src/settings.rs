//! Settings of `route-hub serve`: flags, then `ROUTE_HUB_*` variables, then a TOML file.

use crate::database::DatabaseSettings;
use crate::files::{FilePlace, FileSettings};
use crate::nats::HintSettings;
use clap::Args;
use hub_app::data_folder::Data;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Caps;
use hub_nats::Servers;
use serde::Deserialize;
use std::net::{AddrParseError, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The highest process number of a hub; the admin commands use those above.
const PROCESS_MAX: u8 = 239;

/// What `route-hub serve` takes. Every flag but `--create`, `--nothing-lost` and
/// `--no-backup` has an environment variable, and a key
/// of the same name (with underscores) in the file of `--config`. A flag wins over a variable, a
/// variable over the file.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeSettings {
    /// TOML file with settings.
    #[arg(long, env = "ROUTE_HUB_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Folder of the database and of everything else the hub keeps [default: route-hub-data].
    #[arg(long, env = "ROUTE_HUB_DIR", value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The database, if it is no file in the folder.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// How hubs on one database hint to each other.
    #[command(flatten)]
    pub nats: HintSettings,
    /// Where files are.
    #[command(flatten)]
    pub files: FileSettings,
    /// Make a new hub if the folder has no database, or the PostgreSQL database is empty; without
    /// this flag the hub then refuses to start.
    ///
    /// There is no variable or key for it: a setting that stays would start an empty hub whenever a
    /// disk is missing.
    #[arg(long)]
    #[serde(skip)]
    pub create: bool,
    /// Serve a PostgreSQL database that changed while no hub lived: another server, or another timeline
    /// of it. Give it once, after a planned change that lost nothing. One that was brought back from a
    /// dump or to an earlier moment needs `route-hub restored` instead.
    #[arg(long)]
    #[serde(skip)]
    pub nothing_lost: bool,
    /// Bring a file of an earlier version up to date without the copy that is otherwise made first, in
    /// `before-upgrade` of the data folder.
    #[arg(long)]
    #[serde(skip)]
    pub no_backup: bool,
    /// Address to listen on [default: 127.0.0.1:8090].
    #[arg(long, env = "ROUTE_HUB_LISTEN", value_name = "ADDR:PORT")]
    pub listen: Option<SocketAddr>,
    /// Address of the operator's own endpoints, `/metrics` and the reasons of `/readyz`, or `off`
    /// [default: 127.0.0.1:8091, or none if that is taken].
    #[arg(long, env = "ROUTE_HUB_OPERATOR_LISTEN", value_name = "ADDR:PORT")]
    pub operator_listen: Option<OperatorListen>,
    /// Certificate chain in PEM; with --tls-key the hub speaks TLS itself, and reads both again
    /// when they change.
    #[arg(long, env = "ROUTE_HUB_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// Private key in PEM for --tls-cert.
    #[arg(long, env = "ROUTE_HUB_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Speak TLS with a key and a certificate of the hub's own, which are made once in the data folder; `admin
    /// pair` tells phones the key.
    #[arg(long, env = "ROUTE_HUB_TLS_SELF_SIGNED", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub tls_self_signed: Option<bool>,
    /// Speak TLS with certificates from Let's Encrypt, or from --acme-directory, for the public URL's host, each --host
    /// and each short domain: asked for and renewed on the hub's own port, which the Internet must reach as 443. The
    /// authority may write to this address; giving it agrees to the authority's terms.
    #[arg(long, env = "ROUTE_HUB_ACME", value_name = "MAIL")]
    pub acme: Option<String>,
    /// The directory of another authority for --acme.
    #[arg(long, env = "ROUTE_HUB_ACME_DIRECTORY", value_name = "URL")]
    pub acme_directory: Option<String>,
    /// Certificates in PEM that this authority may show, beside the system's.
    #[arg(long, env = "ROUTE_HUB_ACME_ROOT", value_name = "FILE")]
    pub acme_root: Option<PathBuf>,
    /// Speak plain HTTP on an address that is not loopback (behind a proxy that ends TLS).
    #[arg(long, env = "ROUTE_HUB_ALLOW_PLAIN_HTTP", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub allow_plain_http: Option<bool>,
    /// Address under which people and phones reach the hub, such as `https://gateway.example.org`.
    #[arg(long, env = "ROUTE_HUB_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// More host names under which phones may sign in, beside the public URL's host and the
    /// listening address.
    #[arg(
        long = "host",
        env = "ROUTE_HUB_HOSTS",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    pub hosts: Vec<String>,
    /// The app's APK, offered on the page behind an invitation's QR code; read at the start.
    #[arg(long, env = "ROUTE_HUB_APP_FILE", value_name = "FILE")]
    pub app_file: Option<PathBuf>,
    /// SHA-256 of the certificate that signs the app, so that phones open that page in the app at
    /// once.
    #[arg(
        long,
        env = "ROUTE_HUB_APP_CERTIFICATE",
        value_delimiter = ',',
        value_name = "SHA256"
    )]
    pub app_certificate: Vec<String>,
    /// Networks of proxies whose `X-Forwarded-For` the hub believes, such as 10.1.0.0/16
    /// [default: loopback].
    #[arg(
        long,
        env = "ROUTE_HUB_TRUSTED_PROXY",
        value_delimiter = ',',
        value_name = "CIDR"
    )]
    pub trusted_proxy: Vec<String>,
    /// Most connections of one project at a time, of its keys and its phones [default: 10000].
    #[arg(long, env = "ROUTE_HUB_PROJECT_CONNECTIONS", value_name = "N")]
    pub project_connections: Option<usize>,
    /// Most phones of a project; phones above a lower limit stay [default: 5000].
    #[arg(long, env = "ROUTE_HUB_PHONES_MAX", value_name = "N")]
    pub phones_max: Option<u32>,
    /// Most dynamic groups of a project; groups above a lower limit stay [default: 500].
    #[arg(long, env = "ROUTE_HUB_DYNAMIC_GROUPS_MAX", value_name = "N")]
    pub dynamic_groups_max: Option<u32>,
    /// Most relative scheduled messages of a project; those above a lower limit stay [default:
    /// 1000].
    #[arg(long, env = "ROUTE_HUB_RELATIVE_SCHEDULES_MAX", value_name = "N")]
    pub relative_schedules_max: Option<u32>,
    /// Number of this process in the ids that it makes, 0 to 239 [default: 0]; a PostgreSQL database
    /// gives each process its own.
    #[arg(long, env = "ROUTE_HUB_PROCESS", value_name = "N")]
    pub process: Option<u8>,
    /// Private networks that webhooks may go to, such as 10.1.0.0/16 [default: none].
    #[arg(
        long,
        env = "ROUTE_HUB_WEBHOOK_ALLOW",
        value_delimiter = ',',
        value_name = "CIDR"
    )]
    pub webhook_allow: Vec<String>,
    /// Refuse webhook addresses that are not https.
    #[arg(long, env = "ROUTE_HUB_WEBHOOK_HTTPS_ONLY", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub webhook_https_only: Option<bool>,
    /// Most webhook objects of a project; objects above a lower limit stay [default: 100].
    #[arg(long, env = "ROUTE_HUB_WEBHOOKS_MAX", value_name = "N")]
    pub webhooks_max: Option<u64>,
    /// Most webhook events of a project that wait for delivery; above it the hub gives up the
    /// oldest [default: 1000000].
    #[arg(long, env = "ROUTE_HUB_WEBHOOKS_WAITING_MAX", value_name = "N")]
    pub webhooks_waiting_max: Option<u64>,
    /// Name servers for the host names of webhooks, as ADDRESS:PORT [default: the system's].
    #[arg(
        long = "dns-server",
        env = "ROUTE_HUB_DNS_SERVERS",
        value_delimiter = ',',
        value_name = "ADDR:PORT"
    )]
    pub dns_servers: Vec<SocketAddr>,
    /// Most facts a second that the hub takes from one phone, with bursts of 25 times as many; 0 is
    /// no limit [default: 200].
    #[arg(long, env = "ROUTE_HUB_FACTS_PER_S", value_name = "N")]
    pub facts_per_s: Option<u32>,
    /// Seconds that a stop waits for requests and phones to finish [default: 10].
    #[arg(long, env = "ROUTE_HUB_DRAIN_S", value_name = "SECONDS")]
    pub drain_s: Option<u64>,
    /// What to log, as in `info,route_hub=debug` [default: info].
    #[arg(long, env = "ROUTE_HUB_LOG", value_name = "FILTER")]
    pub log: Option<String>,
    /// A mistake to make, for the crash checker to catch.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_parser = ["answer_first", "frame_first"])]
    #[serde(skip)]
    pub fault: Option<String>,
    /// Log lines as JSON.
    #[arg(long, env = "ROUTE_HUB_LOG_JSON", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub log_json: Option<bool>,
}

/// Where the operator's own endpoints are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum OperatorListen {
    /// Nowhere.
    Off,
    /// At an address.
    At(SocketAddr),
}

impl FromStr for OperatorListen {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "off" => Ok(Self::Off),
            text => text.parse().map(Self::At),
        }
    }
}

impl TryFrom<String> for OperatorListen {
    type Error = AddrParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Which setting cannot be used, and why.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file of `--config` cannot be read.
    #[error("--config {path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        reason: String,
    },
    /// Two settings that say different things of one.
    #[error("{0} and {1} contradict each other")]
    Contradict(&'static str, &'static str),
    /// A setting that another one goes with.
    #[error("{0} needs {1} beside it")]
    Needs(&'static str, &'static str),
    /// One that is not allowed.
    #[error("{0}")]
    Refused(&'static str),
}

impl ServeSettings {
    /// Takes what neither flags nor variables say from the file of `--config`.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, or has an unknown key.
    pub fn with_file(self) -> Result<Self, SettingsError> {
        let Some(path) = self.config.clone() else {
            return Ok(self);
        };
        let bad = |reason: String| SettingsError::File {
            path: path.clone(),
            reason,
        };
        let text = std::fs::read_to_string(&path).map_err(|error| bad(error.to_string()))?;
        let file: Self = toml::from_str(&text).map_err(|error| bad(told(&text, &error)))?;
        Ok(self.or(file))
    }

    fn or(self, file: Self) -> Self {
        let list = |own: Vec<String>, other: Vec<String>| if own.is_empty() { other } else { own };
        Self {
            config: self.config,
            dir: self.dir.or(file.dir),
            database: self.database.or(file.database),
            nats: self.nats.or(file.nats),
            files: self.files.or(file.files),
            create: self.create,
            nothing_lost: self.nothing_lost,
            no_backup: self.no_backup,
            listen: self.listen.or(file.listen),
            operator_listen: self.operator_listen.or(file.operator_listen),
            tls_cert: self.tls_cert.or(file.tls_cert),
            tls_key: self.tls_key.or(file.tls_key),
            tls_self_signed: self.tls_self_signed.or(file.tls_self_signed),
            acme: self.acme.or(file.acme),
            acme_directory: self.acme_directory.or(file.acme_directory),
            acme_root: self.acme_root.or(file.acme_root),
            allow_plain_http: self.allow_plain_http.or(file.allow_plain_http),
            public_url: self.public_url.or(file.public_url),
            hosts: list(self.hosts, file.hosts),
            app_file: self.app_file.or(file.app_file),
            app_certificate: list(self.app_certificate, file.app_certificate),
            trusted_proxy: list(self.trusted_proxy, file.trusted_proxy),
            project_connections: self.project_connections.or(file.project_connections),
            phones_max: self.phones_max.or(file.phones_max),
            dynamic_groups_max: self.dynamic_groups_max.or(file.dynamic_groups_max),
            relative_schedules_max: self.relative_schedules_max.or(file.relative_schedules_max),
            process: self.process.or(file.process),
            webhook_allow: list(self.webhook_allow, file.webhook_allow),
            webhook_https_only: self.webhook_https_only.or(file.webhook_https_only),
            webhooks_max: self.webhooks_max.or(file.webhooks_max),
            webhooks_waiting_max: self.webhooks_waiting_max.or(file.webhooks_waiting_max),
            dns_servers: if self.dns_servers.is_empty() {
                file.dns_servers
            } else {
                self.dns_servers
            },
            facts_per_s: self.facts_per_s.or(file.facts_per_s),
            drain_s: self.drain_s.or(file.drain_s),
            log: self.log.or(file.log),
            log_json: self.log_json.or(file.log_json),
            #[cfg(debug_assertions)]
            fault: self.fault,
        }
    }

    /// Returns how much of some kinds a project may have.
    pub fn caps(&self) -> Caps {
        let own = Caps::default();
        Caps {
            webhooks: self.webhooks_max.unwrap_or(own.webhooks),
            webhooks_waiting: self.webhooks_waiting_max.unwrap_or(own.webhooks_waiting),
            deliveries: own.deliveries,
        }
    }

    /// Returns where the data are, and the servers of NATS, if they carry hints.
    ///
    /// # Errors
    /// When a setting of either cannot be used.
    pub fn data(&self) -> Result<(Data, Option<Servers>), CommandError> {
        self.nats.with(&self.database, self.folder())
    }

    /// Returns where files are.
    ///
    /// # Errors
    /// When a setting of them cannot be used.
    pub fn file_place(&self) -> Result<FilePlace, CommandError> {
        self.files.place(self.folder())
    }

    /// Returns the data folder.
    pub fn folder(&self) -> &Path {
        self.dir.as_deref().unwrap_or(Path::new("route-hub-data"))
    }

    /// Returns the number of this process in the keys of a file.
    ///
    /// # Errors
    /// When it is too high, or set for a database that gives out the numbers.
    pub fn process(&self) -> Result<u8, SettingsError> {
        match (self.process, &self.database.url) {
            (Some(_), Some(_)) => Err(SettingsError::Refused(
                "--process is for a data folder: a PostgreSQL database gives each process its number",
            )),
            (Some(number), None) if number > PROCESS_MAX => {
                Err(SettingsError::Refused("--process is 0 to 239"))
            }
            (number, _) => Ok(number.unwrap_or(0)),
        }
    }

    /// Returns the address to listen on.
    pub fn listen_addr(&self) -> SocketAddr {
        self.listen
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8090)))
    }

    /// Returns the address that people and phones use, for a hub that listens on `bound`.
    pub fn base_url(&self, bound: SocketAddr) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None if self.speaks_tls() => format!("https://{bound}"),
            None => format!("http://{bound}"),
        }
    }

    fn speaks_tls(&self) -> bool {
        self.tls_cert.is_some() || self.acme.is_some() || self.tls_self_signed == Some(true)
    }

    /// Returns the host names that a phone's sign-in may name, in lower case.
    pub fn host_names(&self, bound: SocketAddr) -> Vec<String> {
        let mut names: Vec<String> = self.hosts.iter().map(|name| name.to_lowercase()).collect();
        names.push(bound.ip().to_string());
        if bound.ip().is_loopback() {
            names.push("localhost".into());
        }
        let public = self
            .public_url
            .as_deref()
            .and_then(|url| url.parse::<http::Uri>().ok());
        if let Some(host) = public.as_ref().and_then(http::Uri::host) {
            names.push(host.trim_matches(['[', ']']).to_lowercase());
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Says what is wrong with a file of settings and where, without the line, which may hold a password.
fn told(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => format!(
            "line {}: {}",
            before.matches('\n').count() + 1,
            error.message()
        ),
        None => error.message().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Secret;

    fn settings() -> ServeSettings {
        ServeSettings::default()
    }

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hub.toml");
        std::fs::write(&path, "process = 7\ndrain_s = 3\nhosts = [\"a.example\"]\n").unwrap();
        let merged = ServeSettings {
            config: Some(path),
            process: Some(1),
            ..settings()
        };
        let merged = merged.with_file().unwrap();
        assert_eq!((merged.process, merged.drain_s), (Some(1), Some(3)));
        assert_eq!(merged.hosts, ["a.example"]);
        assert_eq!(merged.listen_addr().port(), 8090);
    }

    #[test]
    fn the_operators_address_may_be_off() {
        let read = |text: &str| toml::from_str::<ServeSettings>(text);
        let off = read("operator_listen = \"off\"").unwrap().operator_listen;
        assert_eq!(off, Some(OperatorListen::Off));
        let at = read("operator_listen = \"10.0.0.1:9\"").unwrap();
        let address = "10.0.0.1:9".parse().unwrap();
        assert_eq!(at.operator_listen, Some(OperatorListen::At(address)));
        assert!(read("operator_listen = \"no\"").is_err());
    }

    #[test]
    fn an_unknown_key_in_the_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hub.toml");
        std::fs::write(&path, "proces = 7\n").unwrap();
        let error = ServeSettings {
            config: Some(path),
            ..settings()
        }
        .with_file()
        .unwrap_err();
        assert!(error.to_string().contains("proces"), "{error}");
    }

    #[test]
    fn a_database_on_a_server_gives_the_process_its_number() {
        let asked = |process, url: Option<&str>| {
            let mut hub = settings();
            hub.process = process;
            hub.database.url = url.map(Secret::new);
            hub.process().map_err(|error| error.to_string())
        };
        assert_eq!(asked(None, Some("postgres://db/hub")), Ok(0));
        assert_eq!(asked(Some(239), None), Ok(239));
        let high = asked(Some(240), None).unwrap_err();
        assert!(high.contains("0 to 239"), "{high}");
        let given = asked(Some(7), Some("postgres://db/hub")).unwrap_err();
        assert!(given.contains("gives each process its number"), "{given}");
    }

    #[test]
    fn a_database_may_stand_in_the_file_and_is_not_shown_when_it_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hub.toml");
        let with_file = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let config = Some(path.clone());
            ServeSettings {
                config,
                ..settings()
            }
            .with_file()
        };
        let merged = with_file("[database]\nurl = \"postgres://hub:hunter2@db/hub\"\n").unwrap();
        assert!(matches!(merged.data(), Ok((Data::Postgres(_), None))));
        let both = "[database]\nurl = \"postgres://db/hub\"\n[nats]\nurl = \"nats://nats\"\n";
        let hinting = with_file(both).unwrap().data();
        assert!(matches!(hinting, Ok((Data::Postgres(_), Some(_)))));
        let wrong = with_file("[database]\nurll = \"postgres://hub:hunter2@db/hub\"\n");
        let wrong = wrong.unwrap_err().to_string();
        assert!(wrong.contains("line 2: unknown field `urll`"), "{wrong}");
        assert!(!wrong.contains("hunter2"), "{wrong}");
    }

    #[test]
    fn the_public_name_may_be_signed_for() {
        let hub = ServeSettings {
            public_url: Some("https://Gateway.example.org/".into()),
            ..settings()
        };
        let names = hub.host_names("127.0.0.1:8090".parse().unwrap());
        assert_eq!(names, ["127.0.0.1", "gateway.example.org", "localhost"]);
        assert_eq!(
            hub.base_url(hub.listen_addr()),
            "https://Gateway.example.org"
        );
    }
}
