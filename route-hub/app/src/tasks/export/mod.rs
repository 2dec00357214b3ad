//! `export_contacts`, `export_rows`, `export_messages`: writes what a filter finds to a file.
//!
//! A step writes one part of the file: its bytes are kept first, under a name that no other writing of the part
//! has, then one transaction notes the part and how far the task came. When all rows are in parts, these become
//! one file, whose row ends the task.

mod columns;
mod finish;
mod format;
mod page;
#[cfg(test)]
mod tests;

use crate::actor::Actor;
use crate::contacts;
use crate::data_tables;
use crate::files::{out_of_reach, part_name};
use crate::messages;
use crate::tasks::current::commit;
use crate::tasks::filter::{Of, Source, Stuck};
use crate::tasks::params::{TaskParams, refused, required};
use bytes::Bytes;
use columns::Column;
pub(super) use columns::owner;
use format::Format;
use hub_domain::{FILENAME_LENGTH_MAX, Permission, Task};
use hub_store::{StoreError, fields, task_parts, tasks};
use hub_view::Refusal;
use page::Page;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most columns that a task names.
pub const COLUMNS_MAX: usize = 200;
/// Bytes at which a part is full.
#[cfg(not(test))]
const PART_BYTES: usize = 4 * 1024 * 1024;
/// Small enough for a test to have several.
#[cfg(test)]
const PART_BYTES: usize = 64;

/// What is to be written.
#[derive(Debug, Clone)]
pub(super) struct Export {
    of: Of,
    format: Format,
    filename: String,
    /// `None`: all of them.
    columns: Option<Vec<Column>>,
}

/// How far a file is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    /// The names of its columns.
    columns: Vec<String>,
    parts: u32,
    /// Whether every row is in a part.
    is_read: bool,
}

/// Reads what is to be written.
pub(super) fn read(given: &TaskParams, of: Of) -> Result<Export, Refusal> {
    given.may_have(&["filename", "column_ids"])?;
    let filename = given.filename.as_deref().map(str::trim);
    let filename = filename.filter(|name| !name.is_empty());
    let filename = filename.ok_or_else(|| required("filename"))?;
    if filename.chars().count() > FILENAME_LENGTH_MAX {
        let rule = format_args!("must have at most {FILENAME_LENGTH_MAX} characters");
        return Err(refused("filename", rule));
    }
    let format = Format::of_name(filename);
    let format =
        format.ok_or_else(|| refused("filename", "must end with .csv, .json or .jsonl"))?;
    let columns = given.column_ids.as_deref().filter(|ids| !ids.is_empty());
    Ok(Export {
        of,
        format,
        filename: filename.to_owned(),
        columns: columns.map(|ids| named(of, ids)).transpose()?,
    })
}

fn named(of: Of, ids: &[String]) -> Result<Vec<Column>, Refusal> {
    let mut columns = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate() {
        let at = |rule: &str| {
            let param = format_args!("task_params[column_ids][{index}]");
            Refusal::invalid_param(param, rule)
        };
        let column = Column::named(of, id).ok_or_else(|| {
            let known = columns::fields_of(of).join(", ");
            at(&format!("must be vars.NAME or one of {known}"))
        })?;
        if columns.contains(&column) {
            return Err(at("is named before"));
        }
        columns.push(column);
    }
    Ok(columns)
}

impl Export {
    /// Returns what whoever fetches the file needs.
    pub(super) const fn view(&self) -> Permission {
        match self.of {
            Of::Contacts => contacts::VIEW,
            Of::Rows => data_tables::VIEW,
            Of::Messages => messages::VIEW,
        }
    }

    /// Says whether it writes what a filter finds.
    pub(super) fn takes(&self, of: Of) -> bool {
        self.of == of
    }

    /// Finds the columns, which stay the same in every part.
    pub(super) async fn begin(&self, actor: &Actor, task: &Task) -> Result<String, Stuck> {
        let columns = match (&self.columns, owner(self.of, task)) {
            (Some(columns), _) => columns.clone(),
            (None, None) => columns::all(self.of, &[]),
            (None, Some(owner)) => {
                let project = task.project_id;
                let share = actor.hub.store.of(project);
                let reading = share.read(move |tx| fields::all(tx, project, owner));
                columns::all(self.of, &reading.await?)
            }
        };
        let written = Written {
            columns: columns.iter().map(Column::name).collect(),
            parts: 0,
            is_read: false,
        };
        Ok(written.to_json())
    }

    /// Writes the next part, or ends the file.
    pub(super) async fn go_on(&self, actor: &Actor, task: &Arc<Task>) -> Result<(), Stuck> {
        let written = Written::of(task).ok_or_else(unreadable)?;
        let columns = written.columns.iter();
        let columns = columns.map(|name| Column::named(self.of, name));
        let columns: Option<Vec<_>> = columns.collect();
        let columns = columns.ok_or_else(unreadable)?;
        if written.is_read {
            finish::finish(self, actor, task, &columns, written.parts).await
        } else {
            self.write_part(actor, task, columns, written).await
        }
    }

    async fn write_part(
        &self,
        actor: &Actor,
        task: &Arc<Task>,
        columns: Vec<Column>,
        mut written: Written,
    ) -> Result<(), Stuck> {
        let mut source = Source::of(task)?;
        let columns: Arc<[Column]> = columns.into();
        let (mut bytes, mut rows, mut most) = (Vec::new(), 0, page::ROWS_FIRST);
        while bytes.len() < PART_BYTES && !written.is_read {
            let is_first = task.current_row + rows == 0;
            let page = self.page(actor, &source, &columns, is_first, most);
            let page = page.await?;
            most = fitting(&page);
            rows += page.rows;
            written.is_read = page.is_end;
            source.go_to(page.last);
            append(&mut bytes, page.bytes);
        }
        let last = source.above();
        let part = if bytes.is_empty() {
            None
        } else {
            Some(keep_part(actor, task, written.parts, bytes).await?)
        };
        let number = written.parts;
        written.parts += u32::from(part.is_some());
        let progress = written.to_json();
        commit(actor, task, move |work, mut task| {
            if let Some(name) = &part {
                task_parts::insert(work.tx, task.project_id, task.id, number, name)?;
            }
            task.advance(rows, last);
            task.progress = Some(progress.clone());
            tasks::update(work.tx, &task)
        })
        .await?;
        Ok(())
    }

    async fn page(
        &self,
        actor: &Actor,
        source: &Source,
        columns: &Arc<[Column]>,
        is_first: bool,
        most: u32,
    ) -> Result<Page, StoreError> {
        let wanted = page::Wanted {
            source: source.clone(),
            columns: Arc::clone(columns),
            all: self.columns.is_none(),
            format: self.format,
            addresses: actor.addresses(),
            is_first,
            most,
        };
        let share = actor.hub.store.of(actor.project.id);
        share.read(move |tx| wanted.read(tx)).await
    }
}

/// Returns how many rows like these the next page may have: what it holds is no more than a part.
fn fitting(page: &Page) -> u32 {
    let rows = page.rows.max(1) as usize;
    let row_bytes = (page.bytes.len() / rows).max(1);
    let most = u32::try_from(PART_BYTES / row_bytes).unwrap_or(u32::MAX);
    most.clamp(1, page::ROWS_MAX)
}

/// Puts bytes behind others; the first are taken as they are.
fn append(all: &mut Vec<u8>, more: Vec<u8>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.extend_from_slice(&more);
    }
}

/// Keeps the bytes of a part, before its row.
async fn keep_part(
    actor: &Actor,
    task: &Task,
    number: u32,
    bytes: Vec<u8>,
) -> Result<String, Stuck> {
    let name = part_name(&actor.hub.random, task.id, number)?;
    let putting = actor.hub.files.blobs()?.put(&name, Bytes::from(bytes));
    putting.await.map_err(|error| out_of_reach(&error))?;
    Ok(name.as_str().to_owned())
}

fn unreadable() -> Stuck {
    Stuck::Ended("its columns cannot be read".to_owned())
}

impl Written {
    fn of(task: &Task) -> Option<Self> {
        serde_json::from_str(task.progress.as_deref()?).ok()
    }

    fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}
