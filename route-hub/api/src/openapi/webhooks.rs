//! The events that a hub posts.

use super::Named;
use crate::broadcasts::BROADCAST;
use crate::contacts::CONTACT;
use crate::messages::MESSAGE;
use hub_web::Shape;
use serde_json::{Map, Value, json};

/// The events: their names, what they tell of, and when they come.
const EVENTS: &[(&str, &Shape, &str)] = &[
    ("incoming_message", &MESSAGE, "A message came in."),
    (
        "send_status",
        &MESSAGE,
        "A message got further on its way out.",
    ),
    ("send_broadcast", &BROADCAST, "A broadcast was made."),
    ("contact_update", &CONTACT, "A contact was made."),
];

/// Describes every event, which the hub posts as a form.
pub(super) fn all(named: &mut Named) -> Value {
    let events = EVENTS.iter().map(|(name, shape, about)| {
        named.meet(shape);
        (
            (*name).to_owned(),
            json!({ "post": post(name, shape, about) }),
        )
    });
    Value::Object(events.collect::<Map<_, _>>())
}

/// In a form everything is text, and what is within an object or array has its place in brackets.
fn properties(name: &str, shape: &Shape) -> Map<String, Value> {
    let members = shape.members.iter();
    let mut properties: Map<_, _> = members
        .map(|member| {
            (
                member.name.to_owned(),
                json!({ "description": member.about }),
            )
        })
        .collect();
    properties.insert("event".to_owned(), json!({ "const": name }));
    properties.insert("secret".to_owned(), json!({ "type": "string" }));
    properties
}

fn post(name: &str, shape: &Shape, about: &str) -> Value {
    let text = format!(
        "{about} The form has the fields of the {} that are not null, `event`, and `secret` where one is set.",
        shape.name
    );
    json!({
        "operationId": format!("{name}Event"),
        "summary": about,
        "description": text,
        "tags": ["Webhooks"],
        "security": [],
        "requestBody": {
            "required": true,
            "content": {
                "application/x-www-form-urlencoded": {
                    "schema": {
                        "type": "object",
                        "properties": properties(name, shape),
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
