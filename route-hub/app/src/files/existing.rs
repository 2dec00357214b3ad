//! Looking at files, changing and removing them.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::files::{PERMISSION, VIEW, blob, found, thumbnail_blob};
use crate::listing::{self, ListRequest, Listed};
use crate::transaction::run;
use crate::views::file::FileView;
use futures_util::future::join_all;
use hub_domain::FileHolder;
use hub_media::{BlobName, Blobs};
use hub_store::files;
use hub_view::Refusal;
use postrider_model::FileId;
use std::time::Duration;
use tokio::time::timeout;

/// How long the answer waits for the bytes of a removed file to go; then they go behind it, or are swept.
const REMOVAL_WAITED_FOR: Duration = Duration::from_secs(2);

/// Returns one file.
pub async fn get(actor: &Actor, id: FileId) -> Result<FileView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let file = share.read(move |tx| files::get(tx, project, id)).await?;
    Ok(FileView::of(found(file)?, actor))
}

/// Lists the files of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<FileView>, Failure> {
    actor.require(VIEW)?;
    let viewer = actor.clone();
    let view = move |file| FileView::of(file, &viewer);
    listing::of_project(actor, request, files::list, files::count, view).await
}

/// What is to be changed of a file; `None` stays.
#[derive(Debug, Clone, Default)]
pub struct FilePatch {
    /// What it is called.
    pub filename: Option<Option<String>>,
    /// What people say about it.
    pub description: Option<Option<String>>,
}

/// Changes what a file is called and what is said about it.
pub async fn update(actor: &Actor, id: FileId, patch: FilePatch) -> Result<FileView, Failure> {
    actor.require(PERMISSION)?;
    let file = run(actor, move |work| {
        let mut file = found(files::get(work.tx, work.project.id, id)?)?;
        let FilePatch {
            filename,
            description,
        } = patch.clone();
        file.filename = filename.unwrap_or(file.filename);
        file.description = description.unwrap_or(file.description);
        files::update(work.tx, &file)?;
        Ok::<_, Failure>(file)
    })
    .await?;
    Ok(FileView::of(file, actor))
}

/// Removes a file that nothing names: its row, then its bytes.
pub async fn delete(actor: &Actor, id: FileId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let project = work.project.id;
        found(files::get(work.tx, project, id)?)?;
        if !files::delete(work.tx, project, id, work.now.unix)? {
            let by = files::holder(work.tx, id)?.map_or("something", words);
            let rule = format!("is a file in use: {by} names it");
            return Err(Refusal::invalid_param("file_id", rule).into());
        }
        Ok::<_, Failure>(())
    })
    .await?;
    if let Ok(blobs) = actor.hub.files.blobs() {
        let blobs = blobs.clone();
        let removing = tokio::spawn(async move { remove_bytes(&blobs, id).await });
        let _ = timeout(REMOVAL_WAITED_FOR, removing).await;
    }
    Ok(())
}

fn words(of: FileHolder) -> &'static str {
    match of {
        FileHolder::Message => "a message",
        FileHolder::Scheduled => "a scheduled message",
        FileHolder::RelativeScheduled => "a relative scheduled message",
        FileHolder::Broadcast => "a broadcast",
        FileHolder::Campaign => "a campaign",
        FileHolder::Template => "a message template",
        FileHolder::Task => "a task",
    }
}

/// Removes the bytes of a file whose row is gone, its thumbnail's at the same time; what cannot be removed now is
/// swept.
pub(super) async fn remove_bytes(blobs: &Blobs, id: FileId) {
    let names = [thumbnail_blob(id), blob(id)].into_iter().flatten();
    join_all(names.map(|name| remove(blobs, name))).await;
}

async fn remove(blobs: &Blobs, name: BlobName) {
    if let Err(error) = blobs.delete(&name).await {
        tracing::debug!(%error, "the bytes of a file that is gone are removed later");
    }
}
