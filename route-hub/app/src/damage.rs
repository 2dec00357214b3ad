//! Rows that cannot be read are set aside with an alert, in a job of their own project, so that they
//! hold nobody up.

use crate::actor::Actor;
use crate::alerts::{self, About};
use crate::hub::Hub;
use crate::transaction;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{AlertKind, Message, Project};
use hub_store::damaged::{Damaged, Found};
use hub_store::{Basis, StoreError, messages, rows_aside};
use postrider_model::{MessageId, Now, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long work that failed is left alone.
const REST_MS: i64 = 60_000;
/// Most pieces of work that are left alone at a time; beyond it all are tried again.
const RESTING_MAX: usize = 10_000;

/// Sets a damaged row of the unit of work's project aside.
pub fn set_aside(work: &mut UnitOfWork<'_, '_>, damaged: &Damaged) -> Result<(), StoreError> {
    let (table, row, project) = (damaged.table, damaged.id, work.project.id);
    tracing::error!(table, row, %project, "a row could not be read and was set aside");
    rows_aside::set_aside(work.tx, damaged, work.now.unix)?;
    alerts::raise(work, About::Project, AlertKind::RowUnreadable)
}

/// Returns the rows that could be read, and sets the others aside.
pub fn readable<T>(
    work: &mut UnitOfWork<'_, '_>,
    found: Vec<Found<T>>,
) -> Result<Vec<T>, StoreError> {
    let mut rows = Vec::with_capacity(found.len());
    for one in found {
        match one {
            Found::Row(row) => rows.push(row),
            Found::Damaged(damaged) => set_aside(work, &damaged)?,
        }
    }
    Ok(rows)
}

/// Returns a message of the unit of work's project; one that is damaged is set aside.
pub fn message(
    work: &mut UnitOfWork<'_, '_>,
    id: MessageId,
) -> Result<Option<Message>, StoreError> {
    match messages::found(work.tx, id.get())? {
        None => Ok(None),
        Some(Found::Row(message)) => Ok(Some(message)),
        // Another project's row: this project must not touch it.
        Some(Found::Damaged(damaged))
            if damaged.project_id.is_some_and(|of| of != work.project.id) =>
        {
            Ok(None)
        }
        Some(Found::Damaged(damaged)) => set_aside(work, &damaged).map(|()| None),
    }
}

/// Sets rows of a project aside, in a job of their own.
pub async fn set_all_aside(
    hub: &Hub,
    project: &Arc<Project>,
    damaged: Vec<Damaged>,
    now: Now,
) -> Result<(), StoreError> {
    if damaged.is_empty() {
        return Ok(());
    }
    let step = move |work: &mut UnitOfWork<'_, '_>| {
        damaged.iter().try_for_each(|one| set_aside(work, one))
    };
    let actor = Actor::system(hub, project, Basis::default(), now);
    transaction::run(&actor, step).await
}

/// Raises an alert when a project's work failed on a row that cannot be read.
pub async fn tell(hub: &Hub, project: ProjectId, error: &StoreError, now: Now) {
    if !matches!(error, StoreError::BadRow { .. }) {
        return;
    }
    let step = |work: &mut UnitOfWork<'_, '_>| {
        alerts::raise(work, About::Project, AlertKind::RowUnreadable)
    };
    let raised: Result<_, StoreError> = transaction::run_by_hub(hub, project, now, step).await;
    if let Err(error) = raised {
        hub_store::failed!(error, error, %project, "an alert could not be raised");
    }
}

/// Work that failed lately, by the key of its row or project: it is left alone for a while.
#[derive(Debug, Default)]
pub struct Resting {
    until: BTreeMap<i64, UnixMs>,
}

impl Resting {
    /// Says whether something is left alone.
    pub fn has(&self, key: i64, now: UnixMs) -> bool {
        self.until.get(&key).is_some_and(|until| now < *until)
    }

    /// Says whether nothing is left alone.
    pub fn is_empty(&self) -> bool {
        self.until.is_empty()
    }

    /// Leaves something alone from now on.
    pub fn add(&mut self, key: i64, now: UnixMs) {
        if self.until.len() >= RESTING_MAX {
            self.until.clear();
        }
        self.until.retain(|_, until| now < *until);
        self.until.insert(key, now.plus_ms(REST_MS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_left_alone_for_a_minute() {
        let mut resting = Resting::default();
        resting.add(7, UnixMs(1_000));
        assert!(resting.has(7, UnixMs(60_999)) && !resting.has(8, UnixMs(1_000)));
        assert!(!resting.has(7, UnixMs(61_000)));
    }
}
