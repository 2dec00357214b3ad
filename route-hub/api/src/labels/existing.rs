//! `GET /projects/{project_id}/labels`, and of one label and its messages; `PUT` and `DELETE
//! /projects/{project_id}/labels/{label_id}/messages/{message_id}`.

use crate::labels::LABEL;
use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::messages::{self, MESSAGE, list_within};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::labels::{self, PERMISSION, VIEW};
use hub_app::messages::existing::Within;
use hub_store::labels::by;
use hub_store::list::Sort;
use hub_web::{Answer, Fields};

const LABELS: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

operation! {
    /// Lists the labels of a project.
    LIST = "listLabels": Project(VIEW), list -> List(&LABELS, &LABEL);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = labels::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one label.
    GET = "getLabel": Project(VIEW), get -> Object(&LABEL);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("label_id", "label")?;
    let fields = Fields::read(&call.params)?;
    let label = labels::get(&actor, id).await?;
    Ok(Answer::object(&label, &fields))
}

operation! {
    /// Lists the messages that have a label.
    MESSAGES = "listLabelMessages": Project(VIEW), messages -> List(&messages::LIST_OF, &MESSAGE);
}

async fn messages(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("label_id", "label")?;
    labels::get(&actor, id).await?;
    list_within(&actor, &call, Within::Label(id)).await
}

operation! {
    /// Puts a label on a message; one that has it keeps it.
    PUT_ON = "addLabel": Project(PERMISSION), put_on -> Nothing;
}

async fn put_on(actor: Actor, call: Call) -> ApiResult {
    let label = call.path_id("label_id", "label")?;
    let message = call.path_id("message_id", "message")?;
    labels::put_on(&actor, label, message).await?;
    Ok(Answer::void())
}

operation! {
    /// Takes a label off a message; one without it is left alone.
    TAKE_OFF = "removeLabel": Project(PERMISSION), take_off -> Nothing;
}

async fn take_off(actor: Actor, call: Call) -> ApiResult {
    let label = call.path_id("label_id", "label")?;
    let message = call.path_id("message_id", "message")?;
    labels::take_off(&actor, label, message).await?;
    Ok(Answer::void())
}
