//! Scheduled messages.

use crate::damaged::{self, Found, Place};
use crate::list::{self, Column, Filter, Index, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Address, ContactFilter, MessageType, Schedule, ScheduledTo};
use postrider_model::{ContactId, GroupId, ProjectId, RelativeScheduledId, ScheduledId, UnixMs};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, relative_id, message_type, message, group_id, contact_id, to_number, \
         contact_filter, listed_contact_id, rrule, timezone_id, start_time, end_time, prev_time, next_time, \
         instance, occurrences, problem, revision, time_created"
    };
}

/// The column of the message, as errors name it.
pub const MESSAGE: usize = 4;

/// The last column of whom it is for.
const TO: usize = 8;

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The code of the type.
    pub const MESSAGE_TYPE: Column = Column::new("message_type", Kind::Int);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// When it sends next.
    pub const NEXT_TIME: Column = Column::new("next_time", Kind::Time);
    /// The relative schedule that made it.
    pub const RELATIVE_ID: Column = Column::new("relative_id", Kind::Int);
    /// The contact in whose list it stands.
    pub const LISTED_CONTACT_ID: Column = Column::new("listed_contact_id", Kind::Int);
    /// The group that it sends to.
    pub const GROUP_ID: Column = Column::new("group_id", Kind::Int);
}

const TABLE: Table<Schedule> = Table {
    name: "schedules",
    columns: columns!(),
    computed: None,
    read,
    hidden: None,
    indexes: &[
        Index::alone("listed_contact_id"),
        Index::alone("relative_id"),
        Index::alone("group_id"),
    ],
    variables: None,
    searched: &[],
};

/// Stores a new schedule.
pub fn insert(tx: &mut Tx<'_>, schedule: &Schedule) -> Result<(), StoreError> {
    let (group, contact, number) = columns_of(&schedule.to);
    tx.run(
        concat!(
            "INSERT INTO schedules (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
             $18, $19, $20, $21)"
        ),
        &values![
            schedule.id,
            schedule.project_id,
            schedule.relative_id,
            schedule.message_type.code(),
            &schedule.message,
            group,
            contact,
            number,
            filter_json(&schedule.to),
            schedule.listed_contact_id,
            &schedule.rrule,
            &schedule.timezone_id,
            schedule.start_time,
            schedule.end_time,
            schedule.prev_time,
            schedule.next_time,
            schedule.instance,
            schedule.occurrences,
            &schedule.problem,
            schedule.revision,
            schedule.time_created,
        ],
    )?;
    Ok(())
}

/// Stores a changed schedule, unless it was changed meanwhile; says whether it was stored.
pub fn update(tx: &mut Tx<'_>, schedule: &Schedule) -> Result<bool, StoreError> {
    let (group, contact, number) = columns_of(&schedule.to);
    let changed = tx.execute(
        "UPDATE schedules SET message = $3, group_id = $4, contact_id = $5, to_number = $6, \
         listed_contact_id = $7, rrule = $8, timezone_id = $9, start_time = $10, end_time = $11, \
         prev_time = $12, next_time = $13, instance = $14, occurrences = $15, problem = $16, \
         contact_filter = $17, revision = revision + 1 WHERE id = $1 AND revision = $2",
        &values![
            schedule.id,
            schedule.revision,
            &schedule.message,
            group,
            contact,
            number,
            schedule.listed_contact_id,
            &schedule.rrule,
            &schedule.timezone_id,
            schedule.start_time,
            schedule.end_time,
            schedule.prev_time,
            schedule.next_time,
            schedule.instance,
            schedule.occurrences,
            &schedule.problem,
            filter_json(&schedule.to),
        ],
    )?;
    Ok(changed == 1)
}

/// Says whether a schedule is stored as it was read.
pub fn is_current(tx: &mut Tx<'_>, schedule: &Schedule) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM schedules WHERE id = $1 AND revision = $2",
        &values![schedule.id, schedule.revision],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

/// Stores that the moment of a schedule has passed, unless it was changed meanwhile.
pub fn pass(tx: &mut Tx<'_>, schedule: &Schedule) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE schedules SET prev_time = $3, next_time = $4, instance = $5, occurrences = $6, \
         problem = $7, revision = revision + 1 WHERE id = $1 AND revision = $2",
        &values![
            schedule.id,
            schedule.revision,
            schedule.prev_time,
            schedule.next_time,
            schedule.instance,
            schedule.occurrences,
            &schedule.problem,
        ],
    )?;
    Ok(changed == 1)
}

/// Removes a project's schedule; says whether there was one.
pub fn delete(tx: &mut Tx<'_>, project_id: ProjectId, id: ScheduledId) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "DELETE FROM schedules WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    Ok(changed == 1)
}

/// Says whether a running campaign made a project's schedule.
pub fn is_of_campaign(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: ScheduledId,
) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM relative_schedules WHERE campaign_id IS NOT NULL AND removed = 0 \
         AND id = (SELECT relative_id FROM schedules WHERE id = $1 AND project_id = $2)",
        &values![id, project_id],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Returns a project's schedule.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: ScheduledId,
) -> Result<Option<Schedule>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM schedules WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Finds what is due along an index that has nothing but what is to come.
const DUE: &str = "SELECT next_time, id, project_id FROM schedules \
     WHERE next_time <= $1 AND (next_time, id) > ($2, $3) ORDER BY next_time NULLS FIRST, id LIMIT $4";

/// Returns where schedules stand whose moment has come, after a place that was seen before, the
/// longest due first.
pub fn due(
    tx: &mut Tx<'_>,
    now: UnixMs,
    after: (UnixMs, i64),
    limit: u32,
) -> Result<Vec<Place>, StoreError> {
    tx.query(DUE, &values![now, after.0, after.1, limit], Place::read)
}

/// Returns a schedule, which may be damaged, or have a message that is not readable.
pub fn found(
    tx: &mut Tx<'_>,
    id: i64,
    is_readable: fn(&str) -> bool,
) -> Result<Option<Found<Schedule>>, StoreError> {
    let readable = |row: &Row<'_>| {
        let schedule = read(row)?;
        if is_readable(&schedule.message) {
            Ok(schedule)
        } else {
            Err(StoreError::BadRow { column: MESSAGE })
        }
    };
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM schedules WHERE id = $1"),
        &values![id],
        |row| damaged::found(row, "schedules", columns!(), readable),
    )
}

/// Returns the schedules that relative ones made for a contact, damaged ones too.
pub fn made_for(tx: &mut Tx<'_>, contact: ContactId) -> Result<Vec<Found<Schedule>>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM schedules WHERE listed_contact_id = $1 AND relative_id IS NOT NULL"
        ),
        &values![contact],
        |row| damaged::found(row, "schedules", columns!(), read),
    )
}

/// Returns the contacts for whom a relative schedule has made one, above a key, in their order.
pub fn contacts_of_relative(
    tx: &mut Tx<'_>,
    relative: RelativeScheduledId,
    above: i64,
    limit: u32,
) -> Result<Vec<ContactId>, StoreError> {
    tx.query(
        "SELECT listed_contact_id FROM schedules WHERE relative_id = $1 \
         AND listed_contact_id > $2 ORDER BY listed_contact_id NULLS FIRST LIMIT $3",
        &values![relative, above, limit],
        |row| row.id(0),
    )
}

/// Removes schedules that a relative one made, at most `limit`; returns how many.
pub fn delete_of_relative(
    tx: &mut Tx<'_>,
    relative: RelativeScheduledId,
    limit: u32,
) -> Result<usize, StoreError> {
    tx.execute(
        "DELETE FROM schedules WHERE id IN (SELECT id FROM schedules WHERE relative_id = $1 \
         LIMIT $2)",
        &values![relative, limit],
    )
}

/// Returns a page of a project's schedules.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Schedule>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's schedules that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Limits a list to the schedules of a contact or a group.
pub fn filter_of(column: Column, key: i64) -> Filter {
    Filter::new(column, list::Op::Eq, list::Operand::Int(key))
}

pub(crate) fn columns_of(
    to: &ScheduledTo,
) -> (Option<GroupId>, Option<ContactId>, Option<&Address>) {
    match to {
        ScheduledTo::Group(id) => (Some(*id), None, None),
        ScheduledTo::Contact(id) => (None, Some(*id), None),
        ScheduledTo::Number(number) => (None, None, Some(number)),
        ScheduledTo::Filter(_) => (None, None, None),
    }
}

fn filter_json(to: &ScheduledTo) -> Option<String> {
    match to {
        ScheduledTo::Filter(filter) => Some(filter.to_json()),
        ScheduledTo::Group(_) | ScheduledTo::Contact(_) | ScheduledTo::Number(_) => None,
    }
}

fn read(row: &Row<'_>) -> Result<Schedule, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Schedule {
        id: columns.id()?,
        project_id: columns.id()?,
        relative_id: columns.opt_id()?,
        message_type: columns.coded(MessageType::from_code)?,
        message: columns.text()?,
        to: {
            let to = read_to(&mut columns)?;
            let filter = columns.opt_parsed(ContactFilter::from_json)?;
            let to = to.or(filter.map(ScheduledTo::Filter));
            to.ok_or(StoreError::BadRow { column: TO })?
        },
        listed_contact_id: columns.opt_id()?,
        rrule: columns.text()?,
        timezone_id: columns.text()?,
        start_time: columns.time()?,
        end_time: columns.opt_time()?,
        prev_time: columns.opt_time()?,
        next_time: columns.opt_time()?,
        instance: columns.count()?,
        occurrences: columns.int()?,
        problem: columns.opt_text()?,
        revision: columns.int()?,
        time_created: columns.time()?,
    })
}

/// Reads a group, a contact or a number, the first that is there.
pub(crate) fn read_to(columns: &mut Cursor<'_>) -> Result<Option<ScheduledTo>, StoreError> {
    let (group, contact) = (columns.opt_id()?, columns.opt_id()?);
    let number = columns.opt_parsed(|text| text.parse::<Address>().ok())?;
    Ok(match (group, contact, number) {
        (Some(group), ..) => Some(ScheduledTo::Group(group)),
        (None, Some(contact), _) => Some(ScheduledTo::Contact(contact)),
        (None, None, number) => number.map(ScheduledTo::Number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Way;
    use crate::testing::TestDatabase;

    #[test]
    fn what_is_due_is_found_along_its_index_in_order() {
        let database = TestDatabase::fresh();
        let store = database.open();
        let plan = store.read_blocking(|tx| Way::of(tx, DUE, &values![5, 0, 0, 10]));
        let plan = plan.unwrap();
        assert!(plan.takes("schedules_due"), "{plan:?}");
        assert!(!plan.sorts(), "{plan:?}");
    }
}
