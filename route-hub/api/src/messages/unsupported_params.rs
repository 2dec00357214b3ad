//! Parameters of messages whose features come later: taken at their default, else refused by name.

use hub_web::{ApiError, Later, LaterDefault, Object, refuse_unless_default};

macro_rules! later {
    ($($name:literal: $default:expr),* $(,)?) => {
        &[$(Later { name: $name, default: $default }),*]
    };
}

/// Of `send` and `send_multi`.
pub(super) const SENDING: &[Later] = later![
    "short_link_params": LaterDefault::Empty,
    "track_clicks": LaterDefault::False,
    "service_id": LaterDefault::Empty,
    "audio_url": LaterDefault::Empty,
    "tts_lang": LaterDefault::Text("en-US"),
    "tts_voice": LaterDefault::Text("female"),
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
pub(super) fn check_item(item: &Object<'_>) -> Result<(), ApiError> {
    let is_later = |name| SENDING.iter().any(|later| later.name == name);
    let mut names = item.members().map(|(name, _)| name);
    if !names.any(|name| is_later(name) || SHARED.contains(&name)) {
        return Ok(());
    }
    for later in SENDING {
        refuse_unless_default(&item.get(later.name), later.default)?;
    }
    let own = SHARED.iter().map(|name| item.get(name));
    match own.into_iter().find(|field| !field.is_empty()) {
        Some(field) => Err(field.refuse("is set beside messages, for all of them")),
        None => Ok(()),
    }
}

/// Of `receive`.
pub(super) const RECEIVING: &[Later] = later![
    "media": LaterDefault::Empty,
    "media_urls": LaterDefault::Empty,
];
