//! A message that is sent later, as it is stored: the command that makes it, with a version.

use crate::commands::new_message::{
    Given, Kind, MessageItem, Payload, SendOptions, ShortLinkParams,
};
use hub_domain::{Medium, OnUnknown, RouteId, VarsChange, files_of};
use hub_store::StoreError;
use hub_view::Refusal;
use postrider_model::{FileId, LabelId, MessageText, Secret};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of what is written. Another meaning of a member is another version.
const VERSION: u64 = 1;

/// What a schedule or a broadcast sends, whoever gets it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredMessage {
    /// What it says.
    pub item: MessageItem,
    /// How it is sent.
    pub options: SendOptions,
    /// Whether who asked for it may view contacts; `None` where that was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maker_sees: Option<bool>,
    /// The language of calls that speak, which none does yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tts_lang: Option<String>,
    /// The voice of calls that speak, which none does yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tts_voice: Option<String>,
}

/// A command with its version.
#[derive(Serialize, Deserialize)]
struct Versioned<C> {
    v: u64,
    command: C,
}

/// Why a stored message cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// It has a version that this hub does not know.
    Version(u64),
    /// It is no command.
    Damaged,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "a stored message has version {version}"),
            Self::Damaged => f.write_str("a stored message is damaged"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl Unreadable {
    /// Returns it as the error of a row, in which the message is this column.
    pub fn in_column(self, column: usize) -> StoreError {
        tracing::error!(unreadable = %self, "a row cannot be used");
        StoreError::BadRow { column }
    }
}

impl StoredMessage {
    /// Reads what [`Self::to_text`] wrote.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let stored: Versioned<serde_json::Value> =
            serde_json::from_str(text).map_err(|_| Unreadable::Damaged)?;
        match stored.v {
            VERSION => serde_json::from_value(stored.command).map_err(|_| Unreadable::Damaged),
            version => Err(Unreadable::Version(version)),
        }
    }

    /// Returns what is stored.
    pub fn to_text(&self) -> String {
        let stored = Versioned {
            v: VERSION,
            command: self,
        };
        serde_json::json!(stored).to_string()
    }

    /// Says whether a text is what [`Self::to_text`] wrote.
    pub fn is_readable(text: &str) -> bool {
        Self::read(text).is_ok()
    }

    /// Returns the files that its messages carry.
    pub fn files(&self) -> Vec<FileId> {
        let media = self.options.media.as_ref();
        files_of(media.map_or(&[][..], |media| &media.value))
    }

    /// Says whether it is sent again where nobody knows if it was sent.
    pub fn is_sent_again(&self) -> bool {
        self.options.on_unknown == Some(OnUnknown::Resend)
    }
}

/// What is given of a message that is sent later: what is `None` stays, what is given as nothing is
/// taken away.
#[derive(Debug, Clone, Default)]
pub struct MessagePatch {
    /// Its text.
    pub content: Option<Option<MessageText>>,
    /// 1 or 2.
    pub priority: Option<Option<u8>>,
    /// Its custom variables; those that are not named stay.
    pub vars: VarsChange,
    /// Where its status is reported.
    pub status_url: Option<Option<String>>,
    /// What signs such a report.
    pub status_secret: Option<Option<Secret>>,
    /// What sends it.
    pub sender: Option<Option<Given<RouteId>>>,
    /// What kind of message it is.
    pub kind: Option<Kind>,
    /// What a data message carries.
    pub payload: Option<Option<Payload>>,
    /// Whether `[[variables]]` are put in.
    pub replaces_variables: Option<Option<Given<bool>>>,
    /// What the messages carry.
    pub media: Option<Option<Given<Vec<Medium>>>>,
    /// Its labels.
    pub labels: Option<Vec<LabelId>>,
    /// Whether it stays within the hub.
    pub simulated: Option<bool>,
    /// What becomes of it when nobody knows whether it went out.
    pub on_unknown: Option<Option<OnUnknown>>,
    /// How long it may be sent.
    pub ttl_sec: Option<Option<i64>>,
    /// Whether URLs become short links whose clicks count.
    pub track_clicks: Option<bool>,
    /// How these links are made.
    pub short_links: Option<Option<ShortLinkParams>>,
    /// The language of calls that speak.
    pub tts_lang: Option<Option<String>>,
    /// The voice of calls that speak.
    pub tts_voice: Option<Option<String>>,
}

impl MessagePatch {
    /// Makes the message that somebody gives; `maker_sees` says whether they may view contacts.
    ///
    /// # Errors
    /// More variables than a message may have.
    pub fn new_message(self, maker_sees: Option<bool>) -> Result<StoredMessage, Refusal> {
        let mut message = StoredMessage::default();
        self.put_into(&mut message)?;
        message.maker_sees = maker_sees;
        Ok(message)
    }

    /// Puts what is given into a message; `sees` says whether who gives it may view contacts.
    ///
    /// Reports go to the address that was given last: from then on they tell as much as who gave it
    /// may see, and never more than who changed anything may.
    pub(crate) fn change(self, message: &mut StoredMessage, sees: bool) -> Result<(), Refusal> {
        let gives_address = self.status_url.is_some();
        self.put_into(message)?;
        if gives_address || !sees {
            message.maker_sees = Some(sees);
        }
        Ok(())
    }

    fn put_into(self, message: &mut StoredMessage) -> Result<(), Refusal> {
        let (item, options) = (&mut message.item, &mut message.options);
        set(&mut item.content, self.content);
        set(&mut item.priority, self.priority);
        set(&mut item.status_url, self.status_url);
        set(&mut item.status_secret, self.status_secret);
        set(&mut options.sender, self.sender);
        set(&mut options.kind, self.kind);
        set(&mut options.payload, self.payload);
        set(&mut options.replaces_variables, self.replaces_variables);
        set(&mut options.media, self.media);
        set(&mut options.labels, self.labels);
        set(&mut options.simulated, self.simulated);
        set(&mut options.on_unknown, self.on_unknown);
        set(&mut options.ttl_sec, self.ttl_sec);
        set(&mut options.track_clicks, self.track_clicks);
        set(&mut options.short_links, self.short_links);
        set(&mut message.tts_lang, self.tts_lang);
        set(&mut message.tts_voice, self.tts_voice);
        let applied = message.item.vars.apply(self.vars);
        let rule = |invalid| format!("cannot be taken: {invalid}");
        applied.map_err(|invalid| Refusal::invalid_param("vars", rule(invalid)))
    }
}

fn set<T>(place: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *place = given;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn change(vars: serde_json::Value) -> VarsChange {
        VarsChange::parse(&vars).unwrap()
    }

    fn patch() -> MessagePatch {
        MessagePatch {
            content: Some(Some("Hi".into())),
            ttl_sec: Some(Some(60)),
            vars: change(json!({ "a": 1, "b": 2 })),
            status_url: Some(Some("https://a.example/status".to_owned())),
            on_unknown: Some(Some(OnUnknown::Resend)),
            ..MessagePatch::default()
        }
    }

    #[test]
    fn a_stored_message_is_read_back() {
        let message = patch().new_message(Some(false)).unwrap();
        let text = message.to_text();
        let expected = json!({ "v": 1, "command": {
            "item": {
                "content": "Hi", "vars": { "a": 1, "b": 2 },
                "status_url": "https://a.example/status",
            },
            "options": {
                "kind": "text", "simulated": false, "on_unknown": "resend", "ttl_sec": 60,
            },
            "maker_sees": false,
        } });
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            expected
        );
        assert_eq!(StoredMessage::read(&text), Ok(message));
    }

    #[test]
    fn another_version_and_what_is_none_are_told_apart_and_not_guessed() {
        let empty = r#"{"v":1,"command":{}}"#;
        assert_eq!(StoredMessage::read(empty), Ok(StoredMessage::default()));
        let newer = empty.replace('1', "2");
        assert_eq!(StoredMessage::read(&newer), Err(Unreadable::Version(2)));
        for text in [
            "",
            "{}",
            r#"{"content":"x"}"#,
            r#"{"v":"1","command":{}}"#,
            r#"{"v":1,"command":{"item":{"content":5}}}"#,
        ] {
            assert_eq!(
                StoredMessage::read(text),
                Err(Unreadable::Damaged),
                "{text}"
            );
        }
    }

    #[test]
    fn a_change_keeps_what_it_does_not_name() {
        let mut message = patch().new_message(Some(true)).unwrap();
        let named = MessagePatch {
            ttl_sec: Some(None),
            vars: change(json!({ "a": null, "c": true })),
            ..MessagePatch::default()
        };
        named.change(&mut message, true).unwrap();
        assert_eq!(message.options.ttl_sec, None);
        assert_eq!(message.item.content, Some("Hi".into()));
        assert_eq!(message.item.vars.to_value(), json!({ "b": 2, "c": true }));
    }

    #[test]
    fn reports_tell_no_more_than_who_changed_a_message_may_see() {
        let address = MessagePatch {
            status_url: Some(None),
            ..MessagePatch::default()
        };
        for (patch, before, sees, after) in [
            (MessagePatch::default(), Some(true), true, Some(true)),
            (MessagePatch::default(), Some(true), false, Some(false)),
            (MessagePatch::default(), Some(false), true, Some(false)),
            (MessagePatch::default(), None, true, None),
            (address.clone(), Some(false), true, Some(true)),
            (address, None, true, Some(true)),
        ] {
            let mut message = StoredMessage {
                maker_sees: before,
                ..StoredMessage::default()
            };
            patch.change(&mut message, sees).unwrap();
            assert_eq!(message.maker_sees, after);
        }
    }
}
