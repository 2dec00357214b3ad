//! Alerts while the clock of this process's machine is off the database's.
//!
//! What a hub decides by the time of day goes by its machine's clock, so two hubs whose clocks differ decide
//! otherwise. Each tells the operator and the projects that it works for.

use crate::alerts::{self, About, of_hub};
use crate::hub::Hub;
use crate::transaction;
use crate::unit_of_work::UnitOfWork;
use crate::worker::{self, Next, Worker};
use hub_domain::{AlertKind, HubAlertKind, ProjectShares};
use hub_store::{StoreError, Tx, projects};
use postrider_model::{Now, ProjectId};
use std::time::Duration;

/// A clock that is off so far is told.
const OFF_MS_MIN: u64 = 1_000;
/// How often the clock is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Most projects of one reading.
const PAGE: usize = 500;

/// Looks at the clock until it is dropped; there is nothing to compare it with on SQLite.
pub async fn run(hub: Hub) {
    worker::run(Clock { hub, told: None }).await;
}

struct Clock {
    hub: Hub,
    /// What the projects of these shares were told last.
    told: Option<(bool, ProjectShares)>,
}

impl Worker for Clock {
    const FAILURE: &'static str = "projects could not be told of the clock";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let Some(load) = self.hub.store.cluster_load() else {
            return Ok(Next::Woken);
        };
        let is_off = load.clock_off_ms.unsigned_abs() >= OFF_MS_MIN;
        of_hub::follow(&self.hub, HubAlertKind::ClockOff, is_off).await?;
        let now = (is_off, self.hub.own_shares.owned());
        if self.told != Some(now) {
            tell(&self.hub, is_off, self.hub.now()).await?;
            self.told = Some(now);
        }
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Raises the alert in each project that this process works for, or ends it; returns in how many.
pub async fn tell(hub: &Hub, is_off: bool, now: Now) -> Result<usize, StoreError> {
    let own = hub.clone();
    let all = hub.store.read::<_, StoreError, _>(move |tx| {
        let all = projects::all(tx)?.into_iter().map(|project| project.id);
        Ok(all.filter(|id| own.works_for(*id)).collect::<Vec<_>>())
    });
    let mut told = 0;
    for page in all.await?.chunks(PAGE) {
        let page = page.to_vec();
        let others = hub.store.read(move |tx| whose_differs(tx, &page, is_off));
        for project in others.await? {
            let step = move |work: &mut UnitOfWork<'_, '_>| {
                if is_off {
                    alerts::raise(work, About::Project, AlertKind::ClockOff)
                } else {
                    alerts::clear(work, About::Project, AlertKind::ClockOff)
                }
            };
            transaction::run_by_hub(hub, project, now, step).await?;
            told += 1;
        }
    }
    Ok(told)
}

/// Returns those of some projects whose alert stands though it should not, or the other way round.
fn whose_differs(
    tx: &mut Tx<'_>,
    projects: &[ProjectId],
    is_off: bool,
) -> Result<Vec<ProjectId>, StoreError> {
    let mut differ = Vec::new();
    for project in projects {
        let kind = AlertKind::ClockOff;
        let standing = hub_store::alerts::standing(tx, *project, None, None, kind)?;
        if standing.is_some() != is_off {
            differ.push(*project);
        }
    }
    Ok(differ)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Office, wait};

    #[test]
    fn a_project_is_told_once_of_a_clock_that_is_off_and_once_that_it_is_right_again() {
        let office = Office::new();
        let (hub, project) = (office.hub.clone(), office.project.id);
        let told = |is_off| wait(tell(&hub, is_off, hub.now())).unwrap();
        let stands = || {
            office.rows(move |work| {
                let kind = AlertKind::ClockOff;
                hub_store::alerts::standing(work.tx, project, None, None, kind)
            })
        };
        assert_eq!([told(true), told(true)], [1, 0]);
        assert!(stands().is_some());
        assert_eq!([told(false), told(false)], [1, 0]);
        assert!(stands().is_none());
    }
}
