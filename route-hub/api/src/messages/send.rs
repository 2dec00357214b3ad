//! `POST /projects/{project_id}/messages/send`

use crate::messages::MESSAGE;
use crate::messages::patch;
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::commands::new_message::NewMessage;
use hub_app::messages::PERMISSION;
use hub_app::messages::send::{self, Sent};
use hub_web::{Answer, ApiError, ErrorCode, Fields, Member, Params};

/// What only several messages can be part of.
const NOT_OF_ONE: [Member; 2] = [
    Member::elsewhere("broadcast_id", "is for send_multi"),
    Member::elsewhere("broadcast_title", "is for send_multi"),
];

operation! {
    /// Sends one message: once it is answered, it is on disk and will be sent or accounted for.
    SEND = "sendMessage": Project(PERMISSION), send -> Object(&MESSAGE);
    .takes(&[patch::TO, patch::CONTENT, patch::SHARED, &NOT_OF_ONE])
    .with_media()
    .repeatable()
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"to_number":"+15005550101","content":"Hello!"}"#)
}

async fn send(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "send")?;
    let command = read(&call.params)?;
    let show = {
        let actor = actor.clone();
        move |sent: Sent| Answer::object(&sent.view(&actor), &fields)
    };
    let text = idempotency::text(show.clone());
    let done = send::send(&actor, Box::new(command), repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

fn read(params: &Params) -> Result<NewMessage, ApiError> {
    let message = patch::read(params)?.new_message(None)?;
    Ok(NewMessage {
        to: patch::to(|name| params.get(name))?,
        item: message.item,
        options: message.options,
    })
}
