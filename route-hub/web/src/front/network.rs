//! Networks by their first bits, and what one party holds of the address space.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Addresses that share their first bits, such as `10.1.0.0/16`; a bare address is a network of
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    bits: u8,
}

/// Says that a text is no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidNetwork;

impl fmt::Display for InvalidNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not an address, nor a network such as 10.1.0.0/16")
    }
}

impl std::error::Error for InvalidNetwork {}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (base, bits) = match text.split_once('/') {
            Some((base, bits)) => (base, Some(bits)),
            None => (text, None),
        };
        let base: IpAddr = base.parse().map_err(|_| InvalidNetwork)?;
        let all = width(base);
        let bits = match bits {
            Some(bits) => bits.parse().map_err(|_| InvalidNetwork)?,
            None => all,
        };
        if bits <= all {
            Ok(Self { base, bits })
        } else {
            Err(InvalidNetwork)
        }
    }
}

impl Network {
    /// Says whether an address lies in the network; IPv4 within IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let shift = u32::from(width(self.base) - self.bits);
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let differ = u32::from(base) ^ u32::from(address);
                differ.checked_shr(shift).unwrap_or(0) == 0
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let differ = u128::from(base) ^ u128::from(address);
                differ.checked_shr(shift).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// Returns what one party holds: an IPv4 address, or the first 64 bits of an IPv6 one.
pub fn party(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(network: &str, address: &str) -> bool {
        let network: Network = network.parse().unwrap();
        network.contains(address.parse().unwrap())
    }

    #[test]
    fn a_network_holds_what_shares_its_first_bits() {
        assert!(contains("10.1.0.0/16", "10.1.255.3"));
        assert!(!contains("10.1.0.0/16", "10.2.0.1"));
        assert!(contains("192.0.2.7", "192.0.2.7"));
        assert!(!contains("192.0.2.7", "192.0.2.8"));
        assert!(contains("0.0.0.0/0", "192.0.2.8"));
        assert!(!contains("0.0.0.0/0", "2001:db8::1"));
        assert!(contains("2001:db8::/32", "2001:db8:7::1"));
        assert!(contains("::/0", "2001:db8::1"));
        assert!(contains("10.0.0.0/8", "::ffff:10.0.0.1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "10.0.0.0/33",
            "::/129",
            "10.0.0/8",
            "a.example",
            "10.0.0.0/",
            "10.0.0.0/-1",
        ] {
            assert_eq!(text.parse::<Network>(), Err(InvalidNetwork), "{text}");
        }
    }

    #[test]
    fn one_network_of_ipv6_is_one_party() {
        let at = |text: &str| party(text.parse().unwrap());
        assert_eq!(at("2001:db8::1"), at("2001:db8::ffff:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
    }
}
