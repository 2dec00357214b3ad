//! What the hub sees of a request to `/healthz` that came by the public URL: `route-hub doctor` asks.
//!
//! A word that the operator's own address gives out unlocks the answer, so that nobody else learns which
//! proxies there are.

use http::HeaderMap;
use hub_web::front::{Front, Guest};
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The header that has the word.
pub const WORD_HEADER: &str = "postrider-doctor";
/// How long a word is good.
const GOOD_FOR: Duration = Duration::from_secs(60);

/// The word that was given out last, and when.
#[derive(Debug, Default)]
pub(super) struct Words(Mutex<Option<(Duration, String)>>);

impl Words {
    /// Gives out a word in place of the one before.
    pub(super) fn give(&self, word: &str, now: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, word.to_owned()));
    }

    /// Says whether a request has the word.
    pub(super) fn are_in(&self, headers: &HeaderMap, now: Duration) -> bool {
        let Some(word) = headers.get(WORD_HEADER) else {
            return false;
        };
        let given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        given.as_ref().is_some_and(|(at, given)| {
            word.as_bytes() == given.as_bytes() && now.saturating_sub(*at) < GOOD_FOR
        })
    }
}

/// Shows where a request came from.
pub(super) fn shown(front: &Front, guest: &Guest, headers: &HeaderMap) -> Value {
    json!({
        "status": "ok",
        "peer": guest.peer.to_canonical(),
        "client": guest.client.address,
        "is_proxy": front.is_proxy(guest.peer),
        "has_header": headers.contains_key("x-forwarded-for"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_last_word_is_good_for_a_minute() {
        let words = Words::default();
        let asked = |word: &'static str, at_s| {
            let mut headers = HeaderMap::new();
            headers.insert(WORD_HEADER, HeaderValue::from_static(word));
            words.are_in(&headers, Duration::from_secs(at_s))
        };
        assert!(!asked("", 1));
        words.give("first", Duration::from_secs(1));
        assert!(asked("first", 60));
        assert!(!asked("first", 61));
        assert!(!asked("other", 2));
        words.give("second", Duration::from_secs(2));
        assert!(!asked("first", 3) && asked("second", 3));
        assert!(!words.are_in(&HeaderMap::new(), Duration::from_secs(3)));
    }
}
