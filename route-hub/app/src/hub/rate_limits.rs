//! Rate limits of keys: one token bucket each, off unless the key has a rate.

use crate::hub::cache::ById;
use hub_domain::ApiKey;
use postrider_model::{ApiKeyId, BootMs};
use std::sync::{Mutex, PoisonError};

/// The buckets of every key that asked lately.
///
/// They live in memory: after a restart each begins full, which is harmless.
#[derive(Debug, Default)]
pub struct RateLimits(Mutex<ById<ApiKeyId, Bucket>>);

#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Thousandths of a request.
    milli: u64,
    at: BootMs,
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
        let full = Bucket {
            milli: burst * 1_000,
            at: now,
        };
        let bucket = buckets.entry(key.id).or_insert(full);
        Some(bucket.take(rate, burst, now))
    }
}

impl Bucket {
    fn take(&mut self, rate: u64, burst: u64, now: BootMs) -> Taken {
        let full = burst * 1_000;
        let gained = now.since_ms(self.at).saturating_mul(rate);
        self.milli = self.milli.saturating_add(gained).min(full);
        self.at = now;
        let has_one = self.milli >= 1_000;
        if has_one {
            self.milli -= 1_000;
        }
        let seconds = |milli: u64| narrow(milli.div_ceil(rate * 1_000));
        Taken {
            retry_after_s: (!has_one).then(|| seconds(1_000 - self.milli).max(1)),
            limit: narrow(burst),
            remaining: narrow(self.milli / 1_000),
            reset_s: seconds(full - self.milli),
        }
    }
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
        Bucket {
            milli: 3_000,
            at: BootMs(0),
        }
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
}
