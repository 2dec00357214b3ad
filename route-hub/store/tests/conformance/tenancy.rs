//! No id of another project is ever found.

use crate::Backend;
use crate::sample::{self, NOW, id};
use hub_domain::{Webhook, WebhookEvent};
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::list::ListQuery;
use hub_store::projects::Reach;
use hub_store::{Store, contacts, messages, phones, projects, webhooks};

fn opened<B: Backend>() -> (B, Store) {
    let backend = B::fresh();
    let store = backend.open();
    sample::two_projects(&store);
    store
        .write_blocking(|tx| {
            for (project_id, webhook_id) in [(10, 60), (11, 61)] {
                let webhook = Webhook {
                    id: id(webhook_id),
                    project_id: id(project_id),
                    url: "http://127.0.0.1/".to_owned(),
                    secret: None,
                    events: vec![WebhookEvent::SendStatus],
                    time_created: NOW,
                };
                webhooks::insert(tx, &webhook)?;
            }
            Ok::<_, hub_store::StoreError>(())
        })
        .unwrap();
    (backend, store)
}

pub(crate) fn no_id_of_another_project_is_found<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let found = |project: i64| {
        store
            .read_blocking(move |tx| {
                let project_id = id(project);
                let number = sample::address("+15005550001");
                let by_number = contacts::find_by_number(tx, project_id, &number)?;
                let key = by_number.map(|contact| contact.id.get());
                assert_eq!(
                    key,
                    if project < 12 {
                        Some(project + 20)
                    } else {
                        None
                    }
                );
                Ok::<_, hub_store::StoreError>([
                    messages::get(tx, project_id, id(50))?.is_some(),
                    phones::get(tx, project_id, id(20))?.is_some(),
                    contacts::get(tx, project_id, id(30))?.is_some(),
                    webhooks::get(tx, project_id, id(60))?.is_some(),
                    idempotency::get(tx, project_id, "key")?.is_some(),
                ])
            })
            .unwrap()
    };
    let kept = KeptAnswer {
        body_hash: "h".to_owned(),
        answer: "a".to_owned(),
    };
    store
        .write_blocking(move |tx| idempotency::put(tx, id(10), "key", &kept, NOW))
        .unwrap();
    assert_eq!(found(10), [true; 5]);
    assert_eq!(found(11), [false; 5]);
    assert_eq!(found(12), [false; 5]);
}

pub(crate) fn nothing_of_another_project_is_changed<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let changed: Result<_, hub_store::StoreError> = store.write_blocking(|tx| {
        let message = sample::message(50, 11);
        let phone = sample::phone(20, 11);
        let contact = sample::contact(30, 11, "+15005550009");
        let webhook = webhooks::get(tx, id(10), id(60))?.map(|webhook| Webhook {
            project_id: id(11),
            ..webhook
        });
        Ok([
            messages::update(tx, &message)?,
            messages::hide(tx, id(11), id(50), NOW)?,
            phones::update(tx, &phone)?,
            contacts::update(tx, &contact)?,
            webhooks::update(tx, &webhook.unwrap())?,
            webhooks::delete(tx, id(11), id(60))?,
        ])
    });
    assert_eq!(changed.unwrap(), [false; 6]);
}

pub(crate) fn lists_hold_one_project_alone<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let query = ListQuery::default();
    let keys: Result<_, hub_store::StoreError> = store.read_blocking(move |tx| {
        let project_id = id(10);
        let messages = messages::list(tx, project_id, &query)?.rows;
        let phones = phones::list(tx, project_id, &query)?.rows;
        let contacts = contacts::list(tx, project_id, &query)?.rows;
        let webhooks = webhooks::list(tx, project_id, &query)?.rows;
        let counts = [
            messages::count(tx, project_id, &query)?,
            phones::count(tx, project_id, &query)?,
            contacts::count(tx, project_id, &query)?,
            webhooks::count(tx, project_id, &query)?,
        ];
        assert_eq!(counts, [1; 4]);
        let messages = messages.iter().map(|row| row.id.get());
        let phones = phones.iter().map(|row| row.id.get());
        let contacts = contacts.iter().map(|row| row.id.get());
        let webhooks = webhooks.iter().map(|row| row.id.get());
        Ok(messages
            .chain(phones)
            .chain(contacts)
            .chain(webhooks)
            .collect::<Vec<_>>())
    });
    assert_eq!(keys.unwrap(), [50, 20, 30, 60]);
}

pub(crate) fn a_key_for_one_project_lists_that_one<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let listed = |organization: i64, project: Option<i64>| {
        let reach = Reach {
            organization_id: id(organization),
            project_id: project.map(id),
        };
        let query = ListQuery::default();
        let page = store
            .read_blocking(move |tx| projects::list(tx, reach, &query))
            .unwrap();
        page.rows.iter().map(|row| row.id.get()).collect::<Vec<_>>()
    };
    assert_eq!(listed(1, None), [10, 11]);
    assert_eq!(listed(1, Some(11)), [11]);
    assert_eq!(listed(2, None), [0; 0]);
    assert_eq!(listed(2, Some(11)), [0; 0]);
}
