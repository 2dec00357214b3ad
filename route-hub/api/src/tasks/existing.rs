//! `GET /projects/{project_id}/tasks`, and of one task; `POST …/tasks/{task_id}/cancel`.

use crate::lists::{DEFAULT, List};
use crate::tasks::TASK;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::tasks::{self, VIEW};
use hub_web::{Answer, Fields};

const TASKS: List = List {
    filters: &[],
    sorts: &[DEFAULT],
};

operation! {
    /// Lists the tasks of a project.
    LIST = "listTasks": Project(VIEW), list -> List(&TASKS, &TASK);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = tasks::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one task.
    GET = "getTask": Project(VIEW), get -> Object(&TASK);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("task_id", "task")?;
    let fields = Fields::read(&call.params)?;
    let task = tasks::get(&actor, id).await?;
    Ok(Answer::object(&task, &fields))
}

operation! {
    /// Cancels a task: from the answer on it changes nothing more. One that has ended stays as it is. Needs the
    /// permission of the single operation, too.
    CANCEL = "cancelTask": Project(VIEW), cancel -> Object(&TASK);
}

async fn cancel(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("task_id", "task")?;
    let fields = Fields::read(&call.params)?;
    let task = tasks::cancel(&actor, id).await?;
    Ok(Answer::object(&task, &fields))
}
