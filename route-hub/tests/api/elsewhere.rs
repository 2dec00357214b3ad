//! Changes by another process, while every hint of them is lost.

use crate::support::{hub, hub_in};
use hub_app::elsewhere;
use hub_store::changes::{self, Scope};
use hub_store::{Tx, api_keys};
use std::time::Duration;
use tokio::sync::watch;

const EVERY: Duration = Duration::from_millis(1);
/// Without a hint a change is seen at the next look: that of a key has to be within 5 s.
const _: () = assert!(elsewhere::LOOK_EVERY.as_secs() < 5);
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_revoked_key_dies_without_a_hint() {
    let test = hub().await;
    let (_silent, hints) = watch::channel(0);
    let seen = test.hub.store.read(changes::newest).await.unwrap();
    tokio::spawn(elsewhere::watch(test.hub.clone(), hints, seen, EVERY));
    let client = test.client();
    client.get("messages").await;

    let organization = test.project.organization_id;
    let revoke = move |tx: &mut Tx<'_>| {
        for key in api_keys::of_organization(tx, organization)? {
            api_keys::revoke(tx, key.id, key.time_created)?;
        }
        changes::raise(tx, Scope::Keys(organization))
    };
    hub_in(test.folder(), 1).store.write(revoke).await.unwrap();
    let dead = async {
        while client.call("GET", "messages", None).await.status != 401 {
            tokio::task::yield_now().await;
        }
    };
    let dead = tokio::time::timeout(PATIENCE, dead).await;
    dead.expect("the key is dead");
}
