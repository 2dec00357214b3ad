//! Changing a task that is where it is thought to be.

use crate::actor::Actor;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Task;
use hub_store::{StoreError, Tx, tasks};
use postrider_model::UnixMs;
use std::sync::Arc;

/// Returns a task, unless it was cancelled, or somebody else has taken it further.
pub(super) fn current(tx: &mut Tx<'_>, thought: &Task) -> Result<Option<Task>, StoreError> {
    let task = tasks::get(tx, thought.project_id, thought.id)?;
    Ok(task.filter(|task| task == thought))
}

/// Writes the step of a task that is where it is thought to be; says whether it was.
pub(super) async fn commit(
    actor: &Actor,
    task: &Arc<Task>,
    mut step: impl FnMut(&mut UnitOfWork<'_, '_>, Task) -> Result<(), StoreError> + Send + 'static,
) -> Result<bool, StoreError> {
    let thought = Arc::clone(task);
    run(actor, move |work| match current(work.tx, &thought)? {
        Some(task) => step(work, task).map(|()| true),
        None => Ok(false),
    })
    .await
}

/// Changes a task that is where it is thought to be.
pub(super) async fn change(
    actor: &Actor,
    task: &Arc<Task>,
    change: impl Fn(&mut Task, UnixMs) + Send + 'static,
) -> Result<(), StoreError> {
    let changing = commit(actor, task, move |work, mut task| {
        change(&mut task, work.now.unix);
        tasks::update(work.tx, &task)
    });
    changing.await.map(drop)
}
