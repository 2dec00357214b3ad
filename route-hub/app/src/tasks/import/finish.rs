//! The end of an import: the rows that could not be taken become a file, to be corrected and given again.

use super::{Import, Reading};
use crate::actor::Actor;
use crate::files::{TaskFile, Writing, remove_unused};
use crate::tabular::{RECORD_BYTES_MAX, records};
use crate::tasks::current::commit;
use crate::tasks::filter::Stuck;
use crate::tasks::parts;
use csv::{Terminator, WriterBuilder};
use hub_domain::{FILENAME_LENGTH_MAX, FileSource, StoredFile, Task, TaskStatus};
use hub_store::task_parts::BadRow;
use hub_store::{files, task_parts, tasks};
use std::sync::Arc;

/// Most rows that are looked up together.
const PAGE: u32 = 500;
/// How much of the text is read for them at once.
const WINDOW_BYTES: u64 = 256 * 1024;
/// The last column: why the row could not be taken.
const ERROR: &str = "error";

pub(super) async fn finish(
    import: &Import,
    actor: &Actor,
    task: &Arc<Task>,
    reading: &Reading,
) -> Result<(), Stuck> {
    let names = parts::names(actor, task, 1).await?;
    let bad = match task.failed_rows {
        0 => None,
        _ => Some(keep(import, actor, task, reading, &names[0]).await?),
    };
    let id = bad.as_ref().map(|file| file.id);
    let is_kept = commit(actor, task, move |work, mut task| {
        if let Some(file) = &bad {
            files::insert(work.tx, file)?;
            task.errors_file_id = Some(file.id);
        }
        task.end(TaskStatus::Complete, work.now.unix);
        tasks::update(work.tx, &task)
    })
    .await?;
    match (is_kept, id) {
        (true, _) => parts::remove(actor, &names).await,
        (false, Some(id)) => remove_unused(actor, id).await,
        (false, None) => {}
    }
    Ok(())
}

/// Writes the bytes of the file with the rows that could not be taken.
async fn keep(
    import: &Import,
    actor: &Actor,
    task: &Task,
    reading: &Reading,
    name: &str,
) -> Result<StoredFile, Stuck> {
    let mut writing = Writing::begin(actor).await?;
    if let Err(stuck) = write(&mut writing, import, actor, task, reading, name).await {
        writing.give_up().await;
        return Err(stuck);
    }
    let of = TaskFile {
        filename: Some(filename(import, actor, task).await?),
        description: None,
        media_type: "text/csv",
        served_type: "text/csv; charset=utf-8",
        source: FileSource::Export,
        needs: Some(import.permission()),
    };
    Ok(writing.finish(actor, of).await?)
}

async fn filename(import: &Import, actor: &Actor, task: &Task) -> Result<String, Stuck> {
    let (project, id) = (task.project_id, import.file);
    let share = actor.hub.store.of(project);
    let file = share.read(move |tx| files::get(tx, project, id)).await?;
    let name = file.and_then(|file| file.filename).unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let end = " (errors).csv";
    let most = FILENAME_LENGTH_MAX - end.len();
    let stem: String = stem.chars().take(most).collect();
    Ok(if stem.is_empty() {
        "errors.csv".to_owned()
    } else {
        format!("{stem}{end}")
    })
}

async fn write(
    writing: &mut Writing,
    import: &Import,
    actor: &Actor,
    task: &Task,
    reading: &Reading,
    name: &str,
) -> Result<(), Stuck> {
    if import.has_header {
        let head = reading.columns.iter().map(|column| column.name.as_str());
        writing
            .write(line(reading, head.chain([ERROR])).into())
            .await?;
    }
    let (project, id) = (task.project_id, task.id);
    let mut from = 0;
    loop {
        let share = actor.hub.store.of(project);
        let page = share.read(move |tx| task_parts::bad_from(tx, project, id, from, PAGE));
        let page = page.await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        from = last.place + 1;
        let mut left = page.as_slice();
        while let Some(first) = left.first() {
            let end = first.place + WINDOW_BYTES.max(first.length);
            let fits = |row: &&BadRow| row.place + row.length <= end;
            let (now, then) = left.split_at(left.iter().take_while(fits).count().max(1));
            let bytes = window(actor, name, now).await?;
            writing.write(lines(reading, &bytes, now).into()).await?;
            left = then;
        }
    }
}

/// Reads the text of rows that follow one another.
async fn window(actor: &Actor, name: &str, rows: &[BadRow]) -> Result<Vec<u8>, Stuck> {
    match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => {
            let end = (last.place + last.length).min(first.place + 2 * RECORD_BYTES_MAX as u64);
            parts::bytes(actor, name, first.place..end).await
        }
        _ => Ok(Vec::new()),
    }
}

/// Writes rows with what is wrong about each.
fn lines(reading: &Reading, window: &[u8], rows: &[BadRow]) -> Vec<u8> {
    let start = rows.first().map_or(0, |row| row.place);
    let mut out = Vec::new();
    for row in rows {
        let from = usize::try_from(row.place - start).unwrap_or(0);
        let to = from.saturating_add(usize::try_from(row.length).unwrap_or(0));
        let text = window.get(from..to.min(window.len())).unwrap_or_default();
        let mut cells = records(text, reading.delimiter, true, 1);
        let mut cells = cells.pop().map(|record| record.cells).unwrap_or_default();
        if cells.len() < reading.columns.len() {
            cells.resize(reading.columns.len(), String::new());
        }
        cells.push(row.problem.clone());
        out.extend(line(reading, cells.iter().map(String::as_str)));
    }
    out
}

fn line<'c>(reading: &Reading, cells: impl Iterator<Item = &'c str>) -> Vec<u8> {
    let mut line = WriterBuilder::new()
        .delimiter(reading.delimiter)
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    let _ = line.write_record(cells);
    line.into_inner().unwrap_or_default()
}
