//! Reading what is due from the outbox, endpoint by endpoint.
//!
//! A backlog of one endpoint is never walked to find the rows of another: each endpoint is one
//! look into the index by (project, origin, due time).

use super::lane::{Endpoint, ROOM_FIRST};
use hub_domain::OutboxRow;
use hub_store::{StoreError, Tx, outbox};
use postrider_model::UnixMs;
use std::collections::{BTreeMap, BTreeSet};

/// Most endpoints looked at in one scan; the next one goes on behind them.
const ENDPOINTS_MAX: usize = 1_000;

/// What to read.
#[derive(Debug, Clone)]
pub struct ScanAsk {
    /// Rows due by then.
    pub due_by: UnixMs,
    /// Endpoints behind this one; `None`: from the first.
    pub after: Option<Endpoint>,
    /// What is known of endpoints that are in memory.
    pub lanes: BTreeMap<Endpoint, LaneAsk>,
    /// Most rows in all.
    pub rows_max: usize,
    /// Most bytes in all, to within one row.
    pub bytes_max: usize,
}

/// What to read of one endpoint.
#[derive(Debug, Clone)]
pub struct LaneAsk {
    /// Most rows.
    pub room: usize,
    /// Rows not to read: they are in memory.
    pub held: BTreeSet<i64>,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Due rows, in order within an endpoint.
    pub rows: Vec<Found>,
    /// Endpoints that have more due rows than were read.
    pub limited: Vec<Endpoint>,
    /// When the next row of an endpoint without due rows is due.
    pub next_due: Option<UnixMs>,
    /// The last endpoint looked at, when there are more behind it.
    pub reached: Option<Endpoint>,
}

/// A due row.
#[derive(Debug)]
pub struct Found {
    /// The row.
    pub row: OutboxRow,
    /// The one before it of the same message to the same endpoint, if it is still there.
    pub before: Option<Before>,
}

/// The row that another one must wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    /// Its key.
    pub id: i64,
    /// When it is due.
    pub due_at: UnixMs,
}

/// Reads what `ask` wants.
///
/// # Errors
/// What the database says.
pub fn scan(tx: &mut Tx<'_>, ask: &ScanAsk) -> Result<Scanned, StoreError> {
    let mut scanned = Scanned::default();
    let mut bytes_left = ask.bytes_max;
    let mut after = ask.after.clone();
    for _ in 0..ENDPOINTS_MAX {
        let Some((endpoint, first_due)) = next_endpoint(tx, after.as_ref())? else {
            scanned.reached = None;
            return Ok(scanned);
        };
        if first_due > ask.due_by {
            let next = scanned.next_due.map_or(first_due, |due| due.min(first_due));
            scanned.next_due = Some(next);
        } else {
            read_endpoint(tx, ask, &endpoint, &mut bytes_left, &mut scanned)?;
        }
        scanned.reached = Some(endpoint.clone());
        after = Some(endpoint);
    }
    Ok(scanned)
}

/// Finds the endpoint behind `after` and the time its first row is due.
fn next_endpoint(
    tx: &mut Tx<'_>,
    after: Option<&Endpoint>,
) -> Result<Option<(Endpoint, UnixMs)>, StoreError> {
    let after = after.map(|endpoint| (endpoint.project_id, &*endpoint.origin));
    let found = outbox::next_endpoint(tx, after)?;
    Ok(found.map(|(project_id, origin, first_due)| {
        let origin = origin.into();
        (Endpoint { project_id, origin }, first_due)
    }))
}

fn read_endpoint(
    tx: &mut Tx<'_>,
    ask: &ScanAsk,
    endpoint: &Endpoint,
    bytes_left: &mut usize,
    scanned: &mut Scanned,
) -> Result<(), StoreError> {
    let none = BTreeSet::new();
    let lane = ask.lanes.get(endpoint);
    let (room, held) = lane.map_or((ROOM_FIRST, &none), |lane| (lane.room, &lane.held));
    let room = room.min(ask.rows_max.saturating_sub(scanned.rows.len()));
    // One more than fits tells whether there is more; those in memory are still in the table.
    let limit = u32::try_from(held.len() + room + 1).unwrap_or(u32::MAX);
    let ids = outbox::due_keys(tx, endpoint.project_id, &endpoint.origin, ask.due_by, limit)?;
    let mut new = ids.into_iter().filter(|id| !held.contains(id));
    for id in new.by_ref().take(room) {
        if *bytes_left == 0 {
            scanned.limited.push(endpoint.clone());
            return Ok(());
        }
        let Some(row) = outbox::get(tx, id)? else {
            continue;
        };
        *bytes_left = bytes_left.saturating_sub(row.body.len() + row.url.len());
        let before = outbox::before(tx, &row)?.map(|(id, due_at)| Before { id, due_at });
        scanned.rows.push(Found { row, before });
    }
    if new.next().is_some() {
        scanned.limited.push(endpoint.clone());
    }
    Ok(())
}
