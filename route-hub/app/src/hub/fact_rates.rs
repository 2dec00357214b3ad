//! How fast one phone's facts are taken in: a token bucket for each device.
//!
//! A fact for which there is no token yet waits in memory, unacked; the phone keeps it on its disk
//! and stops sending at the end of its window. Nothing is lost, and a phone that floods delays only
//! itself. The buckets outlive connections, so that a new connection has no new tokens.

use postrider_model::{BootMs, DeviceId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Facts a second of one phone, unless the operator says otherwise: many times what a busy one has.
pub const RATE_DEFAULT_PER_S: u32 = 200;
/// How many seconds' worth may come at once: 5,000 facts by default, a phone's long absence.
const BURST_S: u64 = 25;
/// Facts that wait for tokens are taken this many at a time: a commit for each would be dear.
const PORTION: u64 = 50;
/// Buckets that are looked through for full ones when one more is made beyond this.
const BUCKETS_MANY: usize = 10_000;

/// The buckets of every device that spoke lately.
#[derive(Debug)]
pub struct FactRates {
    /// Facts a second; 0: as many as come.
    rate_per_s: AtomicU32,
    buckets: Mutex<HashMap<DeviceId, Bucket>>,
}

impl Default for FactRates {
    fn default() -> Self {
        Self {
            rate_per_s: AtomicU32::new(RATE_DEFAULT_PER_S),
            buckets: Mutex::default(),
        }
    }
}

/// What may be taken in now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granted {
    /// So many facts, none or more.
    Now(usize),
    /// None before so many milliseconds have passed.
    After(u64),
}

impl FactRates {
    /// Sets how many facts a second each phone may bring; 0: as many as come.
    pub fn limit(&self, rate_per_s: u32) {
        self.rate_per_s.store(rate_per_s, Ordering::Release);
    }

    /// Takes tokens for as many of a device's waiting facts as there are.
    pub fn take(&self, device: DeviceId, waiting: usize, now: BootMs) -> Granted {
        let rate = u64::from(self.rate_per_s.load(Ordering::Acquire));
        if rate == 0 || waiting == 0 {
            return Granted::Now(waiting);
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > BUCKETS_MANY && !buckets.contains_key(&device) {
            // A bucket that is full again says nothing.
            buckets.retain(|_, bucket| !bucket.is_full(rate, now));
        }
        let full = Bucket {
            milli: rate * BURST_S * 1_000,
            at: now,
        };
        let bucket = buckets.entry(device).or_insert(full);
        bucket.take(rate, waiting as u64, now)
    }

    /// Gives tokens back for facts of a device that were not taken in after all.
    pub fn give_back(&self, device: DeviceId, facts: usize) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(&device) {
            let milli = (facts as u64).saturating_mul(1_000);
            bucket.milli = bucket.milli.saturating_add(milli);
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of a fact.
    milli: u64,
    at: BootMs,
}

impl Bucket {
    fn level(&self, rate: u64, now: BootMs) -> u64 {
        let gained = now.since_ms(self.at).saturating_mul(rate);
        self.milli
            .saturating_add(gained)
            .min(rate * BURST_S * 1_000)
    }

    fn is_full(&self, rate: u64, now: BootMs) -> bool {
        self.level(rate, now) == rate * BURST_S * 1_000
    }

    fn take(&mut self, rate: u64, waiting: u64, now: BootMs) -> Granted {
        self.milli = self.level(rate, now);
        self.at = now;
        let least_milli = waiting.min(PORTION).min(rate * BURST_S) * 1_000;
        if self.milli < least_milli {
            return Granted::After((least_milli - self.milli).div_ceil(rate));
        }
        let granted = waiting.min(self.milli / 1_000);
        self.milli -= granted * 1_000;
        Granted::Now(usize::try_from(granted).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn device(value: i64) -> DeviceId {
        DeviceId::new(Key::new(value).unwrap())
    }

    #[test]
    fn a_burst_passes_and_then_only_the_rate() {
        let rates = FactRates::default();
        let take = |waiting, ms| rates.take(device(1), waiting, BootMs(ms));
        assert_eq!(take(4_990, 0), Granted::Now(4_990));
        assert_eq!(
            take(200, 0),
            Granted::After(200),
            "a portion of 50 needs 40 more"
        );
        assert_eq!(take(200, 199), Granted::After(1));
        assert_eq!(take(200, 200), Granted::Now(50));
        assert_eq!(take(3, 200), Granted::After(15));
        assert_eq!(take(3, 215), Granted::Now(3));
        assert_eq!(
            take(9_000, 1_000_000),
            Granted::Now(5_000),
            "no more than a burst"
        );
    }

    #[test]
    fn facts_that_were_not_taken_in_cost_nothing() {
        let rates = FactRates::default();
        let take = |waiting| rates.take(device(1), waiting, BootMs(0));
        rates.give_back(device(1), 100);
        assert_eq!(take(5_000), Granted::Now(5_000));
        rates.give_back(device(1), 4_000);
        assert_eq!(take(4_000), Granted::Now(4_000));
        assert_eq!(take(1), Granted::After(5));
        rates.give_back(device(1), usize::MAX);
        assert_eq!(take(9_000), Granted::Now(5_000), "no more than a burst");
    }

    #[test]
    fn phones_have_buckets_of_their_own_and_no_limit_is_none() {
        let rates = FactRates::default();
        let now = BootMs(0);
        assert_eq!(rates.take(device(1), 5_000, now), Granted::Now(5_000));
        assert_eq!(rates.take(device(2), 5_000, now), Granted::Now(5_000));
        assert!(matches!(rates.take(device(1), 1, now), Granted::After(_)));
        rates.limit(0);
        assert_eq!(rates.take(device(1), 100_000, now), Granted::Now(100_000));
    }

    #[test]
    fn full_buckets_are_forgotten_and_others_stay() {
        let rates = FactRates::default();
        for value in 1..=10_001 {
            rates.take(device(value), 1, BootMs(0));
        }
        rates.take(device(7), 5_000, BootMs(1_000_000));
        rates.take(device(20_000), 1, BootMs(1_000_000));
        assert_eq!(rates.buckets.lock().unwrap().len(), 2);
        assert!(matches!(
            rates.take(device(7), 1, BootMs(1_000_000)),
            Granted::After(_)
        ));
    }
}
