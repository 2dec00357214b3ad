//! How projects share a stock of places: the slots of deliveries, the rows in memory.
//!
//! A project may have as many places as it leaves free, and not one more. One project alone thus
//! gets half of them, two a third each, and so on: whoever comes next always finds some free,
//! however long those before it keep theirs.

use postrider_model::ProjectId;
use std::collections::BTreeMap;

/// Places, and who has them.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    places: usize,
    taken: usize,
    of_project: BTreeMap<ProjectId, usize>,
}

impl Shares {
    /// Returns `places` that are all free.
    pub(crate) fn new(places: usize) -> Self {
        Self {
            places,
            taken: 0,
            of_project: BTreeMap::new(),
        }
    }

    /// Returns how many places are taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Returns how many places a project has.
    pub(crate) fn of(&self, project: ProjectId) -> usize {
        self.of_project.get(&project).copied().unwrap_or(0)
    }

    /// Says whether a project may take a place.
    pub(crate) fn may_take(&self, project: ProjectId) -> bool {
        self.of(project) < self.free()
    }

    /// Says whether a project may take a place that it can do without: it leaves twice as many
    /// free as it has, so that its own other needs find some too.
    pub(crate) fn may_take_more(&self, project: ProjectId) -> bool {
        self.of(project) * 2 < self.free()
    }

    /// Takes places; the last ones may be more than there are, where they come in lots.
    pub(crate) fn take(&mut self, project: ProjectId, count: usize) {
        self.taken += count;
        *self.of_project.entry(project).or_default() += count;
    }

    /// Gives places back.
    pub(crate) fn give_back(&mut self, project: ProjectId, count: usize) {
        let left = self.of(project).saturating_sub(count);
        self.taken = self.taken.saturating_sub(count);
        if left == 0 {
            self.of_project.remove(&project);
        } else {
            self.of_project.insert(project, left);
        }
    }

    fn free(&self) -> usize {
        self.places.saturating_sub(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::testing::project;
    use proptest::prelude::*;

    fn fill(shares: &mut Shares, n: i64) -> usize {
        let mut taken = 0;
        while shares.may_take(project(n)) {
            shares.take(project(n), 1);
            taken += 1;
        }
        taken
    }

    #[test]
    fn one_project_alone_gets_half_and_the_next_one_half_of_the_rest() {
        let mut shares = Shares::new(256);
        assert_eq!(fill(&mut shares, 1), 128);
        assert_eq!(fill(&mut shares, 2), 64);
        assert!(shares.may_take(project(3)));
    }

    #[test]
    fn what_a_project_can_do_without_is_a_third_of_them() {
        let mut shares = Shares::new(256);
        while shares.may_take_more(project(1)) {
            shares.take(project(1), 1);
        }
        assert_eq!(shares.of(project(1)), 86);
        assert!(shares.may_take(project(1)));
    }

    #[derive(Debug, Clone)]
    enum Step {
        Take(i64),
        GiveBack(i64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (1..9_i64).prop_map(Step::Take),
            1 => (1..9_i64).prop_map(Step::GiveBack),
        ]
    }

    proptest! {
        /// Whoever is new finds a place, whatever up to eight others did before.
        #[test]
        fn a_project_without_places_always_finds_one(
            steps in proptest::collection::vec(step(), 0..600)
        ) {
            let mut shares = Shares::new(64);
            for step in steps {
                match step {
                    Step::Take(n) => if shares.may_take(project(n)) {
                        shares.take(project(n), 1);
                    },
                    Step::GiveBack(n) => if shares.of(project(n)) > 0 {
                        shares.give_back(project(n), 1);
                    },
                }
                prop_assert!(shares.may_take(project(9)));
                let all: usize = (1..9).map(|n| shares.of(project(n))).sum();
                prop_assert_eq!(all, shares.taken());
            }
        }
    }
}
