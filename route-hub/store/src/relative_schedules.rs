//! Messages scheduled relative to contacts' dates, and which contacts have to be looked at.

use crate::damaged::{self, Found};
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, schedules, values};
use hub_domain::{MessageType, OffsetScale, RelativeSchedule};
use postrider_model::{CampaignId, ContactId, GroupId, ProjectId, RelativeScheduledId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, message_type, message, group_id, contact_id, to_number, date_variable, \
         time_of_day, offset_scale, offset_count, rrule, timezone_id, end_time, walked_up_to, \
         removed, time_created, campaign_id"
    };
}

/// The column of the message, as errors name it.
pub const MESSAGE: usize = 3;

/// The last column of whom it is for.
const TO: usize = 6;

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The code of the type.
    pub const MESSAGE_TYPE: Column = Column::new("message_type", Kind::Int);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// The group whose members it is for.
    pub const GROUP_ID: Column = Column::new("group_id", Kind::Int);
    /// The contact that it is for.
    pub const CONTACT_ID: Column = Column::new("contact_id", Kind::Int);
}

const TABLE: Table<RelativeSchedule> = Table {
    name: "relative_schedules",
    columns: columns!(),
    computed: None,
    read,
    hidden: Some("removed"),
    indexes: &[],
    variables: None,
    searched: &[],
};

/// Stores a new one.
pub fn insert(tx: &mut Tx<'_>, relative: &RelativeSchedule) -> Result<(), StoreError> {
    let (group, contact, number) = schedules::columns_of(&relative.to);
    tx.run(
        concat!(
            "INSERT INTO relative_schedules (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
        ),
        &values![
            relative.id,
            relative.project_id,
            relative.message_type.code(),
            &relative.message,
            group,
            contact,
            number,
            &relative.date_variable,
            relative.time_of_day.to_string(),
            relative.offset_scale.code(),
            relative.offset_count,
            &relative.rrule,
            &relative.timezone_id,
            relative.end_time,
            relative.walked_up_to,
            relative.removed,
            relative.time_created,
            relative.campaign_id,
        ],
    )?;
    Ok(())
}

/// Stores a changed one; says whether it was there.
pub fn update(tx: &mut Tx<'_>, relative: &RelativeSchedule) -> Result<bool, StoreError> {
    let (group, contact, number) = schedules::columns_of(&relative.to);
    let changed = tx.execute(
        "UPDATE relative_schedules SET message = $3, group_id = $4, contact_id = $5, \
         to_number = $6, date_variable = $7, time_of_day = $8, offset_scale = $9, \
         offset_count = $10, rrule = $11, timezone_id = $12, end_time = $13, walked_up_to = $14 \
         WHERE id = $1 AND project_id = $2 AND removed = 0",
        &values![
            relative.id,
            relative.project_id,
            &relative.message,
            group,
            contact,
            number,
            &relative.date_variable,
            relative.time_of_day.to_string(),
            relative.offset_scale.code(),
            relative.offset_count,
            &relative.rrule,
            &relative.timezone_id,
            relative.end_time,
            relative.walked_up_to,
        ],
    )?;
    Ok(changed == 1)
}

/// Marks one as deleted, its schedules to be walked to; says whether it was there.
pub fn remove(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: RelativeScheduledId,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE relative_schedules SET removed = 1, walked_up_to = 0 \
         WHERE id = $1 AND project_id = $2 AND removed = 0",
        &values![id, project_id],
    )?;
    Ok(changed == 1)
}

/// Stores how far the walk over contacts has come, `None` at its end, unless it was started again
/// meanwhile; one that was deleted is gone with the end.
pub fn walked(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    up_to: Option<i64>,
) -> Result<bool, StoreError> {
    let changed = if relative.removed && up_to.is_none() {
        tx.execute(
            "DELETE FROM relative_schedules WHERE id = $1",
            &values![relative.id],
        )?
    } else {
        tx.execute(
            "UPDATE relative_schedules SET walked_up_to = $3 WHERE id = $1 AND walked_up_to = $2",
            &values![relative.id, relative.walked_up_to, up_to],
        )?
    };
    Ok(changed == 1)
}

/// Starts the walk over contacts again for every one that goes by a group.
pub fn walk_group(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    group: GroupId,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE relative_schedules SET walked_up_to = 0 WHERE project_id = $1 AND removed = 0 \
         AND group_id = $2",
        &values![project_id, group],
    )?;
    Ok(())
}

/// Starts the walk over contacts again for one of them.
pub fn walk_again(tx: &mut Tx<'_>, id: RelativeScheduledId) -> Result<(), StoreError> {
    tx.run(
        "UPDATE relative_schedules SET walked_up_to = 0 WHERE id = $1 AND removed = 0",
        &values![id],
    )?;
    Ok(())
}

/// Returns those whose contacts have still to be looked at, after one that was seen before, damaged
/// ones too.
pub fn walking(
    tx: &mut Tx<'_>,
    above: i64,
    limit: u32,
) -> Result<Vec<Found<RelativeSchedule>>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM relative_schedules WHERE walked_up_to IS NOT NULL AND id > $1 \
             ORDER BY id LIMIT $2"
        ),
        &values![above, limit],
        |row| damaged::found(row, "relative_schedules", columns!(), read),
    )
}

/// Returns one of a project.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: RelativeScheduledId,
) -> Result<Option<RelativeSchedule>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM relative_schedules WHERE id = $1 AND project_id = $2 AND removed = 0"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns all of a project, oldest first, damaged ones too.
pub fn of_project(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
) -> Result<Vec<Found<RelativeSchedule>>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM relative_schedules WHERE project_id = $1 AND removed = 0 ORDER BY id"
        ),
        &values![project_id],
        |row| damaged::found(row, "relative_schedules", columns!(), read),
    )
}

/// Returns those that a campaign runs by.
pub fn of_campaign(
    tx: &mut Tx<'_>,
    campaign: CampaignId,
) -> Result<Vec<RelativeScheduledId>, StoreError> {
    tx.query(
        "SELECT id FROM relative_schedules WHERE campaign_id = $1 AND removed = 0 ORDER BY id",
        &values![campaign],
        |row| row.id(0),
    )
}

/// Counts a project's, up to `most`.
pub fn count_up_to(tx: &mut Tx<'_>, project_id: ProjectId, most: u32) -> Result<u64, StoreError> {
    let counted = tx.query_one(
        "SELECT count(*) FROM (SELECT 1 FROM relative_schedules WHERE project_id = $1 AND removed = 0 \
         LIMIT $2) AS counted",
        &values![project_id, most],
        |row| row.int(0),
    )?;
    Ok(counted.map_or(0, i64::unsigned_abs))
}

/// Says whether a project has any: then changes of its contacts matter.
pub fn any(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM relative_schedules WHERE project_id = $1 AND removed = 0 LIMIT 1",
        &values![project_id],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

/// Notes that a contact has to be looked at.
pub fn note_change(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    contact: ContactId,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO relative_stale (member_id, project_id) VALUES ($1, $2) \
         ON CONFLICT (member_id) DO NOTHING",
        &values![contact, project_id],
    )?;
    Ok(())
}

/// Returns the first project above the key `above` that has contacts to be looked at.
pub fn noted_project(tx: &mut Tx<'_>, above: i64) -> Result<Option<ProjectId>, StoreError> {
    tx.query_one(
        "SELECT project_id FROM relative_stale WHERE project_id > $1 ORDER BY project_id LIMIT 1",
        &values![above],
        |row| row.id(0),
    )
}

/// Returns a project's contacts that have to be looked at.
pub fn noted(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    limit: u32,
) -> Result<Vec<ContactId>, StoreError> {
    tx.query(
        "SELECT member_id FROM relative_stale WHERE project_id = $1 ORDER BY member_id LIMIT $2",
        &values![project_id, limit],
        |row| row.id(0),
    )
}

/// Says whether a contact has to be looked at.
pub fn is_noted(tx: &mut Tx<'_>, contact: ContactId) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM relative_stale WHERE member_id = $1",
        &values![contact],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

/// Takes the note away, as the contact is looked at.
pub fn looked_at(tx: &mut Tx<'_>, contact: ContactId) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM relative_stale WHERE member_id = $1",
        &values![contact],
    )?;
    Ok(())
}

/// Returns a page of a project's.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<RelativeSchedule>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<RelativeSchedule, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(RelativeSchedule {
        id: columns.id()?,
        project_id: columns.id()?,
        message_type: columns.coded(MessageType::from_code)?,
        message: columns.text()?,
        to: schedules::read_to(&mut columns)?.ok_or(StoreError::BadRow { column: TO })?,
        date_variable: columns.text()?,
        time_of_day: columns.parsed(|text| text.parse().ok())?,
        offset_scale: columns.coded(OffsetScale::from_code)?,
        offset_count: columns.int()?,
        rrule: columns.text()?,
        timezone_id: columns.text()?,
        end_time: columns.opt_time()?,
        walked_up_to: columns.opt_int()?,
        removed: columns.flag()?,
        time_created: columns.time()?,
        campaign_id: columns.opt_id()?,
    })
}
