//! What an operator allows.

use crate::{
    address::{Special, canonical, in_network, special_kind},
    target::{Target, UrlRefused},
};
use rustls::pki_types::CertificateDer;
use std::{fmt, net::IpAddr, str::FromStr};

/// What outgoing requests may reach; by default https and http to public addresses only.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// Refuses plain http.
    pub https_only: bool,
    /// Lets requests reach the machine itself; for the demo and for tests.
    pub allow_loopback: bool,
    /// Hosts and networks that may be reached although they are not public.
    pub allowed: Vec<Allowed>,
    /// Certificates that are trusted beside the system's.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

/// One entry of the operator's list: a host by its exact name, or a network.
///
/// Written `hooks.lan`, `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// A host, in lower case, whatever its name resolves to.
    Host(String),
    /// A network, as its address and the length of its prefix in bits.
    Network(IpAddr, u8),
}

/// Says that a text is neither a host name, nor an address, nor a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidAllowed;

impl fmt::Display for InvalidAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is neither a host name, nor an address, nor a network such as 10.0.0.0/8")
    }
}

impl std::error::Error for InvalidAllowed {}

impl FromStr for Allowed {
    type Err = InvalidAllowed;

    fn from_str(text: &str) -> Result<Self, InvalidAllowed> {
        if let Some((address, bits)) = text.split_once('/') {
            let address: IpAddr = address.parse().map_err(|_| InvalidAllowed)?;
            let bits: u8 = bits.parse().map_err(|_| InvalidAllowed)?;
            let longest = if address.is_ipv4() { 32 } else { 128 };
            return if bits <= longest {
                Ok(Self::Network(address, bits))
            } else {
                Err(InvalidAllowed)
            };
        }
        match text.parse::<IpAddr>() {
            Ok(address) if address.is_ipv4() => Ok(Self::Network(address, 32)),
            Ok(address) => Ok(Self::Network(address, 128)),
            Err(_) => host_name(text).map(Self::Host),
        }
    }
}

fn host_name(text: &str) -> Result<String, InvalidAllowed> {
    match url::Host::parse(text) {
        Ok(url::Host::Domain(name)) => Ok(name),
        Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) | Err(_) => Err(InvalidAllowed),
    }
}

impl Guard {
    /// Says whether a URL could be used, without resolving its name.
    ///
    /// For the moment in which somebody configures it; a name is judged again, by its addresses,
    /// on every connection.
    ///
    /// # Errors
    /// [`UrlRefused`], whose text can be shown to the person who typed the URL.
    pub fn check_url(&self, url: &str) -> Result<Target, UrlRefused> {
        let target = Target::parse(url)?;
        if self.https_only && !target.is_https() {
            return Err(UrlRefused::HttpsOnly);
        }
        match target.literal_address() {
            Some(address) => self.check_address(target.host(), address),
            None if target.is_localhost() => self.check_loopback_name(target.host()),
            None => Ok(()),
        }
        .map_err(UrlRefused::Address)?;
        Ok(target)
    }

    /// Says whether a connection to `host` may use `address`.
    ///
    /// # Errors
    /// The kind of special address it is.
    pub(crate) fn check_address(&self, host: &str, address: IpAddr) -> Result<(), Special> {
        match special_kind(address) {
            None => Ok(()),
            Some(Special::Loopback) if self.allow_loopback => Ok(()),
            Some(_) if self.names(host) || self.holds(address) => Ok(()),
            Some(kind) => Err(kind),
        }
    }

    fn check_loopback_name(&self, host: &str) -> Result<(), Special> {
        if self.allow_loopback || self.names(host) {
            Ok(())
        } else {
            Err(Special::Loopback)
        }
    }

    fn names(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        let is_named = |entry: &Allowed| matches!(entry, Allowed::Host(name) if name == host);
        self.allowed.iter().any(is_named)
    }

    fn holds(&self, address: IpAddr) -> bool {
        let inner = canonical(address);
        self.allowed.iter().any(|entry| match entry {
            Allowed::Host(_) => false,
            Allowed::Network(network, bits) => {
                in_network(address, *network, u32::from(*bits))
                    || in_network(inner, *network, u32::from(*bits))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowing(entries: &[&str]) -> Guard {
        Guard {
            allowed: entries.iter().map(|text| text.parse().unwrap()).collect(),
            ..Guard::default()
        }
    }

    #[test]
    fn a_private_address_passes_only_when_its_network_is_listed() {
        let url = "http://10.1.2.3/hook";
        assert_eq!(
            Guard::default().check_url(url).unwrap_err(),
            UrlRefused::Address(Special::Private)
        );
        assert!(allowing(&["10.0.0.0/8"]).check_url(url).is_ok());
        assert!(allowing(&["10.1.2.3"]).check_url(url).is_ok());
        assert!(
            allowing(&["10.1.2.4", "10.2.0.0/16"])
                .check_url(url)
                .is_err()
        );
    }

    #[test]
    fn a_mapped_address_follows_the_list_of_the_address_it_carries() {
        let guard = allowing(&["10.0.0.0/8"]);
        assert!(guard.check_url("http://[::ffff:10.0.0.1]/").is_ok());
        assert!(guard.check_url("http://[::ffff:192.168.0.1]/").is_err());
    }

    #[test]
    fn a_listed_name_may_resolve_to_anything() {
        let guard = allowing(&["Hooks.LAN"]);
        let private = "192.168.1.4".parse().unwrap();
        assert_eq!(guard.check_address("hooks.lan", private), Ok(()));
        assert_eq!(guard.check_address("hooks.lan.", private), Ok(()));
        assert_eq!(
            guard.check_address("evil.hooks.lan", private),
            Err(Special::Private)
        );
    }

    #[test]
    fn the_machine_itself_needs_permission_under_each_of_its_names() {
        let open = Guard {
            allow_loopback: true,
            ..Guard::default()
        };
        for url in [
            "http://127.0.0.1:8080/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://app.localhost/",
            "http://127。0。0。1/",
        ] {
            assert_eq!(
                Guard::default().check_url(url).unwrap_err(),
                UrlRefused::Address(Special::Loopback),
                "{url}"
            );
            assert!(open.check_url(url).is_ok(), "{url}");
        }
        assert!(open.check_url("http://10.0.0.1/").is_err());
    }

    #[test]
    fn an_operator_may_forbid_plain_http() {
        let guard = Guard {
            https_only: true,
            ..Guard::default()
        };
        assert_eq!(
            guard.check_url("http://example.com/").unwrap_err(),
            UrlRefused::HttpsOnly
        );
        assert!(guard.check_url("https://example.com/").is_ok());
    }

    #[test]
    fn what_is_no_entry_of_the_list_is_refused() {
        for text in [
            "",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "a b",
            "x/8",
            "[::1",
        ] {
            assert_eq!(text.parse::<Allowed>(), Err(InvalidAllowed), "{text}");
        }
    }
}
