//! What a contact looks like.

use crate::contacts::read::{CONVERSATION_STATUS, DEFAULT_ROUTE_ID, NAME, SEND_BLOCKED};
use crate::members::{PROJECT_ID, TIME_CREATED, URL, VARS, ids, own_id};
use crate::messages::{COUNT, TEXT};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// A contact.
pub(crate) const CONTACT: Shape = Shape {
    name: "Contact",
    about: "Somebody on the other side.",
    members: &[
        own_id::<kind::Contact>(),
        NAME.nullable(),
        Member::new("phone_number", TEXT, "The number.").nullable(),
        TIME_CREATED,
        Member::new("time_updated", Kind::Time, "When it last changed."),
        SEND_BLOCKED,
        CONVERSATION_STATUS,
        Member::new(
            "last_message_time",
            Kind::Time,
            "When its last message was.",
        )
        .nullable(),
        Member::new(
            "last_incoming_message_time",
            Kind::Time,
            "When its last message came in.",
        )
        .nullable(),
        Member::new(
            "last_outgoing_message_time",
            Kind::Time,
            "When the last message to it was made.",
        )
        .nullable(),
        Member::new(
            "message_count",
            COUNT,
            "How many messages it has, both ways.",
        ),
        Member::new(
            "incoming_message_count",
            COUNT,
            "How many messages came in.",
        ),
        Member::new(
            "outgoing_message_count",
            COUNT,
            "How many messages went out.",
        ),
        Member::id::<kind::Message>("last_message_id", "Its last message.").nullable(),
        DEFAULT_ROUTE_ID.nullable(),
        ids::<kind::Group>("group_ids", usize::MAX, "The groups that it was put into."),
        VARS,
        PROJECT_ID,
        URL,
    ],
};
