//! The end of an export: its parts become one file.

use super::Export;
use super::columns::Column;
use crate::actor::Actor;
use crate::files::{TaskFile, Writing, remove_unused};
use crate::tasks::current::commit;
use crate::tasks::filter::Stuck;
use crate::tasks::parts;
use bytes::Bytes;
use hub_domain::{FileSource, Task, TaskStatus};
use hub_store::{files, tasks};
use std::sync::Arc;

pub(super) async fn finish(
    export: &Export,
    actor: &Actor,
    task: &Arc<Task>,
    columns: &[Column],
    count: u32,
) -> Result<(), Stuck> {
    let names = parts::names(actor, task, count).await?;
    let mut writing = Writing::begin(actor).await?;
    if let Err(stuck) = write(&mut writing, export, actor, columns, &names).await {
        writing.give_up().await;
        return Err(stuck);
    }
    let (media_type, served_type) = export.format.types();
    let of = TaskFile {
        filename: Some(export.filename.clone()),
        description: None,
        media_type,
        served_type,
        source: FileSource::Export,
        needs: Some(export.view()),
    };
    let file = writing.finish(actor, of).await?;
    let id = file.id;
    let ending = commit(actor, task, move |work, mut task| {
        files::insert(work.tx, &file)?;
        task.file_id = Some(file.id);
        task.end(TaskStatus::Complete, work.now.unix);
        tasks::update(work.tx, &task)
    });
    let is_kept = ending.await;
    match is_kept {
        Ok(true) => parts::remove(actor, &names).await,
        _ => remove_unused(actor, id).await,
    }
    Ok(is_kept.map(drop)?)
}

async fn write(
    writing: &mut Writing,
    export: &Export,
    actor: &Actor,
    columns: &[Column],
    names: &[String],
) -> Result<(), Stuck> {
    writing.write(export.format.head(columns).into()).await?;
    for name in names {
        let mut part = parts::open(actor, name, None).await?;
        while let Some(bytes) = parts::next(&mut part).await? {
            writing.write(bytes).await?;
        }
    }
    let tail = Bytes::from_static(export.format.tail());
    Ok(writing.write(tail).await?)
}
