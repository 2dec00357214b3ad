//! What a request gives of a message that is sent later.

use crate::members::{VARS, ids, joined, words};
use crate::messages::links;
use crate::parse;
use hub_app::commands::new_message::{
    Given, Kind as Sending, MessageItem, Payload, ShortLinkParams, To,
};
use hub_app::commands::stored_message::MessagePatch;
use hub_domain::{Address, DATA_BYTES_MAX, Encoding, Medium, OnUnknown, RouteId};
use hub_web::{ApiError, Field, Kind, Later, Member, Object, Params};
use postrider_model::{IdKind, LabelId, MessageText, kind};

/// Longest text that is looked at; how long one may be is checked with its kind.
const CONTENT_LENGTH_MAX: usize = 20_000;
/// Longest number or code that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 200;
/// Most labels that are looked at.
pub(crate) const LABELS_MAX: usize = 5;
/// Longest `ttl_sec`: 30 days.
const TTL_SEC_MAX: i64 = 30 * 86_400;
/// Longest life of a short link: ten years.
const EXPIRATION_SEC_MAX: i64 = 3_652 * 86_400;
/// Longest name of a domain.
const DOMAIN_LENGTH_MAX: usize = 253;
/// Longest payload that is looked at, in characters; the longest that fits has far fewer.
const DATA_LENGTH_MAX: usize = 1_000;

/// The values of `message_type`; what comes later stands for nothing.
const TYPES: [(&str, Option<Sending>); 7] = [
    ("text", Some(Sending::Text)),
    ("sms", Some(Sending::Text)),
    ("ussd", Some(Sending::Ussd)),
    ("call", Some(Sending::Call)),
    ("mms", Some(Sending::Mms)),
    ("chat", None),
    ("service", None),
];
const ON_UNKNOWN: [(&str, OnUnknown); 2] =
    [("report", OnUnknown::Report), ("resend", OnUnknown::Resend)];
const ENCODINGS: [(&str, Encoding); 2] = [("base64", Encoding::Base64), ("hex", Encoding::Hex)];

/// Whom a message is for.
pub(crate) const TO: &[Member] = &[
    Member::new(
        "to_number",
        Kind::Text(NUMBER_LENGTH_MAX),
        "The number, or the code to dial.",
    ),
    Member::id::<kind::Contact>("contact_id", "The contact, instead of a number."),
];
/// What a message says.
pub(crate) const CONTENT: &[Member] = &[TEXT];
const TEXT: Member = Member::new(
    "content",
    Kind::Text(CONTENT_LENGTH_MAX),
    "The text, with [[variables]] where replace_variables says so.",
);
/// What sends.
pub(crate) const ROUTE_ID: Member = Member::new(
    "route_id",
    ROUTE,
    "The phone or custom route that sends; the project's default without it.",
);
/// The id of a phone or custom route.
pub(crate) const ROUTE: Kind = Kind::Either(&[
    Kind::Id(<kind::Phone as IdKind>::PREFIX),
    Kind::Id(<kind::Route as IdKind>::PREFIX),
]);
const PRIORITY: Member = Member::new(
    "priority",
    Kind::Integer(1, 2),
    "2 for what goes before others.",
)
.or("1");
const STATUS_URL: Member = Member::new(
    "status_url",
    Kind::Url(hub_outgoing::URL_LENGTH_MAX),
    "Where the hub posts how far the message is.",
);
const STATUS_SECRET: Member = Member::new(
    "status_secret",
    Kind::Text(parse::SECRET_LENGTH_MAX),
    "What the hub proves itself with at status_url.",
);

/// What a route needs besides.
pub(crate) const ROUTE_PARAMS: Member = Member::new(
    "route_params",
    Kind::Object(PAYLOAD),
    "Data instead of a text.",
);

const TYPE: Member =
    Member::new("message_type", Kind::Word(&words(&TYPES)), "What is sent.").or("\"text\"");
/// Whether a text has variables.
pub(crate) const REPLACE_VARIABLES: Member = Member::new(
    "replace_variables",
    Kind::Boolean,
    "Whether content has [[variables]].",
);
/// What all messages of a request share.
pub(crate) const SHARED: &[Member] =
    &joined::<{ UNTYPED.len() + 2 }>(&[&[TYPE, REPLACE_VARIABLES.or("false")], UNTYPED]);
/// The same without `message_type` and `replace_variables`, as where these follow from something else.
pub(crate) const UNTYPED: &[Member] = &[
    ROUTE_ID,
    Member::new("phone_id", ROUTE, "The older name of route_id."),
    STATUS_URL,
    STATUS_SECRET,
    Member::new(
        "is_template",
        Kind::Boolean,
        "The older name of replace_variables.",
    ),
    links::MEDIA_URLS,
    links::MEDIA,
    ROUTE_PARAMS,
    ids::<kind::Label>("label_ids", LABELS_MAX, "Labels to put on it."),
    VARS,
    PRIORITY,
    Member::new("simulated", Kind::Boolean, "Whether it is only a test.").or("false"),
    Member::new(
        "on_unknown",
        Kind::Word(&words(&ON_UNKNOWN)),
        "What to do where nobody can know whether it went out.",
    )
    .or("\"report\""),
    Member::new(
        "ttl_sec",
        Kind::Integer(1, TTL_SEC_MAX),
        "Seconds after which it fails unsent.",
    ),
    Member::new(
        "track_clicks",
        Kind::Boolean,
        "Whether URLs in content become short links, and clicks count.",
    )
    .or("false"),
    SHORT_LINK_PARAMS,
    Member::later("service_id", Later::Empty),
    Member::later("audio_url", Later::Empty),
    Member::later("tts_lang", Later::Text("en-US")),
    Member::later("tts_voice", Later::Text("female")),
];

const PAYLOAD: &[Member] = &[
    Member::new("port", Kind::Integer(1, u16::MAX as i64), "The port.").required(),
    Member::new("data", Kind::Text(DATA_LENGTH_MAX), "The bytes, encoded.").required(),
    Member::new(
        "encoding",
        Kind::Word(&words(&ENCODINGS)),
        "How data is written.",
    )
    .or("\"base64\""),
];

/// How short links are made.
pub(crate) const SHORT_LINK_PARAMS: Member = Member::new(
    "short_link_params",
    Kind::Object(SHORT_LINKS),
    "How its short links are made.",
);
/// As it is shown.
pub(crate) const SHORT_LINKS_SHOWN: Member = Member::new(
    "short_link_params",
    Kind::Object(SHOWN),
    "How its short links are made.",
)
.nullable();
const SHOWN: &[Member] = &[SHORT_LINKS[0].nullable(), SHORT_LINKS[1].nullable()];
const SHORT_LINKS: &[Member] = &[
    Member::new(
        "domain",
        Kind::Text(DOMAIN_LENGTH_MAX),
        "A short domain that the operator registered; the hub's own address without it.",
    ),
    Member::new(
        "expiration_sec",
        Kind::Integer(1, EXPIRATION_SEC_MAX),
        "Seconds after which the links end; never without it.",
    ),
];

const BESIDE: &str = "is set beside messages, for all of them";
/// One of `messages`.
pub(crate) const ITEM: &[Member] = &[
    TO[0],
    TO[1],
    TEXT,
    PRIORITY,
    STATUS_URL,
    STATUS_SECRET,
    VARS,
    Member::later("service_id", Later::Empty),
    Member::later("audio_url", Later::Empty),
    Member::later("tts_lang", Later::Text("en-US")),
    Member::later("tts_voice", Later::Text("female")),
    Member::elsewhere("route_id", BESIDE),
    Member::elsewhere("phone_id", BESIDE),
    Member::elsewhere("message_type", BESIDE),
    Member::elsewhere("route_params", BESIDE),
    Member::elsewhere("simulated", BESIDE),
    Member::elsewhere("replace_variables", BESIDE),
    Member::elsewhere("is_template", BESIDE),
    Member::elsewhere("media", BESIDE),
    Member::elsewhere("media_urls", BESIDE),
    Member::elsewhere("label_ids", BESIDE),
    Member::elsewhere("track_clicks", BESIDE),
    Member::elsewhere("short_link_params", BESIDE),
    Member::elsewhere("on_unknown", BESIDE),
    Member::elsewhere("ttl_sec", BESIDE),
    Member::elsewhere("broadcast_id", BESIDE),
    Member::elsewhere("broadcast_title", BESIDE),
];

/// Reads what is named of a message; what is named as nothing is to be taken away.
pub(crate) fn read(params: &Params) -> Result<MessagePatch, ApiError> {
    Ok(MessagePatch {
        content: given(params, "content", content)?,
        ..of_all(params)?
    })
}

/// As [`read`], but for the text: what all messages of a request share.
pub(crate) fn of_all(params: &Params) -> Result<MessagePatch, ApiError> {
    Ok(MessagePatch {
        kind: given(params, "message_type", kind)?,
        ..untyped(params)?
    })
}

/// As [`of_all`], but for `message_type`.
pub(crate) fn untyped(params: &Params) -> Result<MessagePatch, ApiError> {
    let text = |field: &Field<'_>| Ok(field.string()?.and_then(some_text));
    Ok(MessagePatch {
        kind: None,
        payload: given(params, "route_params", payload)?,
        replaces_variables: replaces(params)?,
        media: media(params)?,
        sender: sender(params)?,
        on_unknown: given(params, "on_unknown", on_unknown)?,
        ttl_sec: given(params, "ttl_sec", |field| field.integer())?,
        simulated: given(params, "simulated", |field| {
            Ok(field.boolean()?.unwrap_or(false))
        })?,
        labels: given(params, "label_ids", labels)?,
        track_clicks: given(params, "track_clicks", |field| {
            Ok(field.boolean()?.unwrap_or(false))
        })?,
        short_links: given(params, "short_link_params", short_links)?,
        content: None,
        priority: given(params, "priority", priority)?,
        vars: parse::vars(&params.get("vars"))?,
        status_url: given(params, "status_url", parse::url)?,
        status_secret: given(params, "status_secret", parse::secret)?,
        tts_lang: given(params, "tts_lang", text)?,
        tts_voice: given(params, "tts_voice", text)?,
    })
}

/// Reads whom a message is for.
pub(crate) fn to<'a>(get: impl Fn(&'static str) -> Field<'a>) -> Result<To, ApiError> {
    let number = get("to_number").string()?;
    Ok(To {
        number: number.and_then(Address::new),
        contact_id: parse::id(&get("contact_id"), "contact")?,
    })
}

/// Reads what an item of `messages` says; what it leaves out, the request says for all.
pub(crate) fn item(object: &Object<'_>, all: &MessagePatch) -> Result<MessageItem, ApiError> {
    let vars = object.get("vars");
    let all_vars = all.vars.clone().overlaid(parse::vars(&vars)?);
    let status_url = parse::url(&object.get("status_url"))?;
    let status_secret = parse::secret(&object.get("status_secret"))?;
    let mut item = MessageItem {
        content: content(&object.get("content"))?,
        priority: priority(&object.get("priority"))?.or(all.priority.flatten()),
        status_url: status_url.or_else(|| all.status_url.clone().flatten()),
        status_secret: status_secret.or_else(|| all.status_secret.clone().flatten()),
        ..MessageItem::default()
    };
    let too_many = |invalid| vars.refuse(format_args!("cannot be taken: {invalid}"));
    item.vars.apply(all_vars).map_err(too_many)?;
    Ok(item)
}

/// Reads a parameter that is named.
pub(crate) fn given<T>(
    params: &Params,
    name: &str,
    read: impl FnOnce(&Field<'_>) -> Result<T, ApiError>,
) -> Result<Option<T>, ApiError> {
    let field = params.get(name);
    field.is_present().then(|| read(&field)).transpose()
}

/// Reads `replace_variables`, by either of its names: who says yes by one of them means it.
fn replaces(params: &Params) -> Result<Option<Option<Given<bool>>>, ApiError> {
    let mut given = None;
    for name in ["replace_variables", "is_template"] {
        let field = params.get(name);
        let named = field.boolean()?.map(|value| Given::new(name, value));
        let is_yes = named.as_ref().is_some_and(|named| named.value);
        if field.is_present() && (given.is_none() || is_yes) {
            given = Some(named);
        }
    }
    Ok(given)
}

/// Reads what sends, by the first of its names that says something.
fn sender(params: &Params) -> Result<Option<Option<Given<RouteId>>>, ApiError> {
    let mut given = None;
    for name in ["route_id", "phone_id"] {
        let field = params.get(name);
        let named = parse::route_id(&field)?.map(|id| Given::new(name, id));
        if field.is_present() && !matches!(given, Some(Some(_))) {
            given = Some(named);
        }
    }
    Ok(given)
}

fn kind(field: &Field<'_>) -> Result<Sending, ApiError> {
    let asked = field.one_of(&TYPES)?.unwrap_or(Some(Sending::Text));
    asked.ok_or_else(|| {
        field.refuse("is not offered by this hub yet: only text, sms, mms, ussd and call are")
    })
}

pub(crate) fn payload(field: &Field<'_>) -> Result<Option<Payload>, ApiError> {
    let Some(params) = field.object()?.filter(|_| !field.is_empty()) else {
        return Ok(None);
    };
    let mut members = params.members();
    if let Some((_, unknown)) =
        members.find(|(name, _)| PAYLOAD.iter().all(|known| known.name != *name))
    {
        return Err(unknown.refuse("is not offered by this hub: port, data and encoding are"));
    }
    let port = params.get("port");
    let number = port.integer()?;
    let number = number.and_then(|number| u16::try_from(number).ok());
    let port = number.ok_or_else(|| port.refuse("is required"))?;
    let encoding = params.get("encoding").one_of(&ENCODINGS)?;
    let data = params.get("data");
    let text = data.string()?.and_then(some_text);
    let too_short = || data.refuse(format_args!("must be 1 to {DATA_BYTES_MAX} bytes"));
    Ok(Some(Payload {
        port,
        data: MessageText::new(text.ok_or_else(too_short)?),
        encoding,
    }))
}

pub(crate) fn short_links(field: &Field<'_>) -> Result<Option<ShortLinkParams>, ApiError> {
    let Some(params) = field.object()?.filter(|_| !field.is_empty()) else {
        return Ok(None);
    };
    params.check()?;
    Ok(Some(ShortLinkParams {
        domain: params.get("domain").string()?.and_then(some_text),
        expiration_sec: params.get("expiration_sec").integer()?,
    }))
}

fn media(params: &Params) -> Result<Option<Option<Given<Vec<Medium>>>>, ApiError> {
    let names = ["media_urls", "media"];
    if !names.iter().any(|name| params.get(name).is_present()) {
        return Ok(None);
    }
    let (urls, media) = (params.get("media_urls"), params.get("media"));
    Ok(Some(links::named(&urls, &media)?))
}

fn on_unknown(field: &Field<'_>) -> Result<Option<OnUnknown>, ApiError> {
    field.one_of(&ON_UNKNOWN)
}

pub(super) fn labels(field: &Field<'_>) -> Result<Vec<LabelId>, ApiError> {
    let items = field.array()?.unwrap_or_default();
    let no_label = |item: &Field<'_>| parse::no_such(item, "label");
    let ids = items
        .iter()
        .map(|item| parse::id(item, "label")?.ok_or_else(|| no_label(item)));
    ids.collect()
}

pub(crate) fn content(field: &Field<'_>) -> Result<Option<MessageText>, ApiError> {
    let text = field.string()?.and_then(some_text);
    Ok(text.map(MessageText::new))
}

fn priority(field: &Field<'_>) -> Result<Option<u8>, ApiError> {
    let priority = field.integer()?;
    Ok(priority.and_then(|priority| u8::try_from(priority).ok()))
}

/// Returns a text, unless it is empty: that is none.
fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_app::commands::stored_message::StoredMessage;
    use hub_web::Takes;

    const TAKES: Takes = Takes {
        own: &[CONTENT, SHARED],
        common: &[],
    };

    fn form(text: &str) -> Params {
        let body = Some(("application/x-www-form-urlencoded", text.as_bytes()));
        Params::from_parts("", body).unwrap().taking(TAKES)
    }

    fn json(text: &str) -> Params {
        let body = Some(("application/json", text.as_bytes()));
        Params::from_parts("", body).unwrap().taking(TAKES)
    }

    fn message(params: &Params) -> StoredMessage {
        read(params).unwrap().new_message(None).unwrap()
    }

    fn refused(text: &str) -> Option<String> {
        let params = json(text);
        let read = params.check().and_then(|()| read(&params));
        read.unwrap_err().param().map(str::to_owned)
    }

    #[test]
    fn a_form_and_json_say_the_same() {
        let of_form = message(&form(
            "content=x&replace_variables=1&ttl_sec=60&media[0][url]=http://a.example/1\
             &route_params[port]=7&route_params[data]=AA==&vars[a]=1&label_ids[]=LB0000000000000001\
             &unknown=1",
        ));
        let of_json = message(&json(
            r#"{"content":"x","replace_variables":true,"ttl_sec":60,
            "media":[{"url":"http://a.example/1"}],"route_params":{"port":7,"data":"AA=="},
            "vars":{"a":"1"},"label_ids":["LB0000000000000001"]}"#,
        ));
        assert_eq!(of_form, of_json);
        assert_eq!(of_json.options.payload.unwrap().port, 7);
    }

    #[test]
    fn what_has_two_names_is_named_by_the_one_that_says_something() {
        let options = message(&json(
            r#"{"replace_variables":false,"is_template":true,"route_id":"","phone_id":"PN0000000000000001"}"#,
        ))
        .options;
        assert_eq!(
            options.replaces_variables,
            Some(Given::new("is_template", true))
        );
        let sender = options.sender.unwrap();
        assert_eq!(sender.param, "phone_id");
    }

    #[test]
    fn what_is_named_as_nothing_is_taken_away_and_what_is_not_named_stays() {
        let nothing =
            r#"{"content":"","ttl_sec":null,"media_urls":[],"route_id":null,"route_params":{}}"#;
        let patch = read(&json(nothing)).unwrap();
        assert!(matches!(patch.content, Some(None)));
        assert!(matches!(patch.ttl_sec, Some(None)));
        assert!(matches!(patch.media, Some(None)));
        assert!(matches!(patch.sender, Some(None)));
        assert!(matches!(patch.payload, Some(None)));
        assert!(patch.status_url.is_none() && patch.labels.is_none());
    }

    #[test]
    fn what_cannot_be_taken_is_named() {
        for (text, named) in [
            (r#"{"content":5}"#, "content"),
            (r#"{"replace_variables":"x"}"#, "replace_variables"),
            (
                r#"{"replace_variables":true,"is_template":"x"}"#,
                "is_template",
            ),
            (
                r#"{"route_id":"PN0000000000000001","phone_id":"x"}"#,
                "phone_id",
            ),
            (r#"{"vars":{"a":[]}}"#, "vars[a]"),
            (r#"{"media":[{"url":5}]}"#, "media[0][url]"),
            (r#"{"label_ids":[5]}"#, "label_ids[0]"),
            (r#"{"label_ids":["x"]}"#, "label_ids[0]"),
            (r#"{"route_params":"x"}"#, "route_params"),
            (
                r#"{"route_params":{"port":0,"data":"AA=="}}"#,
                "route_params[port]",
            ),
            (r#"{"route_params":{"data":"AA=="}}"#, "route_params[port]"),
            (r#"{"route_params":{"port":1}}"#, "route_params[data]"),
            (
                r#"{"route_params":{"port":1,"data":7}}"#,
                "route_params[data]",
            ),
            (
                r#"{"route_params":{"port":1,"data":"00","encoding":"utf8"}}"#,
                "route_params[encoding]",
            ),
            (
                r#"{"route_params":{"quick_replies":["a"]}}"#,
                "route_params[quick_replies]",
            ),
            (r#"{"message_type":"chat"}"#, "message_type"),
            (r#"{"message_type":"pigeon"}"#, "message_type"),
            (r#"{"service_id":"x"}"#, "service_id"),
        ] {
            assert_eq!(refused(text).as_deref(), Some(named), "{text}");
        }
    }
}
