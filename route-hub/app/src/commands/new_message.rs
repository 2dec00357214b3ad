//! A message that somebody wants sent, as plain data: nothing of it is looked up or counted yet.
//!
//! Whoever asks makes it: REST from parameters, a schedule from what it stored. Names of parameters
//! are kept where a parameter has several, since refusals name the one that was given.

use hub_domain::{Address, Encoding, Medium, OnUnknown, RouteId, Vars};
use postrider_model::{ContactId, GroupId, LabelId, MessageText, Secret};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Not;

/// A message to one recipient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewMessage {
    /// Whom it is for.
    pub to: To,
    /// What it says.
    pub item: MessageItem,
    /// How it is sent.
    pub options: SendOptions,
}

/// Whom a message is for: a number, a contact, a contact that must have the number.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct To {
    /// A number or a USSD code as it was typed: what it means depends on the kind of message, and on
    /// the country of its sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Address>,
    /// A contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_id: Option<ContactId>,
}

/// What one message of a request says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageItem {
    /// Its text, which other kinds than texts have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<MessageText>,
    /// 1 or 2; without it 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Its custom variables.
    #[serde(skip_serializing_if = "Vars::is_empty")]
    pub vars: Vars,
    /// Where its status is reported, beside the webhooks of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_url: Option<String>,
    /// What signs such a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_secret: Option<Secret>,
}

/// What all messages of a request share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SendOptions {
    /// What sends; without it the contact's own route, else the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<Given<RouteId>>,
    /// What kind of message it is.
    pub kind: Kind,
    /// What a data message carries instead of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// Whether `[[variables]]` in its text are put in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces_variables: Option<Given<bool>>,
    /// What the messages carry; texts have a link to each on a line of its own.
    #[serde(rename = "links", skip_serializing_if = "Option::is_none")]
    pub media: Option<Given<Vec<Medium>>>,
    /// The labels that the messages get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelId>,
    /// Whether the messages stay within the hub.
    pub simulated: bool,
    /// What becomes of a message of which nobody knows whether it went out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_unknown: Option<OnUnknown>,
    /// Whether URLs in the texts become short links whose clicks count.
    #[serde(skip_serializing_if = "Not::not")]
    pub track_clicks: bool,
    /// How these links are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_links: Option<ShortLinkParams>,
    /// The group that a message's contact joins by the first click.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clicked_group_id: Option<GroupId>,
    /// How long the messages may be sent; without it as the project says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_sec: Option<i64>,
}

/// How short links are made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShortLinkParams {
    /// The short domain that they are at; without it the hub's own address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// After how many seconds they end; without it never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_sec: Option<i64>,
}

/// What kind of message is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An SMS: a text, or a payload.
    #[default]
    Text,
    /// A USSD request.
    Ussd,
    /// A plain call: no service speaks in it.
    Call,
    /// A multimedia message.
    Mms,
}

/// What a data message carries, as it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// The destination port.
    pub port: u16,
    /// The bytes, in their encoding.
    pub data: MessageText,
    /// How they are written; without it in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

/// A value with the name of the parameter that gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Given<T> {
    /// The name.
    pub param: Cow<'static, str>,
    /// The value.
    pub value: T,
}

impl<T> Given<T> {
    /// Notes what a parameter gives.
    pub const fn new(param: &'static str, value: T) -> Self {
        Self {
            param: Cow::Borrowed(param),
            value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_domain::VarsChange;
    use serde_json::json;

    fn full() -> NewMessage {
        let change = VarsChange::parse(&json!({ "a": 1, "b": "x", "c": true }));
        NewMessage {
            to: To {
                number: Address::new("(500) 555-0101"),
                contact_id: "CT0000000000000001".parse().ok(),
            },
            item: MessageItem {
                content: Some("Hi [[contact.name]]".into()),
                priority: Some(2),
                vars: Vars::from_change(change.unwrap()),
                status_url: Some("https://a.example/status".to_owned()),
                status_secret: Some(Secret::new("x")),
            },
            options: SendOptions {
                sender: Some(Given::new(
                    "phone_id",
                    "PN0000000000000001".parse().unwrap(),
                )),
                kind: Kind::Text,
                payload: Some(Payload {
                    port: 16_000,
                    data: "00ff".into(),
                    encoding: Some(Encoding::Hex),
                }),
                replaces_variables: Some(Given::new("is_template", true)),
                media: Some(Given::new(
                    "media",
                    vec![Medium::of_url("http://a.example/1")],
                )),
                labels: vec!["LB0000000000000001".parse().unwrap()],
                simulated: true,
                on_unknown: Some(OnUnknown::Resend),
                ttl_sec: Some(60),
                track_clicks: true,
                short_links: Some(ShortLinkParams {
                    domain: Some("go.example".to_owned()),
                    expiration_sec: Some(3_600),
                }),
                clicked_group_id: "CG0000000000000001".parse().ok(),
            },
        }
    }

    #[test]
    fn what_is_stored_of_a_message_reads_back() {
        let stored = serde_json::to_value(full()).unwrap();
        let expected = json!({
            "to": { "number": "(500) 555-0101", "contact_id": "CT0000000000000001" },
            "item": {
                "content": "Hi [[contact.name]]", "priority": 2,
                "vars": { "a": 1, "b": "x", "c": true },
                "status_url": "https://a.example/status", "status_secret": "x",
            },
            "options": {
                "sender": { "param": "phone_id", "value": "PN0000000000000001" },
                "kind": "text",
                "payload": { "port": 16_000, "data": "00ff", "encoding": "hex" },
                "replaces_variables": { "param": "is_template", "value": true },
                "links": { "param": "media", "value": ["http://a.example/1"] },
                "labels": ["LB0000000000000001"],
                "simulated": true, "on_unknown": "resend", "ttl_sec": 60, "track_clicks": true,
                "short_links": { "domain": "go.example", "expiration_sec": 3_600 },
                "clicked_group_id": "CG0000000000000001",
            },
        });
        assert_eq!(stored, expected);
        assert_eq!(
            serde_json::from_value::<NewMessage>(stored).unwrap(),
            full()
        );
    }

    #[test]
    fn what_an_older_hub_did_not_store_is_what_nobody_asked_for() {
        let stored = json!({ "to": {}, "item": {}, "options": {} });
        let read: NewMessage = serde_json::from_value(stored).unwrap();
        assert_eq!(read.options, SendOptions::default());
        assert_eq!(read.item, MessageItem::default());
    }

    #[test]
    fn what_was_stored_is_checked_as_it_is_read() {
        for (part, broken) in [
            (
                "options",
                json!({ "sender": { "param": "route_id", "value": "CT0000000000000001" } }),
            ),
            ("options", json!({ "on_unknown": "perhaps" })),
            ("item", json!({ "vars": { "a": [1] } })),
        ] {
            let mut stored = serde_json::to_value(full()).unwrap();
            stored[part] = broken;
            assert!(
                serde_json::from_value::<NewMessage>(stored.clone()).is_err(),
                "{stored}"
            );
        }
    }

    #[test]
    fn neither_text_nor_number_nor_secret_prints() {
        let printed = format!("{:?}", full());
        for private in ["contact.name", "555", "00ff", "\"x\""] {
            assert!(!printed.contains(private), "{private} in {printed}");
        }
    }
}
