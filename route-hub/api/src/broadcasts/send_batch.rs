//! `POST /projects/{project_id}/messages/send_batch`, and `messages/outgoing_batch`, its older name.

use crate::broadcasts::read::named;
use crate::messages::patch;
use crate::{ApiResult, Call, enter, idempotency};
use axum::extract::State;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::batch::{self, SentBatch, WantedBatch};
use hub_app::hub::Hub;
use hub_web::{Answer, Fields};
use postrider_model::BroadcastId;
use serde::Serialize;

/// Sends one text to a group or to up to five hundred numbers, as a broadcast.
///
/// Numbers have their messages with the answer, members of a group get theirs from then on.
pub async fn send_batch(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let repeat = idempotency::read(&call, "send_batch")?;
    let fields = Fields::read(&call.params)?;
    let command = WantedBatch {
        message: patch::read(&call.params)?,
        to: named(&call.params)?,
    };
    let show = move |sent: SentBatch| {
        Answer::value(&Sent::from(sent), &fields).unwrap_or_else(|_| Answer::void())
    };
    let text = idempotency::text(show.clone());
    let done = batch::send(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

#[derive(Serialize)]
struct Sent {
    count_queued: i64,
    broadcast_id: BroadcastId,
}

impl From<SentBatch> for Sent {
    fn from(sent: SentBatch) -> Self {
        Self {
            count_queued: sent.count_queued,
            broadcast_id: sent.broadcast_id,
        }
    }
}
