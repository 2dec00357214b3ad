//! The cap on a project's queue, checked per request without counting each time.

use crate::failure::Failure;
use crate::hub::cache::ById;
use hub_domain::Project;
use hub_store::{Store, messages};
use hub_view::Refusal;
use postrider_model::{BootMs, Now, ProjectId};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// At the cap, the queue is counted anew at most this often.
const COUNT_EVERY_MS: u64 = 1_000;
/// What a refused caller is told to wait.
const RETRY_AFTER_S: u32 = 5;

/// For each project, the most that can be queued: what was counted once, and what was accepted
/// since. Only when that reaches the cap is the queue counted again.
#[derive(Debug, Default)]
pub struct QueueCaps(Mutex<ById<ProjectId, Usage>>);

#[derive(Debug, Clone, Copy)]
struct Usage {
    most: i64,
    accepted: i64,
    counted_at: BootMs,
}

impl QueueCaps {
    /// Makes room for `count` messages of a project.
    ///
    /// # Errors
    /// `rate_limited` when the queue is too full for them.
    pub async fn admit(
        &self,
        store: &Store,
        project: &Project,
        count: usize,
        now: Now,
    ) -> Result<(), Failure> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let known = match self.take(project, count) {
            Ok(()) => return Ok(()),
            Err(known) => known,
        };
        let fresh = known.is_some_and(|usage| now.boot.since_ms(usage.counted_at) < COUNT_EVERY_MS);
        if !fresh {
            let (id, most) = (project.id, project.queue_cap.saturating_add(1));
            let counting = store
                .of(id)
                .read(move |tx| messages::count_queued(tx, id, most));
            let counted = counting.await?;
            self.counted(project.id, counted, known, now.boot);
            if self.take(project, count).is_ok() {
                return Ok(());
            }
        }
        let text = "the project's queue is full: messages must leave before more are taken";
        Err(Refusal::rate_limited(text, RETRY_AFTER_S).into())
    }

    fn take(&self, project: &Project, count: i64) -> Result<(), Option<Usage>> {
        let mut usages = self.lock();
        let Some(usage) = usages.get_mut(&project.id) else {
            return Err(None);
        };
        if usage.most.saturating_add(count) > project.queue_cap {
            return Err(Some(*usage));
        }
        usage.most += count;
        usage.accepted += count;
        Ok(())
    }

    /// Takes a count; what was accepted while it ran may or may not be in it, and is added.
    fn counted(&self, id: ProjectId, counted: i64, before: Option<Usage>, now: BootMs) {
        let mut usages = self.lock();
        let accepted = usages.get(&id).map_or(0, |usage| usage.accepted);
        let meanwhile = accepted - before.map_or(0, |usage| usage.accepted);
        usages.insert(
            id,
            Usage {
                most: counted + meanwhile,
                accepted,
                counted_at: now,
            },
        );
    }

    fn lock(&self) -> MutexGuard<'_, ById<ProjectId, Usage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Key, OrganizationId, UnixMs};

    fn project(queue_cap: i64) -> Project {
        let organization = OrganizationId::new(Key::new(1).unwrap());
        let id = ProjectId::new(Key::new(2).unwrap());
        let project = Project::new(id, organization, "Project", UnixMs(0));
        Project {
            queue_cap,
            ..project
        }
    }

    #[test]
    fn what_was_counted_and_accepted_never_exceeds_the_cap() {
        let (caps, project) = (QueueCaps::default(), project(10));
        assert!(caps.take(&project, 1).is_err());
        caps.counted(project.id, 7, None, BootMs(0));
        assert!(caps.take(&project, 3).is_ok());
        let at_cap = caps.take(&project, 1).unwrap_err();
        caps.counted(project.id, 4, at_cap, BootMs(5));
        assert!(caps.take(&project, 6).is_ok());
        assert!(caps.take(&project, 1).is_err());
    }

    #[test]
    fn what_is_accepted_while_counting_is_not_lost() {
        let (caps, project) = (QueueCaps::default(), project(10));
        caps.counted(project.id, 0, None, BootMs(0));
        let before = caps.take(&project, 11).unwrap_err();
        assert!(caps.take(&project, 6).is_ok());
        caps.counted(project.id, 0, before, BootMs(9));
        assert!(caps.take(&project, 5).is_err());
        assert!(caps.take(&project, 4).is_ok());
    }
}
