//! Whose request it is: the one place that reads `X-Forwarded-For`.

use crate::front::Guest;
use crate::front::network::Network;
use http::{Extensions, HeaderMap};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Who is at the other end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// Its address, as the hub's own socket or a trusted proxy has it.
    pub address: IpAddr,
    /// Whether a trusted proxy named the address: then its requests count, not its connections.
    pub is_forwarded: bool,
    /// Whether the request is the first on the client's own connection.
    pub is_first: bool,
}

/// Returns the address that a request's limits count for.
///
/// It is in the request's extensions from the moment it was accepted.
pub fn address_of(extensions: &Extensions) -> IpAddr {
    let guest = extensions.get::<Guest>();
    guest.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |guest| {
        guest.client.address
    })
}

/// The proxies whose word counts.
#[derive(Debug, Clone)]
pub struct Proxies {
    trusted: Vec<Network>,
}

impl Default for Proxies {
    /// Trusts loopback alone.
    fn default() -> Self {
        let loopback = ["127.0.0.0/8", "::1"];
        Self {
            trusted: loopback.iter().filter_map(|it| it.parse().ok()).collect(),
        }
    }
}

impl Proxies {
    /// Trusts these networks; loopback when there are none.
    pub fn new(trusted: Vec<Network>) -> Self {
        if trusted.is_empty() {
            Self::default()
        } else {
            Self { trusted }
        }
    }

    /// Returns the address of a client whose connection comes from `peer`, and whether a proxy
    /// named it.
    ///
    /// Of `X-Forwarded-For` it is the last address that is not a proxy's: what stands
    /// before it was written by the client itself. What cannot be read ends the search, and the
    /// proxy that passed it on is the client.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> (IpAddr, bool) {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return (peer, false);
        }
        let lines = headers.get_all("x-forwarded-for").into_iter().rev();
        let entries = lines.flat_map(|line| line.to_str().unwrap_or("?").rsplit(','));
        let mut last = peer;
        for entry in entries {
            let Some(address) = forwarded(entry) else {
                break;
            };
            last = address;
            if !self.trusts(address) {
                return (address, true);
            }
        }
        (last, false)
    }

    /// Says whether an address has no cap: a proxy's own, and this machine's.
    pub(crate) fn are_exempt(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let own = [
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ];
        own.contains(&address) || self.trusts(address)
    }

    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(address))
    }
}

/// Reads one entry: an address, which some proxies write with its port.
fn forwarded(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let bare = entry.parse().ok();
    let with_port = || Some(entry.parse::<std::net::SocketAddr>().ok()?.ip());
    let bracketed = || entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address: IpAddr = bare.or_else(with_port).or_else(bracketed)?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn client(proxies: &Proxies, peer: &str, lines: &[&'static str]) -> (String, bool) {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_static(line));
        }
        let (address, forwarded) = proxies.client(peer.parse().unwrap(), &headers);
        (address.to_string(), forwarded)
    }

    fn is(address: &str, forwarded: bool) -> (String, bool) {
        (address.to_owned(), forwarded)
    }

    #[test]
    fn loopback_speaks_for_others_unless_other_proxies_are_named() {
        let loopback = Proxies::default();
        let line = &["203.0.113.9, 192.0.2.1"];
        assert_eq!(client(&loopback, "127.0.0.1", line), is("192.0.2.1", true));
        assert_eq!(
            client(&loopback, "::ffff:127.0.0.1", line),
            is("192.0.2.1", true)
        );
        assert_eq!(
            client(&loopback, "198.51.100.1", line),
            is("198.51.100.1", false)
        );
        let named = Proxies::new(vec!["198.51.100.0/24".parse().unwrap()]);
        assert_eq!(client(&named, "198.51.100.1", line), is("192.0.2.1", true));
        assert_eq!(client(&named, "127.0.0.1", line), is("127.0.0.1", false));
    }

    #[test]
    fn the_last_address_that_is_none_of_the_proxies_counts() {
        let proxies = Proxies::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let lines = &["192.0.2.66, 192.0.2.1 , 10.0.0.7", "10.0.0.8"];
        assert_eq!(client(&proxies, "10.0.0.9", lines), is("192.0.2.1", true));
        assert_eq!(
            client(&proxies, "10.0.0.9", &["10.0.0.7"]),
            is("10.0.0.7", false)
        );
        assert_eq!(client(&proxies, "10.0.0.9", &[]), is("10.0.0.9", false));
    }

    #[test]
    fn ports_are_left_out_and_what_cannot_be_read_ends_the_search() {
        let proxies = Proxies::default();
        for (line, address) in [
            ("192.0.2.1:4711", "192.0.2.1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
        ] {
            assert_eq!(client(&proxies, "127.0.0.1", &[line]), is(address, true));
        }
        let line = &["192.0.2.1, unknown, 127.0.0.2"];
        assert_eq!(client(&proxies, "127.0.0.1", line), is("127.0.0.2", false));
        assert_eq!(
            client(&proxies, "127.0.0.1", &["", " "]),
            is("127.0.0.1", false)
        );
    }

    #[test]
    fn proxies_and_this_machine_have_no_cap() {
        let proxies = Proxies::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let exempt = |address: &str| proxies.are_exempt(address.parse().unwrap());
        assert!(exempt("10.9.9.9") && exempt("127.0.0.1") && exempt("::1"));
        assert!(!exempt("192.0.2.1") && !exempt("127.0.0.2"));
        assert!(Proxies::default().are_exempt("127.0.0.2".parse().unwrap()));
    }
}
