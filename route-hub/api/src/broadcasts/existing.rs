//! `GET /projects/{project_id}/broadcasts`, one of them, and `POST` to its `cancel`

use crate::broadcasts::BROADCAST;
use crate::lists::{DEFAULT, Entry, List, MIN_MAX};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::broadcasts::{self, PERMISSION, VIEW};
use hub_store::broadcasts::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields};

const BROADCASTS: List = List {
    filters: &[
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::time("last_message_time", by::LAST_MESSAGE_TIME, MIN_MAX),
    ],
    sorts: &[
        DEFAULT,
        ("last_message_time", Sort::by(by::LAST_MESSAGE_TIME)),
    ],
};

operation! {
    /// Lists the broadcasts of a project.
    LIST = "listBroadcasts": Project(VIEW), list -> List(&BROADCASTS, &BROADCAST);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = broadcasts::existing::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one broadcast.
    GET = "getBroadcast": Project(VIEW), get -> Object(&BROADCAST);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let view = broadcasts::existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

operation! {
    /// Cancels a broadcast: from the answer on, no more messages are made or given to a phone.
    CANCEL = "cancelBroadcast": Project(PERMISSION), cancel -> Object(&BROADCAST);
}

async fn cancel(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let view = broadcasts::cancel::cancel(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}
