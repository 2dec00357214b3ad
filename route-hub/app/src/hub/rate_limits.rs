//! Rate limits of keys: one token bucket each, off unless the key has a rate.
//!
//! Where several processes give tokens for a key, each tells the others once a second how many it gave
//! (`rates.rs`), and subtracts theirs. So a bucket can be in debt: the key then waits until the rate has
//! made up for what all have given.

use crate::hub::cache::ById;
use hub_domain::ApiKey;
use postrider_model::{ApiKeyId, BootMs};
use std::sync::{Mutex, PoisonError};

/// The buckets of every key that asked lately.
///
/// They live in memory: after a restart each begins full, which is harmless.
#[derive(Debug, Default)]
pub struct RateLimits(Mutex<ById<ApiKeyId, Bucket>>);

/// How long after its last request a key's tokens are told and learned.
const USED_MS: u64 = 60_000;

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of a request; below 0 while others have given more than there was.
    milli: i64,
    at: BootMs,
    /// Tokens that were given here and not told yet.
    untold: i64,
    /// What all have given ever, as it was last read.
    known: Option<i64>,
}

/// Tokens that were given for a key and are to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) key: ApiKeyId,
    pub(crate) count: i64,
}

/// What taking one token came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Seconds until the next token, when there was none.
    pub retry_after_s: Option<u32>,
    /// Requests that the bucket holds when full.
    pub limit: u32,
    /// Requests that are left now.
    pub remaining: u32,
    /// Seconds until the bucket is full again.
    pub reset_s: u32,
}

impl RateLimits {
    /// Takes a token for `key`; `None` for a key without a rate.
    pub fn take(&self, key: &ApiKey, now: BootMs) -> Option<Taken> {
        let rate = u64::from(key.rate_per_s?.max(1));
        let burst = u64::from(key.rate_burst.unwrap_or(0)).max(rate);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = || Bucket::full(burst, now);
        let bucket = buckets.entry(key.id).or_insert_with(full);
        Some(bucket.take(rate, burst, now))
    }

    /// Returns the keys that were used lately, with what is to be told of each.
    pub(crate) fn used(&self, now: BootMs) -> Vec<Given> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut used = Vec::new();
        buckets.retain(|key, bucket| {
            let is_used = now.since_ms(bucket.at) < USED_MS || bucket.untold > 0;
            let count = bucket.untold;
            used.extend(is_used.then_some(Given { key: *key, count }));
            is_used
        });
        used.sort_by_key(|given| given.key);
        used
    }

    /// Learns that these were told, and what all processes together have given ever.
    pub(crate) fn learn(&self, told: &[Given], all: &[(ApiKeyId, i64)]) {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for Given { key, count } in told {
            let total = all.iter().find(|(of, _)| of == key);
            if let Some(bucket) = buckets.get_mut(key) {
                bucket.learn(*count, total.map_or(0, |(_, total)| *total));
            }
        }
    }
}

impl Bucket {
    fn full(burst: u64, now: BootMs) -> Self {
        Self {
            milli: milli(burst),
            at: now,
            untold: 0,
            known: None,
        }
    }

    fn take(&mut self, rate: u64, burst: u64, now: BootMs) -> Taken {
        let full = milli(burst);
        let gained = now.since_ms(self.at).saturating_mul(rate);
        let gained = i64::try_from(gained).unwrap_or(i64::MAX);
        self.milli = self.milli.saturating_add(gained).min(full);
        self.at = now;
        let has_one = self.milli >= 1_000;
        if has_one {
            self.milli -= 1_000;
            self.untold += 1;
        }
        let seconds = |milli: i64| narrow(milli.max(0).unsigned_abs().div_ceil(rate * 1_000));
        Taken {
            retry_after_s: (!has_one).then(|| seconds(1_000 - self.milli).max(1)),
            limit: narrow(burst),
            remaining: narrow(self.milli.max(0).unsigned_abs() / 1_000),
            reset_s: seconds(full - self.milli),
        }
    }

    /// Subtracts what the others gave since the last time.
    fn learn(&mut self, told: i64, all: i64) {
        self.untold -= told;
        let before = self.known.replace(all);
        let by_others = before.map_or(0, |before| all - before - told).max(0);
        self.milli = self.milli.saturating_sub(by_others.saturating_mul(1_000));
    }
}

fn milli(tokens: u64) -> i64 {
    i64::try_from(tokens.saturating_mul(1_000)).unwrap_or(i64::MAX)
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &mut Bucket, at_ms: u64) -> Taken {
        bucket.take(2, 3, BootMs(at_ms))
    }

    fn bucket() -> Bucket {
        Bucket::full(3, BootMs(0))
    }

    #[test]
    fn a_burst_passes_and_then_only_the_rate() {
        let mut bucket = bucket();
        for remaining in [2, 1, 0] {
            let taken = taken(&mut bucket, 0);
            assert_eq!(taken.retry_after_s, None);
            assert_eq!(taken.remaining, remaining);
        }
        assert_eq!(taken(&mut bucket, 0).retry_after_s, Some(1));
        assert_eq!(taken(&mut bucket, 499).retry_after_s, Some(1));
        assert_eq!(taken(&mut bucket, 500).retry_after_s, None);
        assert_eq!(taken(&mut bucket, 501).retry_after_s, Some(1));
    }

    #[test]
    fn a_bucket_fills_no_higher_than_its_burst() {
        let mut bucket = bucket();
        let taken = taken(&mut bucket, 1_000_000);
        assert_eq!((taken.limit, taken.remaining), (3, 2));
        assert_eq!(taken.reset_s, 1);
    }

    #[test]
    fn what_others_gave_is_made_up_for_before_more_is_given() {
        let mut bucket = bucket();
        bucket.learn(0, 100);
        assert_eq!(taken(&mut bucket, 0).remaining, 2, "they gave it long ago");
        bucket.learn(1, 108);
        let refused = taken(&mut bucket, 0);
        assert_eq!(
            (refused.remaining, refused.retry_after_s),
            (0, Some(3)),
            "7 by others, 2 a second"
        );
        assert_eq!(taken(&mut bucket, 2_999).retry_after_s, Some(1));
        assert_eq!(taken(&mut bucket, 3_000).retry_after_s, None);
    }

    #[test]
    fn what_is_told_while_more_is_given_is_told_once() {
        let limits = RateLimits::default();
        let key = ApiKeyId::from_i64(7).unwrap();
        let bucket = || Bucket::full(10, BootMs(0));
        let take = || {
            let mut buckets = limits.0.lock().unwrap();
            buckets
                .entry(key)
                .or_insert_with(bucket)
                .take(1, 10, BootMs(0));
        };
        take();
        take();
        let told = limits.used(BootMs(0));
        assert_eq!(told, [Given { key, count: 2 }]);
        take();
        limits.learn(&told, &[(key, 2)]);
        assert_eq!(limits.used(BootMs(0)), [Given { key, count: 1 }]);
        limits.learn(&[Given { key, count: 1 }], &[(key, 3)]);
        assert_eq!(limits.used(BootMs(USED_MS)), [], "nobody uses it any more");
    }
}
