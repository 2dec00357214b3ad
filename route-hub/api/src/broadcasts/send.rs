//! `POST /projects/{project_id}/send_broadcast`

use crate::broadcasts::read;
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::create::create;
use hub_app::broadcasts::view::BroadcastView;
use hub_app::hub::Hub;
use hub_web::{Answer, Fields};

/// Takes a broadcast, whatever its size: its messages are made from now on.
pub async fn send(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = Idempotency::of(&call, "send_broadcast")?.0;
    let command = read::broadcast(&call.params)?;
    let show = move |view: BroadcastView| Answer::object(&view, &fields);
    let text = transaction::text(show.clone());
    let done = create(&actor, command, repeat, text).await?;
    Ok(transaction::shown(done, show))
}
