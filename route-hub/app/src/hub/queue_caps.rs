//! The cap on a project's queue, checked per request without counting each time. Each process that lives
//! fills its part of the room that it counted, and then counts anew.

use crate::failure::Failure;
use crate::hub::cache::ById;
use hub_domain::Project;
use hub_store::{Store, messages};
use hub_view::Refusal;
use postrider_model::{BootMs, Now, ProjectId};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// At the cap, the queue is counted anew at most this often.
const COUNT_EVERY_MS: u64 = 1_000;
/// The part of a cap below which the room that is left is not counted again at once.
const NEARLY_FULL: i64 = 100;
/// What a refused caller is told to wait.
const RETRY_AFTER_S: u32 = 5;

/// For each project, the most that can be queued: what was counted once, and what was accepted here
/// since. Only when that reaches this process's limit is the queue counted again.
#[derive(Debug)]
pub struct QueueCaps {
    usages: Mutex<ById<ProjectId, Usage>>,
    processes: AtomicI64,
}

impl Default for QueueCaps {
    fn default() -> Self {
        Self {
            usages: Mutex::default(),
            processes: AtomicI64::new(1),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Usage {
    most: i64,
    accepted: i64,
    /// How much of the counted room the other processes may fill.
    left_to_others: i64,
    /// Whether it is no use to count again at once.
    nearly_full: bool,
    counted_at: BootMs,
}

impl Usage {
    /// Says whether counting again would be of no use yet.
    fn is_known_full(&self, now: BootMs) -> bool {
        self.nearly_full && now.since_ms(self.counted_at) < COUNT_EVERY_MS
    }
}

impl QueueCaps {
    /// Says how many processes fill the queues.
    pub(crate) fn share_among(&self, processes: usize) {
        let processes = i64::try_from(processes).unwrap_or(i64::MAX).max(1);
        let before = self.processes.swap(processes, Ordering::AcqRel);
        if before != processes {
            self.lock().clear();
        }
    }

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
        let is_known_full = known.is_some_and(|usage| usage.is_known_full(now.boot));
        if !is_known_full {
            let (id, most) = (project.id, project.queue_cap.saturating_add(1));
            let counting = store
                .of(id)
                .read(move |tx| messages::count_queued(tx, id, most));
            let counted = counting.await?;
            self.counted(project, counted, known, now.boot);
            if self.take(project, count).is_ok() {
                return Ok(());
            }
        }
        let text = "the project's queue is full: messages must leave before more are taken";
        Err(Refusal::rate_limited(text, RETRY_AFTER_S).into())
    }

    /// Says whether a project's queue is full, as far as is known without counting it now.
    pub(crate) fn is_full(&self, project: &Project, now: BootMs) -> Option<bool> {
        let usage = *self.lock().get(&project.id)?;
        let here = usage.most.saturating_add(usage.left_to_others);
        if here < project.queue_cap {
            Some(false)
        } else {
            usage.is_known_full(now).then_some(true)
        }
    }

    fn take(&self, project: &Project, count: i64) -> Result<(), Option<Usage>> {
        let mut usages = self.lock();
        let Some(usage) = usages.get_mut(&project.id) else {
            return Err(None);
        };
        let here = usage.most.saturating_add(usage.left_to_others);
        if here.saturating_add(count) > project.queue_cap {
            return Err(Some(*usage));
        }
        usage.most += count;
        usage.accepted += count;
        Ok(())
    }

    /// Takes a count; what was accepted while it ran may or may not be in it, and is added.
    fn counted(&self, project: &Project, counted: i64, before: Option<Usage>, now: BootMs) {
        let processes = self.processes.load(Ordering::Acquire);
        let room = project.queue_cap.saturating_sub(counted).max(0);
        let own = room.saturating_add(processes - 1) / processes;
        let mut usages = self.lock();
        let accepted = usages.get(&project.id).map_or(0, |usage| usage.accepted);
        let meanwhile = accepted - before.map_or(0, |usage| usage.accepted);
        usages.insert(
            project.id,
            Usage {
                most: counted + meanwhile,
                accepted,
                left_to_others: room - own,
                nearly_full: processes == 1 || room <= project.queue_cap / NEARLY_FULL,
                counted_at: now,
            },
        );
    }

    fn lock(&self) -> MutexGuard<'_, ById<ProjectId, Usage>> {
        self.usages.lock().unwrap_or_else(PoisonError::into_inner)
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
        caps.counted(&project, 7, None, BootMs(0));
        assert!(caps.take(&project, 3).is_ok());
        let at_cap = caps.take(&project, 1).unwrap_err();
        caps.counted(&project, 4, at_cap, BootMs(5));
        assert!(caps.take(&project, 6).is_ok());
        assert!(caps.take(&project, 1).is_err());
    }

    #[test]
    fn what_is_accepted_while_counting_is_not_lost() {
        let (caps, project) = (QueueCaps::default(), project(10));
        caps.counted(&project, 0, None, BootMs(0));
        let before = caps.take(&project, 11).unwrap_err();
        assert!(caps.take(&project, 6).is_ok());
        caps.counted(&project, 0, before, BootMs(9));
        assert!(caps.take(&project, 5).is_err());
        assert!(caps.take(&project, 4).is_ok());
    }

    #[test]
    fn processes_never_fill_more_than_the_room_together() {
        let project = project(1_000);
        for processes in [1, 2, 3, 7] {
            let (mut queued, mut before) = (0, -1);
            let all: Vec<_> = (0..processes).map(|_| QueueCaps::default()).collect();
            for caps in &all {
                caps.share_among(processes);
            }
            while queued > before {
                before = queued;
                // All of them count at the same moment: none sees what another one accepts after.
                for caps in &all {
                    let known = caps.take(&project, 1_001).unwrap_err();
                    caps.counted(&project, queued, known, BootMs(0));
                }
                for (n, caps) in all.iter().enumerate() {
                    let wanted = if n == 0 { 1_000 } else { 10 };
                    queued += (0..wanted)
                        .map_while(|_| caps.take(&project, 1).ok())
                        .count() as i64;
                }
            }
            let over = queued - 1_000;
            assert!((0..7).contains(&over), "{processes} processes: {queued}");
        }
    }

    #[test]
    fn a_process_that_filled_its_part_counts_again_unless_nearly_all_is_full() {
        let (caps, project) = (QueueCaps::default(), project(1_000));
        caps.share_among(2);
        caps.counted(&project, 0, None, BootMs(0));
        assert!(caps.take(&project, 500).is_ok());
        let known = caps.take(&project, 1).unwrap_err();
        assert!(!known.unwrap().nearly_full);
        caps.counted(&project, 990, known, BootMs(1));
        assert!(caps.take(&project, 5).is_ok());
        assert!(caps.take(&project, 1).unwrap_err().unwrap().nearly_full);
    }
}
