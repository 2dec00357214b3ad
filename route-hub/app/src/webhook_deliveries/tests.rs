//! Delivering again: to the address of now, once, and only what is the caller's.

use crate::actor::{Actor, Who};
use crate::failure::Failure;
use crate::listing::ListRequest;
use crate::testing::{Office, fresh_id, wait};
use crate::webhook_deliveries::{get, list, replay};
use crate::webhook_objects::{self, NewWebhook, WebhookPatch};
use hub_domain::{
    DeliveryStatus, Message, MessageType, OutboxRow, Permission, Phone, PhoneType, Webhook,
    WebhookDelivery, WebhookEvent,
};
use hub_store::list::ListQuery;
use hub_store::webhook_deliveries::{self, Noted};
use hub_store::{messages, outbox};
use hub_view::RefusalCode;
use postrider_model::{MessageId, Secret, UnixMs, WebhookDeliveryId, WebhookId};

fn row(office: &Office, event: WebhookEvent) -> OutboxRow {
    OutboxRow {
        id: fresh_id::<postrider_model::kind::WebhookDelivery>(&office.hub, office.hub.now()).get(),
        project_id: office.project.id,
        webhook_id: None,
        message_id: None,
        origin: "https://then.example:443".to_owned(),
        url: "https://then.example/hook".to_owned(),
        secret: Some(Secret::new("then")),
        basic_password: None,
        event,
        body: "event=x&id=1".to_owned(),
        attempts: 0,
        due_at: UnixMs(0),
        time_created: office.hub.now().unix,
    }
}

/// Stores what became of an event: it was delivered, or waits for its next attempt.
fn told(office: &Office, row: OutboxRow, status: DeliveryStatus) -> WebhookDeliveryId {
    let id = row.id;
    office.rows(move |work| {
        outbox::insert(work.tx, &row)?;
        let attempt = None;
        let noted = Noted {
            row: &row,
            status,
            attempt,
        };
        webhook_deliveries::note(work.tx, row.project_id, [noted], 100)?;
        if status != DeliveryStatus::Waiting {
            outbox::delete(work.tx, row.project_id, [id])?;
        }
        Ok(())
    });
    postrider_model::Id::new(postrider_model::Key::new(id).unwrap())
}

fn in_outbox(office: &Office) -> Vec<OutboxRow> {
    let project = office.project.id;
    office.rows(move |work| outbox::oldest(work.tx, project, 10))
}

fn replayed(actor: &Actor, id: WebhookDeliveryId) -> WebhookDelivery {
    wait(replay(actor, id)).unwrap().0
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, Option<String>) {
    let refusal = result.err().unwrap().into_refusal();
    (refusal.code(), refusal.param().map(str::to_owned))
}

fn webhook(actor: &Actor) -> Webhook {
    let command = NewWebhook {
        url: "https://then.example/hook".to_owned(),
        secret: Some(Secret::new("then")),
        events: vec![WebhookEvent::ContactUpdate],
    };
    wait(webhook_objects::create(actor, command)).unwrap().0
}

fn of_webhook(office: &Office, id: WebhookId) -> OutboxRow {
    OutboxRow {
        webhook_id: Some(id),
        ..row(office, WebhookEvent::ContactUpdate)
    }
}

#[test]
fn an_event_goes_again_with_its_key_and_body_to_the_address_of_now() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let webhook = webhook(&actor);
    let id = told(
        &office,
        of_webhook(&office, webhook.id),
        DeliveryStatus::Delivered,
    );
    let patch = WebhookPatch {
        url: Some("https://now.example/hook".to_owned()),
        secret: Some(Some(Secret::new("now"))),
        ..WebhookPatch::default()
    };
    wait(webhook_objects::update(&actor, webhook.id, patch)).unwrap();
    let delivery = replayed(&actor, id);
    assert_eq!(
        (delivery.id, delivery.status),
        (id, DeliveryStatus::Waiting)
    );
    assert_eq!(delivery.url, "https://now.example/hook");
    let [row] = <[OutboxRow; 1]>::try_from(in_outbox(&office)).unwrap();
    assert_eq!((row.id, row.body.as_str()), (id.get(), "event=x&id=1"));
    assert_eq!(row.origin, "https://now.example:443");
    assert_eq!(row.secret.as_ref().map(Secret::as_str), Some("now"));
    assert_eq!(row.basic_password, row.secret);
    assert_eq!(office.log()[0].1, "webhook_delivery.replay");
    // Twice asked is once delivered.
    replayed(&actor, id);
    assert_eq!(in_outbox(&office).len(), 1);
}

#[test]
fn what_waits_for_its_next_attempt_is_not_doubled_and_goes_at_once() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let webhook = webhook(&actor);
    let waits = OutboxRow {
        attempts: 3,
        due_at: office.hub.now().unix.plus_ms(3_600_000),
        ..of_webhook(&office, webhook.id)
    };
    let id = told(&office, waits, DeliveryStatus::Waiting);
    replayed(&actor, id);
    let [row] = <[OutboxRow; 1]>::try_from(in_outbox(&office)).unwrap();
    assert_eq!((row.id, row.attempts), (id.get(), 3));
    assert!(row.due_at <= office.hub.now().unix);
}

#[test]
fn what_goes_nowhere_now_is_refused() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let webhook = webhook(&actor);
    let rows = [
        of_webhook(&office, webhook.id),
        row(&office, WebhookEvent::IncomingMessage),
        row(&office, WebhookEvent::Alert),
        row(&office, WebhookEvent::ContactUpdate),
        row(&office, WebhookEvent::SendStatus),
    ];
    wait(webhook_objects::delete(&actor, webhook.id)).unwrap();
    for row in rows {
        let id = told(&office, row, DeliveryStatus::Delivered);
        let (code, param) = refused(wait(replay(&actor, id)));
        assert_eq!(code, RefusalCode::InvalidParam);
        assert_eq!(param.as_deref(), Some("webhook_delivery_id"));
    }
    assert_eq!(in_outbox(&office), []);
}

#[test]
fn addresses_of_settings_and_of_a_message_are_those_of_now() {
    let mut office = Office::new();
    office.project.incoming_url = Some("https://incoming.example/".to_owned());
    office.project.alert_url = Some("https://alert.example/".to_owned());
    office.project.status_url = Some("https://status.example/".to_owned());
    let actor = office.actor(Who::Operator);
    let plain = message(&office, None);
    let own = message(&office, Some("https://own.example/"));
    for (event, message_id, url) in [
        (
            WebhookEvent::IncomingMessage,
            None,
            "https://incoming.example/",
        ),
        (WebhookEvent::Alert, None, "https://alert.example/"),
        (
            WebhookEvent::SendStatus,
            Some(plain),
            "https://status.example/",
        ),
        (WebhookEvent::SendStatus, Some(own), "https://own.example/"),
    ] {
        let row = OutboxRow {
            message_id,
            ..row(&office, event)
        };
        let id = told(&office, row, DeliveryStatus::GivenUp);
        assert_eq!(replayed(&actor, id).url, url);
        assert_eq!(in_outbox(&office).last().unwrap().basic_password, None);
    }
}

fn message(office: &Office, status_url: Option<&str>) -> MessageId {
    let now = office.hub.now();
    let phone = Phone::new(
        fresh_id(&office.hub, now),
        office.project.id,
        "Desk",
        PhoneType::Android,
        now.unix,
    );
    let id = fresh_id(&office.hub, now);
    let mut message = Message::outgoing(id, &phone, MessageType::Sms, now.unix);
    message.status_url = status_url.map(str::to_owned);
    office.rows(move |work| messages::insert(work.tx, &message));
    id
}

#[test]
fn who_may_not_and_who_is_elsewhere_sees_none() {
    let office = Office::new();
    let elsewhere = OutboxRow {
        project_id: fresh_id(&office.hub, office.hub.now()),
        ..row(&office, WebhookEvent::Alert)
    };
    let elsewhere = told(&office, elsewhere, DeliveryStatus::Delivered);
    let own = row(&office, WebhookEvent::Alert);
    let own = told(&office, own, DeliveryStatus::Delivered);
    let actor = office.actor(Who::Operator);
    assert_eq!(wait(get(&actor, own)).unwrap().0.id, own);
    for gone in [
        refused(wait(get(&actor, elsewhere))),
        refused(wait(replay(&actor, elsewhere))),
    ] {
        assert_eq!(gone.0, RefusalCode::NotFound);
    }
    let actor = office.actor(office.holder(&[Permission::SendMessages]));
    let all = ListRequest {
        query: ListQuery::default(),
        count_only: false,
    };
    for unauthorized in [
        refused(wait(get(&actor, own))),
        refused(wait(list(&actor, all))),
        refused(wait(replay(&actor, own))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
}
