//! How many API requests and webhook calls an organization makes on each of its days.
//!
//! They are counted in memory, by quarters of an hour, since every zone's day begins with one, and
//! added to the organization's day in the database every few seconds, when somebody asks, and at a
//! stop. What a kill loses is what was counted since the last write.

use hub_domain::{Day, Organization, Zone};
use hub_store::{Store, StoreError, Tx, organizations, projects, usage};
use postrider_model::{OrganizationId, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

const QUARTER_MS: i64 = 15 * 60_000;

/// Who made a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// The holder of a key of this organization.
    Organization(OrganizationId),
    /// The hub itself, for this project.
    Project(ProjectId),
}

/// Who made requests in which quarter of an hour.
type Counts = BTreeMap<(By, i64), AtomicU64>;

/// What was counted and is not written yet.
///
/// There are as many counts as organizations and projects that made requests since the last write.
#[derive(Debug, Default)]
pub struct RequestCounts {
    counts: RwLock<Counts>,
    writing: tokio::sync::Mutex<()>,
}

impl RequestCounts {
    /// Counts a request that was made at `now`.
    pub fn count(&self, by: By, now: UnixMs) {
        self.add((by, now.0.div_euclid(QUARTER_MS)), 1);
    }

    fn add(&self, to: (By, i64), requests: u64) {
        let known = self.counts.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = known.get(&to) {
            count.fetch_add(requests, Ordering::Relaxed);
            return;
        }
        drop(known);
        let mut counts = self.counts.write().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(to).or_default().get_mut() += requests;
    }

    fn take(&self) -> Counts {
        let mut counts = self.counts.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *counts)
    }

    /// Writes what was counted; what cannot be written is kept for the next time.
    pub async fn write(&self, store: &Store) -> Result<(), StoreError> {
        let _alone = self.writing.lock().await;
        let taken = Arc::new(self.take());
        if taken.is_empty() {
            return Ok(());
        }
        let job = Arc::clone(&taken);
        let written = store.write(move |tx| write_all(tx, &job)).await;
        if written.is_err() {
            for (to, requests) in taken.iter() {
                self.add(*to, requests.load(Ordering::Relaxed));
            }
        }
        written
    }
}

fn write_all(tx: &mut Tx<'_>, counts: &Counts) -> Result<(), StoreError> {
    for ((by, quarter), requests) in counts {
        let Some(organization) = organization(tx, *by)? else {
            continue;
        };
        let zone = Zone::find(&organization.timezone_id).unwrap_or(Zone::UTC);
        if let Some(day) = Day::of(&zone, UnixMs(quarter * QUARTER_MS)) {
            let requests = requests.load(Ordering::Relaxed);
            usage::add_requests(tx, organization.id, day, requests)?;
        }
    }
    Ok(())
}

fn organization(tx: &mut Tx<'_>, by: By) -> Result<Option<Organization>, StoreError> {
    let id = match by {
        By::Organization(id) => Some(id),
        By::Project(id) => projects::get(tx, id)?.map(|project| project.organization_id),
    };
    id.map_or(Ok(None), |id| organizations::get(tx, id))
}
