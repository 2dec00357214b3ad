//! Who is told what, with the real store.

use crate::alerts::{self, About};
use crate::testing::fresh_id;
use crate::webhooks::enqueue;
use crate::webhooks::testing::Fixture;
use hub_domain::{
    Address, AlertKind, Contact, Direction, Message, OutboxRow, Webhook, WebhookEvent,
};
use hub_store::{contacts, webhooks};
use postrider_model::{MessageStatus, Secret, UnixMs};
use std::collections::BTreeMap;

#[test]
fn nobody_is_told_where_nobody_asked() {
    let fixture = Fixture::new();
    let message = fixture.outgoing();
    assert!(!fixture.tell(&message));
    assert!(fixture.outbox().is_empty());
}

#[test]
fn a_status_shows_the_message_and_its_contact() {
    let mut fixture = Fixture::new();
    fixture.project.status_url = Some("http://127.0.0.1:9/status".into());
    fixture.project.status_secret = Some(Secret::new("s3"));
    let mut message = fixture.outgoing();
    message.status = MessageStatus::Sent;
    message.time_sent = Some(UnixMs(1_700_000_001_234));
    assert!(fixture.tell(&message));
    let row = fixture.outbox().remove(0);
    assert_eq!(
        (row.message_id, row.event),
        (Some(message.id), WebhookEvent::SendStatus)
    );
    assert_eq!(row.origin, "http://127.0.0.1:9");
    assert_eq!(row.secret.as_ref().map(Secret::as_str), Some("s3"));
    assert_eq!(row.basic_password, None);
    let form = form(&row);
    for (name, value) in [
        ("event", "send_status"),
        ("status", "sent"),
        ("time_sent", "1700000001"),
        ("starred", "0"),
        ("vars[k]", "7"),
        ("content", "come & see = +"),
        ("contact[phone_number]", "+15005550001"),
        ("contact[send_blocked]", "0"),
    ] {
        assert_eq!(form.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(form["id"], message.id.to_string());
    assert_eq!(form["project_id"], fixture.project.id.to_string());
    assert_eq!(form["contact[id]"], message.contact_id.unwrap().to_string());
    for absent in [
        "error_message",
        "secret",
        "route_id",
        "external_id",
        "waiting_for",
    ] {
        assert!(!form.contains_key(absent), "{absent}");
    }
}

#[test]
fn a_status_url_of_the_message_is_told_alone() {
    let mut fixture = Fixture::new();
    fixture.project.status_url = Some("http://project.example/".into());
    fixture.add_webhook("http://object.example/", &[WebhookEvent::SendStatus]);
    let mut message = fixture.outgoing();
    message.status_url = Some("https://own.example/x".into());
    fixture.tell(&message);
    let rows = fixture.outbox();
    assert_eq!(urls(&rows), ["https://own.example/x"]);
    assert_eq!(
        rows[0].secret, None,
        "the project's secret is not for others"
    );
}

#[test]
fn the_setting_and_each_object_with_the_event_are_told() {
    let mut fixture = Fixture::new();
    fixture.project.status_url = Some("http://project.example/".into());
    fixture.add_webhook("http://one.example/", &[WebhookEvent::SendStatus]);
    fixture.add_webhook("http://two.example/", &[WebhookEvent::ContactUpdate]);
    fixture.tell(&fixture.outgoing());
    let rows = fixture.outbox();
    assert_eq!(
        urls(&rows),
        ["http://project.example/", "http://one.example/"]
    );
    let password = rows[1].basic_password.as_ref().map(Secret::as_str);
    assert_eq!(password, Some("p4ss"));
    assert_eq!(rows[1].secret.as_ref().map(Secret::as_str), Some("p4ss"));
}

#[test]
fn a_deleted_message_is_told_of_no_more() {
    let mut fixture = Fixture::new();
    fixture.project.status_url = Some("http://project.example/".into());
    let mut message = fixture.outgoing();
    message.hidden = true;
    assert!(!fixture.tell(&message));
}

#[test]
fn an_incoming_message_shows_its_phone_and_number() {
    let mut fixture = Fixture::new();
    fixture.project.incoming_url = Some("http://in.example/".into());
    fixture.project.incoming_secret = Some(Secret::new("in"));
    let mut message = fixture.outgoing();
    message.direction = Direction::Incoming;
    message.from_number = "+15005550007".parse().ok();
    fixture.tell_incoming(&message, "5005550007");
    message.from_number = "CLINIC".parse().ok();
    fixture.tell_incoming(&message, "CLINIC");
    let rows = fixture.outbox();
    let forms = [form(&rows[0]), form(&rows[1])];
    assert_eq!(forms[0]["from_number"], "5005550007");
    assert_eq!(forms[0]["event"], "incoming_message");
    assert_eq!(forms[0]["from_number_e164"], "+15005550007");
    assert_eq!(forms[0]["phone[name]"], "Desk");
    assert!(!forms[1].contains_key("from_number_e164"));
    assert_eq!(forms[1]["from_number"], "CLINIC");
}

#[test]
fn the_event_of_an_incoming_message_tells_the_networks_time() {
    let mut fixture = Fixture::new();
    fixture.project.incoming_url = Some("http://in.example/".into());
    let mut message = fixture.outgoing();
    message.direction = Direction::Incoming;
    message.from_number = "+15005550007".parse().ok();
    message.time_sent = Some(UnixMs(1_700_000_001_234));
    fixture.tell_incoming(&message, "5005550007");
    message.time_sent = None;
    fixture.tell_incoming(&message, "5005550007");
    let rows = fixture.outbox();
    assert_eq!(form(&rows[0])["time_sent"], "1700000001");
    let untold = form(&rows[1]);
    assert!(!untold.contains_key("time_sent"), "the network told none");
}

#[test]
fn an_alert_says_what_and_which() {
    let mut fixture = Fixture::new();
    fixture.project.alert_url = Some("https://ops.example/".into());
    let phone = fixture.phone.clone();
    fixture.work(fixture.now, move |work| {
        alerts::raise(work, About::Phone(&phone), AlertKind::BatteryLow)
    });
    let form = form(&fixture.outbox()[0]);
    assert_eq!(
        (form["event"].as_str(), form["kind"].as_str()),
        ("alert", "battery_low")
    );
    assert_eq!(form["phone_id"], fixture.phone.id.to_string());
    assert!(!form.contains_key("time_cleared"));
}

fn form(row: &OutboxRow) -> BTreeMap<String, String> {
    form_urlencoded::parse(row.body.as_bytes())
        .into_owned()
        .collect()
}

fn urls(rows: &[OutboxRow]) -> Vec<&str> {
    rows.iter().map(|row| row.url.as_str()).collect()
}

impl Fixture {
    fn outgoing(&self) -> Message {
        let mut message = self.message();
        let number = "+15005550001"
            .parse::<postrider_model::PhoneNumber>()
            .unwrap();
        let project_id = self.project.id;
        let id = fresh_id(&self.hub, self.now);
        let now = self.now.unix;
        let shown = Some(number.clone().into());
        let contact = Contact::new(id, project_id, shown, Some(number), now);
        let kept = contact.clone();
        let job = move |tx: &mut hub_store::Tx<'_>| contacts::insert(tx, &kept);
        self.hub.store.write_blocking(job).unwrap();
        message.contact_id = Some(contact.id);
        message
    }

    /// Tells a message's status; says whether anybody wanted to be told.
    fn tell(&self, message: &Message) -> bool {
        let (before, message) = (self.outbox().len(), message.clone());
        self.work(self.now, move |work| enqueue::send_status(work, &message));
        self.outbox().len() > before
    }

    fn tell_incoming(&self, message: &Message, raw: &str) -> bool {
        let (before, message, phone) = (self.outbox().len(), message.clone(), self.phone.clone());
        let raw = Address::new(raw);
        self.work(self.now, move |work| {
            enqueue::incoming_message(work, &message, raw.as_ref(), &phone)
        });
        self.outbox().len() > before
    }

    fn add_webhook(&self, url: &str, events: &[WebhookEvent]) {
        let webhook = Webhook {
            id: fresh_id(&self.hub, self.now),
            project_id: self.project.id,
            url: url.into(),
            secret: Some(Secret::new("p4ss")),
            events: events.to_vec(),
            time_created: self.now.unix,
        };
        let job = move |tx: &mut hub_store::Tx<'_>| webhooks::insert(tx, &webhook);
        self.hub.store.write_blocking(job).unwrap();
    }
}
