//! Whose turn it is: jobs wait in a line for each project, so that a project slows only itself.
//!
//! The party that has used the least goes first. Use is charged after the work, in any unit, so
//! that one large piece of work counts as much as many small ones. A party that comes back begins
//! where the others are: it saves nothing up while it is away, and as long as others wait it is
//! still charged for what it used before.

use postrider_model::{OrganizationId, ProjectId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Whose work a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Party(i64);

impl Party {
    /// The hub itself: keys, sign-ins of phones, and what runs in the background for everybody.
    pub(crate) const HUB: Self = Self(0);

    pub(crate) const fn project(id: ProjectId) -> Self {
        Self(id.get())
    }

    pub(crate) const fn organization(id: OrganizationId) -> Self {
        Self(id.get())
    }

    /// Returns its place among so many, always the same.
    pub(crate) fn place_among(self, count: usize) -> usize {
        let mixed = self.0.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        usize::try_from(mixed).map_or(0, |mixed| mixed % count)
    }
}

/// What waits, in a line for each party.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    lines: BTreeMap<Party, Line<T>>,
    /// The parties with waiting jobs, the next one first.
    order: BTreeSet<Place>,
    /// How many may wait in all.
    capacity: usize,
    len: usize,
    /// What the last party to go had used: a new party begins there.
    level: u64,
    came: u64,
}

/// By use, then by who came first.
type Place = (u64, u64, Party);

#[derive(Debug)]
struct Line<T> {
    waiting: VecDeque<T>,
    used: u64,
    came: u64,
    /// What its jobs cost lately: the estimate for the next one.
    cost: u64,
}

impl<T> Turns<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            lines: BTreeMap::new(),
            order: BTreeSet::new(),
            capacity,
            len: 0,
            level: 0,
            came: 0,
        }
    }

    /// Adds to the end of a party's line, unless its share is full: a line may be as long as the room
    /// that is left, so that others always find some.
    pub(crate) fn push(&mut self, party: Party, item: T) -> Result<(), T> {
        let room = self.capacity - self.len;
        let waiting = self.lines.get(&party).map_or(0, |line| line.waiting.len());
        if waiting >= room {
            return Err(item);
        }
        self.came += 1;
        let (level, came) = (self.level, self.came);
        let line = self.lines.entry(party).or_insert_with(|| Line {
            waiting: VecDeque::new(),
            used: level,
            came,
            cost: 0,
        });
        if line.waiting.is_empty() {
            (line.used, line.came) = (line.used.max(level), came);
            self.order.insert((line.used, line.came, party));
        }
        line.waiting.push_back(item);
        self.len += 1;
        Ok(())
    }

    /// Takes the next job of the parties that `may` lets go; it is told whether others wait.
    pub(crate) fn next(&mut self, may: impl Fn(Party, bool) -> bool) -> Option<(Party, T)> {
        let others = self.order.len() > 1;
        let mut places = self.order.iter();
        let place = *places.find(|(_, _, party)| may(*party, others))?;
        let (used, _, party) = place;
        let line = self.lines.get_mut(&party)?;
        let item = line.waiting.pop_front()?;
        self.len -= 1;
        self.level = self.level.max(used);
        if line.waiting.is_empty() {
            self.order.remove(&place);
        }
        Some((party, item))
    }

    /// Charges a party with what its job used.
    pub(crate) fn charge(&mut self, party: Party, used: u64) {
        if let Some(line) = self.lines.get_mut(&party) {
            let waits = self.order.remove(&(line.used, line.came, party));
            line.used += used;
            line.cost = used.max(line.cost - line.cost / 4);
            if waits {
                self.came += 1;
                line.came = self.came;
                self.order.insert((line.used, line.came, party));
            }
            if self.order.is_empty() {
                self.level = self.level.max(line.used);
            }
        }
        if self.lines.len() > 2 * self.order.len() + LINES_KEPT {
            let level = self.level;
            self.lines
                .retain(|_, line| !line.waiting.is_empty() || line.used > level);
        }
    }

    /// Returns the first party that `may` go; it is told what the party's jobs cost lately.
    pub(crate) fn first(&self, may: impl Fn(Party, u64) -> bool) -> Option<Party> {
        let cost = |party| self.lines.get(party).map_or(0, |line| line.cost);
        let mut parties = self.order.iter().map(|(_, _, party)| party);
        parties.find(|party| may(**party, cost(party))).copied()
    }

    /// Says whether [`Self::next`] would find anybody.
    pub(crate) fn any(&self, may: impl Fn(Party, bool) -> bool) -> bool {
        let others = self.order.len() > 1;
        self.order.iter().any(|(_, _, party)| may(*party, others))
    }

    /// Returns how many wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Says whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Most empty lines; above it those that no longer matter are dropped.
const LINES_KEPT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const A: Party = Party(1);
    const B: Party = Party(2);
    const C: Party = Party(3);

    /// Adds so many of a party, numbered.
    fn add(turns: &mut Turns<u32>, party: Party, count: u32) {
        for number in 0..count {
            turns.push(party, number).unwrap();
        }
    }

    /// Takes so many, each of which used what `cost` says of its party.
    fn take(turns: &mut Turns<u32>, count: usize, cost: impl Fn(Party) -> u64) -> Vec<Party> {
        let mut went = Vec::new();
        for _ in 0..count {
            let (party, _) = turns.next(|_, _| true).unwrap();
            turns.charge(party, cost(party));
            went.push(party);
        }
        went
    }

    #[test]
    fn those_who_use_the_same_go_in_turn() {
        let mut turns = Turns::new(100);
        add(&mut turns, A, 4);
        add(&mut turns, B, 2);
        add(&mut turns, C, 1);
        assert_eq!(take(&mut turns, 7, |_| 1), [A, B, C, A, B, A, A]);
        assert!(turns.is_empty());
    }

    #[test]
    fn a_large_job_counts_as_many_small_ones() {
        let mut turns = Turns::new(100);
        add(&mut turns, A, 10);
        add(&mut turns, B, 30);
        let went = take(&mut turns, 24, |party| if party == A { 10 } else { 1 });
        let large = went.iter().filter(|party| **party == A).count();
        assert!(large <= 3, "{large} large ones among {}", went.len());
    }

    #[test]
    fn who_just_had_a_large_one_waits_for_the_others_though_nothing_of_it_waited() {
        let mut turns = Turns::new(100);
        add(&mut turns, B, 20);
        for _ in 0..2 {
            add(&mut turns, A, 1);
            let went = take(&mut turns, 8, |party| if party == A { 10 } else { 1 });
            assert_eq!(went.iter().filter(|party| **party == A).count(), 1);
        }
    }

    #[test]
    fn time_away_earns_nothing() {
        let mut turns = Turns::new(1_000);
        add(&mut turns, A, 1);
        take(&mut turns, 1, |_| 1);
        add(&mut turns, B, 200);
        take(&mut turns, 100, |_| 1);
        add(&mut turns, A, 50);
        let went = take(&mut turns, 20, |_| 1);
        assert_eq!(went.iter().filter(|party| **party == A).count(), 10);
    }

    #[test]
    fn a_full_line_is_its_party_s_own_trouble() {
        let mut turns = Turns::new(8);
        add(&mut turns, A, 4);
        assert_eq!(turns.push(A, 9), Err(9), "half is one party's share");
        add(&mut turns, B, 2);
        assert_eq!(turns.push(B, 9), Err(9));
        add(&mut turns, C, 1);
        assert_eq!(turns.len(), 7);
    }

    #[test]
    fn who_may_not_go_is_passed_over_and_keeps_its_place() {
        let mut turns = Turns::new(8);
        add(&mut turns, A, 1);
        add(&mut turns, B, 1);
        assert_eq!(
            turns.next(|party, others| others && party != A),
            Some((B, 0))
        );
        assert!(turns.any(|party, others| party == A && !others));
        assert_eq!(turns.next(|_, _| true), Some((A, 0)));
        assert_eq!(turns.next(|_, _| true), None);
    }

    #[test]
    fn what_is_known_of_many_who_came_once_is_forgotten() {
        let mut turns = Turns::new(8);
        for key in 1..10_000 {
            turns.push(Party(key), 0).unwrap();
            take(&mut turns, 1, |_| 1);
        }
        assert!(turns.lines.len() <= 2 * LINES_KEPT, "{}", turns.lines.len());
    }
}
