//! Dynamic groups: which contacts meet their conditions.

use super::{by, count};
use crate::conditions::{self, Compared};
use crate::list::{Filter, ListQuery, Op, Operand};
use crate::{StoreError, Tx, groups, values};
use hub_domain::{Condition, ContactSubject, Group, GroupFilters};
use postrider_model::{ContactId, Id, Key, ProjectId};
use std::borrow::Cow;

/// Returns a filter for the groups that a contact is in: those it was put into, and the dynamic
/// ones whose conditions it meets.
///
/// # Errors
/// [`StoreError::TooSlow`] when the dynamic ones take longer than [`crate::list::TIME_MAX`].
pub fn filter_of_contact(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    contact: ContactId,
) -> Result<Filter, StoreError> {
    let joined = groups::of_contact(tx, contact)?;
    let mut ids: Vec<i64> = joined.into_iter().map(Id::get).collect();
    for group in groups::dynamic(tx, project_id)? {
        if meets(tx, &group, contact)? {
            ids.push(group.id.get());
        }
    }
    Ok(Filter::Ids(ids))
}

/// Says whether a contact meets the conditions of a dynamic group.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`crate::list::TIME_MAX`].
pub fn meets(tx: &mut Tx<'_>, group: &Group, contact: ContactId) -> Result<bool, StoreError> {
    let is_it = Filter::new(by::ID, Op::Eq, Operand::Int(contact.get()));
    let mut query = ListQuery {
        filters: vec![is_it],
        ..ListQuery::default()
    };
    query.filters.extend(group.filters.iter().flat_map(filters));
    Ok(count(tx, group.project_id, &query)? == 1)
}

/// Says whether a contact is in a group, of whichever kind.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`crate::list::TIME_MAX`].
pub fn is_in(tx: &mut Tx<'_>, group: &Group, contact: ContactId) -> Result<bool, StoreError> {
    match group.filters {
        None => groups::is_member(tx, group.id, contact),
        Some(_) => meets(tx, group, contact),
    }
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
/// [`StoreError::TooSlow`] after [`crate::list::TIME_MAX`].
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
    let within = |op, key| Filter::new(by::ID, op, Operand::Int(key));
    let mut query = ListQuery {
        filters: vec![within(Op::Gt, above)],
        ..ListQuery::default()
    };
    query
        .filters
        .extend(up_to.map(|up_to| within(Op::Lte, up_to)));
    query.filters.extend(group.filters.iter().flat_map(filters));
    Ok(Counted {
        count: count(tx, group.project_id, &query)?,
        up_to,
    })
}

/// Returns a query of contacts with each dynamic group that it names replaced by its conditions.
pub(super) fn meant<'q>(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &'q ListQuery,
) -> Result<Cow<'q, ListQuery>, StoreError> {
    let names_group =
        |filter: &Filter| matches!(filter, Filter::Linked { link, .. } if *link == by::GROUP);
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
            } if *link == by::GROUP => {
                let id = Key::new(*holder).map(Id::new);
                id.map(|id| groups::get(tx, project_id, id))
                    .transpose()?
                    .flatten()
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
            Condition::Compares(comparison) => conditions::filter(comparison, compared),
            Condition::In(id) => Filter::within(by::GROUP, id.get()),
            Condition::NotIn(id) => Filter::Linked {
                link: by::GROUP,
                holder: id.get(),
                wanted: false,
            },
            Condition::Words(words) => Filter::Words(words.clone()),
        })
}

fn compared(subject: &ContactSubject) -> Compared<'_> {
    Compared::Column(match subject {
        ContactSubject::Variable(name) => return Compared::Variable(name),
        ContactSubject::Id => by::ID,
        ContactSubject::Name => by::NAME,
        ContactSubject::PhoneNumber => by::PHONE_NUMBER,
        ContactSubject::TimeCreated => by::TIME_CREATED,
        ContactSubject::TimeUpdated => by::TIME_UPDATED,
        ContactSubject::IncomingMessageCount => by::INCOMING_MESSAGE_COUNT,
        ContactSubject::OutgoingMessageCount => by::OUTGOING_MESSAGE_COUNT,
        ContactSubject::LastIncomingMessageTime => by::LAST_INCOMING_MESSAGE_TIME,
        ContactSubject::LastOutgoingMessageTime => by::LAST_OUTGOING_MESSAGE_TIME,
        ContactSubject::ConversationStatus => by::CONVERSATION_STATUS,
        ContactSubject::SendBlocked => by::SEND_BLOCKED,
    })
}
