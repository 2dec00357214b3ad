//! One step of a task: some rows and how far it came, in one transaction.

use crate::actor::Actor;
use crate::contacts::saving::Saving;
use crate::data_tables;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::plan::{self, Room};
use crate::steps;
use crate::tasks::current::{change, current};
use crate::tasks::filter::{Batch, Source, Stuck};
use crate::tasks::params::TaskParams;
use crate::tasks::types::{self, Doing, OfContacts, OfRows};
use crate::transaction::{run, run_audited};
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Contact, DataRow, Task, TaskStatus, TaskType};
use hub_store::{StoreError, Tx, contacts, tasks};
use postrider_model::{Now, UnixMs};
use std::fmt;
use std::sync::Arc;

/// Most rows of one step.
const STEP: u32 = 100;
/// Why a task ends whose table is gone.
const NO_TABLE: &str = "its table was deleted";

/// The rows of a step.
#[derive(Clone)]
struct Next {
    keys: Vec<i64>,
    /// Whether no row follows.
    is_end: bool,
}

impl Next {
    fn first(mut self, most: usize) -> Self {
        if most < self.keys.len() {
            self.keys.truncate(most);
            self.is_end = false;
        }
        self
    }
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stepped {
    /// The task is further than before.
    Moved,
    /// The task waits, for room in the plan for example; others of its project need not.
    Waits,
    /// The project is stopped.
    Stopped,
}

/// Takes a task one step further. That of a stopped project waits.
pub(super) async fn step(hub: &Hub, task: Task, now: Now) -> Result<Stepped, StoreError> {
    let basis = hub.store.basis();
    let project = hub.cache.project(&hub.store, task.project_id).await?;
    let Some(project) = project.filter(|project| !project.stopped) else {
        return Ok(Stepped::Stopped);
    };
    let actor = Actor::system(hub, &project, basis, now);
    let task = Arc::new(task);
    let stepped = match task.status {
        TaskStatus::Active => go_on(&actor, &task).await,
        _ => begin(&actor, &task).await,
    };
    match stepped {
        Ok(()) => Ok(Stepped::Moved),
        Err(Stuck::Waiting) => Ok(Stepped::Waits),
        Err(Stuck::Ended(problem)) => {
            let ending = end(&actor, &task, problem).await;
            ending.map(|()| Stepped::Moved)
        }
        Err(Stuck::Store(error)) => Err(error),
    }
}

/// Counts the rows, as far as that can be done in a while.
async fn begin(actor: &Actor, task: &Arc<Task>) -> Result<(), Stuck> {
    let doing = doing(task)?;
    if let Doing::Import(import) = &doing {
        return import.begin(actor, task).await;
    }
    let source = Source::of(task)?;
    let share = actor.hub.store.of(task.project_id);
    let total = match share.read(move |tx| source.count(tx)).await {
        Ok(total) => Some(total),
        Err(StoreError::TooSlow) => None,
        Err(error) => return Err(error.into()),
    };
    let progress = match &doing {
        Doing::Export(export) => Some(export.begin(actor, task).await?),
        _ => None,
    };
    change(actor, task, move |task, now| {
        task.progress.clone_from(&progress);
        task.begin(total, now);
    })
    .await?;
    Ok(())
}

/// Reads what a task does.
fn doing(task: &Task) -> Result<Doing, Stuck> {
    match TaskParams::from_json(&task.task_params) {
        Some(given) => Ok(Doing::read(task.task_type, &given)?),
        None => Err(Stuck::Ended("its parameters cannot be read".to_owned())),
    }
}

async fn end(actor: &Actor, task: &Arc<Task>, problem: String) -> Result<(), StoreError> {
    change(actor, task, move |task, now| {
        task.problem = Some(problem.clone());
        task.end(TaskStatus::Failed, now);
    })
    .await
}

/// Deals with the next rows.
async fn go_on(actor: &Actor, task: &Arc<Task>) -> Result<(), Stuck> {
    if task.table_id.is_some() && !is_table_there(actor, task).await? {
        return Err(Stuck::Ended(NO_TABLE.to_owned()));
    }
    match doing(task)? {
        Doing::Export(export) => return export.go_on(actor, task).await,
        Doing::Import(import) => return import.go_on(actor, task).await,
        _ => {}
    }
    let source = Source::of(task)?;
    let looking = source.clone();
    let share = actor.hub.store.of(task.project_id);
    let rows = share.read(move |tx| looking.left(tx, STEP)).await?;
    let keys = rows.keys();
    let next = Next {
        is_end: keys.len() < STEP as usize,
        keys,
    };
    let next = if types::sends(task.task_type) {
        with_room(actor, next).await?
    } else {
        next
    };
    let task_type = task.task_type;
    let fitting = steps::fitting(STEP, |most| {
        let (task, source) = (Arc::clone(task), source.clone());
        let next = next.clone().first(most as usize);
        let deal = move |work: &mut UnitOfWork<'_, '_>| deal(work, &task, &source, &next);
        run_as(actor, task_type, deal)
    });
    match fitting.await {
        Err(StoreError::OverBudget { .. }) => leave_out(actor, task, next.first(1)).await?,
        dealt => dealt?,
    }
    Ok(())
}

/// Cuts a step to the messages that there is room for, or lets the task wait until there is some.
async fn with_room(actor: &Actor, next: Next) -> Result<Next, Stuck> {
    let owner = actor.project.organization_id;
    let count = match plan::room(&actor.hub, owner, false, actor.now).await? {
        Room::Suspended => return Err(Stuck::Waiting),
        // What goes out again without being one more message needs no room: the step itself looks.
        room => room.of(next.keys.len()).unwrap_or(1),
    };
    make_room(actor, count).await?;
    Ok(next.first(count))
}

async fn make_room(actor: &Actor, count: usize) -> Result<(), Stuck> {
    match actor.make_room(count).await {
        Ok(()) => Ok(()),
        Err(Failure::Refused(_)) => Err(Stuck::Waiting),
        // Each row is told that it has no room.
        Err(Failure::Store(StoreError::Beyond(_))) => Ok(()),
        Err(Failure::Store(error)) => Err(error.into()),
    }
}

/// Runs a step, together with the audit log where what it does is written there.
async fn run_as<F>(actor: &Actor, task_type: TaskType, step: F) -> Result<(), StoreError>
where
    F: FnMut(&mut UnitOfWork<'_, '_>) -> Result<(), StoreError> + Send + 'static,
{
    if types::is_audited(task_type) {
        run_audited(actor, step).await
    } else {
        run(actor, step).await
    }
}

/// Passes over a row that is too much for one step.
async fn leave_out(actor: &Actor, task: &Arc<Task>, next: Next) -> Result<(), StoreError> {
    change(actor, task, move |task, now| {
        task.fail_row(|| "it is too much for one step".to_owned());
        pass(task, &next, now);
    })
    .await
}

/// Deals with rows in a transaction that also says how far the task came. Fails before the first write, or
/// with the database.
fn deal(
    work: &mut UnitOfWork<'_, '_>,
    thought: &Task,
    source: &Source,
    next: &Next,
) -> Result<(), StoreError> {
    let Some(mut task) = current(work.tx, thought)? else {
        return Ok(());
    };
    if !has_table(work, &task)? {
        return fail(work, task, NO_TABLE.to_owned());
    }
    let begun = match TaskParams::from_json(&task.task_params) {
        Some(given) => Doing::read(task.task_type, &given).map_err(Failure::from),
        None => return fail(work, task, "its parameters cannot be read".to_owned()),
    };
    let begun = begun.and_then(|mut doing| doing.begin(work).map(|()| doing));
    let doing = match begun {
        Ok(doing) => doing,
        Err(Failure::Store(error)) => return Err(error),
        Err(Failure::Refused(refusal)) => return fail(work, task, refusal.message().to_owned()),
    };
    let rows = if next.keys.is_empty() {
        Batch::Contacts(Vec::new())
    } else {
        source.among(work.tx, &next.keys)?
    };
    match (doing, rows) {
        (Doing::Contacts(doing), rows) => {
            let contacts = contacts_of(work.tx, &task, rows)?;
            with_contacts(work, &mut task, &*doing, contacts)?;
        }
        (Doing::Rows(doing), Batch::Rows(rows)) => with_rows(work, &mut task, &*doing, rows)?,
        (Doing::Messages(doing), Batch::Messages(messages)) => {
            for message in messages {
                let id = message.id;
                let done = doing.change(work, message);
                note(&mut task, id, done)?;
            }
        }
        // Nothing is left: a task goes through what its type takes.
        (Doing::Rows(_) | Doing::Messages(_) | Doing::Export(_) | Doing::Import(_), _) => {}
    }
    let now = work.now.unix;
    pass(&mut task, next, now);
    tasks::update(work.tx, &task)
}

async fn is_table_there(actor: &Actor, task: &Task) -> Result<bool, StoreError> {
    let (project, table) = (task.project_id, task.table_id);
    let share = actor.hub.store.of(project);
    let reading = share.read(move |tx| match table {
        Some(id) => hub_store::data_tables::get(tx, project, id),
        None => Ok(None),
    });
    Ok(reading.await?.is_some())
}

/// Says whether the table is there whose rows a task goes through.
fn has_table(work: &mut UnitOfWork<'_, '_>, task: &Task) -> Result<bool, StoreError> {
    match task.table_id {
        Some(id) => Ok(hub_store::data_tables::get(work.tx, task.project_id, id)?.is_some()),
        None => Ok(true),
    }
}

fn fail(work: &mut UnitOfWork<'_, '_>, mut task: Task, problem: String) -> Result<(), StoreError> {
    task.problem = Some(problem);
    task.end(TaskStatus::Failed, work.now.unix);
    tasks::update(work.tx, &task)
}

/// Notes that rows were passed, whatever became of them.
fn pass(task: &mut Task, next: &Next, now: UnixMs) {
    let up_to = next.keys.last().copied().unwrap_or(task.done_up_to);
    task.advance(next.keys.len() as u64, up_to);
    if next.is_end {
        task.end(TaskStatus::Complete, now);
    }
}

/// Returns the contacts of rows; of rows that are no contacts, those that the task meets for the first time.
fn contacts_of(tx: &mut Tx<'_>, task: &Task, rows: Batch) -> Result<Vec<Contact>, StoreError> {
    let rows = match rows {
        Batch::Contacts(contacts) => return Ok(contacts),
        rows => rows,
    };
    let mut found = Vec::new();
    for id in rows.contacts() {
        if tasks::take_once(tx, task.id, id)? {
            found.extend(contacts::get(tx, task.project_id, id)?);
        }
    }
    Ok(found)
}

fn with_contacts(
    work: &mut UnitOfWork<'_, '_>,
    task: &mut Task,
    doing: &dyn OfContacts,
    contacts: Vec<Contact>,
) -> Result<(), StoreError> {
    let mut saving = Saving::new(task.project_id, work.now);
    for contact in contacts {
        let id = contact.id;
        let done = doing.change(work, &mut saving, contact);
        note(task, id, done)?;
    }
    saving.finish(work)
}

fn with_rows(
    work: &mut UnitOfWork<'_, '_>,
    task: &mut Task,
    doing: &dyn OfRows,
    rows: Vec<DataRow>,
) -> Result<(), StoreError> {
    let Some(table) = task.table_id else {
        return Ok(());
    };
    let mut saving = data_tables::rows::saving::Saving::new(work, table);
    for row in rows {
        let id = row.id;
        let done = doing.change(work, &mut saving, row);
        note(task, id, done)?;
    }
    saving.finish(work)
}

/// Counts a row that was refused.
fn note(
    task: &mut Task,
    row: impl fmt::Display,
    done: Result<(), Failure>,
) -> Result<(), StoreError> {
    match done {
        Ok(()) => Ok(()),
        Err(Failure::Store(StoreError::Beyond(exceeded))) if !exceeded.limit.starts_again() => {
            task.fail_row(|| format!("{row}: {exceeded}"));
            Ok(())
        }
        Err(Failure::Store(error)) => Err(error),
        Err(Failure::Refused(refusal)) => {
            task.fail_row(|| format!("{row}: {}", refusal.message()));
            Ok(())
        }
    }
}
