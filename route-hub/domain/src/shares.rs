//! Which hub process works for which projects by itself: the projects lie in shares, and each share
//! belongs to one of the processes that live.

use postrider_model::ProjectId;
use std::collections::BTreeSet;

/// How many shares there are.
pub const SHARES: u8 = 64;

/// Some of the shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectShares(u64);

impl ProjectShares {
    /// All of them: those of the only process.
    pub const ALL: Self = Self(u64::MAX);
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Returns the shares of the process `own`, one of those that live; none where it is not.
    ///
    /// Every process finds the same, from the same numbers. The processes have equally many shares, but
    /// for one more or less. Each share prefers some processes to others, so most stay where they are
    /// when a process comes or goes.
    #[must_use]
    pub fn of_process(own: u8, live: &BTreeSet<u8>) -> Self {
        let mut wishes: Vec<(u64, u8, u8)> = (0..SHARES)
            .flat_map(|share| live.iter().map(move |process| (share, *process)))
            .map(|(share, process)| (liking(share, process), share, process))
            .collect();
        wishes.sort_unstable();
        let (each, mut with_one_more) = match live.len() {
            0 => return Self::NONE,
            live => (usize::from(SHARES) / live, usize::from(SHARES) % live),
        };
        let (mut taken, mut owned, mut counts) = (0_u64, Self::NONE, [0_usize; 256]);
        for (_, share, process) in wishes {
            let count = &mut counts[usize::from(process)];
            let is_free = taken & (1 << share) == 0;
            if !is_free || *count > each || (*count == each && with_one_more == 0) {
                continue;
            }
            with_one_more -= usize::from(*count == each);
            *count += 1;
            taken |= 1 << share;
            if process == own {
                owned.0 |= 1 << share;
            }
        }
        owned
    }

    /// Returns these and others.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns these but for others.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Says whether the first share is among them. Its owner does what concerns no project.
    #[must_use]
    pub const fn has_first(self) -> bool {
        self.0 & 1 != 0
    }

    /// Says whether a project lies in one of them.
    #[must_use]
    pub fn has(self, project: ProjectId) -> bool {
        self.0 & (1 << share_of(project)) != 0
    }

    /// Returns how many they are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }
}

/// Returns the share that a project lies in, below [`SHARES`].
#[must_use]
pub fn share_of(project: ProjectId) -> u8 {
    // The highest bits of a mixed number are the most mixed.
    (mixed(project.get().cast_unsigned()) >> 58) as u8
}

/// Returns how much a share likes a process; the lowest number is what it likes most.
fn liking(share: u8, process: u8) -> u64 {
    mixed(u64::from(share) << 8 | u64::from(process))
}

/// Mixes the bits of a number, the same way in every version: processes of two versions must agree.
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    fn all_of(live: &BTreeSet<u8>) -> Vec<(u8, ProjectShares)> {
        let of = |process: &u8| (*process, ProjectShares::of_process(*process, live));
        live.iter().map(of).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_share_has_one_owner_among_those_that_live(live in btree_set(any::<u8>(), 1..24)) {
            let mut owned = 0_u64;
            for (_, shares) in all_of(&live) {
                prop_assert_eq!(owned & shares.0, 0, "two owners");
                owned |= shares.0;
            }
            prop_assert_eq!(owned, u64::MAX);
        }

        #[test]
        fn processes_have_equally_many_shares(live in btree_set(any::<u8>(), 1..24)) {
            let counts = || all_of(&live).into_iter().map(|(_, shares)| shares.count());
            prop_assert!(counts().max().unwrap_or(0) - counts().min().unwrap_or(0) <= 1);
        }

        #[test]
        fn most_shares_stay_when_a_process_goes(live in btree_set(any::<u8>(), 2..17)) {
            let mut left = live.clone();
            left.pop_first();
            let moved = |process: &u8| {
                let (before, after) =
                    (ProjectShares::of_process(*process, &live), ProjectShares::of_process(*process, &left));
                before.without(after).count()
            };
            let moved: u32 = left.iter().map(moved).sum();
            prop_assert!(moved <= 16, "{moved} moved");
        }
    }

    #[test]
    fn of_more_processes_than_shares_each_has_one_at_most() {
        let live = (0..70).collect();
        let counts: Vec<u32> = all_of(&live)
            .into_iter()
            .map(|(_, shares)| shares.count())
            .collect();
        assert_eq!(
            (counts.iter().sum::<u32>(), counts.iter().max()),
            (64, Some(&1))
        );
    }

    #[test]
    fn a_process_alone_has_all_and_one_that_does_not_live_has_none() {
        assert_eq!(
            ProjectShares::of_process(7, &BTreeSet::from([7])),
            ProjectShares::ALL
        );
        assert_eq!(
            ProjectShares::of_process(7, &BTreeSet::from([8])),
            ProjectShares::NONE
        );
        assert_eq!(
            ProjectShares::of_process(7, &BTreeSet::new()),
            ProjectShares::NONE
        );
    }

    #[test]
    fn projects_made_one_after_the_other_lie_in_all_shares() {
        let project = |n: i64| ProjectId::new(Key::new(1_700_000_000_000 << 20 | n << 8).unwrap());
        let shares: BTreeSet<u8> = (0..1_000).map(|n| share_of(project(n))).collect();
        assert_eq!(shares, (0..SHARES).collect());
    }

    #[test]
    fn a_project_stays_in_its_share_for_ever() {
        let shares =
            [1, 2, 1_234_567_890].map(|id| share_of(ProjectId::new(Key::new(id).unwrap())));
        assert_eq!(shares, [21, 54, 13]);
    }
}
