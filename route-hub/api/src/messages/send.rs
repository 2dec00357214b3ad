//! `POST /projects/{project_id}/messages/send`

use crate::messages::patch;
use crate::{ApiResult, Call, enter, idempotency};
use axum::extract::State;
use hub_app::commands::new_message::NewMessage;
use hub_app::hub::Hub;
use hub_app::messages::PERMISSION;
use hub_app::messages::send::{self, Sent};
use hub_web::{Answer, ApiError, Fields, Params};

/// Sends one message: once it is answered, it is on disk and will be sent or accounted for.
pub async fn send(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
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
    for name in ["broadcast_id", "broadcast_title"] {
        let field = params.get(name);
        if !field.is_empty() {
            return Err(field.refuse("is for send_multi"));
        }
    }
    let message = patch::read(params)?.new_message(None)?;
    Ok(NewMessage {
        to: patch::to(|name| params.get(name))?,
        item: message.item,
        options: message.options,
    })
}
