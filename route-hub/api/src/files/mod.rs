//! Files of a project.

mod edit;
mod existing;
mod serve;

pub use edit::{CREATE, DELETE, UPDATE};
pub use existing::{GET, LIST};
pub use serve::addresses;

use crate::members::{PROJECT_ID, TIME_CREATED, own_id};
use hub_domain::{DESCRIPTION_LENGTH_MAX, FILENAME_LENGTH_MAX, FileCategory, FileSource};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// Longest type, in characters.
const TYPE_LENGTH_MAX: usize = 127;
const FILENAME: Member = Member::new(
    "filename",
    Kind::Text(FILENAME_LENGTH_MAX),
    "What it is called.",
);
const DESCRIPTION: Member = Member::new(
    "description",
    Kind::Text(DESCRIPTION_LENGTH_MAX),
    "What people say about it.",
);
const TYPE: Member = Member::new(
    "type",
    Kind::Text(TYPE_LENGTH_MAX),
    "What it is, as it was declared: image/png.",
);

const FILE: Shape = Shape {
    name: "StoredFile",
    about: "An image, a video, a sound, a PDF or a vCard; or rows that a task wrote or reads.",
    members: &[
        own_id::<kind::File>(),
        FILENAME.nullable(),
        TYPE,
        Member::new("size", Kind::Integer(0, i64::MAX), "Its bytes."),
        DESCRIPTION.nullable(),
        Member::new(
            "category",
            Kind::Word(FileCategory::NAMES),
            "What it is for.",
        ),
        Member::new(
            "source",
            Kind::Word(FileSource::NAMES),
            "How it came to be.",
        ),
        Member::id::<kind::Message>("message_id", "The message that brought it.").nullable(),
        Member::new(
            "sha256",
            Kind::Text(64),
            "The SHA-256 of its bytes, in lower hex.",
        ),
        TIME_CREATED,
        Member::new("user_id", Kind::Text(34), "Who gave it.").nullable(),
        Member::new(
            "url",
            Kind::Url(hub_outgoing::URL_LENGTH_MAX),
            "Where it is had for a day; null without the permission to look at what is in it.",
        )
        .nullable(),
        Member::new(
            "thumbnail_url",
            Kind::Url(hub_outgoing::URL_LENGTH_MAX),
            "Where a small picture of it is had for a day.",
        )
        .nullable(),
        PROJECT_ID,
    ],
};
