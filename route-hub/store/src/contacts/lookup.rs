//! Which contact somebody means.

use super::{get, read};
use crate::fields;
use crate::variables::OF_CONTACTS;
use crate::{StoreError, Tx, values};
use hub_domain::{Address, Contact, FieldOwner, VarValue, fold, numbers};
use postrider_model::{ContactId, ProjectId};

/// Most contacts that are compared by their last digits; with more there is no single match.
pub(super) const CANDIDATES_MAX: i64 = 64;

/// Returns the contact that a number belongs to.
///
/// The same number in E.164 comes first; else the one contact whose number ends alike, in eight
/// digits or more, where at least one of the two is not known in full.
pub fn find_by_number(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    number: &Address,
) -> Result<Option<Contact>, StoreError> {
    find(tx, Preferred::Oldest, project_id, number)
}

/// Returns the contact that a message to a number is for; where several have the very number, one to
/// whom nothing may be sent comes first.
pub fn find_to_send_to(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    number: &Address,
) -> Result<Option<Contact>, StoreError> {
    find(tx, Preferred::Blocked, project_id, number)
}

/// Which of several contacts with the very number is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Preferred {
    Oldest,
    /// One to whom nothing may be sent, else the oldest.
    Blocked,
}

pub(super) fn find(
    tx: &mut Tx<'_>,
    preferred: Preferred,
    project_id: ProjectId,
    number: &Address,
) -> Result<Option<Contact>, StoreError> {
    let tail = numbers::tail(number);
    let candidates = tx.query(
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM contacts WHERE project_id = $1 AND number_tail = $2 ORDER BY id LIMIT $3"
        ),
        &values![project_id, &*tail, CANDIDATES_MAX],
        read,
    )?;
    if candidates.len() as i64 == CANDIDATES_MAX {
        return exact(tx, preferred, project_id, &tail, number);
    }
    Ok(pick(&candidates, preferred, number).cloned())
}

/// Returns which of the contacts whose numbers end alike a number belongs to; the oldest comes first.
pub(super) fn pick<'c>(
    candidates: &'c [Contact],
    preferred: Preferred,
    number: &Address,
) -> Option<&'c Contact> {
    let is_its = |contact: &&Contact| contact.phone_number.as_ref() == Some(number);
    let exact = candidates.iter().filter(is_its);
    let exact = exact.min_by_key(|one| preferred == Preferred::Blocked && !one.send_blocked);
    if exact.is_some() || !numbers::has_comparable_tail(number) {
        return exact;
    }
    let mut alike = candidates.iter().filter(|contact| {
        let theirs = contact.phone_number.as_ref();
        theirs.is_some_and(|theirs| numbers::are_one(theirs, number))
    });
    let first = alike.next();
    first.filter(|_| alike.next().is_none())
}

/// Returns the contact with the very number, where too many end alike to look at each.
fn exact(
    tx: &mut Tx<'_>,
    preferred: Preferred,
    project_id: ProjectId,
    tail: &str,
    number: &Address,
) -> Result<Option<Contact>, StoreError> {
    let sql = match preferred {
        Preferred::Oldest => concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM contacts WHERE project_id = $1 AND number_tail = $2 AND phone_number = $3 \
             ORDER BY id LIMIT 1"
        ),
        Preferred::Blocked => concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM contacts WHERE project_id = $1 AND number_tail = $2 AND phone_number = $3 \
             ORDER BY send_blocked DESC, id LIMIT 1"
        ),
    };
    tx.query_one(sql, &values![project_id, tail, number], read)
}

/// Returns the oldest contact of a name, without regard to case.
pub fn find_by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    name: &str,
) -> Result<Option<Contact>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            gone!(),
            " FROM contacts WHERE project_id = $1 AND name_folded = $2 ORDER BY id LIMIT 1"
        ),
        &values![project_id, fold(name)],
        read,
    )
}

/// Returns the oldest contact whose variable has a value, without regard to case.
pub fn find_by_variable(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    variable: &str,
    value: &VarValue,
) -> Result<Option<Contact>, StoreError> {
    let Some(field) = fields::key(tx, project_id, FieldOwner::Contact, variable)? else {
        return Ok(None);
    };
    let id = OF_CONTACTS.oldest(tx, field, value)?;
    match id.and_then(ContactId::from_i64) {
        Some(id) => get(tx, project_id, id),
        None => Ok(None),
    }
}
