//! Preparing a file: its encoding is found, its rows are counted, and its text is kept in UTF-8.

use super::{Column, Import, Preview, ROWS_MAX, Reading, ShownColumn, plan};
use crate::actor::Actor;
use crate::files::{out_of_reach, part_name};
use crate::tabular::{Counting, Decoding, Detecting, RECORD_BYTES_MAX, delimiter_of, records};
use crate::tasks::current::commit;
use crate::tasks::export::owner;
use crate::tasks::filter::{Of, Stuck};
use crate::tasks::parts;
use crate::{files, tabular};
use bytes::Bytes;
use hub_domain::Task;
use hub_media::{BlobName, Upload};
use hub_store::{fields, task_parts, tasks};
use plan::Into;
use std::sync::Arc;

/// How much of a text is looked at to find what stands between its cells.
const LOOK_BYTES: usize = 64 * 1024;

/// A text as it was kept.
struct Kept {
    encoding: &'static str,
    delimiter: u8,
    bytes: u64,
    records: u64,
}

pub(super) async fn prepare(import: &Import, actor: &Actor, task: &Arc<Task>) -> Result<(), Stuck> {
    let encoding = detect(import, actor).await?;
    let name = part_name(&actor.hub.random, task.id, 0)?;
    let kept = keep(import, actor, encoding, &name).await?;
    let head = kept.bytes.min(RECORD_BYTES_MAX as u64);
    let head = parts::bytes(actor, name.as_str(), 0..head).await?;
    let first = records(&head, kept.delimiter, true, 1).into_iter().next();
    let first = first.ok_or_else(|| Stuck::Ended("the file has no rows".to_owned()))?;
    let columns = columns(import, actor, task, &first.cells).await?;
    let rows = kept.records - u64::from(import.has_header);
    if rows > ROWS_MAX {
        let text = format!("the file has {rows} rows; it may have {ROWS_MAX}");
        return Err(Stuck::Ended(text));
    }
    let (end, line) = if import.has_header {
        (first.end, 1 + tabular::newlines(&head[..first.end]))
    } else {
        (0, 1)
    };
    let reading = Reading {
        delimiter: kept.delimiter,
        bytes: kept.bytes,
        line,
        preview: Preview {
            encoding: kept.encoding.to_owned(),
            delimiter: char::from(kept.delimiter).to_string(),
            columns: columns.iter().map(ShownColumn::of).collect(),
            ..Preview::default()
        },
        columns,
        is_read: false,
    };
    let (progress, name) = (reading.to_json(), name.as_str().to_owned());
    commit(actor, task, move |work, mut task| {
        task_parts::insert(work.tx, task.project_id, task.id, 0, &name)?;
        task.progress = Some(progress.clone());
        task.begin(Some(rows), work.now.unix);
        task.done_up_to = i64::try_from(end).unwrap_or(0);
        tasks::update(work.tx, &task)
    })
    .await?;
    Ok(())
}

async fn detect(import: &Import, actor: &Actor) -> Result<&'static encoding_rs::Encoding, Stuck> {
    let mut file = files::open(actor, import.file).await?;
    let mut detecting = Detecting::new();
    while let Some(bytes) = parts::next(&mut file).await? {
        detecting.feed(&bytes);
    }
    Ok(detecting.end())
}

/// Keeps the text of a file in UTF-8.
async fn keep(
    import: &Import,
    actor: &Actor,
    encoding: &'static encoding_rs::Encoding,
    name: &BlobName,
) -> Result<Kept, Stuck> {
    let mut writing = Writing {
        upload: actor.hub.files.blobs()?.upload(name),
        start: String::new(),
        counting: None,
        bytes: 0,
    };
    let written = writing.write_all(import, actor, encoding).await;
    let counting = match written {
        Ok(counting) => counting,
        Err(stuck) => {
            // What of it was sent already is swept.
            let _ = writing.upload.abort().await;
            return Err(stuck);
        }
    };
    let ending = writing.upload.finish().await;
    ending.map_err(|error| out_of_reach(&error))?;
    Ok(Kept {
        encoding: encoding.name(),
        delimiter: counting.0,
        bytes: writing.bytes,
        records: counting.1,
    })
}

struct Writing {
    upload: Upload,
    /// What is held back until what stands between cells is known.
    start: String,
    counting: Option<(u8, Counting)>,
    bytes: u64,
}

impl Writing {
    /// Writes the whole text; returns what stands between its cells, and how many records it has.
    async fn write_all(
        &mut self,
        import: &Import,
        actor: &Actor,
        encoding: &'static encoding_rs::Encoding,
    ) -> Result<(u8, u64), Stuck> {
        let no_text = |error: tabular::NoText| Stuck::Ended(error.to_string());
        let mut file = files::open(actor, import.file).await?;
        let mut decoding = Decoding::new(encoding);
        while let Some(bytes) = parts::next(&mut file).await? {
            let text = decoding.decode(&bytes, false).map_err(no_text)?;
            self.take(text).await?;
        }
        let last = decoding.decode(&[], true).map_err(no_text)?;
        self.take(last).await?;
        self.begin().await?;
        let (delimiter, mut counting) = self.counting.take().ok_or(Stuck::Waiting)?;
        check(counting.feed(&[]))?;
        Ok((delimiter, counting.records()))
    }

    async fn take(&mut self, text: String) -> Result<(), Stuck> {
        if self.counting.is_some() {
            return self.write(text).await;
        }
        self.start.push_str(&text);
        if self.start.len() < LOOK_BYTES {
            Ok(())
        } else {
            self.begin().await
        }
    }

    /// Finds what stands between cells, and writes what was held back.
    async fn begin(&mut self) -> Result<(), Stuck> {
        if self.counting.is_some() {
            return Ok(());
        }
        let start = std::mem::take(&mut self.start);
        let delimiter = delimiter_of(&start);
        self.counting = Some((delimiter, Counting::new(delimiter)));
        self.write(start).await
    }

    async fn write(&mut self, text: String) -> Result<(), Stuck> {
        if let (Some((_, counting)), false) = (&mut self.counting, text.is_empty()) {
            check(counting.feed(text.as_bytes()))?;
        }
        self.bytes += text.len() as u64;
        let writing = self.upload.write(Bytes::from(text)).await;
        writing.map_err(|error| out_of_reach(&error).into())
    }
}

fn check(is_short: bool) -> Result<(), Stuck> {
    if is_short {
        Ok(())
    } else {
        Err(Stuck::Ended(
            "a row is larger than 1 MiB: is a quote not closed?".to_owned(),
        ))
    }
}

/// Says what each column is read into.
async fn columns(
    import: &Import,
    actor: &Actor,
    task: &Task,
    first: &[String],
) -> Result<Vec<Column>, Stuck> {
    let of = match import.into {
        Into::Contacts => Of::Contacts,
        Into::Rows => Of::Rows,
    };
    let variables = match owner(of, task) {
        Some(owner) => {
            let project = task.project_id;
            let share = actor.hub.store.of(project);
            share
                .read(move |tx| fields::all(tx, project, owner))
                .await?
        }
        None => Vec::new(),
    };
    plan::columns(import, first, &variables)
}
