//! When keys were last used: written to the database, once a minute for each key.

use crate::hub::cache::ById;
use hub_domain::ApiKey;
use hub_store::{Gate, Store, api_keys};
use postrider_model::{ApiKeyId, BootMs, Now};
use std::sync::{Mutex, PoisonError};

/// How often the use of a busy key is written.
const WRITE_EVERY_MS: u64 = 60_000;

/// When each key's use was last written.
#[derive(Debug, Default)]
pub struct LastUsed(Mutex<ById<ApiKeyId, BootMs>>);

impl LastUsed {
    /// Writes that a key was used, unless that was written within the last minute. Nobody waits for it.
    pub fn note(&self, store: &Store, key: &ApiKey, now: Now) {
        let id = key.id;
        if !self.is_due(id, now.boot) {
            return;
        }
        let share = store.hub_at(Gate::Organization(key.organization_id));
        let touching = share.write(move |tx| api_keys::touch(tx, id, now.unix));
        tokio::spawn(async move {
            if let Err(error) = touching.await {
                hub_store::failed!(warn, error, key = %id, "the use of a key could not be written");
            }
        });
    }

    fn is_due(&self, id: ApiKeyId, now: BootMs) -> bool {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match noted.get(&id) {
            Some(last) if now.since_ms(*last) < WRITE_EVERY_MS => false,
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
    fn the_use_of_a_busy_key_is_written_once_a_minute() {
        let (uses, id) = (LastUsed::default(), ApiKeyId::new(Key::new(1).unwrap()));
        assert!(uses.is_due(id, BootMs(0)));
        assert!(!uses.is_due(id, BootMs(59_999)));
        assert!(uses.is_due(id, BootMs(60_000)));
        assert!(!uses.is_due(id, BootMs(60_001)));
    }
}
