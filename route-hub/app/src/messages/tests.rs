//! Rows for the tests of this folder's neighbours.

use hub_domain::{
    Direction, Disclosure, Message, MessageSource, MessageType, OnUnknown, OwnershipRow, Phone,
    PhoneType, Project, Vars,
};
use postrider_model::{Id, Key, MessageStatus, UnixMs};

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
    Message {
        id: id(4),
        project_id: id(1),
        contact_id: Some(id(5)),
        phone_id: id(3),
        direction: Direction::Outgoing,
        message_type: MessageType::Sms,
        source: MessageSource::Api,
        status: MessageStatus::Queued,
        time_created: UnixMs(1_700_000_000_999),
        time_sent: None,
        time_updated: UnixMs(1_700_000_000_999),
        from_number: "+15005550001".parse().ok(),
        to_number: "+15005550002".parse().ok(),
        content: Some("Hello".into()),
        starred: false,
        simulated: false,
        priority: 1,
        error_message: None,
        error_code: None,
        external_id: None,
        num_parts: Some(1),
        network_code: None,
        duration_sec: None,
        ring_time_sec: None,
        vars: Vars::default(),
        route_params: None,
        status_url: None,
        status_secret: None,
        send_attempts: 0,
        ownership: OwnershipRow {
            state: OwnershipRow::WAITING,
            ..OwnershipRow::default()
        },
        on_unknown: OnUnknown::Report,
        life_end: None,
        hidden: false,
        parts_done: None,
        scheduled_id: None,
        broadcast_id: None,
        disclosure: Disclosure::default(),
        route_id: None,
    }
}
