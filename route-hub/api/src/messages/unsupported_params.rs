//! Parameters of messages whose features come later: taken at their default, else refused by name.

use hub_web::{ApiError, Object, Unsupported, UnsupportedDefault, refuse_unless_default};

macro_rules! unsupported {
    ($($name:literal: $default:expr),* $(,)?) => {
        &[$(Unsupported { name: $name, default: $default }),*]
    };
}

/// Of `send` and `send_multi`.
pub(super) const SENDING: &[Unsupported] = unsupported![
    "short_link_params": UnsupportedDefault::Empty,
    "track_clicks": UnsupportedDefault::False,
    "service_id": UnsupportedDefault::Empty,
    "audio_url": UnsupportedDefault::Empty,
    "tts_lang": UnsupportedDefault::Text("en-US"),
    "tts_voice": UnsupportedDefault::Text("female"),
];

/// What an item of `send_multi` cannot have of its own: it stands beside `messages`, for all.
const SHARED: &[&str] = &[
    "route_id",
    "phone_id",
    "message_type",
    "route_params",
    "simulated",
    "replace_variables",
    "is_template",
    "media",
    "media_urls",
    "label_ids",
    "on_unknown",
    "ttl_sec",
    "broadcast_id",
    "broadcast_title",
];

/// Checks that an item of `send_multi` asks for nothing that only all of them can have.
pub(crate) fn check_item(item: &Object<'_>) -> Result<(), ApiError> {
    let is_unsupported = |name| SENDING.iter().any(|param| param.name == name);
    let mut names = item.members().map(|(name, _)| name);
    if !names.any(|name| is_unsupported(name) || SHARED.contains(&name)) {
        return Ok(());
    }
    for param in SENDING {
        refuse_unless_default(&item.get(param.name), param.default)?;
    }
    let own = SHARED.iter().map(|name| item.get(name));
    match own.into_iter().find(|field| !field.is_empty()) {
        Some(field) => Err(field.refuse("is set beside messages, for all of them")),
        None => Ok(()),
    }
}

/// Of `receive`.
pub(super) const RECEIVING: &[Unsupported] = unsupported![
    "media": UnsupportedDefault::Empty,
    "media_urls": UnsupportedDefault::Empty,
];
