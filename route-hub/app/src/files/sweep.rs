//! Sweeping: files that go by themselves, and bytes that have no row.

use crate::files::existing::remove_bytes;
use crate::files::parts::part_of;
use crate::hub::Hub;
use crate::steps;
use crate::worker::{self, Next, Worker};
use futures_util::StreamExt as _;
use hub_media::{BlobName, Blobs, Listed};
use hub_store::files::{self, Passing};
use hub_store::{Gate, StoreError, Tx, projects, task_parts};
use postrider_model::{FileId, ProjectId, UnixMs};
use std::pin::pin;
use std::time::{Duration, SystemTime};

/// How often files are swept.
const LOOK_EVERY: Duration = Duration::from_secs(3_600);
/// One day.
const DAY_MS: i64 = 24 * 3_600_000;
/// How long bytes stay without a row, and what a message brought stays when nothing names it.
const UNNAMED_MS: i64 = DAY_MS;
/// How long stays what tasks write and read.
const OF_TASKS_MS: i64 = 7 * DAY_MS;
/// Most rows looked at in one step.
const STEP: u32 = 100;
/// Most blobs whose rows are looked for in one step.
const BLOBS: usize = 500;

/// What a sweep removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Files with their rows.
    pub files: usize,
    /// Blobs that had no row, and what broken uploads left.
    pub blobs: usize,
}

/// Sweeps files until it is dropped.
pub async fn run(hub: Hub) {
    worker::run(Sweeping { hub }).await;
}

struct Sweeping {
    hub: Hub,
}

impl Worker for Sweeping {
    const FAILURE: &'static str = "files that are over could not be removed";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        sweep(&self.hub, self.hub.now().unix).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Removes what is over at `now`: rows of the projects that this process works for, and blobs where it
/// does what concerns no project.
pub async fn sweep(hub: &Hub, now: UnixMs) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let Ok(blobs) = hub.files.blobs() else {
        return Ok(swept);
    };
    let mut projects = hub.store.read(projects::all).await?;
    projects.retain(|project| hub.works_for(project.id));
    for project in projects {
        swept.files += sweep_project(hub, blobs, project.id, now).await?;
    }
    if hub.own_shares.owned().has_first() && hub.store.is_sure() {
        swept.blobs += sweep_blobs(hub, blobs, now).await?;
    }
    Ok(swept)
}

async fn sweep_project(
    hub: &Hub,
    blobs: &Blobs,
    project: ProjectId,
    now: UnixMs,
) -> Result<usize, StoreError> {
    let passing = Passing {
        now,
        unnamed_before: now.plus_ms(-UNNAMED_MS),
        of_tasks_before: now.plus_ms(-OF_TASKS_MS),
    };
    let (mut after, mut count) = ((UnixMs(0), 0), 0);
    loop {
        let began = hub.now().boot;
        let share = hub.store.hub_at(Gate::Project(project));
        let step = share.write(move |tx| files::remove_passed(tx, project, passing, after, STEP));
        let gone = step.await?;
        for id in &gone.files {
            remove_bytes(blobs, *id).await;
        }
        count += gone.files.len();
        match gone.next {
            Some(next) => after = next,
            None => return Ok(count),
        }
        steps::pause(hub.now().boot.since_ms(began)).await;
    }
}

async fn sweep_blobs(hub: &Hub, blobs: &Blobs, now: UnixMs) -> Result<usize, StoreError> {
    let before = now.plus_ms(-UNNAMED_MS);
    let mut found = pin!(blobs.list().ready_chunks(BLOBS));
    let mut count = 0;
    while let Some(page) = found.next().await {
        let listed: Result<Vec<Listed>, _> = page.into_iter().collect();
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                tracing::debug!(%error, "the files could not be listed");
                return Ok(count);
            }
        };
        let old = listed.iter().filter(|it| it.time_written_ms < before.0);
        let old: Vec<_> = old.map(|it| it.name.clone()).collect();
        count += remove_without_row(hub, blobs, old).await?;
    }
    count += unfinished(blobs, before).await;
    Ok(count)
}

async fn remove_without_row(
    hub: &Hub,
    blobs: &Blobs,
    names: Vec<BlobName>,
) -> Result<usize, StoreError> {
    let reading = hub.store.read(move |tx| without_row(tx, &names));
    let mut count = 0;
    for name in reading.await? {
        match blobs.delete(&name).await {
            Ok(()) => count += 1,
            Err(error) => tracing::debug!(%error, "bytes without a file could not be removed"),
        }
    }
    Ok(count)
}

/// Returns those of these blobs that are neither a file's nor a part of what a task goes on with.
fn without_row(tx: &mut Tx<'_>, names: &[BlobName]) -> Result<Vec<BlobName>, StoreError> {
    let ids: Vec<_> = names.iter().filter_map(file_of).collect();
    let missing = files::missing(tx, &ids)?;
    let mut without = Vec::new();
    for name in names {
        let is_gone = match (file_of(name), part_of(name)) {
            (Some(file), _) => missing.contains(&file),
            (None, Some((task, number))) => {
                !task_parts::is_needed(tx, task, number, name.as_str())?
            }
            (None, None) => false,
        };
        if is_gone {
            without.push(name.clone());
        }
    }
    Ok(without)
}

async fn unfinished(blobs: &Blobs, before: UnixMs) -> usize {
    let since = Duration::from_millis(u64::try_from(before.0).unwrap_or(0));
    match blobs
        .remove_unfinished(SystemTime::UNIX_EPOCH + since)
        .await
    {
        Ok(count) => count,
        Err(error) => {
            tracing::debug!(%error, "what broken uploads left could not be removed");
            0
        }
    }
}

/// Returns the file whose bytes, or whose thumbnail's, a blob has.
fn file_of(name: &BlobName) -> Option<FileId> {
    let name = name.as_str();
    name.strip_suffix(".thumbnail").unwrap_or(name).parse().ok()
}
