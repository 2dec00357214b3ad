//! Groups: their rows and lists, who is in them, and what a dynamic one means to a list.

use crate::contacts::by as contact;
use crate::leftovers::{self, Holder};
use crate::list::{self, Column, Filter, Kind, ListQuery, Op, Operand, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, contacts, values};
use hub_domain::{Compare, Condition, Group, GroupFilters, Subject, Term, Vars, fold};
use postrider_model::{ContactId, GroupId, Id, Key, ProjectId, UnixMs};
use std::borrow::Cow;
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
    pub const NAME: Column = Column::new("name_folded", Kind::Folded);
    /// The conditions: there where a group is dynamic.
    pub const FILTERS: Column = Column::new("filters", Kind::Text);
}

const TABLE: Table<Group> = Table::plain("contact_groups", columns!(), read);

/// Stores a new group.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has one of this name.
pub fn insert(tx: &mut Tx<'_>, group: &Group) -> Result<(), StoreError> {
    tx.execute(
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
    tx.execute(
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
pub fn delete(tx: &mut Tx<'_>, project_id: ProjectId, id: GroupId) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM contact_groups WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    if removed == 1 {
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
                tx.execute(
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

/// Returns a filter for the groups that a contact is in: those it was put into, and the dynamic
/// ones whose conditions it meets.
///
/// # Errors
/// [`StoreError::TooSlow`] when the dynamic ones take longer than [`list::TIME_MAX`].
pub fn filter_of_contact(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    contact: ContactId,
) -> Result<Filter, StoreError> {
    let of = of_contact(tx, contact)?;
    let mut ids: Vec<i64> = of.into_iter().map(Id::get).collect();
    let dynamic = tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM contact_groups WHERE project_id = $1 AND filters IS NOT NULL ORDER BY id"
        ),
        &values![project_id],
        read,
    )?;
    for group in dynamic {
        if meets(tx, &group, contact)? {
            ids.push(group.id.get());
        }
    }
    Ok(Filter::Ids(ids))
}

/// Says whether a contact meets the conditions of a dynamic group.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn meets(tx: &mut Tx<'_>, group: &Group, contact: ContactId) -> Result<bool, StoreError> {
    let is_it = Filter::new(contact::ID, Op::Eq, Operand::Int(contact.get()));
    let mut query = ListQuery {
        filters: vec![is_it],
        ..ListQuery::default()
    };
    query.filters.extend(group.filters.iter().flat_map(filters));
    Ok(contacts::count(tx, group.project_id, &query)? == 1)
}

/// How many contacts of a stretch are in a dynamic group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// How many.
    pub count: u64,
    /// The key of the stretch's last contact; `None` when none follows it.
    pub up_to: Option<i64>,
}

/// Counts the contacts of a dynamic group among the next so many of its project, above a key.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count_among(
    tx: &mut Tx<'_>,
    group: &Group,
    above: i64,
    most: u32,
) -> Result<Counted, StoreError> {
    let up_to = tx.query_one(
        "SELECT id FROM contacts WHERE project_id = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3",
        &values![group.project_id, above, most.saturating_sub(1)],
        |row| row.int(0),
    )?;
    let within = |op, key| Filter::new(contact::ID, op, Operand::Int(key));
    let mut query = ListQuery {
        filters: vec![within(Op::Gt, above)],
        ..ListQuery::default()
    };
    query
        .filters
        .extend(up_to.map(|up_to| within(Op::Lte, up_to)));
    query.filters.extend(group.filters.iter().flat_map(filters));
    Ok(Counted {
        count: contacts::count(tx, group.project_id, &query)?,
        up_to,
    })
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

/// Returns a query of contacts with each dynamic group that it names replaced by its conditions.
pub(crate) fn meant<'q>(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &'q ListQuery,
) -> Result<Cow<'q, ListQuery>, StoreError> {
    let names_group =
        |filter: &Filter| matches!(filter, Filter::Linked { link, .. } if *link == contact::GROUP);
    if !query.filters.iter().any(names_group) {
        return Ok(Cow::Borrowed(query));
    }
    let mut meant = query.clone();
    meant.filters = Vec::with_capacity(query.filters.len());
    for filter in &query.filters {
        let group = match filter {
            Filter::Linked {
                link,
                holder,
                wanted: true,
            } if *link == contact::GROUP => {
                let id = Key::new(*holder).map(Id::new);
                id.map(|id| get(tx, project_id, id)).transpose()?.flatten()
            }
            _ => None,
        };
        match group.and_then(|group| group.filters) {
            Some(conditions) => meant.filters.extend(filters(&conditions)),
            None => meant.filters.push(filter.clone()),
        }
    }
    Ok(Cow::Owned(meant))
}

/// Returns what a dynamic group's conditions are to a list of contacts.
fn filters(conditions: &GroupFilters) -> impl Iterator<Item = Filter> + '_ {
    conditions
        .conditions()
        .iter()
        .map(|condition| match condition {
            Condition::Compares {
                subject,
                compare,
                term,
            } => comparison(subject, *compare, term),
            Condition::In(id) => Filter::within(contact::GROUP, id.get()),
            Condition::NotIn(id) => Filter::Linked {
                link: contact::GROUP,
                holder: id.get(),
                wanted: false,
            },
            Condition::Words(words) => Filter::Words(words.clone()),
        })
}

fn comparison(subject: &Subject, compare: Compare, term: &Term) -> Filter {
    let (op, operand) = match (compare, term) {
        (Compare::Exists, _) => (Op::Exists, operand(term)),
        (Compare::NotExists, _) => (Op::Null, operand(term)),
        (Compare::Eq, _) => (Op::Eq, operand(term)),
        (Compare::Ne, _) => (Op::Ne, operand(term)),
        (Compare::Prefix, _) => (Op::Prefix, operand(term)),
        (Compare::Gte, _) => (Op::Gte, operand(term)),
        (Compare::Lt, _) => (Op::Lt, operand(term)),
        (Compare::Gt, _) => (Op::Gt, operand(term)),
        (Compare::Lte, _) => (Op::Lte, operand(term)),
    };
    let column = match subject {
        Subject::Variable(name) => {
            return Filter::Variable {
                name: name.clone(),
                op,
                operand,
            };
        }
        Subject::Id => contact::ID,
        Subject::Name => contact::NAME,
        Subject::PhoneNumber => contact::PHONE_NUMBER,
        Subject::TimeCreated => contact::TIME_CREATED,
        Subject::TimeUpdated => contact::TIME_UPDATED,
        Subject::IncomingMessageCount => contact::INCOMING_MESSAGE_COUNT,
        Subject::OutgoingMessageCount => contact::OUTGOING_MESSAGE_COUNT,
        Subject::LastIncomingMessageTime => contact::LAST_INCOMING_MESSAGE_TIME,
        Subject::LastOutgoingMessageTime => contact::LAST_OUTGOING_MESSAGE_TIME,
        Subject::ConversationStatus => contact::CONVERSATION_STATUS,
        Subject::SendBlocked => contact::SEND_BLOCKED,
    };
    Filter::new(column, op, operand)
}

fn operand(term: &Term) -> Operand {
    match term {
        Term::Text(text) => Operand::Text(text.clone()),
        Term::Number(number) => Operand::Real(*number),
        Term::Whole(number) => Operand::Int(*number),
        Term::Time(time) => Operand::Int(time.0),
        Term::Flag(flag) => Operand::Flag(*flag),
    }
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
