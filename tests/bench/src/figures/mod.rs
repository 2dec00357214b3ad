//! The figures, in groups that share a hub.

mod abuse_parameters;
mod abuse_tenant;
mod abuse_wakeups;
mod abuse_webhooks;
mod accept_to_radio;
mod across_hubs;
mod agent;
mod bare;
mod contact_lists;
mod csv;
mod exports;
mod lists;
mod million;
mod people;
mod phones;
mod postgres;
mod postgres_hindered;
mod rows;
mod schedules;
mod sends;
mod several_hubs;
mod shell;
mod short_links;
mod statistics;
mod sweep;
mod tasks;
mod uploads;

use crate::{
    Failure,
    hub::Hub,
    load::{Numbers, Request},
    report::Figure,
};
use hub_store::testing::{self, PostgresDatabase};
use std::{io::Write, time::Duration};

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Runs that a median is taken of.
    pub(crate) runs: usize,
    /// How long one run counts.
    pub(crate) span: Duration,
    /// How many messages the large store holds.
    pub(crate) many: u64,
    /// How long a snapshot stays open beside sends.
    pub(crate) snapshot: Duration,
}

impl Scale {
    /// Returns the scale on which limits are judged.
    pub(crate) const fn full(runs: usize, snapshot: Duration) -> Self {
        Self {
            runs,
            span: Duration::from_secs(4),
            many: 1_000_000,
            snapshot,
        }
    }

    /// Returns the smallest scale at which everything runs once.
    pub(crate) const fn smoke() -> Self {
        Self {
            runs: 1,
            span: Duration::from_millis(300),
            many: 12_000,
            snapshot: Duration::from_secs(1),
        }
    }
}

/// Figures that are measured together.
pub(crate) struct Group {
    /// The names of its figures.
    pub(crate) names: &'static [&'static str],
    /// Measures them.
    pub(crate) measure: fn(Scale) -> Result<Vec<Figure>, Failure>,
}

/// Every group, in the order of the table.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        names: sends::NAMES,
        measure: sends::measure,
    },
    Group {
        names: accept_to_radio::SLOW_NAMES,
        measure: accept_to_radio::measure_slow,
    },
    Group {
        names: accept_to_radio::FAST_NAMES,
        measure: accept_to_radio::measure_fast,
    },
    Group {
        names: agent::NAMES,
        measure: agent::measure,
    },
    Group {
        names: shell::NAMES,
        measure: shell::measure,
    },
    Group {
        names: people::NAMES,
        measure: people::measure,
    },
    Group {
        names: schedules::NAMES,
        measure: schedules::measure,
    },
    Group {
        names: contact_lists::NAMES,
        measure: contact_lists::measure,
    },
    Group {
        names: abuse_webhooks::NAMES,
        measure: abuse_webhooks::measure,
    },
    Group {
        names: million::NAMES,
        measure: million::measure,
    },
    Group {
        names: abuse_tenant::NAMES,
        measure: abuse_tenant::measure,
    },
    Group {
        names: abuse_wakeups::NAMES,
        measure: abuse_wakeups::measure,
    },
    Group {
        names: abuse_parameters::NAMES,
        measure: abuse_parameters::measure,
    },
    Group {
        names: phones::IDLE_NAMES,
        measure: phones::measure_idle,
    },
    Group {
        names: rows::NAMES,
        measure: rows::measure,
    },
    Group {
        names: tasks::NAMES,
        measure: tasks::measure,
    },
    Group {
        names: csv::NAMES,
        measure: csv::measure,
    },
    Group {
        names: exports::NAMES,
        measure: exports::measure,
    },
    Group {
        names: statistics::NAMES,
        measure: statistics::measure,
    },
    Group {
        names: short_links::NAMES,
        measure: short_links::measure,
    },
    Group {
        names: uploads::NAMES,
        measure: uploads::measure,
    },
    Group {
        names: sweep::NAMES,
        measure: sweep::measure,
    },
];

/// The groups that need a PostgreSQL server.
pub(crate) const ON_POSTGRES: &[Group] = &[
    Group {
        names: postgres::NAMES,
        measure: postgres::measure,
    },
    Group {
        names: several_hubs::NAMES,
        measure: several_hubs::measure,
    },
    Group {
        names: across_hubs::NAMES,
        measure: across_hubs::measure,
    },
    Group {
        names: postgres_hindered::NAMES,
        measure: postgres_hindered::measure,
    },
    Group {
        names: million::POSTGRES_NAMES,
        measure: million::measure_lists_on_postgres,
    },
    Group {
        names: phones::BACK_NAMES,
        measure: phones::measure_back,
    },
    Group {
        names: rows::POSTGRES_NAMES,
        measure: rows::measure_on_postgres,
    },
    Group {
        names: tasks::POSTGRES_NAMES,
        measure: tasks::measure_on_postgres,
    },
    Group {
        names: csv::POSTGRES_NAMES,
        measure: csv::measure_on_postgres,
    },
    Group {
        names: exports::POSTGRES_NAMES,
        measure: exports::measure_on_postgres,
    },
    Group {
        names: statistics::POSTGRES_NAMES,
        measure: statistics::measure_on_postgres,
    },
    Group {
        names: short_links::POSTGRES_NAMES,
        measure: short_links::measure_on_postgres,
    },
    Group {
        names: uploads::POSTGRES_NAMES,
        measure: uploads::measure_on_postgres,
    },
    Group {
        names: sweep::POSTGRES_NAMES,
        measure: sweep::measure_on_postgres,
    },
];

/// Returns a recipient for a message with this number; there are ten thousand of them.
pub(crate) fn recipient(number: u64) -> u64 {
    15_005_550_000 + number % 10_000
}

fn write_message(number: u64, body: &mut Vec<u8>) {
    let to = recipient(number);
    let text = write!(
        body,
        r#"{{"to_number":"+{to}","content":"message {number}"}}"#
    );
    debug_assert!(text.is_ok(), "a vector takes everything");
}

/// Returns the request that sends one message.
pub(crate) fn single_send(project: &str) -> Request {
    Request::post(format!("{project}/messages/send"), write_message)
}

/// Messages of one `send_multi`.
const MULTI: u64 = 100;

/// Returns the request that sends a hundred messages.
fn multi_send(project: &str) -> Request {
    Request::post(format!("{project}/send_multi"), |number, body| {
        body.extend_from_slice(br#"{"messages":["#);
        for place in 0..MULTI {
            if place > 0 {
                body.push(b',');
            }
            write_message(number * MULTI + place, body);
        }
        body.extend_from_slice(b"]}");
    })
}

/// Makes an empty database on the server of the measurements.
fn empty_database() -> Result<PostgresDatabase, Failure> {
    let server = testing::server().ok_or("there is no PostgreSQL server to measure on")?;
    Ok(PostgresDatabase::empty(&server))
}

/// Starts a hub on PostgreSQL whose phones are paused and whose queue is practically unbounded.
pub(crate) async fn postgres_hub(phones: usize) -> Result<Hub, Failure> {
    Hub::start_paused_on(Some(empty_database()?), phones).await
}

pub(crate) fn fresh_numbers() -> Numbers {
    Numbers::default()
}
