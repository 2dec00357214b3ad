//! What tests of tasks that write and read files have in common.

use super::{Found, NewTask, Through, create, get, round};
use crate::actor::Actor;
use crate::data_tables;
use crate::failure::Failure;
use crate::files::{self, Sheet, keep_sheet};
use crate::testing::wait;
use crate::transaction::Once;
use futures_util::{StreamExt as _, stream};
use hub_domain::{FilterType, StoredFile, Task, TaskType, VarsChange};
use postrider_model::{DataTableId, FileId, TaskId};
use serde_json::Value as Json;
use std::convert::Infallible;

pub(super) fn all(filter_type: FilterType, table: Option<DataTableId>) -> Through {
    Through::Found(Found {
        filter_type,
        table,
        view: None,
        params: "{}".to_owned(),
        filters: Vec::new(),
    })
}

pub(super) fn try_to_make(
    actor: &Actor,
    task_type: TaskType,
    params: Json,
    through: Through,
) -> Result<Task, Failure> {
    let task = NewTask {
        task_type,
        params: serde_json::from_value(params).unwrap(),
        through,
        vars: VarsChange::default(),
    };
    match wait(create(actor, task, None, |_| String::new()))? {
        Once::Done(made) => Ok(made.task),
        Once::Answer(_) => panic!("it named no key"),
    }
}

pub(super) fn refused(
    actor: &Actor,
    task_type: TaskType,
    params: Json,
    through: Through,
) -> String {
    let refusal = try_to_make(actor, task_type, params, through).unwrap_err();
    let refusal = refusal.into_refusal();
    refusal.param().unwrap_or(refusal.message()).to_owned()
}

pub(super) fn one_round(actor: &Actor) -> usize {
    wait(round(&actor.hub, actor.hub.now())).unwrap()
}

/// Runs a task to its end.
pub(super) fn done(actor: &Actor, task_type: TaskType, params: Json, through: Through) -> Task {
    let task = try_to_make(actor, task_type, params, through).unwrap();
    while one_round(actor) > 0 {}
    now_of(actor, task.id)
}

pub(super) fn now_of(actor: &Actor, id: TaskId) -> Task {
    wait(get(actor, id)).unwrap().task
}

pub(super) fn table(actor: &Actor, name: &str) -> DataTableId {
    let made = wait(data_tables::get_or_create(actor, name.to_owned()));
    made.unwrap().0.id
}

pub(super) fn stored(actor: &Actor, id: FileId) -> StoredFile {
    wait(files::get(actor, id)).unwrap().file().clone()
}

/// Returns what a file holds.
pub(super) fn text_of(actor: &Actor, id: Option<FileId>) -> String {
    let reading = async {
        let mut file = files::open(actor, id.unwrap()).await.unwrap();
        let mut all = Vec::new();
        while let Some(bytes) = file.next().await {
            all.extend_from_slice(&bytes.unwrap());
        }
        all
    };
    String::from_utf8(wait(reading)).unwrap()
}

/// Gives a file to import, in pieces.
pub(super) fn sheet(actor: &Actor, bytes: &[u8]) -> FileId {
    let pieces: Vec<_> = bytes.chunks(1_000).map(<[u8]>::to_vec).collect();
    let pieces = stream::iter(pieces.into_iter().map(|it| Ok::<_, Infallible>(it.into())));
    let sheet = Sheet {
        filename: Some("people.csv".to_owned()),
        description: None,
    };
    let kept = wait(keep_sheet(actor, sheet, pieces)).unwrap();
    kept.unwrap_or_else(|error| match error {}).file().id
}
