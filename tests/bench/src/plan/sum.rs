//! How many cells and machines a number of phones and messages needs.

use super::{cell::Cell, costs::Measured};
use serde_json::{Value, json};

/// A machine of the plan, and how busy it may be.
const CORES_OF_HUB: f64 = 16.0;
const CORES_OF_DATABASE: f64 = 64.0;
const BUSY: f64 = 0.5;
/// Most phones of one hub: memory and open files.
const PHONES_OF_HUB: f64 = 50_000.0;
/// What a hub takes of `max_connections`.
const CONNECTIONS_OF_HUB: f64 = 14.0;
const SECONDS_OF_DAY: f64 = 86_400.0;
const GB: f64 = 1e9;

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) phones: f64,
    pub(crate) messages_per_s: f64,
}

/// What it takes.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) cells: u32,
    pub(crate) cell: Cell,
    connections: f64,
    commits_per_s: f64,
    wal_gb_per_day: f64,
    stored_gb_per_day: f64,
    links_gib_of_hub: f64,
}

/// Adds up machines. Each cell has a hub more than it needs, so that one may be lost.
pub(crate) fn plan(wanted: Wanted, measured: &Measured) -> Plan {
    let (accept, deliver) = (&measured.accept, &measured.deliver);
    let database_us = accept.work.database_us + deliver.work.database_us;
    let hub_us = accept.work.hub_us + deliver.work.hub_us;
    let of_cell = CORES_OF_DATABASE * BUSY * 1e6 / database_us;
    let cells = (wanted.messages_per_s / of_cell).ceil().max(1.0);
    let (phones, per_s) = (wanted.phones / cells, wanted.messages_per_s / cells);
    let busy = per_s * hub_us / (CORES_OF_HUB * BUSY * 1e6);
    let hubs = busy.max(phones / PHONES_OF_HUB).ceil() + 1.0;
    Plan {
        cells: cells as u32,
        cell: Cell {
            hubs: hubs as u32,
            cores_of_hub: CORES_OF_HUB,
            cores_of_database: CORES_OF_DATABASE,
            phones: phones as u32,
            messages_per_s: per_s,
        },
        connections: hubs * CONNECTIONS_OF_HUB,
        commits_per_s: per_s * (accept.commits + deliver.commits),
        wal_gb_per_day: per_s * (accept.wal_bytes + deliver.wal_bytes) * SECONDS_OF_DAY / GB,
        stored_gb_per_day: per_s * (accept.stored_bytes + deliver.stored_bytes) * SECONDS_OF_DAY
            / GB,
        links_gib_of_hub: phones / (hubs - 1.0) * measured.kib_of_phone / (1024.0 * 1024.0),
    }
}

impl Plan {
    /// Returns the rows of the table.
    pub(crate) fn rows(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("cells", f64::from(self.cells)),
            ("hubs of a cell, one to spare", f64::from(self.cell.hubs)),
            ("cores of a hub's machine", self.cell.cores_of_hub),
            (
                "cores of the database's machine",
                self.cell.cores_of_database,
            ),
            ("phones of a cell", f64::from(self.cell.phones)),
            ("messages a second of a cell", self.cell.messages_per_s),
            ("connections to its database", self.connections),
            ("commits a second, a flush each at most", self.commits_per_s),
            ("WAL, GB a day", self.wal_gb_per_day),
            ("rows and indexes, GB a day", self.stored_gb_per_day),
            ("links, GiB of a hub", self.links_gib_of_hub),
        ]
    }

    pub(crate) fn to_json(&self) -> Value {
        let rows = self.rows().into_iter();
        rows.map(|(name, value)| json!({"name": name, "value": value}))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{cell::Work, costs::Cost};

    const COST: Cost = Cost {
        work: Work {
            hub_us: 80.0,
            database_us: 160.0,
        },
        wal_bytes: 1_000.0,
        commits: 0.1,
        stored_bytes: 500.0,
    };

    #[test]
    fn what_is_wanted_has_room_with_a_hub_to_spare() {
        let measured = Measured {
            accept: COST,
            deliver: COST,
            link: COST,
            kib_of_phone: 16.0,
        };
        let wanted = Wanted {
            phones: 1_000_000.0,
            messages_per_s: 100_000.0,
        };
        let plan = plan(wanted, &measured);
        // One database takes 64 * 0.5 / 320 us = 100,000/s.
        assert_eq!(plan.cells, 1);
        // A million phones are 20 hubs, and one more.
        assert_eq!(plan.cell.hubs, 21);
        assert_eq!(plan.connections, 294.0);
        assert!((plan.commits_per_s - 20_000.0).abs() < 1.0);
        assert!((plan.wal_gb_per_day - 17_280.0).abs() < 1.0);
        let gib = 50_000.0 * 16.0 / 1_048_576.0;
        assert!((plan.links_gib_of_hub - gib).abs() < 1e-9);
    }
}
