//! The events that a hub posts.

use crate::broadcasts::BROADCAST;
use crate::contacts::CONTACT;
use crate::messages::{MESSAGE, TEXT};
use hub_domain::AlertKind;
use hub_web::{Kind, Member, Shape};
use postrider_model::kind;
use serde_json::{Map, Value, json};

/// An event that is posted.
struct Event {
    name: &'static str,
    /// When it comes.
    about: &'static str,
    /// Whose fields it has.
    shape: &'static Shape,
    /// What it has besides.
    also: &'static [Member],
}

const fn object(name: &'static str, about: &'static str) -> Member {
    Member::new(name, Kind::Map(&Kind::Any), about)
}

const OF_CONTACT: Member = object(
    "contact",
    "Every field of the contact, as `contact[name]`; of the receiver who may not see it only `id`, \
     `name` and `phone_number`.",
);

const EVENTS: &[Event] = &[
    Event {
        name: "incoming_message",
        about: "A message, a call or a USSD answer came in.",
        shape: &MESSAGE,
        also: &[
            Member::new(
                "from_number_e164",
                TEXT,
                "The sender as an international number, where it is one.",
            ),
            OF_CONTACT,
            object(
                "phone",
                "Every field of the phone it came in on, as `phone[name]`.",
            ),
        ],
    },
    Event {
        name: "send_status",
        about: "A message got further on its way out.",
        shape: &MESSAGE,
        also: &[OF_CONTACT],
    },
    Event {
        name: "send_broadcast",
        about: "A broadcast was made.",
        shape: &BROADCAST,
        also: &[],
    },
    Event {
        name: "contact_update",
        about: "A contact was made.",
        shape: &CONTACT,
        also: &[Member::new(
            "update_type",
            Kind::Word(&["add", "auto_add"]),
            "Who made it: a program (`add`), or a message (`auto_add`).",
        )],
    },
    Event {
        name: "alert",
        about: "Something needs the operator, or does no more.",
        shape: &ALERT,
        also: &[],
    },
];

const ALERT: Shape = Shape {
    name: "Alert",
    about: "What needs the operator.",
    members: &[
        Member::id::<kind::Alert>("id", "Its id."),
        Member::new("kind", Kind::Word(AlertKind::NAMES), "What it is about."),
        Member::new("detail", TEXT, "More, for people."),
        Member::id::<kind::Phone>("phone_id", "The phone it is about.").nullable(),
        Member::new("time_created", Kind::Time, "When it was raised."),
        Member::new("time_cleared", Kind::Time, "When it was over.").nullable(),
        Member::id::<kind::Project>("project_id", "Its project."),
    ],
};

/// Describes every event, which the hub posts as a form.
pub(super) fn all() -> Value {
    let events = EVENTS
        .iter()
        .map(|event| (event.name.to_owned(), json!({ "post": post(event) })));
    Value::Object(events.collect::<Map<_, _>>())
}

/// In a form everything is text, and what is within an object or array has its place in brackets.
fn properties(event: &Event) -> Map<String, Value> {
    let members = event.shape.members.iter().chain(event.also);
    let mut properties: Map<_, _> = members
        .map(|member| (member.name.to_owned(), property(member)))
        .collect();
    properties.insert("event".to_owned(), json!({ "const": event.name }));
    properties.insert("secret".to_owned(), json!({ "type": "string" }));
    properties
}

fn property(member: &Member) -> Value {
    match member.kind {
        Kind::Word(words) => json!({ "description": member.about, "enum": words }),
        _ => json!({ "description": member.about }),
    }
}

fn post(event: &Event) -> Value {
    let text = format!(
        "{} The form has the fields of the {} that are not null, `event`, and `secret` where one is set.",
        event.about, event.shape.name
    );
    json!({
        "operationId": format!("{}Event", event.name),
        "summary": event.about,
        "description": text,
        "tags": ["Webhooks"],
        "security": [],
        "requestBody": {
            "required": true,
            "content": {
                "application/x-www-form-urlencoded": {
                    "schema": {
                        "type": "object",
                        "properties": properties(event),
                        "required": ["event"],
                    },
                },
            },
        },
        "responses": {
            "200": { "description": "It was taken." },
            "4XX": { "description": "It is posted again later." },
        },
    })
}
