//! What organizations have and use.
//!
//! Each project has a row with how much of each thing there is, and one for each quarter hour of UTC
//! with how much that changed. Both are written once for a commit group, in the transaction of the
//! changes, as the counters of messages are.

pub use crate::uses::{Amounts, Limits};

use crate::parts::PartsOfGroup;
use crate::row::Cursor;
use crate::uses::{Limited, Uses, column};
use crate::{StoreError, Tx, Value, values};
use hub_domain::{Day, Exceeded, Quarter, UsageType};
use postrider_model::{Key, OrganizationId, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The columns that both tables have, in the order of [`Amounts`].
macro_rules! columns {
    () => {
        "contacts, phones, stored_messages, external_messages, contact_groups, contact_fields, \
         data_rows, file_bytes"
    };
}

/// Their sums.
macro_rules! sums {
    () => {
        "CAST(COALESCE(sum(contacts), 0) AS BIGINT), CAST(COALESCE(sum(phones), 0) AS BIGINT), \
         CAST(COALESCE(sum(stored_messages), 0) AS BIGINT), \
         CAST(COALESCE(sum(external_messages), 0) AS BIGINT), \
         CAST(COALESCE(sum(contact_groups), 0) AS BIGINT), \
         CAST(COALESCE(sum(contact_fields), 0) AS BIGINT), \
         CAST(COALESCE(sum(data_rows), 0) AS BIGINT), CAST(COALESCE(sum(file_bytes), 0) AS BIGINT)"
    };
}

impl Uses {
    /// Writes what changed of each project.
    pub(crate) fn write(
        &self,
        tx: &mut Tx<'_>,
        parts: &mut PartsOfGroup<'_>,
    ) -> Result<(), StoreError> {
        let mut projects: BTreeMap<ProjectId, Amounts> = BTreeMap::new();
        for ((project, quarter), changed) in &self.0 {
            if changed.is_nothing() {
                continue;
            }
            let sum = projects.entry(*project).or_default();
            *sum = *sum + *changed;
            add_to_quarter(tx, (*project, *quarter), changed, parts.of(*project))?;
        }
        projects.iter().try_for_each(|(project, changed)| {
            add_to_all(tx, *project, changed, parts.of(*project))
        })
    }
}

fn add_to_quarter(
    tx: &mut Tx<'_>,
    (project, quarter): (ProjectId, Quarter),
    Amounts([c, p, s, e, g, f, r, b]): &Amounts,
    part: i64,
) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO usage_changes (project_id, quarter, ",
            columns!(),
            ", part) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
             ON CONFLICT (project_id, quarter, part) DO UPDATE SET \
             contacts = usage_changes.contacts + excluded.contacts, \
             phones = usage_changes.phones + excluded.phones, \
             stored_messages = usage_changes.stored_messages + excluded.stored_messages, \
             external_messages = usage_changes.external_messages + excluded.external_messages, \
             contact_groups = usage_changes.contact_groups + excluded.contact_groups, \
             contact_fields = usage_changes.contact_fields + excluded.contact_fields, \
             data_rows = usage_changes.data_rows + excluded.data_rows, \
             file_bytes = usage_changes.file_bytes + excluded.file_bytes"
        ),
        &values![project, quarter.0, *c, *p, *s, *e, *g, *f, *r, *b, part],
    )
}

fn add_to_all(
    tx: &mut Tx<'_>,
    project: ProjectId,
    Amounts([c, p, s, e, g, f, r, b]): &Amounts,
    part: i64,
) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO usage_totals (project_id, ",
            columns!(),
            ", part) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             ON CONFLICT (project_id, part) DO UPDATE SET \
             contacts = usage_totals.contacts + excluded.contacts, \
             phones = usage_totals.phones + excluded.phones, \
             stored_messages = usage_totals.stored_messages + excluded.stored_messages, \
             external_messages = usage_totals.external_messages + excluded.external_messages, \
             contact_groups = usage_totals.contact_groups + excluded.contact_groups, \
             contact_fields = usage_totals.contact_fields + excluded.contact_fields, \
             data_rows = usage_totals.data_rows + excluded.data_rows, \
             file_bytes = usage_totals.file_bytes + excluded.file_bytes"
        ),
        &values![project, *c, *p, *s, *e, *g, *f, *r, *b, part],
    )
}

/// Counts that a project has so much more of a type, or less; bytes of files.
///
/// # Errors
/// [`StoreError::Beyond`] where the job is limited ([`limit`]) and there is no room for it.
pub fn count(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    kind: UsageType,
    more: i64,
    at: UnixMs,
) -> Result<(), StoreError> {
    let Some(column) = column(kind) else {
        return Ok(());
    };
    check(tx, kind, more)?;
    let uses = &mut tx.counts().uses.0;
    let changed = uses.entry((project_id, Quarter::of(at))).or_default();
    changed.0[column] += more;
    if let Some(limited) = &mut tx.limited {
        for kind in counted_with(kind) {
            if let Some(used) = limited.used.get_mut(&kind) {
                *used = used.saturating_add_signed(more);
            }
        }
    }
    Ok(())
}

/// As [`count`], of a row that was made with this key.
pub(crate) fn count_made(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    kind: UsageType,
    key: Key,
) -> Result<(), StoreError> {
    count(tx, project_id, kind, 1, UnixMs(key.made_at_ms()))
}

/// Holds the rest of a job to limits.
pub fn limit(tx: &mut Tx<'_>, limits: &Arc<Limits>) {
    tx.limited = Some(Limited {
        limits: Arc::clone(limits),
        used: BTreeMap::new(),
    });
}

/// Lets the rest of a job go beyond limits, as what came in does.
pub fn let_go(tx: &mut Tx<'_>) {
    tx.limited = None;
}

/// Says whether a job is held to limits.
pub const fn is_limited(tx: &Tx<'_>) -> bool {
    tx.limited.is_some()
}

/// Says whether there is room for so much more of a type, within the limits that the job is held to.
///
/// # Errors
/// [`StoreError::Beyond`] where there is not.
pub fn check(tx: &mut Tx<'_>, kind: UsageType, more: i64) -> Result<(), StoreError> {
    counted_with(kind).try_for_each(|kind| check_one(tx, kind, more))
}

/// Returns what counts the same as a type: messages count by the day and by the period.
fn counted_with(kind: UsageType) -> impl Iterator<Item = UsageType> {
    std::iter::once(kind).chain(kind.instead())
}

fn check_one(tx: &mut Tx<'_>, kind: UsageType, more: i64) -> Result<(), StoreError> {
    let Some(limited) = tx.limited.as_ref().filter(|_| more > 0) else {
        return Ok(());
    };
    let Some(most) = limited.limits.most.get(&kind).copied() else {
        return Ok(());
    };
    let used = match limited.used.get(&kind) {
        Some(used) => *used,
        None => look(tx, kind)?,
    };
    if used.saturating_add(more.unsigned_abs()) > most {
        Err(StoreError::Beyond(Exceeded {
            limit: kind,
            most,
            used,
        }))
    } else {
        Ok(())
    }
}

fn look(tx: &mut Tx<'_>, kind: UsageType) -> Result<u64, StoreError> {
    let Some(limits) = tx
        .limited
        .as_ref()
        .map(|limited| Arc::clone(&limited.limits))
    else {
        return Ok(0);
    };
    let used = used(tx, &limits, kind)?;
    if let Some(limited) = &mut tx.limited {
        limited.used.insert(kind, used);
    }
    Ok(used)
}

/// Returns how much of a type an organization uses, of its day where it is daily; files in bytes.
pub fn used(tx: &mut Tx<'_>, limits: &Limits, kind: UsageType) -> Result<u64, StoreError> {
    let id = limits.organization_id;
    if kind == UsageType::Projects {
        return projects_before(tx, id, UnixMs(i64::MAX));
    }
    let amounts = match kind {
        UsageType::ExternalMessagesPeriod => since(tx, id, limits.period)?,
        kind if kind.is_daily() => since(tx, id, limits.day)?,
        _ => present(tx, id)?,
    };
    Ok(u64::try_from(amounts.of(kind)).unwrap_or(0))
}

/// Returns what an organization has: what its projects have, with what this commit group has changed.
pub fn present(tx: &mut Tx<'_>, organization_id: OrganizationId) -> Result<Amounts, StoreError> {
    let written = tx.query_one(
        concat!(
            "SELECT ",
            sums!(),
            " FROM usage_totals WHERE project_id IN \
             (SELECT id FROM projects WHERE organization_id = $1)"
        ),
        &values![organization_id],
        |row| amounts(&mut Cursor::new(row)),
    )?;
    Ok(written.unwrap_or_default() + unwritten(tx, organization_id, Quarter(i64::MIN))?)
}

/// Returns how much changed of what an organization has, from a quarter hour on.
pub fn since(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    from: Quarter,
) -> Result<Amounts, StoreError> {
    let written = tx.query_one(
        concat!(
            "SELECT ",
            sums!(),
            " FROM usage_changes WHERE project_id IN \
             (SELECT id FROM projects WHERE organization_id = $1) AND quarter >= $2"
        ),
        &values![organization_id, from.0],
        |row| amounts(&mut Cursor::new(row)),
    )?;
    Ok(written.unwrap_or_default() + unwritten(tx, organization_id, from)?)
}

/// Hands on how much changed in each quarter hour of an organization's projects, from one on.
pub fn each_change(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    from: Quarter,
    mut each: impl FnMut(Quarter, Amounts),
) -> Result<(), StoreError> {
    let values: [Value<'_>; 2] = values![organization_id, from.0];
    tx.query(
        concat!(
            "SELECT quarter, ",
            columns!(),
            " FROM usage_changes WHERE project_id IN \
             (SELECT id FROM projects WHERE organization_id = $1) AND quarter >= $2"
        ),
        &values,
        |row| {
            let mut columns = Cursor::new(row);
            each(Quarter(columns.int()?), amounts(&mut columns)?);
            Ok(())
        },
    )?;
    Ok(())
}

/// Returns what this commit group has changed of an organization's projects and not written yet.
fn unwritten(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    from: Quarter,
) -> Result<Amounts, StoreError> {
    let mut projects: Vec<_> = tx
        .counts()
        .uses
        .0
        .keys()
        .map(|(project, _)| *project)
        .collect();
    projects.dedup();
    let mut sum = Amounts::default();
    for project in projects {
        let own = tx.query_one(
            "SELECT 1 FROM projects WHERE id = $1 AND organization_id = $2",
            &values![project, organization_id],
            |_| Ok(()),
        )?;
        if own.is_some() {
            sum = sum + tx.counts().uses.of(project, from);
        }
    }
    Ok(sum)
}

fn amounts(columns: &mut Cursor<'_>) -> Result<Amounts, StoreError> {
    let mut read = Amounts::default();
    for amount in &mut read.0 {
        *amount = columns.int()?;
    }
    Ok(read)
}

/// Counts an organization's projects that were made before a moment.
pub fn projects_before(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    before: UnixMs,
) -> Result<u64, StoreError> {
    let counted = tx.query_one(
        "SELECT count(*) FROM projects WHERE organization_id = $1 AND id < $2",
        &values![organization_id, Key::first_of_ms(before.0).get()],
        |row| row.int(0),
    )?;
    Ok(counted.map_or(0, i64::unsigned_abs))
}

/// Adds to the API requests of an organization's day.
pub fn add_requests(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    day: Day,
    requests: u64,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO api_requests (organization_id, day, requests) VALUES ($1, $2, $3) \
         ON CONFLICT (organization_id, day) \
         DO UPDATE SET requests = api_requests.requests + excluded.requests",
        &values![organization_id, day.to_string(), requests],
    )?;
    Ok(())
}

/// Adds one API request to an organization's day, unless it has as many as it may; says whether it was
/// added.
pub fn take_request(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    day: Day,
    most: u64,
) -> Result<bool, StoreError> {
    if most == 0 {
        return Ok(false);
    }
    let taken = tx.execute(
        "INSERT INTO api_requests (organization_id, day, requests) VALUES ($1, $2, 1) \
         ON CONFLICT (organization_id, day) \
         DO UPDATE SET requests = api_requests.requests + 1 WHERE api_requests.requests < $3",
        &values![organization_id, day.to_string(), most],
    )?;
    Ok(taken == 1)
}

/// Returns how many API requests are written of an organization's day.
pub fn requests_of(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    day: Day,
) -> Result<u64, StoreError> {
    let written = tx.query_one(
        "SELECT requests FROM api_requests WHERE organization_id = $1 AND day = $2",
        &values![organization_id, day.to_string()],
        |row| row.int(0),
    )?;
    Ok(written.map_or(0, i64::unsigned_abs))
}
