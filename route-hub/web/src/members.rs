//! The members of an object, or of a form's array, by their names.

use crate::steps::Steps;
use std::{collections::BTreeMap, ops::Deref};

/// Values by their names, and where the search for a free number goes on.
///
/// While a request is read members are only added, so that a number once taken stays taken and the
/// search never starts again: all of a list's `a[]` together pass each number once.
#[derive(Debug, Clone)]
pub(crate) struct Members<V> {
    by_name: BTreeMap<String, V>,
    free_from: usize,
    is_counted: bool,
}

impl<V> Default for Members<V> {
    fn default() -> Self {
        Self {
            by_name: BTreeMap::new(),
            free_from: 0,
            is_counted: false,
        }
    }
}

impl<V> Members<V> {
    /// Returns the name of the next `a[]`: the first number not below the count of the members
    /// that is no name yet, so that only pushes count up from nothing.
    pub(crate) fn next_index(&mut self, steps: &mut Steps) -> String {
        self.is_counted = true;
        self.free_from = self.free_from.max(self.by_name.len());
        loop {
            let index = self.free_from.to_string();
            steps.look(self.by_name.len());
            if !self.by_name.contains_key(&index) {
                return index;
            }
            self.free_from += 1;
        }
    }

    /// Says whether one of the names is that of an `a[]`.
    pub(crate) fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// Returns the member of this name, made by `make` when there is none.
    pub(crate) fn or_insert_with(
        &mut self,
        name: String,
        make: impl FnOnce() -> V,
        steps: &mut Steps,
    ) -> &mut V {
        steps.look(self.by_name.len());
        self.by_name.entry(name).or_insert_with(make)
    }

    /// Adds a member; says whether the name was free.
    pub(crate) fn add(&mut self, name: String, value: V, steps: &mut Steps) -> bool {
        steps.look(self.by_name.len());
        match self.by_name.entry(name) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(value);
                true
            }
            std::collections::btree_map::Entry::Occupied(_) => false,
        }
    }

    /// Takes a member out: only when nothing is added any more.
    pub(crate) fn take(&mut self, name: &str) -> Option<V> {
        self.by_name.remove(name)
    }
}

impl<V> Deref for Members<V> {
    type Target = BTreeMap<String, V>;

    fn deref(&self) -> &Self::Target {
        &self.by_name
    }
}

impl<V: PartialEq> PartialEq for Members<V> {
    fn eq(&self, other: &Self) -> bool {
        self.by_name == other.by_name
    }
}

impl<V> IntoIterator for Members<V> {
    type Item = (String, V);
    type IntoIter = std::collections::btree_map::IntoIter<String, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_name.into_iter()
    }
}

impl<'a, V> IntoIterator for &'a Members<V> {
    type Item = (&'a String, &'a V);
    type IntoIter = std::collections::btree_map::Iter<'a, String, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_name.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(members: &mut Members<()>, steps: &mut Steps) -> String {
        let index = members.next_index(steps);
        assert!(members.add(index.clone(), (), steps));
        index
    }

    #[test]
    fn a_push_takes_the_first_free_number_from_the_count_on() {
        let (mut members, mut steps) = (Members::default(), Steps::default());
        for name in ["2", "x", "4"] {
            assert!(members.add(name.into(), (), &mut steps));
        }
        let pushed: Vec<_> = (0..4).map(|_| push(&mut members, &mut steps)).collect();
        assert_eq!(pushed, ["3", "5", "6", "7"]);
    }

    #[test]
    fn numbers_that_are_taken_are_passed_once() {
        let (mut members, mut steps) = (Members::default(), Steps::default());
        for number in 1_000..2_000 {
            assert!(members.add(number.to_string(), (), &mut steps));
        }
        let before = steps.count();
        for number in 2_000..3_000 {
            assert_eq!(push(&mut members, &mut steps), number.to_string());
        }
        assert!(steps.count() - before < 3_000 * 16, "{}", steps.count());
    }
}
