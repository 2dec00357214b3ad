//! Tasks, and how far they have come.

use crate::leftovers::{self, Holder};
use crate::list::{self, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, files, values};
use hub_domain::{FileHolder, FilterType, Task, TaskStatus, TaskType, Vars};
use postrider_model::{ContactId, ProjectId, TaskId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, task_type, task_params, filter_type, filter_params, filters, table_id, \
         status, total_rows, current_row, done_up_to, failed_rows, problem, time_created, \
         time_active, time_complete, vars, file_id, errors_file_id, progress"
    };
}

const TABLE: Table<Task> = Table::plain("tasks", columns!(), read);

/// Below the code of [`TaskStatus::Complete`], word for word as the index has it.
const NEXT: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM tasks WHERE status < 4 AND project_id > $1 ORDER BY project_id, id LIMIT 1"
);

/// Stores a new task.
pub fn insert(tx: &mut Tx<'_>, task: &Task) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO tasks (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
             $18, $19, $20, $21)"
        ),
        &values![
            task.id,
            task.project_id,
            task.task_type.code(),
            &task.task_params,
            filter_code(task.filter_type),
            &task.filter_params,
            &task.filters,
            task.table_id,
            task.status.code(),
            task.total_rows,
            task.current_row,
            task.done_up_to,
            task.failed_rows,
            &task.problem,
            task.time_created,
            task.time_active,
            task.time_complete,
            task.vars.to_json(),
            task.file_id,
            task.errors_file_id,
            &task.progress,
        ],
    )?;
    Ok(())
}

/// Stores how far a task has come. What one that ends has noted beside it is forgotten.
pub fn update(tx: &mut Tx<'_>, task: &Task) -> Result<(), StoreError> {
    tx.run(
        "UPDATE tasks SET status = $3, total_rows = $4, current_row = $5, done_up_to = $6, \
         failed_rows = $7, problem = $8, time_active = $9, time_complete = $10, file_id = $11, \
         errors_file_id = $12, progress = $13 WHERE id = $1 AND project_id = $2",
        &values![
            task.id,
            task.project_id,
            task.status.code(),
            task.total_rows,
            task.current_row,
            task.done_up_to,
            task.failed_rows,
            &task.problem,
            task.time_active,
            task.time_complete,
            task.file_id,
            task.errors_file_id,
            &task.progress,
        ],
    )?;
    if task.status.is_under_way() {
        Ok(())
    } else {
        // What tasks read and write stays for its time from when it was made.
        let ended = task.time_complete.unwrap_or(task.time_created);
        files::let_go(tx, FileHolder::Task, task.id.get(), ended)?;
        let mut holders = Holder::OF_TASKS.into_iter();
        holders.try_for_each(|holder| leftovers::remove(tx, holder, task.id.get()))
    }
}

/// What stands for a task that finds its rows in a file.
const IN_A_FILE: i64 = 0;

fn filter_code(filter_type: Option<FilterType>) -> i64 {
    filter_type.map_or(IN_A_FILE, FilterType::code)
}

/// Returns a project's task.
pub fn get(tx: &mut Tx<'_>, project_id: ProjectId, id: TaskId) -> Result<Option<Task>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tasks WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns the oldest task under way of the next project above a key.
pub fn next_after(tx: &mut Tx<'_>, project_above: i64) -> Result<Option<Task>, StoreError> {
    tx.query_one(NEXT, &values![project_above], read)
}

/// Returns a project's next task under way after one of it.
pub fn next_of(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    after: TaskId,
) -> Result<Option<Task>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tasks WHERE status < 4 AND project_id = $1 AND id > $2 \
             ORDER BY project_id, id LIMIT 1"
        ),
        &values![project_id, after],
        read,
    )
}

/// Notes that a task deals with a contact; says whether it is for the first time.
pub fn take_once(tx: &mut Tx<'_>, id: TaskId, contact: ContactId) -> Result<bool, StoreError> {
    let taken = tx.execute(
        "INSERT INTO task_contacts (task_id, contact_id) VALUES ($1, $2) \
         ON CONFLICT (task_id, contact_id) DO NOTHING",
        &values![id, contact],
    )?;
    Ok(taken == 1)
}

/// Returns a page of a project's tasks.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Task>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's tasks that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<Task, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Task {
        id: columns.id()?,
        project_id: columns.id()?,
        task_type: columns.coded(TaskType::from_code)?,
        task_params: columns.text()?,
        filter_type: columns.coded(|code| match code {
            IN_A_FILE => Some(None),
            code => FilterType::from_code(code).map(Some),
        })?,
        filter_params: columns.text()?,
        filters: columns.text()?,
        table_id: columns.opt_id()?,
        status: columns.coded(TaskStatus::from_code)?,
        total_rows: columns.opt_count()?,
        current_row: columns.count()?,
        done_up_to: columns.int()?,
        failed_rows: columns.count()?,
        problem: columns.opt_text()?,
        time_created: columns.time()?,
        time_active: columns.opt_time()?,
        time_complete: columns.opt_time()?,
        vars: columns.parsed(Vars::from_json)?,
        file_id: columns.opt_id()?,
        errors_file_id: columns.opt_id()?,
        progress: columns.opt_text()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Way;
    use crate::testing::TestDatabase;

    #[test]
    fn the_next_task_is_found_along_those_under_way() {
        let database = TestDatabase::fresh();
        let store = database.open();
        let plan = store.read_blocking(|tx| Way::of(tx, NEXT, &values![0]));
        let plan = plan.unwrap();
        assert!(plan.takes("tasks_under_way"), "{plan:?}");
        assert!(!plan.sorts(), "{plan:?}");
        assert_eq!(TaskStatus::Complete.code(), 4);
    }
}
