//! Which addresses are nobody's business to reach: the special-purpose lists of both families.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// Why an address is not a public one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// The machine itself.
    Loopback,
    /// A private network.
    Private,
    /// One cable or radio cell, where cloud metadata services live too.
    LinkLocal,
    /// Many receivers at once.
    Multicast,
    /// Set aside: documentation, measurements, translation, or not given to anybody.
    Reserved,
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
        })
    }
}

/// Networks of IPv4 that are not public: (network, prefix length, kind).
///
/// 168.63.129.16 is a public number that one cloud answers inside every machine with its secrets.
///
/// Source: the IANA IPv4 Special-Purpose Address Registry.
const SPECIAL_V4: &[([u8; 4], u32, Special)] = &[
    ([0, 0, 0, 0], 8, Special::Reserved),
    ([10, 0, 0, 0], 8, Special::Private),
    ([100, 64, 0, 0], 10, Special::Private),
    ([127, 0, 0, 0], 8, Special::Loopback),
    ([168, 63, 129, 16], 32, Special::LinkLocal),
    ([169, 254, 0, 0], 16, Special::LinkLocal),
    ([172, 16, 0, 0], 12, Special::Private),
    ([192, 0, 0, 0], 24, Special::Reserved),
    ([192, 0, 2, 0], 24, Special::Reserved),
    ([192, 88, 99, 0], 24, Special::Reserved),
    ([192, 168, 0, 0], 16, Special::Private),
    ([198, 18, 0, 0], 15, Special::Reserved),
    ([198, 51, 100, 0], 24, Special::Reserved),
    ([203, 0, 113, 0], 24, Special::Reserved),
    ([224, 0, 0, 0], 4, Special::Multicast),
    ([240, 0, 0, 0], 4, Special::Reserved),
];

/// Networks of IPv6 that are not public, beside all that lies outside 2000::/3.
///
/// Source: the IANA IPv6 Special-Purpose Address Registry.
const SPECIAL_V6: &[([u16; 8], u32, Special)] = &[
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Special::Private),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, Special::LinkLocal),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, Special::Private),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Special::Multicast),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Special::Reserved),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Special::Reserved),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Special::Reserved),
];

/// Returns what kind of special address this is, or `None` for a public one.
///
/// An IPv6 address that carries an IPv4 one (mapped, compatible, translated, NAT64, 6to4, ISATAP)
/// is judged by the address it carries.
pub(crate) fn special_kind(address: IpAddr) -> Option<Special> {
    match address {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => special_v6(v6),
    }
}

/// Returns whether `address` lies in the network of the first `bits` bits of `network`.
pub(crate) fn in_network(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    match (address, network) {
        (IpAddr::V4(a), IpAddr::V4(n)) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            a.to_bits() & mask == n.to_bits() & mask
        }
        (IpAddr::V6(a), IpAddr::V6(n)) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            a.to_bits() & mask == n.to_bits() & mask
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}

/// Returns the IPv4 address inside an IPv6 one, or the address as it is.
pub(crate) fn canonical(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => embedded_v4(v6).map_or(address, IpAddr::V4),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<Special> {
    SPECIAL_V4
        .iter()
        .find(|(network, bits, _)| in_network(address.into(), (*network).into(), *bits))
        .map(|(_, _, kind)| *kind)
}

fn special_v6(address: Ipv6Addr) -> Option<Special> {
    if address.is_loopback() {
        return Some(Special::Loopback);
    }
    if let Some(kind) = SPECIAL_V6
        .iter()
        .find(|(network, bits, _)| in_network(address.into(), (*network).into(), *bits))
        .map(|(_, _, kind)| *kind)
    {
        return Some(kind);
    }
    if let Some(v4) = embedded_v4(address) {
        return special_v4(v4);
    }
    let global_unicast = address.segments()[0] & 0xe000 == 0x2000;
    (!global_unicast).then_some(Special::Reserved)
}

/// Finds the IPv4 address in the forms that carry one.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let low = v4(s[6], s[7]);
    match s {
        [0, 0, 0, 0, 0, 0xffff, _, _] => Some(low),
        [0, 0, 0, 0, 0xffff, 0, _, _] => Some(low),
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] => Some(low),
        [0, 0, 0, 0, 0, 0, high, _] if high != 0 => Some(low),
        [0x2002, high, rest, ..] => Some(v4(high, rest)),
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => Some(low),
        _ => None,
    }
}

fn v4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<Special> {
        special_kind(text.parse().unwrap())
    }

    #[test]
    fn public_addresses_pass() {
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn every_special_network_of_v4_is_known_at_both_ends() {
        for (first, last, expected) in [
            ("0.0.0.0", "0.255.255.255", Special::Reserved),
            ("10.0.0.0", "10.255.255.255", Special::Private),
            ("100.64.0.0", "100.127.255.255", Special::Private),
            ("127.0.0.0", "127.255.255.255", Special::Loopback),
            ("169.254.0.0", "169.254.169.254", Special::LinkLocal),
            ("172.16.0.0", "172.31.255.255", Special::Private),
            ("192.0.0.0", "192.0.0.255", Special::Reserved),
            ("192.0.2.0", "192.0.2.255", Special::Reserved),
            ("192.168.0.0", "192.168.255.255", Special::Private),
            ("198.18.0.0", "198.19.255.255", Special::Reserved),
            ("198.51.100.0", "203.0.113.255", Special::Reserved),
            ("224.0.0.0", "239.255.255.255", Special::Multicast),
            ("240.0.0.0", "255.255.255.255", Special::Reserved),
        ] {
            assert_eq!(kind(first), Some(expected), "{first}");
            assert_eq!(kind(last), Some(expected), "{last}");
        }
    }

    #[test]
    fn a_v4_address_does_not_hide_inside_a_v6_one() {
        for (text, expected) in [
            ("::ffff:127.0.0.1", Special::Loopback),
            ("::127.0.0.1", Special::Loopback),
            ("::ffff:0:10.0.0.1", Special::Private),
            ("64:ff9b::169.254.169.254", Special::LinkLocal),
            ("2002:7f00:1::", Special::Loopback),
            ("2002:c0a8:101::1", Special::Private),
            ("2606:4700::5efe:10.0.0.1", Special::Private),
        ] {
            assert_eq!(kind(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn special_networks_of_v6_are_known() {
        for (text, expected) in [
            ("::", Special::Reserved),
            ("::1", Special::Loopback),
            ("64:ff9b:1::1", Special::Reserved),
            ("100::1", Special::Reserved),
            ("2001::1", Special::Reserved),
            ("2001:1ff::1", Special::Reserved),
            ("2001:db8::1", Special::Reserved),
            ("3fff:fff::1", Special::Reserved),
            ("4000::1", Special::Reserved),
            ("fc00::1", Special::Private),
            ("fdff::1", Special::Private),
            ("fe80::1", Special::LinkLocal),
            ("fec0::1", Special::Private),
            ("ff02::1", Special::Multicast),
        ] {
            assert_eq!(kind(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_network_of_no_bits_holds_everything_of_its_family() {
        let [v4, v6]: [IpAddr; 2] = ["8.8.8.8".parse().unwrap(), "2606::1".parse().unwrap()];
        assert!(in_network(v4, "0.0.0.0".parse().unwrap(), 0));
        assert!(in_network(v6, "::".parse().unwrap(), 0));
        assert!(!in_network(v6, "0.0.0.0".parse().unwrap(), 0));
    }
}
