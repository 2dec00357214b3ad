//! What schedules and broadcasts show alike: whom they are for, and what they send.

use crate::contact_filter;
use crate::members::{self, ids};
use crate::messages::{COUNT, ROUTE_PARAMS_SHOWN, TEXT};
use hub_web::{Kind, Member};
use postrider_model::kind;

pub(crate) const RECIPIENTS: Member = Member::new(
    "recipients",
    Kind::Array(&Kind::Object(RECIPIENT), usize::MAX),
    "Whom it is for.",
);
pub(crate) const RECIPIENTS_STR: Member =
    Member::new("recipients_str", TEXT, "Whom it is for, in words.");
pub(crate) const RRULE: Member = Member::new(
    "rrule",
    TEXT,
    "When it sends again, as a rule of iCalendar.",
);
pub(crate) const TIMEZONE_ID: Member = members::TIMEZONE_ID;
pub(crate) const END_TIME: Member = Member::new("end_time", Kind::Time, "When it ends.").nullable();
const GROUP_ID: Member =
    Member::id::<kind::Group>("group_id", "The group that it is for.").nullable();
const CONTACT_ID: Member =
    Member::id::<kind::Contact>("contact_id", "The contact that it is for.").nullable();
const TO_NUMBER: Member = Member::new("to_number", TEXT, "The number that it is for.").nullable();
const MESSAGE_TYPE: Member = members::MESSAGE_TYPE;
const CONTENT: Member = Member::new("content", TEXT, "Its text.").nullable();
const ROUTE_ID: Member = Member::new("route_id", Kind::Text(34), "What sends it.").nullable();
const SERVICE_ID: Member =
    Member::new("service_id", Kind::Id("SV"), "The service that it runs.").nullable();
const AUDIO_URL: Member = Member::new("audio_url", TEXT, "What a call plays.").nullable();
const TTS_LANG: Member =
    Member::new("tts_lang", TEXT, "The language that a call speaks.").nullable();
const TTS_VOICE: Member = Member::new("tts_voice", TEXT, "The voice that a call has.").nullable();
const REPLACE_VARIABLES: Member = Member::new(
    "replace_variables",
    Kind::Boolean,
    "Whether its text has [[variables]].",
);
const IS_TEMPLATE: Member = Member::new(
    "is_template",
    Kind::Boolean,
    "The older name of replace_variables.",
);
const TRACK_CLICKS: Member = Member::new(
    "track_clicks",
    Kind::Boolean,
    "Whether clicks on its links count.",
);
const ROUTE_PARAMS: Member = Member::new(
    "route_params",
    ROUTE_PARAMS_SHOWN,
    "What its route needs besides.",
)
.nullable();
const VARS: Member = members::VARS;
const LABEL_IDS: Member = ids::<kind::Label>("label_ids", usize::MAX, "Labels of its messages.");
const ON_UNKNOWN: Member = Member::new(
    "on_unknown",
    Kind::Word(&["report", "resend"]),
    "What to do where nobody can know whether it went out.",
)
.optional();
const TTL_SEC: Member = Member::new(
    "ttl_sec",
    COUNT,
    "Seconds after which a message fails unsent.",
)
.optional();
pub(crate) const MEDIA: Member = Member::new(
    "media",
    Kind::Array(&Kind::Object(MEDIUM), usize::MAX),
    "Its media.",
);

/// What is sent, and how.
pub(crate) const MESSAGE: &[Member] = &[
    MESSAGE_TYPE,
    CONTENT,
    ROUTE_ID,
    SERVICE_ID,
    AUDIO_URL,
    TTS_LANG,
    TTS_VOICE,
    REPLACE_VARIABLES,
    IS_TEMPLATE,
    TRACK_CLICKS,
    ROUTE_PARAMS,
    VARS,
    LABEL_IDS,
    ON_UNKNOWN,
    TTL_SEC,
];

/// Whom a schedule is for, but for `recipients`.
pub(crate) const RECIPIENT_IDS: &[Member] = &[RECIPIENTS_STR, GROUP_ID, CONTACT_ID, TO_NUMBER];

const RECIPIENT: &[Member] = &[
    Member::new(
        "type",
        Kind::Word(&["group", "phone_number", "filter"]),
        "Whether it is a group, or contacts that a filter finds.",
    ),
    Member::id::<kind::Group>("group_id", "The group.").optional(),
    Member::new("group_name", TEXT, "Its name.")
        .nullable()
        .optional(),
    Member::new("phone_number", TEXT, "The number.").optional(),
    contact_filter::FILTER_TYPE.optional(),
    Member::new(
        "filter_params",
        Kind::Map(&Kind::Any),
        "The filter, as it was given.",
    )
    .optional(),
];

const MEDIUM: &[Member] = &[
    Member::new("url", TEXT, "Where it is."),
    Member::new("type", TEXT, "Its media type.").nullable(),
    Member::new("filename", TEXT, "Its name.").nullable(),
    Member::new("size", COUNT, "Its bytes.").nullable(),
    Member::new("file_id", TEXT, "The stored file.").nullable(),
];
