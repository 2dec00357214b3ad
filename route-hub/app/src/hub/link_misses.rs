//! Requests for short links that there are not, by address, so that guessing is slow.
//!
//! Each process counts for itself: a code has so many characters that only a flood would find one.

use postrider_model::BootMs;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Misses that an address has in a window.
pub const MISSES_MAX: u32 = 50;
const WINDOW_MS: u64 = 60_000;
/// Most addresses that are remembered; above it those whose window is over are forgotten, or else all.
const ADDRESSES_MAX: usize = 10_000;

/// How often each address has missed.
#[derive(Debug, Default)]
pub struct Misses(Mutex<HashMap<IpAddr, Window>>);

#[derive(Debug, Clone, Copy)]
struct Window {
    began: BootMs,
    misses: u32,
}

impl Window {
    fn left_ms(self, now: BootMs) -> u64 {
        WINDOW_MS.saturating_sub(now.since_ms(self.began))
    }
}

impl Misses {
    /// Returns for how many seconds an address must wait, if it has missed too often.
    pub fn wait_s(&self, address: IpAddr, now: BootMs) -> Option<u32> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let window = all.get(&address)?;
        let left_ms = window.left_ms(now);
        let waits = window.misses >= MISSES_MAX && left_ms > 0;
        waits.then(|| u32::try_from(left_ms.div_ceil(1_000)).unwrap_or(u32::MAX))
    }

    /// Counts a miss.
    pub fn count(&self, address: IpAddr, now: BootMs) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= ADDRESSES_MAX && !all.contains_key(&address) {
            all.retain(|_, window| window.left_ms(now) > 0);
            if all.len() >= ADDRESSES_MAX {
                all.clear();
            }
        }
        let new = Window {
            began: now,
            misses: 0,
        };
        let window = all.entry(address).or_insert(new);
        if window.left_ms(now) == 0 {
            *window = new;
        }
        window.misses = window.misses.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn the_fiftieth_miss_of_a_minute_makes_its_address_wait_and_nobody_else() {
        let misses = Misses::default();
        for miss in 0..50 {
            assert_eq!(misses.wait_s(address(1), BootMs(1_000 + miss)), None);
            misses.count(address(1), BootMs(1_000 + miss));
        }
        assert_eq!(misses.wait_s(address(1), BootMs(1_100)), Some(60));
        assert_eq!(misses.wait_s(address(1), BootMs(60_999)), Some(1));
        assert_eq!(misses.wait_s(address(2), BootMs(1_100)), None);
        assert_eq!(misses.wait_s(address(1), BootMs(61_000)), None);
        misses.count(address(1), BootMs(61_000));
        assert_eq!(misses.wait_s(address(1), BootMs(61_000)), None);
    }

    #[test]
    fn no_more_addresses_are_remembered_than_there_is_room_for() {
        let misses = Misses::default();
        for number in 0..=u32::try_from(ADDRESSES_MAX).unwrap() {
            misses.count(IpAddr::from(number.to_be_bytes()), BootMs(0));
        }
        assert_eq!(misses.0.lock().unwrap().len(), 1);
    }
}
