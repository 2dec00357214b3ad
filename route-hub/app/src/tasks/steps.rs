//! The steps that are under way: one of each project, and a few at once, so that a long one (a large file that is
//! put together, a store of files that does not answer) keeps nobody else waiting.

use crate::hub::Hub;
use crate::tasks::step::{self, Stepped};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hub_domain::Task;
use hub_store::{StoreError, tasks};
use postrider_model::{Now, ProjectId};
use std::collections::BTreeSet;

/// Most steps at once.
const AT_ONCE: usize = 4;

#[derive(Default)]
pub(super) struct Steps {
    under_way: FuturesUnordered<BoxFuture<'static, (ProjectId, bool)>>,
    projects: BTreeSet<ProjectId>,
    /// The project that the round has come to.
    above: i64,
}

impl Steps {
    /// Goes on with a round through the projects: starts a step of each that has none under way, as long as there
    /// is room for one more.
    pub(super) async fn start(&mut self, hub: &Hub, now: Now) -> Result<(), StoreError> {
        while self.projects.len() < AT_ONCE {
            let above = self.above;
            let reading = hub.store.read(move |tx| tasks::next_after(tx, above));
            let Some(task) = reading.await? else {
                self.above = 0;
                break;
            };
            let project = task.project_id;
            self.above = project.get();
            if hub.works_for(project) && self.projects.insert(project) {
                self.under_way.push(take(hub.clone(), task, now).boxed());
            }
        }
        Ok(())
    }

    /// Says whether the last round came to its end.
    pub(super) const fn is_round(&self) -> bool {
        self.above == 0
    }

    /// Waits until more can be started: a task has moved, or the round has not come to its end.
    pub(super) async fn free(&mut self) {
        while let Some(moved) = self.next().await {
            if moved || !self.is_round() {
                return;
            }
        }
        pending().await
    }

    /// Waits until a step ends, and says whether its task moved; `None` when none is under way.
    pub(super) async fn next(&mut self) -> Option<bool> {
        let (project, moved) = self.under_way.next().await?;
        self.projects.remove(&project);
        Some(moved)
    }
}

/// Takes a task further, or where it waits the next one of its project that does not.
async fn take(hub: Hub, task: Task, now: Now) -> (ProjectId, bool) {
    let project = task.project_id;
    let mut next = Some(task);
    while let Some(task) = next {
        let id = task.id;
        match go_on(&hub, task, now).await {
            Ok(Stepped::Moved) => return (project, true),
            Ok(Stepped::Waits) => {}
            Ok(Stepped::Stopped) => break,
            Err(error) => hub_store::failed!(error, error, task = %id, "a task could not go on"),
        }
        let share = hub.store.of(project);
        let following = share.read(move |tx| tasks::next_of(tx, project, id)).await;
        next = following.unwrap_or_default();
    }
    (project, false)
}

async fn go_on(hub: &Hub, task: Task, now: Now) -> Result<Stepped, StoreError> {
    match step::step(hub, task, now).await {
        // Another process changed something meanwhile: it is taken again at once.
        Err(StoreError::Stale) => Ok(Stepped::Moved),
        stepped => stepped,
    }
}

#[cfg(test)]
mod tests {
    use crate::actor::{Actor, Who};
    use crate::contacts::{self, ContactPatch, GroupChanges, Lookup, NewContact};
    use crate::projects::make;
    use crate::tasks::run;
    use crate::tasks::testing::{all, now_of, try_to_make};
    use crate::testing::{Office, named, wait};
    use hub_domain::{FilterType, TaskStatus, TaskType};
    use hub_media::{Blobs, S3};
    use serde_json::json;
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use tokio::runtime::Runtime;

    /// Starts a store of files that takes connections, counts them and never answers.
    fn silent_store(connections: &Arc<AtomicUsize>) -> Blobs {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::clone(connections);
        thread::spawn(move || {
            let mut open = Vec::new();
            for connection in listener.incoming() {
                open.push(connection);
                connections.fetch_add(1, Ordering::Relaxed);
            }
        });
        let at = S3 {
            bucket: "files".to_owned(),
            prefix: String::new(),
            region: "here".to_owned(),
            endpoint: Some(endpoint),
            path_style: true,
            keys: Some(("key".to_owned(), "secret".to_owned())),
        };
        Blobs::in_s3(&at).unwrap()
    }

    fn until(mut is_so: impl FnMut() -> bool) {
        while !is_so() {
            thread::yield_now();
        }
    }

    #[test]
    fn a_store_of_files_that_does_not_answer_holds_up_one_project() {
        let connections = Arc::default();
        let office = Office::with_files(|_| silent_store(&connections));
        let first = office.actor(Who::Operator);
        let command = named(&office.organization, "Second");
        let project = office.operate(move |work| make(work, &command)).unwrap();
        let second = Actor {
            project: Arc::new(project),
            ..first.clone()
        };
        for actor in [&first, &second] {
            let new = NewContact {
                lookup: Lookup::Nothing,
                patch: ContactPatch {
                    name: Some(Some("Ann".to_owned())),
                    ..ContactPatch::default()
                },
            };
            wait(contacts::create(actor, new, GroupChanges::default())).unwrap();
        }
        let everybody = || all(FilterType::QueryContacts, None);
        let given = json!({"filename": "people.csv"});
        let export = try_to_make(&first, TaskType::ExportContacts, given, everybody()).unwrap();
        let running = Runtime::new().unwrap();
        running.spawn(run(office.hub.clone()));
        until(|| connections.load(Ordering::Relaxed) > 0);
        let given = json!({"variable": "city", "value": "Oslo"});
        let other = try_to_make(&second, TaskType::UpdateContactVar, given, everybody()).unwrap();
        until(|| now_of(&second, other.id).status == TaskStatus::Complete);
        assert_eq!(now_of(&first, export.id).current_row, 0);
        let tries = connections.load(Ordering::Relaxed);
        assert_eq!(tries, 1, "the store was not asked again meanwhile");
        running.shutdown_background();
    }
}
