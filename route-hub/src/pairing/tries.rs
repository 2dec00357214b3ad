//! Wrong tries of each address: who guesses codes is slowed down whichever code is guessed at.

use postrider_model::{BootMs, Now};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// Wrong tries after which an address must wait.
const TRIES_MAX: u32 = 5;
/// How long a wrong try counts: as long as a code lives.
const WINDOW_MS: u64 = 10 * 60_000;
/// Most addresses that are remembered; above it the one whose window began first is forgotten.
const ADDRESSES_MAX: usize = 10_000;

/// The wrong tries of each address, in memory: a restart forgets them, the codes' own counts stay.
#[derive(Debug, Default)]
pub struct WrongTries(Mutex<BTreeMap<IpAddr, Tries>>);

#[derive(Debug, Clone, Copy)]
struct Tries {
    count: u32,
    since: BootMs,
}

impl WrongTries {
    /// Returns how many seconds an address must wait before it may try again, `None` when it may.
    pub fn wait_s(&self, address: IpAddr, now: Now) -> Option<u32> {
        let tries = *self.lock().get(&network(address))?;
        let age_ms = now.boot.since_ms(tries.since);
        if tries.count < TRIES_MAX || age_ms >= WINDOW_MS {
            return None;
        }
        u32::try_from((WINDOW_MS - age_ms).div_ceil(1_000)).ok()
    }

    /// Counts a wrong try.
    pub fn count(&self, address: IpAddr, now: Now) {
        let mut all = self.lock();
        let address = network(address);
        if !all.contains_key(&address) && all.len() >= ADDRESSES_MAX {
            let oldest = all.iter().min_by_key(|(_, tries)| tries.since);
            if let Some(oldest) = oldest.map(|(address, _)| *address) {
                all.remove(&oldest);
            }
        }
        let fresh = Tries {
            count: 0,
            since: now.boot,
        };
        let tries = all.entry(address).or_insert(fresh);
        if now.boot.since_ms(tries.since) >= WINDOW_MS {
            *tries = fresh;
        }
        tries.count += 1;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<IpAddr, Tries>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns what one party holds: an IPv4 address, or the 64 bits of an IPv6 network.
fn network(address: IpAddr) -> IpAddr {
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

    fn at(seconds: u64) -> Now {
        Now::new(seconds * 1_000, 0)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_fifth_wrong_try_makes_an_address_wait_and_nobody_else() {
        let tries = WrongTries::default();
        let guesser = address("192.0.2.1");
        for second in 0..5 {
            assert_eq!(tries.wait_s(guesser, at(second)), None);
            tries.count(guesser, at(second));
        }
        assert_eq!(tries.wait_s(guesser, at(5)), Some(595));
        assert_eq!(tries.wait_s(address("192.0.2.2"), at(5)), None);
        assert_eq!(tries.wait_s(guesser, at(600)), None);
        tries.count(guesser, at(600));
        assert_eq!(tries.wait_s(guesser, at(600)), None);
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one() {
        let tries = WrongTries::default();
        for last in 1..=5 {
            tries.count(address(&format!("2001:db8::{last}")), at(0));
        }
        assert!(tries.wait_s(address("2001:db8::ffff"), at(1)).is_some());
        assert!(tries.wait_s(address("2001:db8:0:1::1"), at(1)).is_none());
    }

    #[test]
    fn the_number_of_addresses_is_bounded() {
        let tries = WrongTries::default();
        for n in 0..=u32::try_from(ADDRESSES_MAX).unwrap() {
            tries.count(IpAddr::V4(n.into()), at(u64::from(n)));
        }
        let all = tries.lock();
        assert_eq!(all.len(), ADDRESSES_MAX);
        assert!(!all.contains_key(&address("0.0.0.0")), "the oldest went");
    }
}
