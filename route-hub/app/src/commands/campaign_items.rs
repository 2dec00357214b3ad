//! What a campaign sends by the dates of contacts, as it is stored.

use crate::commands::new_message::Given;
use crate::commands::stored_message::Unreadable;
use hub_domain::{Medium, OffsetScale, TimeOfDay, files_of};
use postrider_model::{FileId, MessageText};
use serde::{Deserialize, Serialize};

/// The version of what is written. Another meaning of a member is another version.
const VERSION: u64 = 1;

/// One message of a campaign, at some distance from a date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CampaignItem {
    /// In what the distance counts.
    pub offset_scale: OffsetScale,
    /// How far from the date it is; negative: before the date.
    pub offset_count: i64,
    /// When on that day.
    pub time_of_day: TimeOfDay,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<MessageText>,
    /// What it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Given<Vec<Medium>>>,
}

#[derive(Serialize, Deserialize)]
struct Versioned {
    v: u64,
    items: serde_json::Value,
}

/// Reads what [`to_text`] wrote.
pub(crate) fn read(text: &str) -> Result<Vec<CampaignItem>, Unreadable> {
    let stored: Versioned = serde_json::from_str(text).map_err(|_| Unreadable::Damaged)?;
    match stored.v {
        VERSION => serde_json::from_value(stored.items).map_err(|_| Unreadable::Damaged),
        version => Err(Unreadable::Version(version)),
    }
}

/// Returns what is stored of items.
pub(crate) fn to_text(items: &[CampaignItem]) -> String {
    serde_json::json!({ "v": VERSION, "items": items }).to_string()
}

/// Returns the files that items carry.
pub(crate) fn files(items: &[CampaignItem]) -> Vec<FileId> {
    let media = items.iter().filter_map(|item| item.media.as_ref());
    media.flat_map(|media| files_of(&media.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_read_back_and_what_is_none_is_not_guessed() {
        let item = CampaignItem {
            offset_scale: OffsetScale::Weeks,
            offset_count: -2,
            time_of_day: "09:30".parse().unwrap(),
            content: Some("Hi".into()),
            media: Some(Given::new(
                "media",
                vec![Medium::of_url("http://a.example/1")],
            )),
        };
        let bare = CampaignItem {
            content: None,
            media: None,
            ..item.clone()
        };
        let text = to_text(&[item.clone(), bare.clone()]);
        let expected = r#"{"items":[{"content":"Hi","media":{"param":"media","value":["http://a.example/1"]},"offset_count":-2,"offset_scale":"W","time_of_day":"09:30"},{"offset_count":-2,"offset_scale":"W","time_of_day":"09:30"}],"v":1}"#;
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&text), value(expected));
        assert_eq!(read(&text), Ok(vec![item, bare]));
        assert_eq!(read(r#"{"v":2,"items":[]}"#), Err(Unreadable::Version(2)));
        for text in ["", "[]", r#"{"v":1}"#, r#"{"v":1,"items":[{}]}"#] {
            assert_eq!(read(text), Err(Unreadable::Damaged), "{text}");
        }
    }
}
