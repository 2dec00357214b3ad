//! Where the NATS servers are, and how they are reached.

use async_nats::{Client, ConnectError, ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;
use postrider_model::Secret;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// How long a server may take to answer a new connection.
const CONNECT_WAIT: Duration = Duration::from_secs(2);
/// Most notices that wait for the connection; more are dropped.
const WAITING_MAX: usize = 256;
/// Most notices of others that wait to be read; the library drops more.
const UNREAD_MAX: usize = 1_024;

/// Where NATS is.
#[derive(Debug, Clone)]
pub struct NatsSettings {
    /// `nats://user@host:port`, with several servers separated by commas; `tls://` demands TLS.
    pub url: Secret,
    /// The password, unless it is in the URL; without a user it is a token.
    pub password: Option<Secret>,
    /// A file of certificates that are trusted besides the system's.
    pub ca: Option<PathBuf>,
    /// Whether the connection may be plain over a network.
    pub plain: bool,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The URL cannot be read. It may hold a password and is not shown.
    #[error("the URL cannot be read: it is nats://USER@HOST:PORT or tls://USER@HOST:PORT")]
    Url,
    /// The file of certificates cannot be read.
    #[error(transparent)]
    Trust(#[from] hub_store::StoreError),
}

/// None of the servers can be reached, or they refuse.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Unreachable(#[from] ConnectError);

/// The servers, and how to sign in.
#[derive(Debug)]
pub struct Servers {
    addresses: Vec<ServerAddr>,
    options: ConnectOptions,
}

impl Servers {
    /// Reads the settings.
    ///
    /// # Errors
    /// When the URL or the file of certificates cannot be read.
    pub fn new(settings: &NatsSettings) -> Result<Self, Refused> {
        let urls = urls(settings.url.as_str())?;
        let addresses: Vec<ServerAddr> = urls.iter().map(address).collect::<Result<_, _>>()?;
        let is_plain = settings.plain || urls.iter().all(is_near);
        let needs_tls = urls[0].scheme() == "tls" || !is_plain;
        let options = ConnectOptions::new()
            .name("route-hub")
            .connection_timeout(CONNECT_WAIT)
            .client_capacity(WAITING_MAX)
            .subscription_capacity(UNREAD_MAX)
            .ignore_discovered_servers()
            .max_reconnects(addresses.len())
            .reconnect_delay_callback(|_| Duration::ZERO)
            .require_tls(needs_tls)
            .tls_client_config(hub_store::trust(settings.ca.as_deref())?);
        Ok(Self {
            options: signed_in(options, &urls[0], settings.password.as_ref())?,
            addresses,
        })
    }

    /// Asks one of them for its version.
    ///
    /// # Errors
    /// When none can be reached, or they refuse.
    pub async fn version(&self) -> Result<String, Unreachable> {
        let client = self.connect().await?;
        Ok(client.server_info().version)
    }

    /// Connects with one of them.
    pub(crate) async fn connect(&self) -> Result<Client, ConnectError> {
        let options = self.options.clone();
        options.connect(self.addresses.as_slice()).await
    }
}

fn urls(text: &str) -> Result<Vec<Url>, Refused> {
    let (scheme, servers) = text.split_once("://").ok_or(Refused::Url)?;
    if !matches!(scheme, "nats" | "tls") {
        return Err(Refused::Url);
    }
    let read = |server| Url::parse(&format!("{scheme}://{server}")).map_err(|_| Refused::Url);
    servers.split(',').map(read).collect()
}

/// Returns a server's address without user and password, since the library logs addresses.
fn address(url: &Url) -> Result<ServerAddr, Refused> {
    let host = url.host_str().filter(|host| !host.is_empty());
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let bare = format!("{}://{}{port}", url.scheme(), host.ok_or(Refused::Url)?);
    bare.parse().map_err(|_| Refused::Url)
}

/// Says whether a server is on this very machine.
fn is_near(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn signed_in(
    options: ConnectOptions,
    url: &Url,
    password: Option<&Secret>,
) -> Result<ConnectOptions, Refused> {
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8();
        text.map(String::from).map_err(|_| Refused::Url)
    };
    let user = decoded(url.username())?;
    let password = match (password, url.password()) {
        (Some(password), _) => Some(password.as_str().to_owned()),
        (None, in_url) => in_url.map(decoded).transpose()?,
    };
    Ok(match password {
        None if user.is_empty() => options,
        Some(token) if user.is_empty() => options.token(token),
        password => options.user_and_password(user, password.unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> NatsSettings {
        NatsSettings {
            url: Secret::new(url),
            password: None,
            ca: None,
            plain: false,
        }
    }

    /// What the options say of themselves, in one line.
    fn shown(settings: &NatsSettings) -> String {
        format!("{:?}", Servers::new(settings).unwrap())
    }

    #[test]
    fn tls_is_left_out_on_this_machine_or_when_told_and_never_for_tls_urls() {
        let needs_tls =
            |settings: &NatsSettings| shown(settings).contains("\"tls_required\": true");
        for near in ["nats://localhost", "nats://127.0.0.1:4222,[::1]:4223"] {
            assert!(!needs_tls(&settings(near)), "{near}");
        }
        for far in [
            "nats://nats.example.org",
            "nats://127.0.0.1,nats.example.org",
            "nats://localhost.example.org",
            "tls://127.0.0.1",
        ] {
            assert!(needs_tls(&settings(far)), "{far}");
        }
        let plain = |url| NatsSettings {
            plain: true,
            ..settings(url)
        };
        assert!(!needs_tls(&plain("nats://nats.example.org")));
        assert!(needs_tls(&plain("tls://nats.example.org")));
    }

    #[test]
    fn nothing_shows_user_or_password() {
        let with_password = settings("nats://someone:hunter2@one.example.org,two.example.org:4223");
        let shown = format!("{with_password:?} {}", shown(&with_password));
        assert!(shown.contains("two.example.org"), "{shown}");
        assert!(
            !shown.contains("hunter2") && !shown.contains("someone"),
            "{shown}"
        );
    }

    #[test]
    fn what_is_no_url_of_nats_is_refused_and_not_shown() {
        for wrong in [
            "hunter2",
            "http://hunter2@one",
            "nats://",
            "nats://a@one:hunter2",
            "nats://one,,two",
        ] {
            let error = Servers::new(&settings(wrong)).unwrap_err();
            assert!(error.to_string().contains("nats://USER@HOST"), "{wrong}");
            assert!(!error.to_string().contains("hunter2"));
        }
        let missing = NatsSettings {
            ca: Some("no-such-file".into()),
            ..settings("tls://one")
        };
        let error = Servers::new(&missing).unwrap_err();
        assert!(error.to_string().contains("no-such-file"), "{error}");
    }
}
