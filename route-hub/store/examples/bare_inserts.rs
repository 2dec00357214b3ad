//! Measures what storing a message costs at least: the inserts of a send, without HTTP.
//!
//! `bare_inserts [--seconds N] [--dir DIR]` prints one line of JSON for each group size: rows a
//! second with the contact's counters, with an idempotency row and with an outbox row besides.
//! The share of the hub's own rates in these is what `scripts/bench` reports.

use hub_domain::{
    Address, Contact, Message, MessageType, OutboxRow, Phone, PhoneType, WebhookEvent,
};
use hub_store::contacts::Touches;
use hub_store::idempotency::KeptAnswer;
use hub_store::{SqliteSettings, Store, StoreError, Tx, contacts, idempotency, messages, outbox};
use postrider_model::{ContactId, Id, Key, KeyMaker, PhoneId, ProjectId, UnixMs};
use std::time::{Duration, Instant};

const CONTACTS: usize = 10_000;
const GROUPS: [usize; 2] = [64, 256];
const PROJECT: i64 = 1;
const PHONES: i64 = 50;

#[derive(Clone, Copy)]
struct Extras {
    name: &'static str,
    idempotency: bool,
    outbox: bool,
}

const EXTRAS: [Extras; 3] = [
    Extras {
        name: "plain",
        idempotency: false,
        outbox: false,
    },
    Extras {
        name: "idempotency",
        idempotency: true,
        outbox: false,
    },
    Extras {
        name: "outbox",
        idempotency: false,
        outbox: true,
    },
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut seconds = 2;
    let mut base = std::env::temp_dir();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or("an option needs a value")?;
        match argument.as_str() {
            "--seconds" => seconds = value.parse()?,
            "--dir" => base = value.into(),
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    for group in GROUPS {
        for extras in EXTRAS {
            let dir = tempfile::tempdir_in(&base)?;
            let store = Store::open_sqlite(SqliteSettings {
                reserve_log: true,
                ..SqliteSettings::new(dir.path().join("hub.db"))
            })?;
            let per_s = measure(&store, group, extras, Duration::from_secs(seconds))?;
            let name = extras.name;
            println!(r#"{{"group":{group},"with":"{name}","rows_per_s":{per_s:.0}}}"#);
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn now() -> Instant {
    Instant::now()
}

fn measure(store: &Store, group: usize, extras: Extras, span: Duration) -> Result<f64, StoreError> {
    let mut keys = KeyMaker::new(1, None);
    let mut known = Vec::with_capacity(CONTACTS);
    for index in 0..CONTACTS {
        known.push((ContactId::new(keys.next(1)), number(index)));
    }
    let fresh = known.clone();
    store.write_blocking(move |tx| make_contacts(tx, &fresh))?;
    let started = now();
    let mut rows = 0;
    while started.elapsed() < span {
        let unix_ms = 1_000 + i64::try_from(started.elapsed().as_millis()).unwrap_or(0);
        let batch: Vec<Message> = (0..group)
            .map(|index| {
                let (contact_id, to) = &known[(rows + index * 7_919) % CONTACTS];
                message(keys.next(unix_ms), *contact_id, to, unix_ms)
            })
            .collect();
        rows += group;
        store.write_blocking(move |tx| insert_all(tx, &batch, extras))?;
    }
    Ok(rows as f64 / started.elapsed().as_secs_f64())
}

fn insert_all(tx: &mut Tx<'_>, batch: &[Message], extras: Extras) -> Result<(), StoreError> {
    for message in batch {
        // Each message stands for a request of its own: found contact, row, counters.
        if let Some(number) = &message.to_number {
            contacts::find_by_number(tx, message.project_id, number)?;
        }
        messages::insert(tx, message)?;
        let mut touches = Touches::default();
        touches.add(message);
        contacts::touch(tx, &touches)?;
        if extras.idempotency {
            let kept = KeptAnswer {
                body_hash: "0".repeat(64),
                answer: "x".repeat(900),
            };
            let key = format!("{:032x}", message.id.get());
            idempotency::put(tx, message.project_id, &key, &kept, message.time_created)?;
        }
        if extras.outbox {
            outbox::insert(tx, &event(message))?;
        }
    }
    Ok(())
}

fn make_contacts(tx: &mut Tx<'_>, fresh: &[(ContactId, Address)]) -> Result<(), StoreError> {
    for (id, number) in fresh {
        let e164 = number.number();
        let contact = Contact::new(*id, project(), Some(number.clone()), e164, UnixMs(1));
        contacts::insert(tx, &contact)?;
    }
    Ok(())
}

fn project() -> ProjectId {
    Id::new(Key::new(PROJECT).unwrap_or_default())
}

fn number(index: usize) -> Address {
    let text = format!("+1500555{index:04}");
    Address::new(&text).expect("a number of the test range")
}

fn message(key: Key, contact_id: ContactId, to: &Address, unix_ms: i64) -> Message {
    let phone = PhoneId::new(Key::new(1 + key.get() % PHONES).unwrap_or_default());
    let (at, of) = (UnixMs(unix_ms), project());
    let phone = Phone::new(phone, of, String::new(), PhoneType::Android, at);
    let mut message = Message::outgoing(Id::new(key), &phone, MessageType::Sms, at);
    message.contact_id = Some(contact_id);
    message.to_number = Some(to.clone());
    message.content = Some("A text of the usual length, as people and programs send it.".into());
    message.num_parts = Some(1);
    message.life_end = Some(UnixMs(unix_ms + 259_200_000));
    message
}

fn event(message: &Message) -> OutboxRow {
    OutboxRow {
        webhook_id: None,
        id: message.id.get(),
        project_id: message.project_id,
        message_id: Some(message.id),
        origin: "http://127.0.0.1:9".to_owned(),
        url: "http://127.0.0.1:9/status".to_owned(),
        secret: None,
        basic_password: None,
        event: WebhookEvent::SendStatus,
        body: "event=send_status&".repeat(40),
        attempts: 0,
        due_at: message.time_created,
        time_created: message.time_created,
    }
}
