//! Which projects this process works for by itself, of those that live on the database.

use hub_domain::ProjectShares;
use postrider_model::{BootMs, ProjectId};
use std::sync::{PoisonError, RwLock};

/// How long a new owner of a share posts nothing in it: what the owner before began has ended by then,
/// and is stored.
const POSTS_AFTER_MS: u64 = 15_000;

/// The shares of a process: all of them until it learns that others live.
#[derive(Debug)]
pub struct OwnShares(RwLock<Held>);

#[derive(Debug)]
struct Held {
    owned: ProjectShares,
    /// Shares that are posted for only from a moment on.
    waiting: Vec<(BootMs, ProjectShares)>,
    /// Whether it was ever told who lives.
    told: bool,
}

impl Default for OwnShares {
    fn default() -> Self {
        Self(RwLock::new(Held {
            owned: ProjectShares::ALL,
            waiting: Vec::new(),
            told: false,
        }))
    }
}

impl OwnShares {
    /// Takes the shares that are this process's own at `now`. Whoever has all of them when it is told
    /// for the first time is alone, and has nobody to wait for.
    pub(crate) fn take(&self, owned: ProjectShares, now: BootMs) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_beside_others = !held.told && owned != ProjectShares::ALL;
        let before = if is_beside_others {
            ProjectShares::NONE
        } else {
            held.owned
        };
        let new = owned.without(before);
        held.waiting.retain(|(until, _)| *until > now);
        for (_, waiting) in &mut held.waiting {
            *waiting = waiting.without(new);
        }
        if new != ProjectShares::NONE {
            held.waiting.push((now.plus_ms(POSTS_AFTER_MS), new));
        }
        (held.owned, held.told) = (owned, true);
    }

    /// Says whether this process works for a project.
    pub(crate) fn has(&self, project: ProjectId) -> bool {
        self.owned().has(project)
    }

    /// Returns the shares that it works for.
    pub(crate) fn owned(&self) -> ProjectShares {
        self.0.read().unwrap_or_else(PoisonError::into_inner).owned
    }

    /// Returns the shares that it posts for at `now`, and when they become more.
    pub(crate) fn posted(&self, now: BootMs) -> (ProjectShares, Option<BootMs>) {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let waiting = held.waiting.iter().filter(|(until, _)| *until > now);
        let not_yet = waiting.clone().map(|(_, shares)| *shares);
        let not_yet = not_yet.fold(ProjectShares::NONE, ProjectShares::and);
        let next = waiting.map(|(until, _)| *until).min();
        (held.owned.without(not_yet), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn of(own: u8, live: &[u8]) -> ProjectShares {
        ProjectShares::of_process(own, &live.iter().copied().collect::<BTreeSet<_>>())
    }

    #[test]
    fn a_process_alone_posts_at_once() {
        let own = OwnShares::default();
        assert_eq!(own.posted(BootMs(0)), (ProjectShares::ALL, None));
        own.take(of(3, &[3]), BootMs(5));
        assert_eq!(own.posted(BootMs(5)), (ProjectShares::ALL, None));
    }

    #[test]
    fn a_process_that_starts_beside_another_waits_with_posts_but_not_with_work() {
        let own = OwnShares::default();
        own.take(of(3, &[3, 4]), BootMs(1_000));
        assert_eq!(own.owned(), of(3, &[3, 4]));
        let none_yet = (ProjectShares::NONE, Some(BootMs(16_000)));
        assert_eq!(own.posted(BootMs(15_999)), none_yet);
        assert_eq!(own.posted(BootMs(16_000)), (of(3, &[3, 4]), None));
    }

    #[test]
    fn what_another_left_waits_and_the_rest_goes_on() {
        let own = OwnShares::default();
        own.take(of(3, &[3]), BootMs(0));
        own.take(of(3, &[3, 4]), BootMs(1_000));
        assert_eq!(own.posted(BootMs(1_000)), (of(3, &[3, 4]), None));
        own.take(of(3, &[3]), BootMs(2_000));
        assert_eq!(own.owned(), ProjectShares::ALL);
        assert_eq!(own.posted(BootMs(2_000)).0, of(3, &[3, 4]));
        own.take(of(3, &[3]), BootMs(9_000));
        assert_eq!(own.posted(BootMs(17_000)), (ProjectShares::ALL, None));
    }

    #[test]
    fn a_share_that_comes_back_waits_anew() {
        let own = OwnShares::default();
        own.take(of(3, &[3, 4]), BootMs(0));
        own.take(ProjectShares::NONE, BootMs(5_000));
        own.take(of(3, &[3, 4]), BootMs(10_000));
        assert_eq!(own.posted(BootMs(15_000)).0, ProjectShares::NONE);
        assert_eq!(own.posted(BootMs(25_000)).0, of(3, &[3, 4]));
    }
}
