//! What a request carries on its way through the layers.

use http::{Extensions, HeaderMap, HeaderValue};
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use crate::limits::REQUEST_ID_LENGTH_MAX;

/// The state of a key's rate limit after a request, as the headers show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests that the bucket holds when full.
    pub limit: u32,
    /// Requests that are left now.
    pub remaining: u32,
    /// Seconds until the bucket is full again.
    pub reset_s: u32,
}

/// One request's id, and what is to be said in its answer's headers.
#[derive(Debug, Clone, Default)]
pub struct RequestContext(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    id: Box<str>,
    rate: OnceLock<RateLimit>,
}

impl RequestContext {
    pub(crate) fn new(id: Box<str>) -> Self {
        Self(Arc::new(Inner {
            id,
            rate: OnceLock::new(),
        }))
    }

    /// Returns the context that the conventions put into the request.
    pub(crate) fn of(extensions: &mut Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// Returns the request's id.
    pub(crate) fn request_id(&self) -> &str {
        &self.0.id
    }

    /// Has the answer say how much of a rate limit is left; the first call counts.
    pub fn set_rate_limit(&self, rate: RateLimit) {
        let _ = self.0.rate.set(rate);
    }

    pub(crate) fn write_headers(&self, headers: &mut HeaderMap) {
        if let Ok(id) = HeaderValue::from_str(&self.0.id) {
            headers.insert("x-request-id", id);
        }
        if let Some(rate) = self.0.rate.get() {
            headers.insert("ratelimit-limit", rate.limit.into());
            headers.insert("ratelimit-remaining", rate.remaining.into());
            headers.insert("ratelimit-reset", rate.reset_s.into());
        }
    }
}

/// Makes request ids: unlike each other, and unlike those of another start.
#[derive(Debug)]
pub struct RequestIds {
    seed: u64,
    next: AtomicU64,
}

impl RequestIds {
    /// Makes a maker from a random seed.
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            next: AtomicU64::new(0),
        }
    }

    /// Returns the id that came with the request, when it is fit to be repeated, or a new one.
    pub(crate) fn take(&self, headers: &HeaderMap) -> Box<str> {
        let came = headers
            .get("x-request-id")
            .and_then(|value| value.to_str().ok());
        let fits = |id: &&str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !id.is_empty() && id.len() <= REQUEST_ID_LENGTH_MAX && id.bytes().all(allowed)
        };
        match came.filter(fits) {
            Some(id) => id.into(),
            None => self.make(),
        }
    }

    /// SplitMix64 over a counter: a bijection, so no two alike.
    fn make(&self) -> Box<str> {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        let step = count.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut value = self.seed.wrapping_add(step);
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^= value >> 31;
        format!("{value:016x}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_ids_differ() {
        let ids = RequestIds::new(5);
        let made: std::collections::BTreeSet<_> = (0..10_000).map(|_| ids.make()).collect();
        assert_eq!(made.len(), 10_000);
    }

    #[test]
    fn an_id_that_came_is_kept_only_when_it_is_harmless() {
        let ids = RequestIds::new(5);
        let take = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-request-id", HeaderValue::from_str(text).unwrap());
            ids.take(&headers)
        };
        assert_eq!(&*take("abc-1.2_3"), "abc-1.2_3");
        assert_ne!(&*take("a b"), "a b");
        assert_ne!(&*take(&"a".repeat(65)), "a".repeat(65).as_str());
    }
}
