//! `POST /projects/{project_id}/send_broadcast`

use crate::broadcasts::{BROADCAST, read};
use crate::contact_filter;
use crate::messages::patch;
use crate::{ApiResult, Call, idempotency, operation};
use hub_app::actor::Actor;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::create::create;
use hub_app::views::broadcast::BroadcastView;
use hub_web::{Answer, ErrorCode, Fields, Member};

const NO_EXCLUDED_GROUP: Member =
    Member::elsewhere("exclude_group_id", "is taken by campaigns alone");

operation! {
    /// Takes a broadcast, whatever its size: its messages are made from now on.
    SEND = "sendBroadcast": Project(PERMISSION), send -> Object(&BROADCAST);
    .takes(&[
        read::RECIPIENTS,
        contact_filter::FILTER,
        &[read::TITLE, NO_EXCLUDED_GROUP],
        patch::CONTENT,
        patch::SHARED,
    ])
    .with_media()
    .repeatable()
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"to_numbers":["+15005550101","+15005550102"],"content":"Hello!"}"#)
}

async fn send(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "send_broadcast")?;
    let command = read::broadcast(&call.params, actor.project.country.as_deref())?;
    let show = move |view: BroadcastView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}
