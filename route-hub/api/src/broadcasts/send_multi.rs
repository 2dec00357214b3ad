//! `POST /projects/{project_id}/send_multi`

use crate::broadcasts::read::title;
use crate::messages::{patch, unsupported_params};
use crate::{ApiResult, Call, enter, idempotency, parse};
use axum::extract::State;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::multi::{self, PartOf, SentMessages, WantedMessages};
use hub_app::commands::new_message::{MessageItem, To};
use hub_app::commands::stored_message::MessagePatch;
use hub_app::hub::Hub;
use hub_web::{Answer, ApiError, Fields, Params};

/// Most messages of one request.
const MESSAGES_MAX: usize = 100;

/// Sends up to a hundred messages, all of them or none, and answers in their order.
pub async fn send_multi(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let repeat = idempotency::read(&call, "send_multi")?;
    let fields = Fields::read(&call.params)?;
    let command = read(&call.params)?;
    let show =
        move |sent: SentMessages| Answer::value(&sent, &fields).unwrap_or_else(|_| Answer::void());
    let text = idempotency::text(show.clone());
    let done = multi::send(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

fn read(params: &Params) -> Result<WantedMessages, ApiError> {
    let shared = patch::of_all(params)?;
    Ok(WantedMessages {
        part_of: part_of(params)?,
        messages: messages(params, &shared)?,
        shared,
    })
}

/// Reads `broadcast_id`, or without it `broadcast_title`.
fn part_of(params: &Params) -> Result<Option<PartOf>, ApiError> {
    if let Some(id) = parse::id(&params.get("broadcast_id"), "broadcast")? {
        return Ok(Some(PartOf::Existing(id)));
    }
    let Some(title) = title(params, "broadcast_title")? else {
        return Ok(None);
    };
    let message = patch::of_all(params)?;
    Ok(Some(PartOf::New { title, message }))
}

fn messages(params: &Params, all: &MessagePatch) -> Result<Vec<(To, MessageItem)>, ApiError> {
    let field = params.get("messages");
    let items = field.array(MESSAGES_MAX)?.unwrap_or_default();
    if items.is_empty() {
        return Err(field.refuse("must have at least one message"));
    }
    let messages = items.iter().map(|item| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        unsupported_params::check_item(&object)?;
        let to = patch::to(|name| object.get(name))?;
        Ok((to, patch::item(&object, all)?))
    });
    messages.collect()
}
