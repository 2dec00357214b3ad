//! A task.

use crate::holds::{self, Hold};
use hub_domain::{FilterType, Task};
use hub_view::{ObjectWriter, Resource};
use serde_json::Value;

/// A task, and what it waits for.
#[derive(Debug, Clone)]
pub struct TaskView {
    /// The task.
    pub task: Task,
    /// Why it does not go on.
    pub hold: Option<Hold>,
}

impl Resource for TaskView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let task = &self.task;
        out.put("id", &task.id);
        out.put("task_type", task.task_type.as_str());
        out.put_json("task_params", &task.task_params);
        out.put("filter_type", &task.filter_type.map(FilterType::as_str));
        out.put_json("filter_params", &task.filter_params);
        out.put("time_created", &task.time_created.seconds());
        out.put("time_active", &task.time_active.map(|at| at.seconds()));
        out.put("time_complete", &task.time_complete.map(|at| at.seconds()));
        out.put("total_rows", &task.total_rows);
        out.put("current_row", &task.current_row);
        out.put("status", task.status.as_str());
        holds::write(out, self.hold);
        out.put("error_message", &task.error_message());
        out.put("vars", &task.vars);
        out.put("table_id", &task.table_id);
        out.put("file_id", &task.file_id);
        out.put("errors_file_id", &task.errors_file_id);
        out.put("preview", &preview(task));
        out.put("user_id", &None::<&str>);
        out.put("project_id", &task.project_id);
    }
}

/// Returns what a task that reads a file found in it, so far.
fn preview(task: &Task) -> Option<Value> {
    let progress: Value = serde_json::from_str(task.progress.as_deref()?).ok()?;
    progress.get("preview").cloned()
}
