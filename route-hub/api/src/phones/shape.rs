//! What a phone looks like.

use crate::members::{PROJECT_ID, TIME_CREATED, TIMEZONE_ID, URL, VARS, name, own_id};
use crate::messages::{COUNT, TEXT};
use crate::phones::{account, patch, tariff, times};
use hub_domain::{PhoneType, WaitingFor};
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;

/// Why messages wait.
const WAITING_FOR: Member = Member::new(
    "waiting_for",
    Kind::Word(WaitingFor::OF_MESSAGES),
    "Why messages wait.",
)
.nullable();
/// When messages go on.
const NEXT_SLOT_TIME: Member =
    Member::new("next_slot_time", Kind::Time, "When it may send again.").nullable();

/// A phone.
pub(crate) const PHONE: Shape = Shape {
    name: "Phone",
    about: "A basic route: a SIM slot, a test route, or a number at a provider.",
    members: &[
        own_id::<kind::Phone>(),
        name("What it is called."),
        Member::new("phone_number", TEXT, "Its number.").nullable(),
        Member::new(
            "phone_type",
            Kind::Word(PhoneType::NAMES),
            "What kind of route it is.",
        ),
        patch::COUNTRY.nullable(),
        patch::SEND_PAUSED,
        TIME_CREATED,
        Member::new("last_active_time", Kind::Time, "When it was last heard of.").nullable(),
        VARS,
        PROJECT_ID,
        URL,
        of_device("battery", COUNT, "Percent of its battery."),
        of_device("charging", Kind::Boolean, "Whether it charges."),
        of_device("internet_type", TEXT, "How it reaches the hub."),
        of_device("app_version", TEXT, "The version of its app."),
        of_device("android_sdk", COUNT, "The API level of its Android."),
        of_device("mccmnc", TEXT, "MCC and MNC of its SIM."),
        of_device("carrier", TEXT, "The name of its carrier."),
        of_device(
            "signal",
            Kind::Integer(i64::MIN, i64::MAX),
            "The strength of its signal.",
        ),
        of_device(
            "forwarding",
            Kind::Boolean,
            "Whether it forwards what comes in.",
        ),
        of_device("queue", COUNT, "How many messages wait on it."),
        Member::new(
            "kinds",
            Kind::Array(&Kind::Object(KINDS), usize::MAX),
            "Its queues by kind.",
        )
        .optional(),
        of_device("manufacturer", TEXT, "Who made it."),
        of_device("model", TEXT, "Which model it is."),
        of_device(
            "send_limit",
            COUNT,
            "SMS in half an hour that its platform allows.",
        ),
        patch::SEND_LIMIT_MAX.nullable().optional(),
        patch::DEVICE_SEND_LIMIT_MAX.nullable().optional(),
        times::WAITS[0].nullable().optional(),
        times::WAITS[1].nullable().optional(),
        times::WAITS[2].nullable().optional(),
        tariff::SHOWN.nullable(),
        patch::SHIFT_TABLES.optional(),
        patch::DELIVERY_REPORTS.optional(),
        Member::new(
            "sim_changed",
            Kind::Boolean,
            "Whether another SIM was put in.",
        )
        .optional(),
        WAITING_FOR.optional(),
        NEXT_SLOT_TIME.optional(),
        patch::SENT_MESSAGE_LIMIT.nullable(),
        Member::new(
            "sent_message_count",
            COUNT,
            "How many messages it has sent.",
        ),
        Member::new(
            "sent_message_epoch",
            Kind::Time,
            "Since when they are counted.",
        ),
        patch::SEND_DELAY,
        patch::VALIDATE_RECIPIENT_NUMBERS,
        patch::ALLOWED_RECIPIENT_COUNTRIES.nullable(),
        TIMEZONE_ID,
        times::QUIET[0],
        times::QUIET[1].nullable(),
        times::QUIET[2].nullable(),
        account::EXTERNAL_ACCOUNT_ID.nullable().optional(),
        account::EXTERNAL_ID.nullable().optional(),
        account::EXTERNAL_CONFIG.optional(),
        Member::new(
            "external_setup",
            Kind::Object(SETUP),
            "What the provider is to be told.",
        )
        .optional(),
    ],
};

const KINDS: &[Member] = &[
    Member::new("kind", TEXT, "What waits."),
    Member::new("queue", COUNT, "How many wait."),
    WAITING_FOR,
    NEXT_SLOT_TIME,
];

const SETUP: &[Member] = &[
    Member::new("incoming_message_url", TEXT, "Where messages go.").nullable(),
    Member::new("message_status_url", TEXT, "Where statuses go.").nullable(),
    Member::new("incoming_call_url", TEXT, "Where calls go.").nullable(),
];

/// What only a phone with the app tells.
const fn of_device(name: &'static str, kind: Kind, about: &'static str) -> Member {
    Member::new(name, kind, about).nullable().optional()
}
