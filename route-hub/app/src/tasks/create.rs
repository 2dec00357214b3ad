//! Making a task: it is done from then on.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::holds::Holds;
use crate::tasks::filter::{Found, Of};
use crate::tasks::hold::Viewer;
use crate::tasks::params::TaskParams;
use crate::tasks::types::{self, Doing};
use crate::tasks::{TaskView, VIEW};
use crate::transaction::{Once, Repeat, once, run_audited, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::vars;
use hub_domain::{FileHolder, Task, TaskStatus, TaskType, Vars, VarsChange};
use hub_store::list::Filter;
use hub_store::{data_rows, data_tables, data_views, files, tasks};
use hub_view::Refusal;
use postrider_model::DataTableId;

/// A task that somebody wants.
#[derive(Debug, Clone)]
pub struct NewTask {
    /// What it does.
    pub task_type: TaskType,
    /// With what.
    pub params: TaskParams,
    /// With which rows.
    pub through: Through,
    /// The caller's own variables.
    pub vars: VarsChange,
}

/// What a task goes through.
#[derive(Debug, Clone)]
pub enum Through {
    /// What a filter finds.
    Found(Found),
    /// The rows of a file, which become those of a data table or contacts.
    File(Option<DataTableId>),
}

impl Through {
    fn table(&self) -> Option<DataTableId> {
        match self {
            Self::Found(found) => found.table,
            Self::File(table) => *table,
        }
    }
}

impl NewTask {
    fn check(&self, actor: &Actor) -> Result<(), Refusal> {
        actor.require(VIEW)?;
        actor.require(types::permission(self.task_type))?;
        let doing = Doing::read(self.task_type, &self.params)?;
        let needs_table = match &self.through {
            Through::Found(found) => {
                let of = Of::found_by(found.filter_type);
                actor.require(of.view())?;
                if !doing.takes(of) {
                    let rule = "finds nothing that this type of task can be done with";
                    return Err(Refusal::invalid_param("filter_type", rule));
                }
                of == Of::Rows
            }
            Through::File(_) if !matches!(doing, Doing::Import(_)) => {
                return Err(Refusal::invalid_param("filter_type", "is required"));
            }
            Through::File(_) => self.task_type == TaskType::ImportRows,
        };
        let rule = match (needs_table, self.through.table()) {
            (true, None) => "is required with this filter_type or type of task",
            (false, Some(_)) => "cannot be given with this filter_type or type of task",
            _ => return Ok(()),
        };
        Err(Refusal::invalid_param("table_id", rule))
    }

    /// Returns the conditions on rows, with those of the view that they are in.
    fn filters(&self, work: &mut UnitOfWork<'_, '_>) -> Result<Vec<Filter>, Failure> {
        let found = match &self.through {
            Through::Found(found) => Some(found),
            Through::File(_) => None,
        };
        let mut filters = found.map(|it| it.filters.clone()).unwrap_or_default();
        let Some(table) = self.through.table() else {
            return Ok(filters);
        };
        let project = work.project.id;
        if data_tables::get(work.tx, project, table)?.is_none() {
            let rule = "is not the id of a table of this project";
            return Err(Refusal::invalid_param("table_id", rule).into());
        }
        if let Some(view) = found.and_then(|it| it.view) {
            let view = data_views::get(work.tx, project, table, view)?;
            let rule = "is not the id of a view of this table";
            let view =
                view.ok_or_else(|| Refusal::invalid_param("filter_params[view_id]", rule))?;
            filters.extend(data_rows::filters(&view.filters));
        }
        Ok(filters)
    }

    fn store(&self, work: &mut UnitOfWork<'_, '_>) -> Result<Task, Failure> {
        Doing::read(self.task_type, &self.params)?.begin(work)?;
        let mut vars = Vars::default();
        vars::apply(&mut vars, &self.vars)?;
        let filters = self.filters(work)?;
        let (filter_type, filter_params, filters) = match &self.through {
            Through::Found(found) => {
                let names = Of::found_by(found.filter_type).names();
                let filters = names.write(&filters);
                (Some(found.filter_type), found.params.clone(), filters)
            }
            Through::File(_) => (None, "null".to_owned(), String::new()),
        };
        let task = Task {
            id: work.id(),
            project_id: work.project.id,
            task_type: self.task_type,
            task_params: self.params.to_json(),
            filter_type,
            filter_params,
            filters,
            table_id: self.through.table(),
            status: TaskStatus::Queued,
            total_rows: None,
            current_row: 0,
            done_up_to: 0,
            failed_rows: 0,
            problem: None,
            time_created: work.now.unix,
            time_active: None,
            time_complete: None,
            vars,
            file_id: None,
            errors_file_id: None,
            progress: None,
        };
        tasks::insert(work.tx, &task)?;
        if let Some(file) = self.params.file_id {
            let by = (FileHolder::Task, task.id.get());
            files::name(work.tx, work.project.id, by, &[file])?;
        }
        if types::is_making_audited(task.task_type) {
            work.note(types::action(task.task_type), task.id)?;
        }
        Ok(task)
    }
}

/// Makes a task, which works on what is there now.
pub async fn create(
    actor: &Actor,
    command: NewTask,
    repeat: Option<Repeat>,
    show: impl Fn(TaskView) -> String + Send + 'static,
) -> Result<Once<TaskView>, Failure> {
    command.check(actor)?;
    let is_audited = types::is_making_audited(command.task_type);
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let task = command.store(work)?;
        Ok::<_, Failure>(Viewer::new(Holds::within(work)).view(work.tx, task)?)
    };
    let made = if is_audited {
        run_audited(actor, once(repeat, decide, show)).await?
    } else {
        run_once(actor, repeat, decide, show).await?
    };
    actor.hub.bus.wake_tasks();
    Ok(made)
}
