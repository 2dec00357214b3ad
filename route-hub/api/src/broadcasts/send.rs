//! `POST /projects/{project_id}/send_broadcast`

use crate::broadcasts::read;
use crate::{ApiResult, Call, enter, idempotency};
use axum::extract::State;
use hub_app::broadcasts::PERMISSION;
use hub_app::broadcasts::create::create;
use hub_app::hub::Hub;
use hub_app::views::broadcast::BroadcastView;
use hub_web::{Answer, Fields};

/// Takes a broadcast, whatever its size: its messages are made from now on.
pub async fn send(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "send_broadcast")?;
    let command = read::broadcast(&call.params)?;
    let show = move |view: BroadcastView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}
