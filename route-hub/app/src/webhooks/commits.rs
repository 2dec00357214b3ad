//! Settlements on their way to disk: each project's in commits of their own, projects in turn.
//!
//! No commit spans two projects, so that a row which cannot be written stops nobody else's.

use crate::webhooks::settlement::Settlement;
use postrider_model::{BootMs, Now, ProjectId};
use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::Arc,
};

/// Most settlements of one commit: it is a short piece of work for whoever waits behind it.
pub(crate) const SETTLEMENTS_MAX: usize = 128;
/// Most commits under way.
pub(crate) const COMMITS_MAX: usize = 16;

/// Settlements of one project, to be committed.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    /// The project.
    pub project_id: ProjectId,
    /// Its settlements, in order.
    pub settlements: Arc<Vec<Settlement>>,
}

/// A commit that runs, or that is to be tried again.
#[derive(Debug)]
struct Commit {
    settlements: Arc<Vec<Settlement>>,
    again_at: Option<BootMs>,
}

/// What is to be committed, and what is being committed.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    waiting: BTreeMap<ProjectId, VecDeque<Settlement>>,
    under_way: BTreeMap<ProjectId, Commit>,
    last: Option<ProjectId>,
}

impl Commits {
    /// Adds a settlement.
    pub(crate) fn push(&mut self, settlement: Settlement) {
        let project = settlement.row.project_id;
        self.waiting
            .entry(project)
            .or_default()
            .push_back(settlement);
    }

    /// Returns a batch to commit; one of a project at a time.
    pub(crate) fn poll(&mut self, now: Now) -> Option<Batch> {
        self.again(now).or_else(|| self.fresh())
    }

    /// Takes in that a project's batch is on disk, and returns it.
    pub(crate) fn committed(&mut self, project: ProjectId) -> Option<Arc<Vec<Settlement>>> {
        Some(self.under_way.remove(&project)?.settlements)
    }

    /// Takes in that a project's batch is not on disk; it is given out again after `pause_ms`.
    pub(crate) fn failed(&mut self, project: ProjectId, pause_ms: u64, now: Now) {
        if let Some(commit) = self.under_way.get_mut(&project) {
            commit.again_at = Some(now.boot.plus_ms(pause_ms));
        }
    }

    /// Returns when a batch is to be given out again.
    pub(crate) fn again_at(&self) -> Option<BootMs> {
        self.under_way
            .values()
            .filter_map(|commit| commit.again_at)
            .min()
    }

    /// Says whether everything is on disk.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_empty()
    }

    fn again(&mut self, now: Now) -> Option<Batch> {
        let due = |commit: &Commit| commit.again_at.is_some_and(|at| now.boot >= at);
        let (project, commit) = self.under_way.iter_mut().find(|(_, commit)| due(commit))?;
        commit.again_at = None;
        Some(Batch {
            project_id: *project,
            settlements: Arc::clone(&commit.settlements),
        })
    }

    fn fresh(&mut self) -> Option<Batch> {
        if self.under_way.len() >= COMMITS_MAX {
            return None;
        }
        let project_id = self.next_project()?;
        let waiting = self.waiting.get_mut(&project_id)?;
        let count = waiting.len().min(SETTLEMENTS_MAX);
        let settlements = Arc::new(waiting.drain(..count).collect::<Vec<_>>());
        if waiting.is_empty() {
            self.waiting.remove(&project_id);
        }
        self.last = Some(project_id);
        let commit = Commit {
            settlements: Arc::clone(&settlements),
            again_at: None,
        };
        self.under_way.insert(project_id, commit);
        Some(Batch {
            project_id,
            settlements,
        })
    }

    /// Finds the next project behind the last one, round and round, that has nothing under way.
    fn next_project(&self) -> Option<ProjectId> {
        let behind = self.last.map_or(Bound::Unbounded, Bound::Excluded);
        let from_there = self.waiting.range((behind, Bound::Unbounded));
        from_there
            .chain(&self.waiting)
            .map(|(project, _)| *project)
            .find(|project| !self.under_way.contains_key(project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::settlement::Fate;
    use crate::webhooks::testing::{project, row};
    use hub_domain::OutboxRow;

    fn of_project(n: i64, id: i64, now: Now) -> Settlement {
        let row = OutboxRow {
            project_id: project(n),
            ..row(id)
        };
        Settlement {
            row: Arc::new(row),
            fate: Fate::Delivered,
            ending: None,
            time: now.unix,
        }
    }

    #[test]
    fn no_commit_spans_two_projects_and_each_has_its_turn() {
        let now = Now::new(1_000, 10_000);
        let mut commits = Commits::default();
        for id in 0..1_000 {
            commits.push(of_project(1, id, now));
        }
        commits.push(of_project(2, 1_000, now));
        let first = commits.poll(now).unwrap();
        assert_eq!(
            (first.project_id, first.settlements.len()),
            (project(1), SETTLEMENTS_MAX)
        );
        let second = commits.poll(now).unwrap();
        assert_eq!(
            (second.project_id, second.settlements.len()),
            (project(2), 1)
        );
        assert!(commits.poll(now).is_none(), "one of a project at a time");
    }

    #[test]
    fn who_has_much_to_commit_passes_by_nobody() {
        let now = Now::new(1_000, 10_000);
        let mut commits = Commits::default();
        let last = i64::try_from(COMMITS_MAX).unwrap() + 1;
        for n in 1..=last {
            let settlements = 0..i64::try_from(2 * SETTLEMENTS_MAX).unwrap();
            settlements.for_each(|id| commits.push(of_project(n, id, now)));
        }
        while commits.poll(now).is_some() {}
        commits.committed(project(1));
        let next = commits.poll(now).map(|batch| batch.project_id);
        assert_eq!(next, Some(project(last)), "before the first one's second");
    }

    #[test]
    fn a_commit_that_fails_holds_up_its_own_project_alone() {
        let now = Now::new(1_000, 10_000);
        let mut commits = Commits::default();
        commits.push(of_project(1, 1, now));
        let first = commits.poll(now).unwrap();
        commits.failed(project(1), 1_000, now);
        commits.push(of_project(1, 2, now));
        commits.push(of_project(2, 3, now));
        assert_eq!(commits.poll(now).unwrap().project_id, project(2));
        assert!(commits.poll(now).is_none());
        assert_eq!(commits.again_at(), Some(now.boot.plus_ms(1_000)));
        let again = commits.poll(now.plus_ms(1_000)).unwrap();
        assert!(Arc::ptr_eq(&again.settlements, &first.settlements));
    }
}
