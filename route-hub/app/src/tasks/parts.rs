//! The blobs in which a task has the parts of a file.

use crate::actor::Actor;
use crate::files::out_of_reach;
use crate::tasks::filter::Stuck;
use bytes::Bytes;
use futures_util::StreamExt as _;
use hub_domain::Task;
use hub_media::{BlobError, BlobName, BlobStream};
use hub_store::{StoreError, task_parts};
use std::ops::Range;

/// Returns the names of a task's parts.
pub(super) async fn names(actor: &Actor, task: &Task, count: u32) -> Result<Vec<String>, Stuck> {
    let (project, id) = (task.project_id, task.id);
    let reading = actor.hub.store.of(project).read(move |tx| {
        let names = (0..count).map(|number| task_parts::name(tx, project, id, number));
        names.collect::<Result<Option<Vec<_>>, StoreError>>()
    });
    reading.await?.ok_or_else(missing)
}

/// Opens a part, or a range of its bytes.
pub(super) async fn open(
    actor: &Actor,
    name: &str,
    range: Option<Range<u64>>,
) -> Result<BlobStream, Stuck> {
    let name = BlobName::new(name).ok_or_else(missing)?;
    let opened = actor.hub.files.blobs()?.get(&name, range).await;
    opened.map_err(of_blob)
}

/// Returns the next bytes.
pub(super) async fn next(part: &mut BlobStream) -> Result<Option<Bytes>, Stuck> {
    part.next().await.transpose().map_err(of_blob)
}

/// Returns the bytes of a range.
pub(super) async fn bytes(actor: &Actor, name: &str, range: Range<u64>) -> Result<Vec<u8>, Stuck> {
    let mut part = open(actor, name, Some(range)).await?;
    let mut all = Vec::new();
    while let Some(bytes) = next(&mut part).await? {
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

/// Removes parts whose task has ended; what cannot be removed now is swept.
pub(super) async fn remove(actor: &Actor, names: &[String]) {
    let Ok(blobs) = actor.hub.files.blobs() else {
        return;
    };
    for name in names.iter().filter_map(BlobName::new) {
        let _ = blobs.delete(&name).await;
    }
}

fn of_blob(error: BlobError) -> Stuck {
    match error {
        BlobError::Missing => missing(),
        error => out_of_reach(&error).into(),
    }
}

fn missing() -> Stuck {
    Stuck::Ended("a part of its file is gone".to_owned())
}
