//! Statistics: how many messages, contacts and rows there were, by intervals of days.

mod airtime;
mod backlog;
mod calendar;
mod contacts;
mod data_tables;
mod days;
mod messages;
mod series;

pub use airtime::airtime_stats;
pub use calendar::Asked;
pub use contacts::{Series, contact_stats};
pub use data_tables::{RowSeries, data_table_stats};
pub use messages::{Cell, IntervalGroups, MessageStats, Sum, Sums, of_organization, of_project};
pub use series::{IntervalValues, Wanted};

use crate::hub::Hub;
use hub_domain::Permission;

/// Whoever asks for statistics needs it.
pub const PERMISSION: Permission = Permission::ViewStats;

/// Keeps the counters until it is dropped: first what they lack, then sums of days.
pub async fn run(hub: Hub) {
    tokio::join!(backlog::run(hub.clone()), days::run(hub));
}

#[cfg(test)]
mod tests;
