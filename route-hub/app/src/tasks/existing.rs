//! Looking at tasks, and cancelling them.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::holds::Holds;
use crate::listing::{self, ListRequest, Listed};
use crate::tasks::filter::Of;
use crate::tasks::hold::Viewer;
use crate::tasks::{TaskView, VIEW, found, types};
use crate::transaction::run;
use hub_domain::TaskStatus;
use hub_store::tasks;
use postrider_model::TaskId;

/// Shows a task.
pub async fn get(actor: &Actor, id: TaskId) -> Result<TaskView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let viewer = actor.clone();
    let reading = actor.hub.store.of(project).read(move |tx| {
        let mut viewer = Viewer::new(Holds::for_reader(&viewer));
        let task = tasks::get(tx, project, id)?;
        task.map(|task| viewer.view(tx, task)).transpose()
    });
    Ok(found(reading.await?)?)
}

/// Lists the tasks of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<TaskView>, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let viewer = actor.clone();
    listing::list(
        actor.hub.store.of(project),
        request,
        move |tx, query| tasks::list(tx, project, query),
        move |tx, query| tasks::count(tx, project, query),
        move |tx, rows| {
            let mut viewer = Viewer::new(Holds::for_reader(&viewer));
            let rows = rows.into_iter();
            rows.map(|task| viewer.view(tx, task)).collect()
        },
    )
    .await
}

/// Cancels a task: from then on it changes nothing more. One that has ended stays as it is.
pub async fn cancel(actor: &Actor, id: TaskId) -> Result<TaskView, Failure> {
    actor.require(VIEW)?;
    let who = actor.who.clone();
    run(actor, move |work| {
        let mut task = found(tasks::get(work.tx, work.project.id, id)?)?;
        who.require(types::permission(task.task_type))?;
        if let Some(filter_type) = task.filter_type {
            who.require(Of::found_by(filter_type).view())?;
        }
        if task.status.is_under_way() {
            task.end(TaskStatus::Cancelled, work.now.unix);
            tasks::update(work.tx, &task)?;
        }
        Ok::<_, Failure>(Viewer::new(Holds::within(work)).view(work.tx, task)?)
    })
    .await
}
