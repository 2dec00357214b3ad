//! Which faults and states a run, or a range of runs, really reached.

use std::{collections::BTreeMap, fmt};

/// What can be reached: a group, and one or two words in it.
pub type Mark = (&'static str, &'static str, &'static str);

/// How often each thing was reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    counts: BTreeMap<Mark, u64>,
}

impl Coverage {
    /// Counts something.
    pub fn mark(&mut self, group: &'static str, one: &'static str, other: &'static str) {
        *self.counts.entry((group, one, other)).or_default() += 1;
    }

    /// Adds the counts of another run.
    pub fn merge(&mut self, other: &Self) {
        for (mark, count) in &other.counts {
            *self.counts.entry(*mark).or_default() += count;
        }
    }

    /// Returns how often something was reached.
    pub fn count(&self, mark: Mark) -> u64 {
        self.counts.get(&mark).copied().unwrap_or(0)
    }

    /// Returns what of a list was never reached.
    pub fn missing(&self, of: &[Mark]) -> Vec<Mark> {
        let missing = of.iter().filter(|mark| self.count(**mark) == 0);
        missing.copied().collect()
    }

    /// Returns everything that was reached.
    pub fn marks(&self) -> impl Iterator<Item = (&Mark, &u64)> {
        self.counts.iter()
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((group, one, other), count) in &self.counts {
            let of = if other.is_empty() { "" } else { " / " };
            writeln!(f, "{count:>10}  {group}: {one}{of}{other}")?;
        }
        Ok(())
    }
}
