//! Projects.

use crate::changes;
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Plan, Project, RouteId, Vars, fold};
use postrider_link::dispatch::freeze::{Freeze, Scope as FreezeScope};
use postrider_model::{OrganizationId, ProjectId, Secret, UnixMs};

/// Its own columns.
macro_rules! columns {
    () => {
        "id, organization_id, name, timezone_id, country, url_slug, default_route_id, \
         auto_create_contacts, message_retention_days, short_link_scheme, vars, message_life_ms, \
         queue_cap, status_url, status_secret, incoming_url, incoming_secret, alert_url, \
         alert_secret, stopped, time_created, sms_parts_max"
    };
}

/// The columns in the order in which [`read`] takes them: its own, and the plan of its organization.
macro_rules! read_columns {
    () => {
        concat!(
            columns!(),
            ", (SELECT plan FROM organizations WHERE organizations.id = projects.organization_id)"
        )
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
}

const TABLE: Table<Project> = Table::plain("projects", columns!(), read_own);

/// Stores a new project.
///
/// # Errors
/// [`StoreError::Conflict`] when the organization has one of that name or slug.
pub fn insert(tx: &mut Tx<'_>, project: &Project) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO projects (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, \
             $15, $16, $17, $18, $19, $20, $21, $22, $23)"
        ),
        &values![
            project.id,
            project.organization_id,
            &project.name,
            &project.timezone_id,
            &project.country,
            &project.url_slug,
            project.default_route_id,
            project.auto_create_contacts,
            project.message_retention_days,
            project.short_link_scheme,
            project.vars.to_json(),
            project.message_life_ms,
            project.queue_cap,
            &project.status_url,
            &project.status_secret,
            &project.incoming_url,
            &project.incoming_secret,
            &project.alert_url,
            &project.alert_secret,
            project.stopped,
            project.time_created,
            project.sms_parts_max,
            fold(&project.name),
        ],
    )?;
    Ok(())
}

/// Stores every setting of a project; id, organization and creation stay.
///
/// # Errors
/// [`StoreError::Conflict`] when the organization has another one of that name or slug.
pub fn update(tx: &mut Tx<'_>, project: &Project) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE projects SET name = $2, name_folded = $3, timezone_id = $4, country = $5, \
         url_slug = $6, default_route_id = $7, auto_create_contacts = $8, \
         message_retention_days = $9, short_link_scheme = $10, vars = $11, message_life_ms = $12, \
         queue_cap = $13, status_url = $14, status_secret = $15, incoming_url = $16, \
         incoming_secret = $17, alert_url = $18, alert_secret = $19, stopped = $20, \
         sms_parts_max = $21 WHERE id = $1",
        &values![
            project.id,
            &project.name,
            fold(&project.name),
            &project.timezone_id,
            &project.country,
            &project.url_slug,
            project.default_route_id,
            project.auto_create_contacts,
            project.message_retention_days,
            project.short_link_scheme,
            project.vars.to_json(),
            project.message_life_ms,
            project.queue_cap,
            &project.status_url,
            &project.status_secret,
            &project.incoming_url,
            &project.incoming_secret,
            &project.alert_url,
            &project.alert_secret,
            project.stopped,
            project.sms_parts_max,
        ],
    )?;
    changes::raise(tx, changes::Scope::Rows(project.id))?;
    Ok(changed == 1)
}

/// Stores how far a project is frozen; `None` ends it.
pub fn set_freeze(
    tx: &mut Tx<'_>,
    id: ProjectId,
    freeze: Option<Freeze>,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE projects SET freeze_scope = $2, frozen_up_to = $3 WHERE id = $1",
        &values![
            id,
            freeze.map(|freeze| freeze.scope.code()),
            freeze.map(|freeze| freeze.up_to),
        ],
    )?;
    Ok(())
}

/// Returns how far a project is frozen; `None` when it is not.
pub fn freeze(tx: &mut Tx<'_>, id: ProjectId) -> Result<Option<Freeze>, StoreError> {
    let found = tx.query_one(
        "SELECT freeze_scope, frozen_up_to FROM projects WHERE id = $1",
        &values![id],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((
                columns.opt_coded(FreezeScope::from_code)?,
                columns.opt_int()?,
            ))
        },
    )?;
    Ok(found.and_then(|(scope, up_to)| {
        Some(Freeze {
            scope: scope?,
            up_to: up_to?,
        })
    }))
}

/// Returns a project's zone, and whether nothing of it is sent at a moment; `None` when that cannot be read.
pub fn zone_and_halt(
    tx: &mut Tx<'_>,
    id: ProjectId,
    now: UnixMs,
) -> Result<Option<(String, bool)>, StoreError> {
    let found = tx.query_one(
        "SELECT timezone_id, stopped, (SELECT plan FROM organizations \
         WHERE organizations.id = projects.organization_id) FROM projects WHERE id = $1",
        &values![id],
        |row| {
            let mut columns = Cursor::new(row);
            let mut read = || {
                let (zone, stopped) = (columns.text()?, columns.flag()?);
                let suspended = suspend_time(&mut columns)?.is_some_and(|from| from <= now);
                Ok::<_, StoreError>((zone, stopped || suspended))
            };
            Ok(read().ok())
        },
    )?;
    Ok(found.flatten())
}

/// Reads a plan for when it is suspended.
fn suspend_time(columns: &mut Cursor<'_>) -> Result<Option<UnixMs>, StoreError> {
    let plan = columns.opt_parsed(|text| serde_json::from_str::<Plan>(text).ok())?;
    Ok(plan.and_then(|plan| plan.suspend_time))
}

/// Returns a project.
pub fn get(tx: &mut Tx<'_>, id: ProjectId) -> Result<Option<Project>, StoreError> {
    tx.query_one(
        concat!("SELECT ", read_columns!(), " FROM projects WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns an organization's project by its name, without regard to case.
pub fn by_name(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    name: &str,
) -> Result<Option<Project>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            read_columns!(),
            " FROM projects WHERE organization_id = $1 AND name_folded = $2"
        ),
        &values![organization_id, fold(name)],
        read,
    )
}

/// Returns the project of an organization that a slug names.
pub fn by_slug(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    slug: &str,
) -> Result<Option<ProjectId>, StoreError> {
    tx.query_one(
        "SELECT id FROM projects WHERE organization_id = $1 AND url_slug = $2",
        &values![organization_id, slug],
        |row| row.id(0),
    )
}

/// Returns every project, oldest first.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Project>, StoreError> {
    tx.query(
        concat!("SELECT ", read_columns!(), " FROM projects ORDER BY id"),
        &[],
        read,
    )
}

/// Returns every project of an organization.
pub fn of_organization(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
) -> Result<Vec<Project>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            read_columns!(),
            " FROM projects WHERE organization_id = $1 ORDER BY id"
        ),
        &values![organization_id],
        read,
    )
}

/// Whose projects are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The only project, for a key that is bound to one.
    pub project_id: Option<ProjectId>,
}

/// Returns a page of the projects within reach.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(tx: &mut Tx<'_>, reach: Reach, query: &ListQuery) -> Result<Page<Project>, StoreError> {
    list::page(tx, &TABLE, &scopes(reach), query)
}

/// Counts the projects within reach that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, reach: Reach, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &scopes(reach), query)
}

fn scopes(reach: Reach) -> Vec<Scope> {
    let organization = Scope {
        column: "organization_id",
        key: reach.organization_id.get(),
    };
    let only = reach.project_id.map(|id| Scope {
        column: "id",
        key: id.get(),
    });
    [organization].into_iter().chain(only).collect()
}

pub(crate) fn read(row: &Row<'_>) -> Result<Project, StoreError> {
    let mut columns = Cursor::new(row);
    let own = of_columns(&mut columns)?;
    Ok(Project {
        suspend_time: suspend_time(&mut columns)?,
        ..own
    })
}

/// Reads a project to be shown, without its organization's plan.
fn read_own(row: &Row<'_>) -> Result<Project, StoreError> {
    of_columns(&mut Cursor::new(row))
}

fn of_columns(columns: &mut Cursor<'_>) -> Result<Project, StoreError> {
    Ok(Project {
        id: columns.id()?,
        organization_id: columns.id()?,
        name: columns.text()?,
        timezone_id: columns.text()?,
        country: columns.opt_text()?,
        url_slug: columns.opt_text()?,
        default_route_id: columns.opt_coded(RouteId::from_code)?,
        auto_create_contacts: columns.flag()?,
        message_retention_days: columns.opt_count()?,
        short_link_scheme: columns.flag()?,
        vars: columns.parsed(Vars::from_json)?,
        message_life_ms: columns.int()?,
        queue_cap: columns.int()?,
        status_url: columns.opt_text()?,
        status_secret: columns.opt_text()?.map(Secret::new),
        incoming_url: columns.opt_text()?,
        incoming_secret: columns.opt_text()?.map(Secret::new),
        alert_url: columns.opt_text()?,
        alert_secret: columns.opt_text()?.map(Secret::new),
        stopped: columns.flag()?,
        time_created: columns.time()?,
        sms_parts_max: columns.opt_count()?,
        suspend_time: None,
    })
}
