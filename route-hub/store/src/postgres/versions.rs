//! Which versions of what lies behind the gates this process has in memory.
//!
//! Each gate's row has a version, which rises with what hubs keep in memory. A group compares it with
//! the one that was seen last: where it is another, what is kept is forgotten, and a job that was
//! prepared before that is not run.

use crate::Gate;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Most gates whose version is known; above it all are forgotten.
const KNOWN_MAX: usize = 100_000;

type Forget = Box<dyn Fn(Gate) + Send + Sync>;

/// The versions that this process has seen.
#[derive(Default)]
pub(crate) struct Versions {
    known: Mutex<Known>,
    /// How often something was forgotten.
    forgotten: AtomicU64,
    forget: OnceLock<Forget>,
}

#[derive(Default)]
struct Known {
    /// A version, and when it was first seen: how often something had been forgotten by then.
    versions: HashMap<i64, (i64, u64)>,
    /// Since when what is not among them is of version 0.
    since: u64,
}

impl Versions {
    /// Has what is kept in memory be forgotten by this. The first call counts.
    pub(crate) fn forget_by(&self, forget: Forget) {
        drop(self.forget.set(forget));
    }

    /// Returns the moment at which somebody begins to read what is kept in memory.
    pub(crate) fn moment(&self) -> u64 {
        self.forgotten.load(Ordering::Acquire)
    }

    /// Takes the version that a gate's row has.
    pub(crate) fn saw(&self, gate: Gate, version: i64) {
        let mut known = self.known();
        if known.of(gate).0 == version {
            return;
        }
        if known.versions.len() >= KNOWN_MAX {
            self.forget_all(&mut known);
        }
        let moment = self.forget(gate);
        known.versions.insert(gate.number(), (version, moment));
    }

    /// Takes the version that this process has given a gate's row. Whoever changed something forgets what
    /// is kept of it; jobs that were prepared before are as good as they are in a process that is alone.
    pub(crate) fn made(&self, gate: Gate, version: i64) {
        let mut known = self.known();
        let (_, since) = known.of(gate);
        if known.versions.len() < KNOWN_MAX {
            known.versions.insert(gate.number(), (version, since));
        }
    }

    /// Takes that what was seen may be undone: a connection was lost, and the server that comes after may
    /// be another.
    pub(crate) fn lose(&self) {
        self.forget_all(&mut self.known());
    }

    /// Says whether something that was read at a moment may be of another version than a gate has.
    pub(crate) fn is_other(&self, gate: Gate, version: i64, moment: u64) -> bool {
        let (known, since) = self.known().of(gate);
        known != version || since > moment
    }

    fn forget_all(&self, known: &mut Known) {
        known.versions.clear();
        known.since = self.forget(Gate::Hub);
    }

    /// Forgets what lies behind a gate; returns the moment after that.
    fn forget(&self, gate: Gate) -> u64 {
        if let Some(forget) = self.forget.get() {
            forget(gate);
        }
        // Whoever sees the later moment reads nothing any more that was kept before.
        self.forgotten.fetch_add(1, Ordering::AcqRel) + 1
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn of(&self, gate: Gate) -> (i64, u64) {
        let known = self.versions.get(&gate.number());
        known.copied().unwrap_or((0, self.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Id, Key};

    fn gate(number: i64) -> Gate {
        Gate::Project(Id::new(Key::new(number).unwrap()))
    }

    #[test]
    fn what_was_read_before_a_version_was_seen_is_of_another() {
        let versions = Versions::default();
        let before = versions.moment();
        assert!(!versions.is_other(gate(1), 0, before));
        assert!(versions.is_other(gate(1), 5, before), "it was never seen");
        versions.saw(gate(1), 5);
        assert!(versions.is_other(gate(1), 5, before));
        assert!(!versions.is_other(gate(2), 0, before), "of another gate");
        let after = versions.moment();
        assert!(!versions.is_other(gate(1), 5, after));
        versions.saw(gate(1), 5);
        assert!(!versions.is_other(gate(1), 5, after), "it is the same");
    }

    #[test]
    fn what_this_process_has_changed_itself_is_of_no_other_version() {
        let versions = Versions::default();
        versions.saw(gate(1), 5);
        let before = versions.moment();
        versions.made(gate(1), 6);
        assert!(!versions.is_other(gate(1), 6, before));
        versions.saw(gate(1), 7);
        assert!(versions.is_other(gate(1), 7, before), "another changed it");
    }

    #[test]
    fn nothing_that_was_read_counts_once_a_connection_was_lost() {
        let versions = Versions::default();
        versions.saw(gate(1), 5);
        let before = versions.moment();
        versions.lose();
        assert!(versions.is_other(gate(1), 5, before));
        assert!(versions.is_other(gate(2), 0, before));
        assert!(!versions.is_other(gate(2), 0, versions.moment()));
    }

    #[test]
    fn what_is_kept_of_a_gate_is_forgotten_before_its_version_counts_as_seen() {
        let versions = std::sync::Arc::new(Versions::default());
        let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
        let (within, told) = (std::sync::Arc::downgrade(&versions), seen.clone());
        versions.forget_by(Box::new(move |gate| {
            let moment = within.upgrade().unwrap().moment();
            told.lock().unwrap().push((gate, moment));
        }));
        versions.saw(gate(1), 5);
        versions.saw(gate(1), 5);
        versions.saw(gate(1), 6);
        assert_eq!(*seen.lock().unwrap(), [(gate(1), 0), (gate(1), 1)]);
    }
}
