//! A project that sends, for the tests of this folder, and rows that are not stored.

use crate::actor::{Actor, Who};
use crate::messages::new_message::{MessageItem, NewMessage, SendOptions, To};
use crate::messages::send::send;
use crate::testing::Office;
use crate::transaction::Once;
use hub_domain::{Address, Message, MessageType, Phone, PhoneType, Project};
use hub_store::{messages, phones};
use postrider_model::{Id, Key, MessageId, UnixMs};

/// A project with a phone, and somebody who may do everything in it.
pub(crate) struct Desk {
    office: Office,
    pub(crate) actor: Actor,
    pub(crate) phone: Phone,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let office = Office::new();
        let phone = add_phone(&office, PhoneType::Android, "+15005550100");
        Self {
            actor: office.actor(Who::Hub),
            office,
            phone,
        }
    }

    pub(crate) fn add_phone(&self, phone_type: PhoneType, number: &str) -> Phone {
        add_phone(&self.office, phone_type, number)
    }

    /// Queues a message, and returns it as it is stored.
    pub(crate) async fn send(&self) -> Message {
        let sent = send(&self.actor, to("+15005550101"), None, |_| String::new()).await;
        match sent {
            Ok(Once::Done(sent)) => sent.view(&self.actor).message,
            _ => panic!("it was not sent"),
        }
    }

    /// Returns a message as it is stored now.
    pub(crate) fn stored(&self, id: MessageId) -> Option<Message> {
        let project = self.actor.project.id;
        self.office
            .rows(move |work| messages::get(work.tx, project, id))
    }

    /// Returns the messages that wait for a phone.
    pub(crate) fn queue(&self, phone: &Phone) -> Vec<Message> {
        let phone = phone.id;
        self.office
            .rows(move |work| messages::claim_queued(work.tx, phone, 1, 9))
    }
}

fn add_phone(office: &Office, phone_type: PhoneType, number: &str) -> Phone {
    let (id, now) = (office.hub.id(office.hub.now()), office.hub.now().unix);
    let mut phone = Phone::new(id, office.project.id, "Phone", phone_type, now);
    phone.phone_number = number.parse().ok();
    let stored = phone.clone();
    office.rows(move |work| phones::insert(work.tx, &stored));
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
