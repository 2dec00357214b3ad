//! `POST /projects/{project_id}/messages/receive`

use crate::members::{PHONE_NUMBER, VARS, ids, words};
use crate::messages::{MESSAGE, links, patch};
use crate::{ApiResult, Call, idempotency, operation, parse};
use hub_app::actor::Actor;
use hub_app::messages::PERMISSION;
use hub_app::messages::incoming::{self, NewIncoming};
use hub_app::views::message::MessageView;
use hub_domain::{Address, MessageType, Vars};
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Params};
use postrider_model::{MessageText, kind};

/// Longest text that is taken, in characters: 255 parts.
const CONTENT_LENGTH_MAX: usize = 39_015;
/// The values of `message_type`; what comes later stands for nothing.
const TYPES: [(&str, Option<MessageType>); 3] = [
    ("sms", Some(MessageType::Sms)),
    ("call", Some(MessageType::Call)),
    ("chat", None),
];

const TAKES: &[Member] = &[
    Member::id::<kind::Phone>("phone_id", "The phone that received it.").required(),
    Member::new("message_type", Kind::Word(&words(&TYPES)), "Its kind.").or("\"sms\""),
    Member::new(
        "content",
        Kind::Text(CONTENT_LENGTH_MAX),
        "Its text, which only a call and what carries media may leave out.",
    ),
    Member::new("from_number", PHONE_NUMBER, "Who sent it.").required(),
    Member::new("to_number", PHONE_NUMBER, "The phone's number."),
    Member::new("simulated", Kind::Boolean, "Whether it is only a test.").or("false"),
    Member::new("starred", Kind::Boolean, "Whether it is marked.").or("false"),
    ids::<kind::Label>("label_ids", patch::LABELS_MAX, "Its labels."),
    VARS,
    links::MEDIA_URLS,
    Member {
        about: "What it carried.",
        ..links::MEDIA
    },
];

operation! {
    /// Adds an incoming message as if a phone had received it.
    RECEIVE = "receiveMessage": Project(PERMISSION), receive -> Object(&MESSAGE);
    .takes(&[TAKES])
    .with_media()
    .repeatable()
    .example(r#"{"phone_id":"PN0000000000000001","from_number":"+15005550101","content":"Hello!"}"#)
}

async fn receive(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "receive")?;
    let command = read(&call.params)?;
    let show = move |view: MessageView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = incoming::receive(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

fn read(params: &Params) -> Result<NewIncoming, ApiError> {
    let phone = params.get("phone_id");
    let from = params.get("from_number");
    let message_type = message_type(&params.get("message_type"))?;
    let media = links::named(&params.get("media_urls"), &params.get("media"))?;
    Ok(NewIncoming {
        phone_id: parse::id(&phone, "phone")?.ok_or_else(|| phone.refuse("is required"))?,
        message_type,
        content: content(&params.get("content"), message_type, media.is_some())?,
        from: number(&from)?.ok_or_else(|| from.refuse("is required"))?,
        to: number(&params.get("to_number"))?,
        simulated: params.get("simulated").boolean()?.unwrap_or(false),
        starred: params.get("starred").boolean()?.unwrap_or(false),
        vars: Vars::from_change(parse::vars(&params.get("vars"))?),
        labels: patch::labels(&params.get("label_ids"))?,
        media,
    })
}

fn message_type(field: &Field<'_>) -> Result<MessageType, ApiError> {
    let read = field.one_of(&TYPES)?;
    match read {
        None => Ok(MessageType::Sms),
        Some(Some(message_type)) => Ok(message_type),
        Some(None) => Err(field.refuse("is not offered by this hub yet: only sms and call are")),
    }
}

/// Reads a text, which only a call and what carries media may leave out.
fn content(
    field: &Field<'_>,
    message_type: MessageType,
    has_media: bool,
) -> Result<Option<MessageText>, ApiError> {
    let text = match message_type {
        MessageType::Call => field.string()?,
        _ if has_media => field.string()?,
        _ => Some(field.required_string()?),
    };
    Ok(text.filter(|text| !text.is_empty()).map(MessageText::from))
}

fn number(field: &Field<'_>) -> Result<Option<Address>, ApiError> {
    Ok(field.string()?.and_then(Address::new))
}
