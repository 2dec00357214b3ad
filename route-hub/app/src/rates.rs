//! API keys have one rate, whichever process of the hub they ask: each tells the others once a second how
//! many tokens it gave, and subtracts theirs.

use crate::hub::Hub;
use crate::hub::rate_limits::Given;
use hub_store::{StoreError, Tx, rate_tokens};
use postrider_model::ApiKeyId;
use std::time::Duration;

/// How often they are told.
const EVERY: Duration = Duration::from_secs(1);
/// Most keys of one job.
const AT_ONCE: usize = 200;

/// Tells and learns what was given, as long as several processes serve: for ever where there is one.
pub async fn run(hub: Hub) {
    let Some((_, serving)) = hub.store.processes() else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(EVERY).await;
        if serving.borrow().len() < 2 {
            continue;
        }
        if let Err(error) = tell(&hub).await {
            hub_store::failed!(warn, error, "the rates of API keys could not be shared");
        }
    }
}

/// Tells what this process gave for the keys that were used lately, and learns what the others gave.
///
/// # Errors
/// When the database fails; what was not told then is told next time.
pub async fn tell(hub: &Hub) -> Result<(), StoreError> {
    for given in hub.rates.used(hub.now().boot).chunks(AT_ONCE) {
        let told = given.to_vec();
        let all = if given.iter().any(|given| given.count > 0) {
            hub.store.write(move |tx| shared(tx, &told)).await?
        } else {
            hub.store.read(move |tx| shared(tx, &told)).await?
        };
        hub.rates.learn(given, &all);
    }
    Ok(())
}

fn shared(tx: &mut Tx<'_>, told: &[Given]) -> Result<Vec<(ApiKeyId, i64)>, StoreError> {
    for Given { key, count } in told.iter().filter(|given| given.count > 0) {
        rate_tokens::add(tx, *key, *count)?;
    }
    let keys: Vec<ApiKeyId> = told.iter().map(|given| given.key).collect();
    rate_tokens::given(tx, &keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_folder;
    use crate::testing::{Office, wait};
    use hub_domain::ApiKey;

    #[test]
    fn two_processes_give_no_more_than_the_rate_together() {
        let office = Office::new();
        let parts = data_folder::parts(office.hub.store.clone(), String::new(), Vec::new());
        let (one, other) = (&office.hub, &Hub::new(parts.unwrap()));
        let key = office.key_with_rate(1, 100);
        let take = |hub: &Hub, key: &ApiKey| hub.rates.take(key, hub.now().boot).unwrap().remaining;
        let both_tell = || {
            wait(async {
                tell(one).await.unwrap();
                tell(other).await.unwrap();
                tell(one).await.unwrap();
            })
        };
        take(one, &key);
        take(other, &key);
        both_tell();
        let before = (take(one, &key), take(other, &key));
        for _ in 0..40 {
            take(other, &key);
        }
        both_tell();
        assert!(take(one, &key) <= before.0 - 41, "the other gave 41");
        assert!(take(other, &key) <= before.1 - 41, "and this one 1");
        assert!(take(other, &key) >= 50);
    }
}
