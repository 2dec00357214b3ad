//! The PostgreSQL engine: all that is PostgreSQL's own.

mod cluster;
mod connect;
mod failure;
mod fence;
mod gates;
mod group;
mod migrate;
mod notices;
mod processes;
mod session;
mod start;
mod values;
mod writer;

pub(crate) use self::cluster::{Cluster, Mistakes};
pub use self::connect::PostgresSettings;
pub(crate) use self::start::{QUEUES, open};
