//! `POST /projects/{project_id}/messages/{message_id}`, and to its `cancel` and `resend`.

use crate::members::{VARS, read_only};
use crate::messages::patch::ROUTE_ID;
use crate::messages::{ERROR_MESSAGE, MESSAGE};
use crate::parse;
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::messages::change::{self, MessageChange};
use hub_app::messages::resend::Resend;
use hub_app::messages::{PERMISSION, cancel as cancelling, resend as resending};
use hub_app::views::message::MessageView;
use hub_web::{Answer, ApiError, ErrorCode, Fields, Kind, Member, Params};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "id",
    "direction",
    "status",
    "message_type",
    "source",
    "time_created",
    "time_sent",
    "time_updated",
    "from_number",
    "to_number",
    "content",
    "simulated",
    "label_ids",
    "route_params",
    "priority",
    "send_attempts",
    "error_code",
    "external_id",
    "num_parts",
    "price",
    "price_currency",
    "duration",
    "ring_time",
    "in_progress",
    "audio_url",
    "tts_lang",
    "tts_voice",
    "track_clicks",
    "short_urls",
    "network_code",
    "media",
    "media_urls",
    "mms_parts",
    "time_clicked",
    "service_id",
    "phone_id",
    "contact_id",
    "route_id",
    "broadcast_id",
    "scheduled_id",
    "user_id",
    "project_id",
    "url",
    "waiting_for",
    "next_slot_time",
]);

const TAKES: &[Member] = &[
    Member::new("starred", Kind::Boolean, "Whether it is marked."),
    ERROR_MESSAGE,
    VARS,
];

operation! {
    /// Changes what people may change of a message: star, error message and variables.
    UPDATE = "updateMessage": Project(PERMISSION), update -> Object(&MESSAGE);
    .takes(&[TAKES, READ_ONLY])
    .example(r#"{"starred":true,"vars":{"seen":"yes"}}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let change = read(&call.params)?;
    let view = change::update(&actor, id, change).await?;
    Ok(Answer::object(&view, &fields))
}

fn read(params: &Params) -> Result<MessageChange, ApiError> {
    let error = params.get("error_message");
    let text = error.string()?;
    let text = text.filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(MessageChange {
        starred: params.get("starred").boolean()?,
        error_message: error.is_present().then_some(text),
        vars: parse::vars(&params.get("vars"))?,
    })
}

operation! {
    /// Cancels a message, when it must with the word of the phone that holds it.
    CANCEL = "cancelMessage": Project(PERMISSION), cancel -> Object(&MESSAGE);
    .errors(&[ErrorCode::NotCancellable])
}

async fn cancel(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let view = cancelling::cancel(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Sends a message again.
    RESEND = "resendMessage": Project(PERMISSION), resend -> Object(&MESSAGE);
    .takes(&[&[ROUTE_ID]])
    .repeatable()
    .errors(&[ErrorCode::LimitExceeded])
}

async fn resend(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, &format!("resend {id}"))?;
    let command = Resend {
        message_id: id,
        route_id: parse::route_id(&call.params.get("route_id"))?,
    };
    let show = move |view: MessageView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = resending::resend(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}
