//! What a message looks like.

use crate::members::{MESSAGE_TYPE, PROJECT_ID, SOURCE, TIME_CREATED, URL, VARS, ids, own_id};
use hub_domain::{Direction, WaitingFor};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// The statuses of a message.
pub(crate) const STATUSES: &[&str] = &[
    "ignored",
    "processing",
    "received",
    "sent",
    "queued",
    "failed",
    "failed_queued",
    "cancelled",
    "delivered",
    "not_delivered",
    "read",
];

/// Whether a message came in or goes out.
pub(crate) const DIRECTION: Member = Member::new(
    "direction",
    Kind::Word(Direction::NAMES),
    "Whether it came in or goes out.",
);
/// How far a message is.
pub(crate) const STATUS: Member = Member::new("status", Kind::Word(STATUSES), "How far it is.");
/// Why something failed, for people.
pub(crate) const ERROR_MESSAGE: Member =
    Member::new("error_message", Kind::Text(1_000), "Why it failed.");
/// A text of any length, as it is shown.
pub(crate) const TEXT: Kind = Kind::Text(usize::MAX);

/// A message.
pub(crate) const MESSAGE: Shape = Shape {
    name: "Message",
    about: "A message, a call or a dialogue with a network, either way.",
    members: &[
        own_id::<kind::Message>(),
        DIRECTION,
        STATUS,
        MESSAGE_TYPE,
        SOURCE,
        TIME_CREATED,
        Member::new("time_sent", Kind::Time, "When it was sent.").nullable(),
        Member::new("time_updated", Kind::Time, "When it last changed."),
        Member::new("from_number", TEXT, "Who sent it.").nullable(),
        Member::new("to_number", TEXT, "Whom it is for.").nullable(),
        Member::new("content", TEXT, "Its text.").nullable(),
        Member::new("starred", Kind::Boolean, "Whether somebody marked it."),
        Member::new("simulated", Kind::Boolean, "Whether it is only a test."),
        ids::<kind::Label>("label_ids", usize::MAX, "Its labels."),
        Member::new(
            "route_params",
            ROUTE_PARAMS_SHOWN,
            "What its route needs besides.",
        )
        .nullable(),
        VARS,
        Member::new(
            "priority",
            Kind::Integer(1, 2),
            "1, or 2 for what goes first.",
        )
        .optional(),
        Member::new("send_attempts", COUNT, "How often it was given to a phone.").optional(),
        ERROR_MESSAGE.optional(),
        Member::new("error_code", TEXT, "Why it failed, for programs.").optional(),
        Member::new("external_id", TEXT, "Its id at a provider.").nullable(),
        Member::new("num_parts", COUNT, "How many SMS it takes.").nullable(),
        Member::new("price", Kind::Number, "What it cost.").nullable(),
        Member::new("price_currency", TEXT, "The currency of its price.").nullable(),
        Member::new("duration", Kind::Number, "Seconds of a call.")
            .nullable()
            .optional(),
        Member::new("ring_time", Kind::Number, "Seconds that a call rang.")
            .nullable()
            .optional(),
        Member::new("in_progress", Kind::Boolean, "Whether a call goes on.").optional(),
        Member::new(
            "track_clicks",
            Kind::Boolean,
            "Whether clicks on its links count.",
        ),
        Member::new(
            "time_clicked",
            Kind::Time,
            "The first click of any of its links.",
        )
        .optional(),
        Member::new(
            "short_urls",
            Kind::Array(&Kind::Object(SHORT_URL), usize::MAX),
            "The short links in its text.",
        )
        .optional(),
        Member::new("network_code", TEXT, "MCC and MNC of its network.").nullable(),
        Member::new(
            "media",
            Kind::Array(&Kind::Object(MEDIUM), usize::MAX),
            "What it carries; a stored file is had there for a day.",
        )
        .optional(),
        Member::new(
            "mms_parts",
            Kind::Array(&Kind::Of(&MMS_PART), usize::MAX),
            "Parts of an MMS.",
        )
        .optional(),
        Member::new("service_id", Kind::Id("SV"), "The service that handled it.").nullable(),
        Member::id::<kind::Phone>("phone_id", "The phone that has it."),
        Member::id::<kind::Contact>("contact_id", "The contact on the other side.").nullable(),
        Member::id::<kind::Route>("route_id", "The custom route that chose its phone.").nullable(),
        Member::id::<kind::Broadcast>("broadcast_id", "The broadcast that it is of.").nullable(),
        Member::id::<kind::Scheduled>("scheduled_id", "The schedule that made it.").nullable(),
        Member::new("user_id", Kind::Id("UR"), "Who sent it.").nullable(),
        PROJECT_ID,
        URL,
        Member::new(
            "waiting_for",
            Kind::Word(WaitingFor::OF_MESSAGES),
            "Why it waits.",
        )
        .nullable()
        .optional(),
        Member::new(
            "next_slot_time",
            Kind::Time,
            "When its phone may send again.",
        )
        .nullable()
        .optional(),
    ],
};

/// A number of things.
pub(crate) const COUNT: Kind = Kind::Integer(0, i64::MAX);

const SHORT_URL: &[Member] = &[
    Member::new("short_url", TEXT, "The link as it stands in the text."),
    Member::new(
        "link_type",
        Kind::Word(&["redirect", "media"]),
        "Whether it leads to a URL of the text, or to one of the media.",
    ),
    Member::new("time_clicked", Kind::Time, "Its first click.").nullable(),
    Member::new("expiration_time", Kind::Time, "When it ends.").nullable(),
    Member::new("destination_url", TEXT, "Where it leads.").optional(),
    Member::new("media_index", COUNT, "The place among the media.").optional(),
];

const MEDIUM: &[Member] = &[
    Member::new("url", TEXT, "Where it is."),
    Member::new("type", TEXT, "What it is.").nullable(),
    Member::new("filename", TEXT, "What it is called.").nullable(),
    Member::new("size", COUNT, "Its bytes.").nullable(),
];

/// A part of a multimedia message.
pub(crate) const MMS_PART: Shape = Shape {
    name: "MmsPart",
    about: "A part of a multimedia message.",
    members: &[
        Member::new("cid", TEXT, "Its name within the message.").nullable(),
        Member::new("type", TEXT, "Its media type."),
        Member::new("filename", TEXT, "The name of its file.").nullable(),
        Member::new("size", COUNT, "Its bytes."),
        Member::new("url", TEXT, "Where it is.").nullable(),
    ],
};

/// What a route needs besides, as it is shown.
pub(crate) const ROUTE_PARAMS_SHOWN: Kind = Kind::Map(&Kind::Any);
