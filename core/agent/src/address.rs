//! Where the hub is.

use http::Uri;
use std::{fmt, net::IpAddr, str::FromStr};

/// A hub's base address: scheme, host, port and the path it is mounted under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubAddress {
    secure: bool,
    host: String,
    port: u16,
    path: String,
}

/// Says why a text is not a hub's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    /// Not an address at all, or one with a query.
    #[error("is not an address such as https://hub.example.org")]
    Form,
    /// A scheme other than https, wss, http and ws.
    #[error("must begin with https:// or http://")]
    Scheme,
    /// An unencrypted address beyond this machine.
    #[error("is not encrypted and not on this machine")]
    Plain,
}

impl HubAddress {
    /// Returns whether the connection is encrypted.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Returns the host's name or address, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the path, beginning with a slash, never ending with one unless it is the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns host and port as a `Host` header names them.
    pub fn authority(&self) -> String {
        let default_port = if self.secure { 443 } else { 80 };
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.port == default_port {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// Returns the address of `name` below this one.
    #[must_use]
    pub fn below(&self, name: &str) -> Self {
        let path = format!("{}/{name}", self.path.trim_end_matches('/'));
        Self {
            path,
            ..self.clone()
        }
    }

    /// Returns this address with another's path: the same hub, found at another place.
    #[must_use]
    pub fn with_path_of(&self, other: &Self) -> Self {
        Self {
            path: other.path.clone(),
            ..self.clone()
        }
    }

    /// Refuses an unencrypted address that leaves this machine.
    ///
    /// # Errors
    /// [`InvalidAddress::Plain`] when it does.
    pub fn require_encrypted_or_local(self) -> Result<Self, InvalidAddress> {
        let local = self.host == "localhost"
            || matches!(self.host.parse::<IpAddr>(), Ok(address) if address.is_loopback());
        if self.secure || local {
            Ok(self)
        } else {
            Err(InvalidAddress::Plain)
        }
    }

    /// Returns the address as a WebSocket URL.
    pub fn web_socket_url(&self) -> String {
        let scheme = if self.secure { "wss" } else { "ws" };
        format!("{scheme}://{}{}", self.authority(), self.path)
    }
}

impl FromStr for HubAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let uri: Uri = text.trim().parse().map_err(|_| InvalidAddress::Form)?;
        let secure = match uri.scheme_str() {
            Some("https" | "wss") => true,
            Some("http" | "ws") => false,
            _ => return Err(InvalidAddress::Scheme),
        };
        let host = uri.host().unwrap_or_default();
        let has_user = uri.authority().is_some_and(|it| it.as_str().contains('@'));
        if host.is_empty() || has_user || uri.query().is_some() {
            return Err(InvalidAddress::Form);
        }
        let path = uri.path().trim_end_matches('/');
        Ok(Self {
            secure,
            host: host.trim_matches(['[', ']']).to_ascii_lowercase(),
            port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            path: if path.is_empty() { "/" } else { path }.to_owned(),
        })
    }
}

impl fmt::Display for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<HubAddress, InvalidAddress> {
        text.parse()
    }

    #[test]
    fn an_address_is_taken_apart_and_put_together() {
        let hub = parse("https://Hub.Example.org/gateway/").unwrap();
        assert_eq!(hub.to_string(), "https://hub.example.org/gateway");
        assert_eq!((hub.host(), hub.port()), ("hub.example.org", 443));
        assert_eq!(
            hub.below("link").web_socket_url(),
            "wss://hub.example.org/gateway/link"
        );
        let local = parse("http://[::1]:8080").unwrap();
        assert_eq!((local.host(), local.port()), ("::1", 8080));
        assert_eq!(local.below("pair").to_string(), "http://[::1]:8080/pair");
    }

    #[test]
    fn the_same_hub_is_found_at_another_place() {
        let paired = parse("ws://127.0.0.1:1000/link").unwrap();
        let moved = parse("http://127.0.0.1:2000").unwrap();
        assert_eq!(
            moved.with_path_of(&paired).web_socket_url(),
            "ws://127.0.0.1:2000/link"
        );
    }

    #[test]
    fn what_is_no_address_is_refused() {
        assert_eq!(parse("hub.example.org"), Err(InvalidAddress::Scheme));
        assert_eq!(parse("ftp://hub.example.org"), Err(InvalidAddress::Scheme));
        assert_eq!(parse("https://"), Err(InvalidAddress::Form));
        assert_eq!(
            parse("https://a@hub.example.org"),
            Err(InvalidAddress::Form)
        );
        assert_eq!(
            parse("https://hub.example.org/?a=1"),
            Err(InvalidAddress::Form)
        );
    }

    #[test]
    fn an_unencrypted_hub_must_be_on_this_machine() {
        let check = |text: &str| parse(text).unwrap().require_encrypted_or_local().is_ok();
        assert!(check("http://127.0.0.1:8080"));
        assert!(check("http://localhost"));
        assert!(check("http://[::1]"));
        assert!(check("https://hub.example.org"));
        assert!(!check("http://hub.example.org"));
        assert!(!check("ws://192.0.2.7"));
    }
}
