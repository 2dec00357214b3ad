//! `POST /projects/{project_id}/messages/send_batch`, and `messages/outgoing_batch`, its older name.

use crate::broadcasts::read::{RECIPIENTS, named};
use crate::messages::{COUNT, patch};
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::batch::{self, SentBatch, WantedBatch};
use hub_web::{Answer, ErrorCode, Fields, Member, Shape};
use postrider_model::{BroadcastId, kind};
use serde::Serialize;

const BATCH: Shape = Shape {
    name: "QueuedBatch",
    about: "How many messages were taken, and the broadcast that they are of.",
    members: &[
        Member::new(
            "count_queued",
            COUNT,
            "How many messages there are, or will be.",
        ),
        Member::id::<kind::Broadcast>("broadcast_id", "Their broadcast."),
    ],
};

operation! {
    /// Sends one text to a group or to up to five hundred numbers, as a broadcast.
    ///
    /// Numbers have their messages with the answer, members of a group get theirs from then on.
    SEND_BATCH = "sendMessages": Project(PERMISSION), send_batch -> Object(&BATCH);
    .takes(&[RECIPIENTS, patch::CONTENT, patch::SHARED])
    .with_media()
    .repeatable()
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"to_numbers":["+15005550101","+15005550102"],"content":"Hello!"}"#)
}

async fn send_batch(actor: Actor, call: Call) -> ApiResult {
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
