//! `GET /projects/{project_id}/broadcasts`, one of them, and `POST` to its `cancel`

use crate::lists::{DEFAULT, Entry, List, MIN_MAX};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::broadcasts::{self, PERMISSION, VIEW};
use hub_app::hub::Hub;
use hub_store::broadcasts::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields};

const LIST: List = List {
    filters: &[
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::time("last_message_time", by::LAST_MESSAGE_TIME, MIN_MAX),
    ],
    sorts: &[
        DEFAULT,
        ("last_message_time", Sort::by(by::LAST_MESSAGE_TIME)),
    ],
};

/// Lists the broadcasts of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let asked = LIST.read(&call.params)?;
    let listed = broadcasts::existing::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Shows one broadcast.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let view = broadcasts::existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Cancels a broadcast: from the answer on, no more messages are made or given to a phone.
pub async fn cancel(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let view = broadcasts::cancel::cancel(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}
