//! A project that sends, for the tests of this folder, and rows that are not stored.

use crate::actor::{Actor, Who};
use crate::commands::new_message::{MessageItem, NewMessage, SendOptions, To};
use crate::messages::send::send;
use crate::testing::Office;
use crate::testing::fresh_id;
use crate::transaction::Once;
use hub_domain::{Address, Message, MessageType, Phone, PhoneType, Project};
use hub_store::{messages, phones};
use postrider_model::{Id, Key, MessageId, UnixMs};
use tokio::task::spawn_blocking;

/// A project with a phone, and somebody who may do everything in it.
pub(crate) struct Desk {
    _office: Office,
    pub(crate) actor: Actor,
    pub(crate) phone: Phone,
}

impl Desk {
    pub(crate) async fn new() -> Self {
        let office = spawn_blocking(Office::new).await.unwrap();
        let actor = office.actor(Who::Hub);
        Self {
            phone: add_phone(&actor, PhoneType::Android, "+15005550100").await,
            actor,
            _office: office,
        }
    }

    /// Queues a message, and returns it.
    pub(crate) async fn send(&self) -> Message {
        let sent = send(&self.actor, to("+15005550101"), None, |_| String::new()).await;
        match sent {
            Ok(Once::Done(sent)) => sent.view(&self.actor).message,
            _ => panic!("it was not sent"),
        }
    }

    /// Returns a message as it is stored now.
    pub(crate) async fn stored(&self, id: MessageId) -> Message {
        let store = &self.actor.hub.store;
        let read = store.read(move |tx| messages::by_key(tx, id)).await;
        read.unwrap().unwrap()
    }

    /// Returns the messages that wait for a phone.
    pub(crate) async fn queue(&self, phone: &Phone) -> Vec<Message> {
        let (store, phone) = (&self.actor.hub.store, phone.id);
        let reading = store.read(move |tx| messages::claim_queued(tx, phone, 1, 9));
        reading.await.unwrap()
    }
}

pub(crate) async fn add_phone(actor: &Actor, phone_type: PhoneType, number: &str) -> Phone {
    let (id, now) = (fresh_id(&actor.hub, actor.now), actor.now.unix);
    let mut phone = Phone::new(id, actor.project.id, "Phone", phone_type, now);
    phone.phone_number = number.parse().ok();
    let stored = phone.clone();
    let storing = actor.hub.store.write(move |tx| phones::insert(tx, &stored));
    storing.await.unwrap();
    phone
}

/// A text to a number.
pub(crate) fn to(number: &str) -> Box<NewMessage> {
    Box::new(NewMessage {
        to: To {
            number: Address::new(number),
            contact_id: None,
        },
        item: MessageItem {
            content: Some("Hello".into()),
            ..MessageItem::default()
        },
        options: SendOptions::default(),
    })
}

fn id<K>(key: i64) -> Id<K> {
    Id::new(Key::new(key).unwrap())
}

pub(crate) fn project() -> Project {
    Project::new(id(1), id(2), "Clinic", UnixMs(0))
}

pub(crate) fn phone() -> Phone {
    Phone::new(id(3), id(1), "Front desk", PhoneType::Android, UnixMs(0))
}

pub(crate) fn message() -> Message {
    let made = UnixMs(1_700_000_000_999);
    let mut message = Message::outgoing(id(4), &phone(), MessageType::Sms, made);
    message.contact_id = Some(id(5));
    message.from_number = "+15005550001".parse().ok();
    message.to_number = "+15005550002".parse().ok();
    message.content = Some("Hello".into());
    message.num_parts = Some(1);
    message
}
