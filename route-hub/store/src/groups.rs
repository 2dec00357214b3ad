//! Groups: their rows and lists, and the contacts that were put into them.

use crate::leftovers::{self, Holder};
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, usage, values};
use hub_domain::{Group, GroupFilters, UsageType, Vars, fold};
use postrider_model::{ContactId, GroupId, ProjectId, UnixMs};
use std::collections::BTreeMap;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, filters, num_members, time_created, allow_sending, \
         add_time_variable, vars"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
    /// The conditions: there where a group is dynamic.
    pub const FILTERS: Column = Column::new("filters", Kind::Text);
}

const TABLE: Table<Group> = Table::plain("contact_groups", columns!(), read);

/// Stores a new group.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has one of this name.
pub fn insert(tx: &mut Tx<'_>, group: &Group) -> Result<(), StoreError> {
    usage::count_made(tx, group.project_id, UsageType::Groups, group.id.key())?;
    tx.run(
        concat!(
            "INSERT INTO contact_groups (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        &values![
            group.id,
            group.project_id,
            &group.name,
            filters_json(group),
            group.num_members,
            group.time_created,
            group.allow_sending,
            &group.add_time_variable,
            group.vars.to_json(),
            fold(&group.name),
        ],
    )?;
    Ok(())
}

/// Stores what people may change; the number of members stays.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has another of this name.
pub fn update(tx: &mut Tx<'_>, group: &Group) -> Result<(), StoreError> {
    tx.run(
        "UPDATE contact_groups SET name = $3, name_folded = $4, filters = $5, allow_sending = $6, \
         add_time_variable = $7, vars = $8 WHERE id = $1 AND project_id = $2",
        &values![
            group.id,
            group.project_id,
            &group.name,
            fold(&group.name),
            filters_json(group),
            group.allow_sending,
            &group.add_time_variable,
            group.vars.to_json(),
        ],
    )?;
    Ok(())
}

fn filters_json(group: &Group) -> Option<String> {
    let filters = group.filters.as_ref();
    filters.map(|filters| filters.to_value().to_string())
}

/// Returns a project's group.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: GroupId,
) -> Result<Option<Group>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contact_groups WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a project's group of a name, without regard to case.
pub fn by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    name: &str,
) -> Result<Option<Group>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contact_groups WHERE project_id = $1 AND name_folded = $2"
        ),
        &values![project_id, fold(name)],
        read,
    )
}

/// Removes a group; its contacts stay.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: GroupId,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM contact_groups WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    if removed == 1 {
        usage::count(tx, project_id, UsageType::Groups, -1, now)?;
        leftovers::remove(tx, Holder::Group, id.get())?;
    }
    Ok(removed == 1)
}

/// Who joined and left in one job, so that each group's number of members is written once.
#[derive(Debug, Clone, Default)]
pub struct Moves {
    by_group: BTreeMap<GroupId, i64>,
}

impl Moves {
    /// Puts a contact into a group; says whether it was not in it.
    pub fn join(
        &mut self,
        tx: &mut Tx<'_>,
        group: GroupId,
        contact: ContactId,
        now: UnixMs,
    ) -> Result<bool, StoreError> {
        let joined = tx.execute(
            "INSERT INTO group_members (group_id, member_id, time_joined) VALUES ($1, $2, $3) \
             ON CONFLICT (group_id, member_id) DO NOTHING",
            &values![group, contact, now],
        )?;
        *self.by_group.entry(group).or_default() += i64::from(joined == 1);
        Ok(joined == 1)
    }

    /// Puts a contact that was just made into a group, once.
    pub fn join_new(
        &mut self,
        tx: &mut Tx<'_>,
        group: GroupId,
        contact: ContactId,
        now: UnixMs,
    ) -> Result<(), StoreError> {
        *self.by_group.entry(group).or_default() += 1;
        tx.run(
            "INSERT INTO group_members (group_id, member_id, time_joined) VALUES ($1, $2, $3)",
            &values![group, contact, now],
        )
    }

    /// Takes a contact out of a group; says whether it was in it.
    pub fn leave(
        &mut self,
        tx: &mut Tx<'_>,
        group: GroupId,
        contact: ContactId,
    ) -> Result<bool, StoreError> {
        let left = tx.execute(
            "DELETE FROM group_members WHERE group_id = $1 AND member_id = $2",
            &values![group, contact],
        )?;
        *self.by_group.entry(group).or_default() -= i64::from(left == 1);
        Ok(left == 1)
    }

    /// Writes the numbers of members.
    pub fn finish(self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        for (group, change) in self.by_group {
            if change != 0 {
                tx.run(
                    "UPDATE contact_groups SET num_members = num_members + $2 WHERE id = $1",
                    &values![group, change],
                )?;
            }
        }
        Ok(())
    }
}

/// Takes a contact that is no more out of every group.
pub(crate) fn leave_all(tx: &mut Tx<'_>, contact: ContactId) -> Result<(), StoreError> {
    let mut moves = Moves::default();
    for group in of_contact(tx, contact)? {
        moves.leave(tx, group, contact)?;
    }
    moves.finish(tx)
}

/// Returns the groups that a contact was put into, the oldest first.
pub fn of_contact(tx: &mut Tx<'_>, contact: ContactId) -> Result<Vec<GroupId>, StoreError> {
    tx.query(
        "SELECT group_id FROM group_members WHERE member_id = $1 AND EXISTS (SELECT 1 \
         FROM contact_groups WHERE id = group_id) ORDER BY group_id",
        &values![contact],
        |row| row.id(0),
    )
}

/// Returns the contacts that were put into a group, above a key, in their order.
pub fn members_after(
    tx: &mut Tx<'_>,
    group: GroupId,
    above: i64,
    limit: u32,
) -> Result<Vec<ContactId>, StoreError> {
    tx.query(
        "SELECT member_id FROM group_members WHERE group_id = $1 AND member_id > $2 \
         ORDER BY member_id LIMIT $3",
        &values![group, above, limit],
        |row| row.id(0),
    )
}

/// Returns the contacts that were put into a group up to a moment and are in it still, above a key,
/// in their order.
pub fn members_since(
    tx: &mut Tx<'_>,
    group: GroupId,
    joined_by: UnixMs,
    above: i64,
    limit: u32,
) -> Result<Vec<ContactId>, StoreError> {
    tx.query(
        "SELECT member_id FROM group_members WHERE group_id = $1 AND member_id > $2 \
         AND time_joined <= $3 ORDER BY member_id LIMIT $4",
        &values![group, above, joined_by, limit],
        |row| row.id(0),
    )
}

/// Returns a project's dynamic groups, the oldest first.
pub(crate) fn dynamic(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<Vec<Group>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contact_groups WHERE project_id = $1 AND filters IS NOT NULL ORDER BY id"
        ),
        &values![project_id],
        read,
    )
}

/// Returns a page of a project's groups.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Group>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's groups that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's dynamic groups, up to `most`.
pub fn count_dynamic_up_to(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    most: u32,
) -> Result<u64, StoreError> {
    let counted = tx.query_one(
        "SELECT count(*) FROM (SELECT 1 FROM contact_groups WHERE project_id = $1 AND filters IS NOT NULL \
         LIMIT $2) AS counted",
        &values![project_id, most],
        |row| row.int(0),
    )?;
    Ok(counted.map_or(0, i64::unsigned_abs))
}

/// Says whether a contact was put into a group.
pub fn is_member(tx: &mut Tx<'_>, group: GroupId, contact: ContactId) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM group_members WHERE group_id = $1 AND member_id = $2",
        &values![group, contact],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

fn read(row: &Row<'_>) -> Result<Group, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Group {
        id: columns.id()?,
        project_id: columns.id()?,
        name: columns.text()?,
        filters: columns.opt_parsed(GroupFilters::from_json)?,
        num_members: columns.int()?,
        time_created: columns.time()?,
        allow_sending: columns.flag()?,
        add_time_variable: columns.opt_text()?,
        vars: columns.parsed(Vars::from_json)?,
    })
}
