//! Dynamic groups: which contacts meet their conditions.

use super::{by, count};
use crate::list::{Filter, ListQuery, Op, Operand};
use crate::{StoreError, Tx, groups, values};
use hub_domain::{Compare, Condition, Group, GroupFilters, Subject, Term};
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
            Condition::Compares {
                subject,
                compare,
                term,
            } => comparison(subject, *compare, term),
            Condition::In(id) => Filter::within(by::GROUP, id.get()),
            Condition::NotIn(id) => Filter::Linked {
                link: by::GROUP,
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
        Subject::Id => by::ID,
        Subject::Name => by::NAME,
        Subject::PhoneNumber => by::PHONE_NUMBER,
        Subject::TimeCreated => by::TIME_CREATED,
        Subject::TimeUpdated => by::TIME_UPDATED,
        Subject::IncomingMessageCount => by::INCOMING_MESSAGE_COUNT,
        Subject::OutgoingMessageCount => by::OUTGOING_MESSAGE_COUNT,
        Subject::LastIncomingMessageTime => by::LAST_INCOMING_MESSAGE_TIME,
        Subject::LastOutgoingMessageTime => by::LAST_OUTGOING_MESSAGE_TIME,
        Subject::ConversationStatus => by::CONVERSATION_STATUS,
        Subject::SendBlocked => by::SEND_BLOCKED,
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
