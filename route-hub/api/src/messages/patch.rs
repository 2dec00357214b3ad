//! What a request gives of a message that is sent later.

use crate::messages::{links, unsupported_params};
use crate::parse;
use hub_app::commands::new_message::{Given, Kind, MessageItem, Payload, To};
use hub_app::commands::stored_message::MessagePatch;
use hub_domain::{Address, DATA_BYTES_MAX, Encoding, OnUnknown, RouteId};
use hub_web::{ApiError, Field, Object, Params};
use postrider_model::{LabelId, MessageText};

/// Longest text that is looked at; how long one may be is checked with its kind.
const CONTENT_LENGTH_MAX: usize = 20_000;
/// Longest number or code that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 200;
/// Most labels that are looked at.
const LABELS_MAX: usize = 5;
/// Longest `ttl_sec`: 30 days.
const TTL_SEC_MAX: i64 = 30 * 86_400;
/// Longest payload that is looked at, in characters; the longest that fits has far fewer.
const DATA_LENGTH_MAX: usize = 1_000;
/// Longest name of a language or voice that is looked at.
const VOICE_LENGTH_MAX: usize = 64;

/// Reads what is named of a message; what is named as nothing is to be taken away.
pub(crate) fn read(params: &Params) -> Result<MessagePatch, ApiError> {
    Ok(MessagePatch {
        content: given(params, "content", content)?,
        ..of_all(params)?
    })
}

/// As [`read`], but for the text: what all messages of a request share.
pub(crate) fn of_all(params: &Params) -> Result<MessagePatch, ApiError> {
    params.refuse_unsupported(unsupported_params::SENDING)?;
    let text = |field: &Field<'_>| Ok(field.string(VOICE_LENGTH_MAX)?.and_then(some_text));
    Ok(MessagePatch {
        kind: given(params, "message_type", kind)?,
        payload: given(params, "route_params", payload)?,
        replaces_variables: replaces(params)?,
        links: links(params)?,
        sender: sender(params)?,
        on_unknown: given(params, "on_unknown", on_unknown)?,
        ttl_sec: given(params, "ttl_sec", |field| field.integer(1..=TTL_SEC_MAX))?,
        simulated: given(params, "simulated", |field| {
            Ok(field.boolean()?.unwrap_or(false))
        })?,
        labels: given(params, "label_ids", labels)?,
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
    let number = get("to_number").string(NUMBER_LENGTH_MAX)?;
    Ok(To {
        number: number.and_then(Address::new),
        contact_id: parse::id(&get("contact_id"), "contact")?,
    })
}

/// Reads what an item of `messages` says; what it leaves out, the request says for all.
pub(crate) fn item(object: &Object<'_>, all: &MessagePatch) -> Result<MessageItem, ApiError> {
    let of_all = all.clone();
    let vars = object.get("vars");
    let all_vars = of_all.vars.overlaid(parse::vars(&vars)?);
    let mut item = MessageItem {
        content: content(&object.get("content"))?,
        priority: priority(&object.get("priority"))?.or(of_all.priority.flatten()),
        status_url: parse::url(&object.get("status_url"))?.or(of_all.status_url.flatten()),
        status_secret: parse::secret(&object.get("status_secret"))?
            .or(of_all.status_secret.flatten()),
        ..MessageItem::default()
    };
    let too_many = |invalid| vars.refuse(format_args!("cannot be taken: {invalid}"));
    item.vars.apply(all_vars).map_err(too_many)?;
    Ok(item)
}

/// Reads a parameter that is named.
fn given<T>(
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
        if is_yes {
            break;
        }
    }
    Ok(given)
}

/// Reads what sends, by the first of its names that says something.
fn sender(params: &Params) -> Result<Option<Option<Given<RouteId>>>, ApiError> {
    let mut given = None;
    for name in ["route_id", "phone_id"] {
        let field = params.get(name);
        if let Some(id) = parse::route_id(&field)? {
            return Ok(Some(Some(Given::new(name, id))));
        }
        if field.is_present() {
            given = Some(None);
        }
    }
    Ok(given)
}

fn kind(field: &Field<'_>) -> Result<Kind, ApiError> {
    let asked = field.one_of(&[
        ("text", Some(Kind::Text)),
        ("sms", Some(Kind::Text)),
        ("ussd", Some(Kind::Ussd)),
        ("call", Some(Kind::Call)),
        ("mms", None),
        ("chat", None),
        ("service", None),
    ])?;
    asked.unwrap_or(Some(Kind::Text)).ok_or_else(|| {
        field.refuse("is not offered by this hub yet: only text, sms, ussd and call are")
    })
}

fn payload(field: &Field<'_>) -> Result<Option<Payload>, ApiError> {
    let Some(params) = field.object()?.filter(|_| !field.is_empty()) else {
        return Ok(None);
    };
    let mut members = params.members();
    if let Some((_, unknown)) =
        members.find(|(name, _)| !["port", "data", "encoding"].contains(name))
    {
        return Err(unknown.refuse("is not offered by this hub: port, data and encoding are"));
    }
    let port = params.get("port");
    let number = port.integer(1..=i64::from(u16::MAX))?;
    let number = number.and_then(|number| u16::try_from(number).ok());
    let encodings = [("base64", Encoding::Base64), ("hex", Encoding::Hex)];
    let port = number.ok_or_else(|| port.refuse("is required"))?;
    let encoding = params.get("encoding").one_of(&encodings)?;
    let data = params.get("data");
    let text = data.string(DATA_LENGTH_MAX)?.and_then(some_text);
    let too_short = || data.refuse(format_args!("must be 1 to {DATA_BYTES_MAX} bytes"));
    Ok(Some(Payload {
        port,
        data: MessageText::new(text.ok_or_else(too_short)?),
        encoding,
    }))
}

fn links(params: &Params) -> Result<Option<Option<Given<Vec<String>>>>, ApiError> {
    let names = ["media_urls", "media"];
    if !names.iter().any(|name| params.get(name).is_present()) {
        return Ok(None);
    }
    let field = params.get("media_urls");
    let name = if field.is_empty() {
        "media"
    } else {
        "media_urls"
    };
    let links = Some(links::read(params)?).filter(|links| !links.is_empty());
    Ok(Some(links.map(|links| Given::new(name, links))))
}

fn on_unknown(field: &Field<'_>) -> Result<Option<OnUnknown>, ApiError> {
    field.one_of(&[("report", OnUnknown::Report), ("resend", OnUnknown::Resend)])
}

pub(super) fn labels(field: &Field<'_>) -> Result<Vec<LabelId>, ApiError> {
    let items = field.array(LABELS_MAX)?.unwrap_or_default();
    let no_label = |item: &Field<'_>| parse::no_such(item, "label");
    let ids = items
        .iter()
        .map(|item| parse::id(item, "label")?.ok_or_else(|| no_label(item)));
    ids.collect()
}

fn content(field: &Field<'_>) -> Result<Option<MessageText>, ApiError> {
    let text = field.string(CONTENT_LENGTH_MAX)?.and_then(some_text);
    Ok(text.map(MessageText::new))
}

fn priority(field: &Field<'_>) -> Result<Option<u8>, ApiError> {
    let priority = field.integer(1..=2)?;
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

    fn form(text: &str) -> Params {
        let body = Some(("application/x-www-form-urlencoded", text.as_bytes()));
        Params::from_parts("", body).unwrap()
    }

    fn json(text: &str) -> Params {
        Params::from_parts("", Some(("application/json", text.as_bytes()))).unwrap()
    }

    fn message(params: &Params) -> StoredMessage {
        read(params).unwrap().new_message(None).unwrap()
    }

    fn refused(text: &str) -> Option<String> {
        let refused = read(&json(text)).unwrap_err();
        refused.param().map(str::to_owned)
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
        assert!(matches!(patch.links, Some(None)));
        assert!(matches!(patch.sender, Some(None)));
        assert!(matches!(patch.payload, Some(None)));
        assert!(patch.status_url.is_none() && patch.labels.is_none());
    }

    #[test]
    fn what_cannot_be_taken_is_named() {
        for (text, named) in [
            (r#"{"content":5}"#, "content"),
            (r#"{"replace_variables":"x"}"#, "replace_variables"),
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
            (r#"{"message_type":"mms"}"#, "message_type"),
            (r#"{"message_type":"pigeon"}"#, "message_type"),
            (r#"{"service_id":"x"}"#, "service_id"),
        ] {
            assert_eq!(refused(text).as_deref(), Some(named), "{text}");
        }
    }
}
