//! `POST /projects/{project_id}/messages/receive`

use crate::messages::{patch, unsupported_params};
use crate::{ApiResult, Call, enter, idempotency, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::PERMISSION;
use hub_app::messages::incoming::{self, NewIncoming};
use hub_app::views::message::MessageView;
use hub_domain::{Address, MessageType, Vars};
use hub_web::{Answer, ApiError, Field, Fields, Params};
use postrider_model::MessageText;

/// Longest text that is taken, in characters: 255 parts.
const CONTENT_LENGTH_MAX: usize = 39_015;
/// Longest number that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 64;

/// Adds an incoming message as if a phone had received it.
pub async fn receive(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "receive")?;
    let command = read(&call.params)?;
    let show = move |view: MessageView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = incoming::receive(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

fn read(params: &Params) -> Result<NewIncoming, ApiError> {
    params.refuse_unsupported(unsupported_params::RECEIVING)?;
    let phone = params.get("phone_id");
    let from = params.get("from_number");
    let message_type = message_type(&params.get("message_type"))?;
    Ok(NewIncoming {
        phone_id: parse::id(&phone, "phone")?.ok_or_else(|| phone.refuse("is required"))?,
        message_type,
        content: content(&params.get("content"), message_type)?,
        from: number(&from)?.ok_or_else(|| from.refuse("is required"))?,
        to: number(&params.get("to_number"))?,
        simulated: params.get("simulated").boolean()?.unwrap_or(false),
        starred: params.get("starred").boolean()?.unwrap_or(false),
        vars: Vars::from_change(parse::vars(&params.get("vars"))?),
        labels: patch::labels(&params.get("label_ids"))?,
    })
}

fn message_type(field: &Field<'_>) -> Result<MessageType, ApiError> {
    let read = field.one_of(&[
        ("sms", Some(MessageType::Sms)),
        ("call", Some(MessageType::Call)),
        ("chat", None),
    ])?;
    match read {
        None => Ok(MessageType::Sms),
        Some(Some(message_type)) => Ok(message_type),
        Some(None) => Err(field.refuse("is not offered by this hub yet: only sms and call are")),
    }
}

/// Reads a text, which only a call may leave out.
fn content(field: &Field<'_>, message_type: MessageType) -> Result<Option<MessageText>, ApiError> {
    let text = match message_type {
        MessageType::Call => field.string(CONTENT_LENGTH_MAX)?,
        _ => Some(field.required_string(CONTENT_LENGTH_MAX)?),
    };
    Ok(text.filter(|text| !text.is_empty()).map(MessageText::from))
}

fn number(field: &Field<'_>) -> Result<Option<Address>, ApiError> {
    Ok(field.string(NUMBER_LENGTH_MAX)?.and_then(Address::new))
}
