//! Making a task: it is done from then on.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::tasks::filter::{Found, Of};
use crate::tasks::params::TaskParams;
use crate::tasks::types::{self, Doing};
use crate::tasks::{TaskView, VIEW};
use crate::transaction::{Once, Repeat, once, run_audited, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::vars;
use hub_domain::{Task, TaskStatus, TaskType, Vars, VarsChange};
use hub_store::list::Filter;
use hub_store::{data_rows, data_tables, data_views, tasks};
use hub_view::Refusal;

/// Making a task that writes to the audit log is there itself, with who made it.
const ACTION: &str = "task.create";

/// A task that somebody wants.
#[derive(Debug, Clone)]
pub struct NewTask {
    /// What it does.
    pub task_type: TaskType,
    /// With what.
    pub params: TaskParams,
    /// With which rows.
    pub found: Found,
    /// The caller's own variables.
    pub vars: VarsChange,
}

impl NewTask {
    fn check(&self, actor: &Actor) -> Result<(), Refusal> {
        let of = Of::found_by(self.found.filter_type);
        actor.require(VIEW)?;
        actor.require(types::permission(self.task_type))?;
        actor.require(of.view())?;
        if !Doing::read(self.task_type, &self.params)?.takes(of) {
            let rule = "finds nothing that this type of task can be done with";
            return Err(Refusal::invalid_param("filter_type", rule));
        }
        let rule = match (of, self.found.table) {
            (Of::Rows, None) => "is required with this filter_type",
            (Of::Contacts | Of::Messages, Some(_)) => "cannot be given with this filter_type",
            _ => return Ok(()),
        };
        Err(Refusal::invalid_param("table_id", rule))
    }

    /// Returns the conditions on rows, with those of the view that they are in.
    fn filters(&self, work: &mut UnitOfWork<'_, '_>) -> Result<Vec<Filter>, Failure> {
        let mut filters = self.found.filters.clone();
        let Some(table) = self.found.table else {
            return Ok(filters);
        };
        let project = work.project.id;
        if data_tables::get(work.tx, project, table)?.is_none() {
            let rule = "is not the id of a table of this project";
            return Err(Refusal::invalid_param("table_id", rule).into());
        }
        if let Some(view) = self.found.view {
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
        let names = Of::found_by(self.found.filter_type).names();
        let task = Task {
            id: work.id(),
            project_id: work.project.id,
            task_type: self.task_type,
            task_params: self.params.to_json(),
            filter_type: self.found.filter_type,
            filter_params: self.found.params.clone(),
            filters: names.write(&filters),
            table_id: self.found.table,
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
        };
        tasks::insert(work.tx, &task)?;
        if types::is_audited(task.task_type) {
            work.note(ACTION, task.id)?;
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
    let is_audited = types::is_audited(command.task_type);
    let decide = move |work: &mut UnitOfWork<'_, '_>| command.store(work).map(TaskView);
    let made = match is_audited {
        true => run_audited(actor, once(repeat, decide, show)).await?,
        false => run_once(actor, repeat, decide, show).await?,
    };
    actor.hub.bus.wake_tasks();
    Ok(made)
}
