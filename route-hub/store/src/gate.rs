//! What a write job may change, named before it runs.
//!
//! Jobs are written as if alone. Where several processes write to one database, that stays true
//! behind the gates that a job names: who holds one of them is the only one to change what lies
//! behind it. SQLite has one writer at a time and needs none.

use postrider_model::{OrganizationId, ProjectId};

/// A part of the database that one job at a time changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// The hub's own rows: what it knows of itself, its organizations' being there, usage.
    Hub,
    /// An organization's own rows: its API keys, its audit log, the names that are unique in it.
    Organization(OrganizationId),
    /// All rows of a project.
    Project(ProjectId),
}

impl Gate {
    /// Returns the number of its lock: keys are unique over all tables, and none is 0.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Hub => 0,
            Self::Organization(id) => id.get(),
            Self::Project(id) => id.get(),
        }
    }
}

/// A moment at which somebody began to read what is kept in memory, to prepare a job. On SQLite, where
/// one process serves, there is nothing to compare with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Basis(pub(crate) Option<u64>);

/// What a job was prepared on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prepared {
    pub(crate) moment: u64,
    /// Whose rights it goes by. Its version counts, too, though nobody waits for its gate.
    pub(crate) organization: Gate,
}

/// The gates that one job names: its party's own, and at most two more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gates {
    own: Gate,
    more: [Option<Gate>; 2],
    prepared: Option<Prepared>,
}

impl Gates {
    pub(crate) const fn of(own: Gate) -> Self {
        Self {
            own,
            more: [None; 2],
            prepared: None,
        }
    }

    /// Adds a gate, unless it is named already.
    pub(crate) fn and(mut self, gate: Gate) -> Self {
        if self.iter().all(|named| named != gate) {
            let free = self.more.iter_mut().find(|more| more.is_none());
            debug_assert!(free.is_some(), "a job names at most three gates");
            if let Some(free) = free {
                *free = Some(gate);
            }
        }
        self
    }

    /// Says what the job was prepared on.
    pub(crate) fn prepared_on(mut self, basis: Basis, organization: OrganizationId) -> Self {
        let organization = Gate::Organization(organization);
        self.prepared = basis.0.map(|moment| Prepared {
            moment,
            organization,
        });
        self
    }

    /// Returns what the job was prepared on, if its caller says so.
    pub(crate) fn prepared(&self) -> Option<Prepared> {
        self.prepared
    }

    /// Returns them as they were named.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Gate> {
        [Some(self.own), self.more[0], self.more[1]]
            .into_iter()
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Id, Key};

    #[test]
    fn a_gate_is_named_once() {
        let project = Gate::Project(Id::new(Key::new(7).unwrap()));
        let gates = Gates::of(project)
            .and(Gate::Hub)
            .and(project)
            .and(Gate::Hub);
        assert_eq!(gates.iter().collect::<Vec<_>>(), [project, Gate::Hub]);
        let numbers = gates.iter().map(Gate::number);
        assert_eq!(numbers.collect::<Vec<_>>(), [7, 0]);
    }
}
