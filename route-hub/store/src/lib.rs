//! The hub's storage: one SQL text, executors, migrations.
//!
//! A [`Store`] runs jobs: closures over a [`Tx`], on threads of its own. Writes of many callers
//! share one COMMIT; each caller is told its result only after it. The modules hold the statements
//! of one resource each; every one that serves the API takes the project's id, so that no id of
//! another project is ever found.
//!
//! What engines do differently lies behind one trait (`tx::Session`): SQLite's is `sqlite.rs`,
//! PostgreSQL's is `postgres/`.

#[macro_use]
mod codes;

pub mod alerts;
pub mod api_keys;
pub mod audit;
pub mod backup;
pub mod blocked_contacts;
pub mod broadcasts;
pub mod campaigns;
pub mod changes;
pub mod contacts;
pub mod damaged;
pub mod data_rows;
pub mod data_tables;
pub mod data_views;
pub mod devices;
pub mod facts_aside;
pub mod fields;
pub mod files;
pub mod groups;
pub mod hints;
pub mod hub_alerts;
pub mod idempotency;
pub mod inbound_counted;
pub mod labels;
pub mod leftovers;
pub mod list;
pub mod look;
pub mod lost_installs;
pub mod message_templates;
pub mod messages;
pub mod meta;
pub mod moving;
pub mod organizations;
pub mod outbox;
pub mod pairing_tries;
pub mod pairings;
mod parts;
pub mod past_exposures;
pub mod pending_reroutes;
pub mod phone_accounts;
pub mod phones;
pub mod projects;
pub mod purge;
pub mod rate_tokens;
pub mod relative_schedules;
pub mod routes;
pub mod rows_aside;
pub mod schedules;
pub mod short_domains;
pub mod short_links;
pub mod statistics;
pub mod task_parts;
pub mod tasks;
#[cfg(feature = "testing")]
pub mod testing;
pub mod usage;
pub mod webhook_deliveries;
pub mod webhook_log;
pub mod webhooks;

mod conditions;
mod counts;
mod error;
mod executor;
#[cfg(test)]
mod executor_tests;
mod gate;
mod health;
mod job;
mod keys;
mod large;
mod load;
mod mark;
mod migrations;
#[cfg(test)]
mod plans;
mod postgres;
mod priority;
mod queue;
mod reading_time;
mod row;
mod server_load;
mod sqlite;
mod stop;
mod stopwatch;
mod store;
#[cfg(test)]
mod texts;
mod trust;
mod turns;
mod tx;
mod uses;
mod value;
pub mod variables;
mod write_back;

pub use error::{Cause, StoreError};
pub use executor::JOB_STEPS_MAX;
pub use gate::{Basis, Gate};
pub use health::Health;
pub use load::{ClusterLoad, Load};
pub use postgres::{PostgresSettings, Since, Standing, look_on_server};
pub use reading_time::within_request;
pub use row::Row;
pub use server_load::{ServerLoad, server_load};
pub use sqlite::SqliteSettings;
pub use store::{Share, Store};
pub use trust::trust;
pub use tx::Tx;
pub use value::Value;
