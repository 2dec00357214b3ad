//! `import_contacts`, `import_rows`: finds or makes what the rows of a file say, as the operations of these
//! names do for what a request says.
//!
//! The file is first turned into UTF-8 beside itself (`prepare`): a step can then go on at any byte. Each step
//! takes some rows in one transaction, which also says how far the task came. Rows that cannot be taken are
//! noted, and become a file at the end (`finish`).

mod cell;
mod finish;
mod plan;
mod prepare;
mod row;
mod step;
#[cfg(test)]
mod tests;

use crate::actor::Actor;
use crate::contacts::{self, GroupChanges};
use crate::data_tables;
use crate::failure::Failure;
use crate::tasks::filter::Stuck;
use crate::tasks::params::{ColumnRef, TaskParams, refused, required};
use crate::unit_of_work::UnitOfWork;
use hub_domain::{FileSource, Permission, Task};
use hub_store::files;
use hub_view::Refusal;
use plan::{Field, Into, Key};
use postrider_model::FileId;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most rows of a file.
pub const ROWS_MAX: u64 = 100_000;
/// Most rows that a preview shows.
const SHOWN_MAX: usize = 20;
/// Most errors that a preview shows.
const ERRORS_MAX: usize = 100;

/// What is to be read, and into what.
#[derive(Debug, Clone)]
pub(super) struct Import {
    into: Into,
    file: FileId,
    /// `None`: by the names in the first line.
    columns: Option<BTreeMap<String, ColumnRef>>,
    has_header: bool,
    key: Key,
    groups: GroupChanges,
    dry_run: bool,
}

/// How far a file is read.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Reading {
    delimiter: u8,
    /// The bytes of its text in UTF-8.
    bytes: u64,
    /// The line that is read next.
    line: u64,
    columns: Vec<Column>,
    /// Whether every row was dealt with.
    is_read: bool,
    preview: Preview,
}

/// A column of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Column {
    /// What it is called: by its name in the first line, or by its place.
    name: String,
    /// What it is read into; `None`: nothing.
    field: Option<Field>,
    /// What its values are.
    #[serde(default)]
    values: plan::Values,
}

/// What whoever made the task sees of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Preview {
    encoding: String,
    delimiter: String,
    columns: Vec<ShownColumn>,
    /// The first rows, as they are taken.
    rows: Vec<Json>,
    created: u64,
    updated: u64,
    failed: u64,
    errors: Vec<Problem>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ShownColumn {
    column: String,
    field: Option<String>,
}

/// Why a row cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Problem {
    line: u64,
    column: Option<String>,
    message: String,
}

pub(super) fn read_of_contacts(given: &TaskParams) -> Result<Import, Refusal> {
    given.may_have(&[
        "file_id",
        "columns",
        "has_header",
        "lookup_key",
        "dry_run",
        "add_group_ids",
        "remove_group_ids",
    ])?;
    read(given, Into::Contacts)
}

pub(super) fn read_of_rows(given: &TaskParams) -> Result<Import, Refusal> {
    given.may_have(&["file_id", "columns", "has_header", "lookup_key", "dry_run"])?;
    read(given, Into::Rows)
}

/// Reads digits as places: a form has only texts, and without a line of names no column has a name.
fn by_place(columns: BTreeMap<String, ColumnRef>) -> BTreeMap<String, ColumnRef> {
    let columns = columns.into_iter();
    let place = |column| match column {
        ColumnRef::Name(name) => match name.parse() {
            Ok(place) => ColumnRef::Place(place),
            Err(_) => ColumnRef::Name(name),
        },
        place @ ColumnRef::Place(_) => place,
    };
    columns
        .map(|(name, column)| (name, place(column)))
        .collect()
}

fn read(given: &TaskParams, into: Into) -> Result<Import, Refusal> {
    let key = Key::read(into, given.lookup_key.as_deref())?;
    let has_header = given.has_header.unwrap_or(true);
    let columns = given.columns.clone().filter(|columns| !columns.is_empty());
    let columns = if has_header {
        columns
    } else {
        columns.map(by_place)
    };
    match &columns {
        Some(columns) => plan::check(into, &key, columns, has_header)?,
        None if has_header => {}
        None => return Err(refused("columns", "is required without a line of names")),
    }
    Ok(Import {
        into,
        file: given.file_id.ok_or_else(|| required("file_id"))?,
        columns,
        has_header,
        key,
        groups: GroupChanges {
            join: given.add_group_ids.clone().unwrap_or_default(),
            leave: given.remove_group_ids.clone().unwrap_or_default(),
        },
        dry_run: given.dry_run.unwrap_or(false),
    })
}

impl Import {
    /// Refuses a file and groups that are not there.
    pub(super) fn check(&self, work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        let file = files::get(work.tx, work.project.id, self.file)?;
        if file.is_none_or(|file| file.source != FileSource::Import) {
            let rule = "is not the id of a file of this project that was given as text/csv";
            return Err(refused("file_id", rule).into());
        }
        let found = self.groups.find(work);
        found.map_err(|failure| failure.within("task_params"))?;
        Ok(())
    }

    /// Returns what whoever imports by a request needs.
    const fn permission(&self) -> Permission {
        match self.into {
            Into::Contacts => contacts::PERMISSION,
            Into::Rows => data_tables::PERMISSION,
        }
    }

    /// Prepares the file.
    pub(super) async fn begin(&self, actor: &Actor, task: &Arc<Task>) -> Result<(), Stuck> {
        prepare::prepare(self, actor, task).await
    }

    /// Takes the next rows, or ends.
    pub(super) async fn go_on(&self, actor: &Actor, task: &Arc<Task>) -> Result<(), Stuck> {
        let reading = task.progress.as_deref();
        let reading = reading.and_then(|text| serde_json::from_str::<Reading>(text).ok());
        let unreadable = || Stuck::Ended("what it noted cannot be read".to_owned());
        let reading = reading.ok_or_else(unreadable)?;
        if reading.is_read {
            finish::finish(self, actor, task, &reading).await
        } else {
            step::step(self, actor, task, reading).await
        }
    }
}

impl Reading {
    fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Notes why a row cannot be taken.
    fn note(&mut self, problem: Problem) {
        self.preview.failed += 1;
        if self.preview.errors.len() < ERRORS_MAX {
            self.preview.errors.push(problem);
        }
    }
}

impl Problem {
    /// Says it as one sentence, without the line.
    fn sentence(&self) -> String {
        match &self.column {
            Some(column) => format!("{column}: {}", self.message),
            None => self.message.clone(),
        }
    }
}
