//! Counters in parts, so that no row is changed too often.
//!
//! On PostgreSQL each change leaves an old version of its row. As long as somebody's snapshot is open, a dump's
//! for example, whoever looks for the row walks all of them. So a busy project's counters go on in other rows.

use postrider_model::ProjectId;
use std::collections::{BTreeMap, HashMap};

/// Groups after which a project's counters go on in the next part.
const CHANGES_MAX: u32 = 500;
/// After the last part comes the first one again, so that a counter never has more rows.
const PARTS: u32 = 64;
/// Projects of which a connection remembers how often they changed. With one more it forgets all: they go on
/// in their first part.
const PROJECTS_MAX: usize = 10_000;

/// Which part of a project's counters a connection adds to.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// How many groups have changed a project; `None` where a row may change as often as it likes.
    changes: Option<HashMap<ProjectId, u32>>,
}

impl Parts {
    /// For a database without old versions of rows: everything has one part.
    pub(crate) fn one() -> Self {
        Self::default()
    }

    /// For a database where a row must not change too often.
    pub(crate) fn many() -> Self {
        Self {
            changes: Some(HashMap::new()),
        }
    }

    /// Begins a commit group.
    pub(crate) fn of_group(&mut self) -> PartsOfGroup<'_> {
        PartsOfGroup {
            parts: self,
            chosen: BTreeMap::new(),
        }
    }

    fn next(&mut self, project: ProjectId) -> i64 {
        let Some(changes) = &mut self.changes else {
            return 0;
        };
        if changes.len() >= PROJECTS_MAX && !changes.contains_key(&project) {
            changes.clear();
        }
        let changed = changes.entry(project).or_default();
        let part = *changed / CHANGES_MAX;
        *changed = (*changed + 1) % (CHANGES_MAX * PARTS);
        part.into()
    }
}

/// The parts that one commit group adds to: one for each project.
pub(crate) struct PartsOfGroup<'p> {
    parts: &'p mut Parts,
    chosen: BTreeMap<ProjectId, i64>,
}

impl PartsOfGroup<'_> {
    /// Returns the part of a project's counters.
    pub(crate) fn of(&mut self, project: ProjectId) -> i64 {
        let parts = &mut *self.parts;
        *self
            .chosen
            .entry(project)
            .or_insert_with(|| parts.next(project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn project(number: i64) -> ProjectId {
        ProjectId::new(Key::new(number).unwrap())
    }

    #[test]
    fn a_part_is_of_a_group_and_the_next_one_comes_after_many() {
        let mut parts = Parts::many();
        let mut seen = Vec::new();
        for _ in 0..(CHANGES_MAX * PARTS + 1) {
            let mut group = parts.of_group();
            let part = group.of(project(1));
            assert_eq!(group.of(project(1)), part);
            seen.push(part);
        }
        assert_eq!(seen[..500], [0; 500]);
        assert_eq!(seen[500..1_000], [1; 500]);
        assert_eq!(seen[31_999..], [63, 0]);
        assert_eq!(parts.of_group().of(project(2)), 0);
    }

    #[test]
    fn without_old_versions_there_is_one_part() {
        let mut parts = Parts::one();
        for _ in 0..1_000 {
            assert_eq!(parts.of_group().of(project(1)), 0);
        }
    }

    #[test]
    fn no_more_projects_are_remembered_than_there_is_room_for() {
        let mut parts = Parts::many();
        for number in 0..=i64::try_from(PROJECTS_MAX).unwrap() {
            parts.of_group().of(project(number + 1));
        }
        assert_eq!(parts.changes.unwrap().len(), 1);
    }
}
