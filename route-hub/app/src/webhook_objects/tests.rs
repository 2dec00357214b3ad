//! Webhook objects, and that events know of a change at once.

use crate::actor::{Actor, Who};
use crate::failure::Failure;
use crate::hub::Caps;
use crate::testing::{Office, wait};
use crate::webhook_objects::{NewWebhook, WebhookPatch, create, delete, get, update};
use hub_domain::{Permission, Webhook, WebhookEvent};
use hub_store::{StoreError, Tx};
use hub_view::RefusalCode;
use postrider_model::Secret;
use std::sync::Arc;

const URL: &str = "https://a.example/hook";

fn new_webhook() -> NewWebhook {
    NewWebhook {
        url: URL.to_owned(),
        secret: Some(Secret::new("s")),
        events: vec![WebhookEvent::SendStatus],
    }
}

fn made(actor: &Actor) -> Webhook {
    wait(create(actor, new_webhook())).unwrap().0
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, String) {
    let refusal = result.err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

/// Returns the objects that the project's next event is for, once the hub has them in memory.
fn told(office: &Office) -> Vec<Webhook> {
    let (hub, project) = (office.hub.clone(), office.project.id);
    wait(async move {
        let filling = hub.clone();
        let filling = tokio::spawn(async move { filling.cache.fill(&filling.store).await });
        loop {
            let inside = hub.clone();
            let twice = move |tx: &mut Tx<'_>| {
                let first = inside.cache.webhooks_in(tx, project)?;
                Ok::<_, StoreError>((first, inside.cache.webhooks_in(tx, project)?))
            };
            let (first, second) = hub.store.read(twice).await.unwrap();
            if Arc::ptr_eq(&first, &second) {
                filling.abort();
                return first.to_vec();
            }
            tokio::task::yield_now().await;
        }
    })
}

#[test]
fn the_next_event_goes_by_what_is_stored() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    assert_eq!(told(&office), []);
    let webhook = made(&actor);
    assert_eq!(told(&office), std::slice::from_ref(&webhook));
    let patch = WebhookPatch {
        secret: Some(None),
        ..WebhookPatch::default()
    };
    let changed = wait(update(&actor, webhook.id, patch)).unwrap().0;
    let expected = Webhook {
        secret: None,
        ..webhook
    };
    assert_eq!(changed, expected);
    assert_eq!(told(&office), [changed]);
    wait(delete(&actor, webhook.id)).unwrap();
    assert_eq!(told(&office), []);
    for gone in [
        refused(wait(get(&actor, webhook.id))),
        refused(wait(update(&actor, webhook.id, WebhookPatch::default()))),
        refused(wait(delete(&actor, webhook.id))),
    ] {
        assert_eq!(
            gone,
            (RefusalCode::NotFound, "webhook not found".to_owned())
        );
    }
    let log = office.log();
    let actions: Vec<_> = log.iter().map(|(_, action)| action.as_str()).collect();
    let expected = ["webhook.delete", "webhook.update", "webhook.create"];
    assert_eq!(actions[..3], expected);
}

#[test]
fn a_full_project_keeps_what_it_has() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    office.hub.set_caps(Caps {
        webhooks: 2,
        ..Caps::default()
    });
    let first = made(&actor);
    made(&actor);
    let refused = refused(wait(create(&actor, new_webhook())));
    assert_eq!(refused, (RefusalCode::InvalidParam, "url".to_owned()));
    let patch = WebhookPatch {
        url: Some("http://b.example/".to_owned()),
        events: Some(Vec::new()),
        ..WebhookPatch::default()
    };
    let changed = wait(update(&actor, first.id, patch)).unwrap().0;
    assert_eq!(changed.url, "http://b.example/");
    assert_eq!(changed.events, []);
    wait(delete(&actor, first.id)).unwrap();
    made(&actor);
}

#[test]
fn who_lacks_the_permission_neither_sees_nor_changes_them() {
    let office = Office::new();
    let id = made(&office.actor(Who::Operator)).id;
    let actor = office.actor(office.holder(&[Permission::SendMessages]));
    for unauthorized in [
        refused(wait(get(&actor, id))),
        refused(wait(create(&actor, new_webhook()))),
        refused(wait(update(&actor, id, WebhookPatch::default()))),
        refused(wait(delete(&actor, id))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
}
