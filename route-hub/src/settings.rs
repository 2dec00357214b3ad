//! Settings of `route-hub serve`: flags, then `ROUTE_HUB_*` variables, then a TOML file.

pub mod file;
pub mod given;
pub mod table;

use crate::config_file::ConfigFile;
use crate::database::{COMMON, DatabaseSettings};
use crate::files::{FilePlace, FileSettings};
use crate::nats::HintSettings;
use crate::values::{address, fingerprint, log_filter, number, trimmed, web_address};
use clap::Args;
use hub_app::data_folder::Data;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Caps;
use hub_link::pairing::offer::Fingerprint;
use hub_nats::Servers;
use hub_outgoing::Allowed;
use hub_web::front::Network;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The highest process number of a hub; the admin commands use those above.
const PROCESS_MAX: u8 = 239;

/// What `route-hub serve` takes.
///
/// A flag with a variable, `ROUTE_HUB_…`, is a setting: it also has a key in the file of `--config`, by its own name and
/// by that of the variable ([`table`]). A flag wins over a variable, a variable over the file.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeSettings {
    /// The file.
    #[command(flatten)]
    pub file: ConfigFile,
    /// Folder of the database and of everything else the hub keeps [default: route-hub-data].
    #[arg(long, env = "ROUTE_HUB_DIR", value_name = "DIR", help_heading = COMMON)]
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
    pub create: bool,
    /// Serve a PostgreSQL database that changed while no hub lived: another server, or another timeline
    /// of it. Give it once, after a planned change that lost nothing. One that was brought back from a
    /// dump or to an earlier moment needs `route-hub restored` instead.
    #[arg(long)]
    pub nothing_lost: bool,
    /// Bring a file of an earlier version up to date without the copy that is otherwise made first, in
    /// `before-upgrade` of the data folder.
    #[arg(long)]
    pub no_backup: bool,
    /// Address to listen on [default: 127.0.0.1:8090].
    #[arg(long, env = "ROUTE_HUB_LISTEN", value_name = "ADDR:PORT", value_parser = address)]
    pub listen: Option<SocketAddr>,
    /// Address of the operator's own endpoints, `/metrics` and the reasons of `/readyz`, or `off`
    /// [default: 127.0.0.1:8091, or none if that is taken].
    #[arg(long, env = "ROUTE_HUB_OPERATOR_LISTEN", value_name = "ADDR:PORT", value_parser = operator_listen)]
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
    #[arg(long, env = "ROUTE_HUB_ACME_DIRECTORY", value_name = "URL", value_parser = web_address)]
    pub acme_directory: Option<String>,
    /// Certificates in PEM that this authority may show, beside the system's.
    #[arg(long, env = "ROUTE_HUB_ACME_ROOT", value_name = "FILE")]
    pub acme_root: Option<PathBuf>,
    /// Speak plain HTTP on an address that is not loopback (behind a proxy that ends TLS).
    #[arg(long, env = "ROUTE_HUB_ALLOW_PLAIN_HTTP", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub allow_plain_http: Option<bool>,
    /// Address under which people and phones reach the hub, such as `https://gateway.example.org`.
    #[arg(long, env = "ROUTE_HUB_PUBLIC_URL", value_name = "URL", value_parser = web_address)]
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
        value_name = "SHA256",
        value_parser = fingerprint
    )]
    pub app_certificate: Vec<Fingerprint>,
    /// Networks of proxies whose `X-Forwarded-For` the hub believes, such as 10.1.0.0/16
    /// [default: loopback].
    #[arg(
        long,
        env = "ROUTE_HUB_TRUSTED_PROXY",
        value_delimiter = ',',
        value_name = "CIDR",
        value_parser = trimmed::<Network>
    )]
    pub trusted_proxy: Vec<Network>,
    /// Most connections of one project at a time, of its keys and its phones [default: 10000].
    #[arg(long, env = "ROUTE_HUB_PROJECT_CONNECTIONS", value_name = "N", value_parser = number(1usize..))]
    pub project_connections: Option<usize>,
    /// Most phones of a project; phones above a lower limit stay [default: 5000].
    #[arg(long, env = "ROUTE_HUB_PHONES_MAX", value_name = "N", value_parser = number(0u32..))]
    pub phones_max: Option<u32>,
    /// Most dynamic groups of a project; groups above a lower limit stay [default: 500].
    #[arg(long, env = "ROUTE_HUB_DYNAMIC_GROUPS_MAX", value_name = "N", value_parser = number(0u32..))]
    pub dynamic_groups_max: Option<u32>,
    /// Most relative scheduled messages of a project; those above a lower limit stay [default:
    /// 1000].
    #[arg(long, env = "ROUTE_HUB_RELATIVE_SCHEDULES_MAX", value_name = "N", value_parser = number(0u32..))]
    pub relative_schedules_max: Option<u32>,
    /// Number of this process in the ids that it makes, 0 to 239 [default: 0]; a PostgreSQL database
    /// gives each process its own.
    #[arg(long, env = "ROUTE_HUB_PROCESS", value_name = "N", value_parser = number(0u8..=PROCESS_MAX))]
    pub process: Option<u8>,
    /// Private networks that webhooks may go to, such as 10.1.0.0/16 [default: none].
    #[arg(
        long,
        env = "ROUTE_HUB_WEBHOOK_ALLOW",
        value_delimiter = ',',
        value_name = "CIDR",
        value_parser = trimmed::<Allowed>
    )]
    pub webhook_allow: Vec<Allowed>,
    /// Refuse webhook addresses that are not https.
    #[arg(long, env = "ROUTE_HUB_WEBHOOK_HTTPS_ONLY", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub webhook_https_only: Option<bool>,
    /// Most webhook objects of a project; objects above a lower limit stay [default: 100].
    #[arg(long, env = "ROUTE_HUB_WEBHOOKS_MAX", value_name = "N", value_parser = number(0u64..))]
    pub webhooks_max: Option<u64>,
    /// Most webhook events of a project that wait for delivery; above it the hub gives up the
    /// oldest [default: 1000000].
    #[arg(long, env = "ROUTE_HUB_WEBHOOKS_WAITING_MAX", value_name = "N", value_parser = number(0u64..))]
    pub webhooks_waiting_max: Option<u64>,
    /// Name servers for the host names of webhooks, as ADDRESS:PORT [default: the system's].
    #[arg(
        long = "dns-server",
        env = "ROUTE_HUB_DNS_SERVERS",
        value_delimiter = ',',
        value_name = "ADDR:PORT",
        value_parser = address
    )]
    pub dns_servers: Vec<SocketAddr>,
    /// Most facts a second that the hub takes from one phone, with bursts of 25 times as many; 0 is
    /// no limit [default: 200].
    #[arg(long, env = "ROUTE_HUB_FACTS_PER_S", value_name = "N", value_parser = number(0u32..))]
    pub facts_per_s: Option<u32>,
    /// Seconds that a stop waits for requests and phones to finish [default: 10].
    #[arg(long, env = "ROUTE_HUB_DRAIN_S", value_name = "SECONDS", value_parser = number(0u64..))]
    pub drain_s: Option<u64>,
    /// What to log, as in `info,route_hub=debug` [default: info].
    #[arg(long, env = "ROUTE_HUB_LOG", value_name = "FILTER", value_parser = log_filter)]
    pub log: Option<String>,
    /// A mistake to make, for the crash checker to catch.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_parser = ["answer_first", "frame_first"])]
    pub fault: Option<String>,
    /// Log lines as JSON.
    #[arg(long, env = "ROUTE_HUB_LOG_JSON", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub log_json: Option<bool>,
}

/// Where the operator's own endpoints are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorListen {
    /// Nowhere.
    Off,
    /// At an address.
    At(SocketAddr),
}

fn operator_listen(text: &str) -> Result<OperatorListen, String> {
    if text == "off" {
        return Ok(OperatorListen::Off);
    }
    let at = address(text).map(OperatorListen::At);
    at.map_err(|_| "must be off, or an address and a port, such as 127.0.0.1:8091".to_owned())
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
    /// When it is set for a database that gives out the numbers.
    pub fn process(&self) -> Result<u8, SettingsError> {
        match (self.process, &self.database.url) {
            (Some(_), Some(_)) => Err(SettingsError::Refused(
                "--process is for a data folder: a PostgreSQL database gives each process its number",
            )),
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

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Secret;

    fn settings() -> ServeSettings {
        ServeSettings::default()
    }

    #[test]
    fn the_operators_address_may_be_off() {
        assert_eq!(operator_listen("off"), Ok(OperatorListen::Off));
        let address = "10.0.0.1:9".parse().unwrap();
        let at = Ok(OperatorListen::At(address));
        assert_eq!(operator_listen("10.0.0.1:9"), at);
        assert!(operator_listen("no").is_err());
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
        let given = asked(Some(7), Some("postgres://db/hub")).unwrap_err();
        assert!(given.contains("gives each process its number"), "{given}");
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
