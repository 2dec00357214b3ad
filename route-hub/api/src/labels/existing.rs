//! `GET /projects/{project_id}/labels`, and of one label and its messages; `PUT` and `DELETE
//! /projects/{project_id}/labels/{label_id}/messages/{message_id}`.

use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::messages::list_within;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::labels::{self, PERMISSION, VIEW};
use hub_app::messages::existing::Within;
use hub_store::labels::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields};

const LIST: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the labels of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let asked = LIST.read(&call.params)?;
    let listed = labels::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Shows one label.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("label_id", "label")?;
    let fields = Fields::read(&call.params)?;
    let label = labels::get(&actor, id).await?;
    Ok(Answer::object(&label, &fields))
}

/// Lists the messages that have a label.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("label_id", "label")?;
    labels::get(&actor, id).await?;
    list_within(&actor, &call, Within::Label(id)).await
}

/// Puts a label on a message; one that has it keeps it.
pub async fn put_on(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let label = call.path_id("label_id", "label")?;
    let message = call.path_id("message_id", "message")?;
    labels::put_on(&actor, label, message).await?;
    Ok(Answer::void())
}

/// Takes a label off a message; one without it is left alone.
pub async fn take_off(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let label = call.path_id("label_id", "label")?;
    let message = call.path_id("message_id", "message")?;
    labels::take_off(&actor, label, message).await?;
    Ok(Answer::void())
}
