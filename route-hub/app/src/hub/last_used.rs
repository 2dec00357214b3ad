//! When keys were last used: noted in the database, to within a minute.

use crate::hub::Hub;
use crate::hub::by_id::ById;
use hub_store::api_keys;
use postrider_model::{ApiKeyId, BootMs, Now};
use std::sync::{Mutex, PoisonError};

/// A key in steady use is noted this often.
const NOTE_EVERY_MS: u64 = 60_000;

/// The keys whose use was noted lately.
#[derive(Debug, Default)]
pub struct LastUsed(Mutex<ById<ApiKeyId, BootMs>>);

impl LastUsed {
    /// Notes a use, unless one was noted within the last minute; nobody waits for it.
    pub fn note(&self, hub: &Hub, id: ApiKeyId, now: Now) {
        if !self.is_due(id, now.boot) {
            return;
        }
        let touching = hub.store.write(move |tx| api_keys::touch(tx, id, now.unix));
        tokio::spawn(async move {
            if let Err(error) = touching.await {
                tracing::warn!(%error, key = %id, "the use of a key was not noted");
            }
        });
    }

    fn is_due(&self, id: ApiKeyId, now: BootMs) -> bool {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match noted.get(&id) {
            Some(last) if now.since_ms(*last) < NOTE_EVERY_MS => false,
            _ => {
                noted.insert(id, now);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    #[test]
    fn a_key_in_steady_use_is_noted_once_a_minute() {
        let (uses, id) = (LastUsed::default(), ApiKeyId::new(Key::new(1).unwrap()));
        assert!(uses.is_due(id, BootMs(0)));
        assert!(!uses.is_due(id, BootMs(59_999)));
        assert!(uses.is_due(id, BootMs(60_000)));
        assert!(!uses.is_due(id, BootMs(60_001)));
    }
}
