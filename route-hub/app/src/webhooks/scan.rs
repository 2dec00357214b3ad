//! Reading what is due from the outbox: projects in turn, and the endpoints of each in turn.
//!
//! A backlog of one endpoint is never walked to find the rows of another: each endpoint is one
//! look into the index by (project, origin, due time). Of a project with many endpoints a scan
//! looks at some, and the next scan goes on behind them.

use crate::webhooks::lane::{Endpoint, ROOM_FIRST};
use crate::webhooks::shares::Shares;
use hub_domain::{OutboxRow, ProjectShares};
use hub_store::{StoreError, Tx, outbox};
use postrider_model::{ProjectId, UnixMs};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// After so many looks at projects and endpoints a scan ends with the project it is at.
pub(crate) const LOOKS_MAX: usize = 512;
/// Most looks at endpoints of one project in one scan.
pub(crate) const LOOKS_PER_PROJECT: usize = 64;

/// What to read.
#[derive(Debug, Clone)]
pub(crate) struct ScanAsk {
    /// The projects that are posted for here.
    pub projects: ProjectShares,
    /// Rows due by then.
    pub due_by: UnixMs,
    /// Where the last scan ended.
    pub from: Place,
    /// What is known of endpoints that are in memory.
    pub lanes: BTreeMap<Endpoint, LaneAsk>,
    /// Who has the rows in memory.
    pub rows: Shares,
    /// Who has their bytes.
    pub bytes: Shares,
}

/// Where a scan ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The last project that was looked at, when there are more behind it.
    pub project: Option<ProjectId>,
    /// Where to go on in each project that was not looked through.
    pub origins: BTreeMap<ProjectId, Origin>,
}

/// Where to go on in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The last endpoint that was looked at.
    pub after: Arc<str>,
    /// Whether the project's share is used up: there is no use in going on before a row leaves.
    pub squeezed: bool,
    /// Whether it was used up on the way: the first endpoints may have rows by the time the last
    /// ones were looked at.
    pub again: bool,
}

/// What to read of one endpoint.
#[derive(Debug, Clone)]
pub(crate) struct LaneAsk {
    /// Most rows.
    pub room: usize,
    /// Rows not to read: they are in memory.
    pub held: BTreeSet<i64>,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// Due rows, in order within an endpoint.
    pub rows: Vec<Found>,
    /// Endpoints that were looked at.
    pub read: Vec<Endpoint>,
    /// Endpoints that may have more due rows than were read.
    pub limited: Vec<Endpoint>,
    /// Whether a project's share kept rows from being read.
    pub squeezed: bool,
    /// Whether there are more endpoints to look at now.
    pub goes_on: bool,
    /// When the next row of an endpoint without due rows is due.
    pub next_due: Option<UnixMs>,
    /// Where to go on.
    pub reached: Place,
}

/// A due row.
#[derive(Debug)]
pub(crate) struct Found {
    /// The row.
    pub row: OutboxRow,
    /// The row before it of the same message to the same endpoint, if it is still there.
    pub before: Option<Before>,
}

/// The row that another one must wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Before {
    /// Its key.
    pub id: i64,
    /// When it is due.
    pub due_at: UnixMs,
}

/// Reads what `ask` wants.
pub(crate) fn scan(tx: &mut Tx<'_>, ask: &ScanAsk) -> Result<Scanned, StoreError> {
    let mut reading = Reading::new(ask);
    while reading.looks_left > 0 {
        let before = reading.scanned.reached.project;
        let found = outbox::next_project(tx, before)?;
        reading.forget_between(before, found);
        reading.scanned.reached.project = found;
        match found {
            Some(project) if !ask.projects.has(project) => reading.pass_over(project),
            Some(project) => reading.project(tx, project)?,
            None => {
                let mut left = reading.scanned.reached.origins.values();
                reading.scanned.goes_on |= left.any(|origin| !origin.squeezed);
                return Ok(reading.scanned);
            }
        }
    }
    reading.scanned.goes_on = true;
    Ok(reading.scanned)
}

/// A scan under way.
struct Reading<'a> {
    ask: &'a ScanAsk,
    rows: Shares,
    bytes: Shares,
    looks_left: usize,
    scanned: Scanned,
}

impl<'a> Reading<'a> {
    fn new(ask: &'a ScanAsk) -> Self {
        Self {
            ask,
            rows: ask.rows.clone(),
            bytes: ask.bytes.clone(),
            looks_left: LOOKS_MAX,
            scanned: Scanned {
                reached: ask.from.clone(),
                ..Scanned::default()
            },
        }
    }

    /// Passes over a project that another process posts for.
    fn pass_over(&mut self, project: ProjectId) {
        self.looks_left -= 1;
        self.scanned.reached.origins.remove(&project);
    }

    /// Forgets where to go on in projects that have no rows any more.
    fn forget_between(&mut self, before: Option<ProjectId>, found: Option<ProjectId>) {
        let gone = |id: &ProjectId| Some(*id) > before && found.is_none_or(|found| *id < found);
        self.scanned.reached.origins.retain(|id, _| !gone(id));
    }

    /// Looks at some endpoints of a project, from where the last scan ended.
    fn project(&mut self, tx: &mut Tx<'_>, project: ProjectId) -> Result<(), StoreError> {
        self.looks_left = self.looks_left.saturating_sub(1);
        let mut origin = self.scanned.reached.origins.remove(&project);
        for _ in 0..LOOKS_PER_PROJECT {
            if !self.has_share(project) {
                self.scanned.squeezed = true;
                if let Some(origin) = origin {
                    let origin = Origin {
                        squeezed: true,
                        again: true,
                        ..origin
                    };
                    self.scanned.reached.origins.insert(project, origin);
                }
                return Ok(());
            }
            let after = origin.as_ref().map_or("", |origin| &origin.after);
            let Some((found, first_due)) = outbox::next_endpoint(tx, project, after)? else {
                self.scanned.goes_on |= origin.is_some_and(|origin| origin.again);
                return Ok(());
            };
            self.looks_left = self.looks_left.saturating_sub(1);
            let after: Arc<str> = found.into();
            let endpoint = Endpoint {
                project_id: project,
                origin: Arc::clone(&after),
            };
            let again = origin.is_some_and(|origin| origin.again);
            origin = Some(Origin {
                after,
                squeezed: false,
                again,
            });
            self.endpoint(tx, endpoint, first_due)?;
        }
        let origins = &mut self.scanned.reached.origins;
        origins.extend(origin.map(|origin| (project, origin)));
        Ok(())
    }

    fn has_share(&self, project: ProjectId) -> bool {
        self.rows.may_take(project) && self.bytes.may_take(project)
    }

    fn endpoint(
        &mut self,
        tx: &mut Tx<'_>,
        endpoint: Endpoint,
        first_due: UnixMs,
    ) -> Result<(), StoreError> {
        if first_due <= self.ask.due_by {
            let all_read = self.rows_of(tx, &endpoint)?;
            if !all_read {
                self.scanned.limited.push(endpoint.clone());
            }
        } else {
            let next = self.scanned.next_due;
            self.scanned.next_due = Some(next.map_or(first_due, |due| due.min(first_due)));
        }
        self.scanned.read.push(endpoint);
        Ok(())
    }

    /// Reads due rows of one endpoint; says whether it has no more of them.
    fn rows_of(&mut self, tx: &mut Tx<'_>, endpoint: &Endpoint) -> Result<bool, StoreError> {
        let project = endpoint.project_id;
        let none = BTreeSet::new();
        let lane = self.ask.lanes.get(endpoint);
        let (room, held) = lane.map_or((ROOM_FIRST, &none), |lane| (lane.room, &lane.held));
        if room == 0 {
            return Ok(false);
        }
        // One more than fits tells whether there is more; those in memory are still in the table.
        let limit = u32::try_from(held.len() + room + 1).unwrap_or(u32::MAX);
        let ids = outbox::due_keys(tx, project, &endpoint.origin, self.ask.due_by, limit)?;
        let mut new = ids.into_iter().filter(|id| !held.contains(id));
        for id in new.by_ref().take(room) {
            if !self.has_share(project) {
                self.scanned.squeezed = true;
                return Ok(false);
            }
            let Some(row) = outbox::get(tx, id)? else {
                continue;
            };
            self.rows.take(project, 1);
            self.bytes.take(project, row.body.len() + row.url.len());
            let before = outbox::before(tx, &row)?.map(|(id, due_at)| Before { id, due_at });
            self.scanned.rows.push(Found { row, before });
        }
        Ok(new.next().is_none())
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
