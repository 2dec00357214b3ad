//! `GET /projects/{project_id}/webhook_deliveries`, and of one delivery; `POST
//! /projects/{project_id}/webhook_deliveries/{webhook_delivery_id}/replay`.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, code};
use crate::members::{PROJECT_ID, TIME_CREATED, own_id};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::webhook_deliveries::{self, PERMISSION};
use hub_domain::{DeliveryStatus, WebhookEvent};
use hub_store::webhook_deliveries::by;
use hub_web::{Answer, Fields, Kind, Member, Shape};
use postrider_model::kind;

const DELIVERIES: List = List {
    filters: &[
        Entry::one_of("event", WebhookEvent::NAMES, by::EVENT, |value| {
            code(value, |name| name.parse().ok().map(WebhookEvent::code))
        }),
        Entry::one_of("status", DeliveryStatus::NAMES, by::STATUS, |value| {
            code(value, |name| name.parse().ok().map(DeliveryStatus::code))
        }),
        Entry::id::<kind::Webhook>("webhook_id", by::WEBHOOK_ID, EQUAL),
        Entry::id::<kind::Message>("message_id", by::MESSAGE_ID, EQUAL),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
    ],
    sorts: &[DEFAULT],
};

const ATTEMPT: &[Member] = &[
    Member::new("time", Kind::Time, "When it ended."),
    Member::new("outcome", Kind::Text(64), "How it ended, in a word."),
    Member::new(
        "http_status",
        Kind::Integer(100, 999),
        "The receiver's answer; null when there was none.",
    )
    .nullable(),
];

const DELIVERY: Shape = Shape {
    name: "WebhookDelivery",
    about: "What became of one event for one receiver.",
    members: &[
        own_id::<kind::WebhookDelivery>(),
        Member::new(
            "header_id",
            Kind::Text(64),
            "The `webhook-id` header of its requests.",
        ),
        Member::new(
            "event",
            Kind::Word(WebhookEvent::NAMES),
            "What it tells about.",
        ),
        Member::new(
            "status",
            Kind::Word(DeliveryStatus::NAMES),
            "Where it stands.",
        ),
        Member::new(
            "url",
            Kind::Url(hub_outgoing::URL_LENGTH_MAX),
            "Where it goes.",
        ),
        Member::new(
            "attempts",
            Kind::Array(&Kind::Object(ATTEMPT), 50),
            "Its last attempts, in order.",
        ),
        Member::new(
            "body",
            Kind::Text(usize::MAX),
            "The form-encoded body, without `secret`.",
        ),
        Member::id::<kind::Webhook>("webhook_id", "The webhook object it is for.").nullable(),
        Member::id::<kind::Message>("message_id", "The message it tells about.").nullable(),
        TIME_CREATED,
        PROJECT_ID,
    ],
};

operation! {
    /// Lists the deliveries of a project's events that were tried in the last 7 days.
    LIST = "listWebhookDeliveries": Project(PERMISSION), list -> List(&DELIVERIES, &DELIVERY);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = webhook_deliveries::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one delivery.
    GET = "getWebhookDelivery": Project(PERMISSION), get -> Object(&DELIVERY);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("webhook_delivery_id", "webhook delivery")?;
    let fields = Fields::read(&call.params)?;
    let delivery = webhook_deliveries::get(&actor, id).await?;
    Ok(Answer::object(&delivery, &fields))
}

operation! {
    /// Delivers an event again, with the same `webhook-id` and body, to where such events go now.
    REPLAY = "replayWebhookDelivery": Project(PERMISSION), replay -> Object(&DELIVERY);
}

async fn replay(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("webhook_delivery_id", "webhook delivery")?;
    let fields = Fields::read(&call.params)?;
    let delivery = webhook_deliveries::replay(&actor, id).await?;
    Ok(Answer::object(&delivery, &fields))
}
