//! One step of an import: some rows of the file and how far it came, in one transaction.

use super::plan::Into;
use super::row::{self, Item, New};
use super::{Import, Problem, Reading, SHOWN_MAX};
use crate::actor::Actor;
use crate::contacts::saving::Saving;
use crate::contacts::{self, NewContact};
use crate::data_tables::rows::NewRow;
use crate::data_tables::rows::saving::Saving as SavingRows;
use crate::failure::{Failure, told};
use crate::steps;
use crate::tabular::{RECORD_BYTES_MAX, newlines, records};
use crate::tasks::current::commit;
use crate::tasks::filter::Stuck;
use crate::tasks::parts;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Task, TaskStatus, UsageType};
use hub_store::{StoreError, data_tables, task_parts, tasks, usage};
use postrider_model::DataTableId;
use std::sync::Arc;

/// Most rows of one step.
const STEP: u32 = 200;
/// How much of the text is read for a step; more where a row is larger.
const WINDOW_BYTES: u64 = 256 * 1024;

/// The rows of a step.
struct Next {
    items: Vec<Item>,
    /// Whether no row follows.
    is_end: bool,
    /// The text that they stand in, from where the task is.
    window: Vec<u8>,
}

pub(super) async fn step(
    import: &Import,
    actor: &Actor,
    task: &Arc<Task>,
    reading: Reading,
) -> Result<(), Stuck> {
    let next = Arc::new(next(import, actor, task, &reading).await?);
    let (import, reading) = (Arc::new(import.clone()), Arc::new(reading));
    let fitting = steps::fitting(STEP, |most| {
        let (import, reading) = (Arc::clone(&import), Arc::clone(&reading));
        let next = Arc::clone(&next);
        commit(actor, task, move |work, task| {
            take(work, &import, task, &reading, &next, most as usize, None)
        })
    });
    match fitting.await {
        Err(StoreError::OverBudget { .. }) => {
            let (import, reading) = (Arc::clone(&import), Arc::clone(&reading));
            let next = Arc::clone(&next);
            let too_much = Some("it is too much for one step");
            commit(actor, task, move |work, task| {
                take(work, &import, task, &reading, &next, 1, too_much)
            })
            .await?;
        }
        taken => drop(taken?),
    }
    Ok(())
}

/// Reads the next rows, outside of the job.
async fn next(
    import: &Import,
    actor: &Actor,
    task: &Task,
    reading: &Reading,
) -> Result<Next, Stuck> {
    let from = u64::try_from(task.done_up_to).unwrap_or(0);
    let name = parts::names(actor, task, 1).await?.remove(0);
    let region = actor.project.country.as_deref();
    for bytes in [WINDOW_BYTES, 2 * RECORD_BYTES_MAX as u64] {
        let to = reading.bytes.min(from + bytes);
        let window = if from < to {
            parts::bytes(actor, &name, from..to).await?
        } else {
            Vec::new()
        };
        let is_last = to == reading.bytes;
        let found = records(&window, reading.delimiter, is_last, STEP as usize);
        if found.is_empty() && !is_last {
            continue;
        }
        let at = (from, reading.line);
        let read = |record| row::read(import, &reading.columns, record, at, region);
        let mut items: Vec<_> = found.iter().map(read).collect();
        for item in &mut items {
            check_route(actor, item, reading).await?;
        }
        return Ok(Next {
            is_end: is_last && items.len() < STEP as usize,
            items,
            window,
        });
    }
    Err(Stuck::Ended("a row is larger than 1 MiB".to_owned()))
}

async fn check_route(actor: &Actor, item: &mut Item, reading: &Reading) -> Result<(), Stuck> {
    let Ok(New::Contact(new)) = &item.read else {
        return Ok(());
    };
    match contacts::check_route(actor, new.patch.default_route_id).await {
        Ok(()) => Ok(()),
        Err(Failure::Refused(refusal)) => {
            item.read = Err(problem(item.line, reading, &Failure::Refused(refusal)));
            Ok(())
        }
        Err(failure) => Err(failure.into()),
    }
}

fn problem(line: u64, reading: &Reading, failure: &Failure) -> Problem {
    let (column, message) = match failure {
        Failure::Refused(refusal) => row::of_refusal(&reading.columns, refusal),
        Failure::Store(error) => (None, error.to_string()),
    };
    Problem {
        line,
        column,
        message,
    }
}

/// Takes up to `most` rows in a transaction that also says how far the task came; where they are `too_much`,
/// passes over them.
fn take(
    work: &mut UnitOfWork<'_, '_>,
    import: &Import,
    mut task: Task,
    reading: &Reading,
    next: &Next,
    most: usize,
    too_much: Option<&str>,
) -> Result<(), StoreError> {
    let mut reading = reading.clone();
    let items = &next.items[..next.items.len().min(most)];
    let mut taking = match Taking::begin(work, import, &task, items) {
        Ok(taking) => taking,
        Err(Failure::Store(error)) => return Err(error),
        Err(Failure::Refused(refusal)) => {
            task.problem = Some(refusal.message().to_owned());
            task.end(TaskStatus::Failed, work.now.unix);
            return tasks::update(work.tx, &task);
        }
    };
    for item in items {
        let taken = match (&item.read, too_much) {
            (Err(problem), _) => Err(problem.clone()),
            (Ok(_), Some(reason)) => Err(Problem {
                line: item.line,
                column: None,
                message: reason.to_owned(),
            }),
            (Ok(new), None) => match taking.take(work, import, new, reading.preview.created) {
                Err(Failure::Store(error)) => return Err(error),
                Err(refused) => Err(problem(item.line, &reading, &refused)),
                Ok(taken) => Ok(taken),
            },
        };
        match taken {
            Ok(Taken::Nothing) => {}
            Ok(taken) => {
                reading.preview.created += u64::from(taken == Taken::New);
                reading.preview.updated += u64::from(taken == Taken::There);
                if reading.preview.rows.len() < SHOWN_MAX {
                    reading.preview.rows.push(item.shown.clone());
                }
            }
            Err(problem) => note(work, &mut task, &mut reading, item, problem)?,
        }
    }
    taking.finish(work)?;
    let from = u64::try_from(task.done_up_to).unwrap_or(0);
    let end = items.last().map_or(from, |item| item.end);
    let passed = usize::try_from(end - from).unwrap_or(0);
    reading.line += newlines(&next.window[..passed]);
    reading.is_read = next.is_end && items.len() == next.items.len();
    task.advance(items.len() as u64, i64::try_from(end).unwrap_or(i64::MAX));
    task.progress = Some(reading.to_json());
    tasks::update(work.tx, &task)
}

/// Notes a row that could not be taken.
fn note(
    work: &mut UnitOfWork<'_, '_>,
    task: &mut Task,
    reading: &mut Reading,
    item: &Item,
    problem: Problem,
) -> Result<(), StoreError> {
    let bad = task_parts::BadRow {
        place: item.place,
        length: item.end - item.place,
        problem: problem.sentence(),
    };
    task_parts::insert_bad(work.tx, task.project_id, task.id, &bad)?;
    task.fail_row(|| format!("line {}: {}", problem.line, bad.problem));
    reading.note(problem);
    Ok(())
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Nothing,
    New,
    There,
}

/// The rows that one unit of work takes.
enum Taking {
    Contacts {
        saving: Saving,
        groups: contacts::FoundGroups,
        new: Vec<contacts::saving::Saved>,
    },
    Rows(DataTableId, SavingRows),
}

impl Taking {
    /// Looks up what all of them need, before the first write.
    fn begin(
        work: &mut UnitOfWork<'_, '_>,
        import: &Import,
        task: &Task,
        items: &[Item],
    ) -> Result<Self, Failure> {
        let project = work.project.id;
        if import.into == Into::Contacts {
            let contacts: Vec<NewContact> = items.iter().filter_map(contact).cloned().collect();
            let groups = import.groups.find(work)?;
            NewContact::look_up(work, &contacts)?;
            return Ok(Self::Contacts {
                saving: Saving::new(project, work.now),
                groups,
                new: Vec::new(),
            });
        }
        let no_table = || hub_view::Refusal::invalid_param("table_id", "was deleted");
        let table = task.table_id.ok_or_else(no_table)?;
        if data_tables::get(work.tx, project, table)?.is_none() {
            return Err(no_table().into());
        }
        let about = items
            .iter()
            .filter_map(row)
            .filter_map(|new| new.patch.contact_id.flatten());
        work.contacts.look_up(work.tx, project, about)?;
        Ok(Self::Rows(table, SavingRows::new(work, table)))
    }

    /// Takes one. It refuses before its first write. A dry run counts what is `created` by then as there.
    fn take(
        &mut self,
        work: &mut UnitOfWork<'_, '_>,
        import: &Import,
        new: &New,
        created: u64,
    ) -> Result<Taken, Failure> {
        let would_be = if import.dry_run {
            i64::try_from(created).unwrap_or(i64::MAX)
        } else {
            0
        };
        let is_new = match (self, new) {
            (Self::Contacts { .. }, New::Contact(new)) if import.dry_run => {
                let is_new = new.resolve(work)?.0.is_none();
                if is_new {
                    check_room(work, UsageType::Contacts, would_be + 1)?;
                }
                is_new
            }
            (
                Self::Contacts {
                    saving,
                    groups,
                    new: all,
                },
                New::Contact(new),
            ) => {
                if usage::is_limited(work.tx) && new.resolve(work)?.0.is_none() {
                    check_room(work, UsageType::Contacts, 1)?;
                }
                let saved = contacts::save_one(work, saving, groups, new)?;
                let is_new = saved.is_new;
                all.extend(is_new.then_some(saved));
                is_new
            }
            (Self::Rows(table, saving), New::Row(new)) => {
                new.check(work, *table)?;
                let is_new = new.find(work, *table)?.is_none();
                if is_new {
                    check_room(work, UsageType::DataRows, saving.more() + would_be + 1)?;
                }
                if !import.dry_run {
                    new.save(work, *table, saving)?;
                }
                is_new
            }
            _ => return Ok(Taken::Nothing),
        };
        Ok(if is_new { Taken::New } else { Taken::There })
    }

    fn finish(self, work: &mut UnitOfWork<'_, '_>) -> Result<(), StoreError> {
        match self {
            Self::Rows(_, saving) => saving.finish(work),
            Self::Contacts { saving, new, .. } => {
                saving.finish(work)?;
                new.iter()
                    .try_for_each(|saved| contacts::tell_of_new(work, saved))
            }
        }
    }
}

/// Refuses a row that the organization's plan has no room for.
fn check_room(work: &mut UnitOfWork<'_, '_>, kind: UsageType, more: i64) -> Result<(), Failure> {
    match usage::check(work.tx, kind, more) {
        Err(error @ StoreError::Beyond(_)) => Err(told(&error).into()),
        checked => Ok(checked?),
    }
}

fn contact(item: &Item) -> Option<&NewContact> {
    match &item.read {
        Ok(New::Contact(new)) => Some(new),
        _ => None,
    }
}

fn row(item: &Item) -> Option<&NewRow> {
    match &item.read {
        Ok(New::Row(new)) => Some(new),
        _ => None,
    }
}
