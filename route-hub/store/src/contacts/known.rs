//! Contacts that a job looks up together, in place of one by one.

use super::lookup::{self, CANDIDATES_MAX, Preferred};
use super::{get, read};
use crate::{StoreError, Tx, Value};
use hub_domain::{Address, Contact, numbers};
use postrider_model::{ContactId, ProjectId};
use std::collections::{BTreeMap, BTreeSet};

/// Most keys of one look-up.
const KEYS_MAX: usize = 100;
/// The numbers of keys that its statement comes in, so that each is prepared once.
const LENGTHS: [usize; 3] = [10, 30, KEYS_MAX];
/// Rows that one look-up may find for each key, before its keys are looked up one by one.
const ROWS_PER_KEY: usize = 4;

/// What a job has looked up of a project's contacts, and made of them; nobody else changes them
/// meanwhile. What was not looked up before is when it is asked for.
#[derive(Debug, Clone, Default)]
pub struct Known {
    by_tail: BTreeMap<String, Vec<Contact>>,
    by_id: BTreeMap<ContactId, Option<Contact>>,
}

impl Known {
    /// Looks up the contacts that these numbers may belong to.
    pub fn look_up_numbers<'n>(
        &mut self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        numbers: impl IntoIterator<Item = &'n Address>,
    ) -> Result<(), StoreError> {
        let mut tails: BTreeSet<_> = numbers.into_iter().map(numbers::tail).collect();
        tails.retain(|tail| !self.by_tail.contains_key(&**tail));
        let tails: Vec<_> = tails.into_iter().collect();
        for some in tails.chunks(KEYS_MAX) {
            let keys = some.iter().map(|tail| Value::from(&**tail));
            let Some(found) = find_all(tx, project_id, By::NumberTail, keys.collect())? else {
                continue;
            };
            let none = some.iter().map(|tail| (tail.to_string(), Vec::new()));
            self.by_tail.extend(none);
            found.into_iter().for_each(|contact| self.made(&contact));
        }
        let crowded = |contacts: &Vec<Contact>| contacts.len() as i64 >= CANDIDATES_MAX;
        self.by_tail.retain(|_, contacts| !crowded(contacts));
        Ok(())
    }

    /// Looks up contacts by their ids.
    pub fn look_up(
        &mut self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        ids: impl IntoIterator<Item = ContactId>,
    ) -> Result<(), StoreError> {
        let ids: Vec<_> = ids.into_iter().collect();
        for some in ids.chunks(KEYS_MAX) {
            let keys = some.iter().map(|id| Value::from(*id));
            let found = find_all(tx, project_id, By::Id, keys.collect())?;
            self.by_id.extend(some.iter().map(|id| (*id, None)));
            for contact in found.into_iter().flatten() {
                self.by_id.insert(contact.id, Some(contact));
            }
        }
        Ok(())
    }

    /// Takes in a contact that the job has made.
    pub fn made(&mut self, contact: &Contact) {
        if let Some(alike) = self.alike(contact) {
            alike.push(contact.clone());
        }
    }

    /// Takes in what the job has changed of a contact.
    pub fn changed(&mut self, before: &Contact, contact: &Contact) {
        if let Some(alike) = self.alike(before) {
            alike.retain(|one| one.id != contact.id);
        }
        if let Some(alike) = self.alike(contact) {
            let place = alike.partition_point(|one| one.id < contact.id);
            alike.insert(place, contact.clone());
        }
        if let Some(known) = self.by_id.get_mut(&contact.id) {
            *known = Some(contact.clone());
        }
    }

    /// Returns the contacts whose numbers end as this one's, the oldest first, if they were looked up.
    fn alike(&mut self, contact: &Contact) -> Option<&mut Vec<Contact>> {
        let tail = contact.phone_number.as_ref().map(numbers::tail)?;
        self.by_tail.get_mut(&*tail)
    }

    /// As [`super::find_to_send_to`].
    pub fn find_to_send_to(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        number: &Address,
    ) -> Result<Option<Contact>, StoreError> {
        self.find(tx, Preferred::Blocked, project_id, number)
    }

    /// As [`super::find_by_number`].
    pub fn find_by_number(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        number: &Address,
    ) -> Result<Option<Contact>, StoreError> {
        self.find(tx, Preferred::Oldest, project_id, number)
    }

    fn find(
        &self,
        tx: &mut Tx<'_>,
        preferred: Preferred,
        project_id: ProjectId,
        number: &Address,
    ) -> Result<Option<Contact>, StoreError> {
        match self.by_tail.get(&*numbers::tail(number)) {
            Some(alike) => Ok(lookup::pick(alike, preferred, number).cloned()),
            None => lookup::find(tx, preferred, project_id, number),
        }
    }

    /// As [`super::get`].
    pub fn get(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        id: ContactId,
    ) -> Result<Option<Contact>, StoreError> {
        match self.by_id.get(&id) {
            Some(contact) => Ok(contact.clone()),
            None => get(tx, project_id, id),
        }
    }
}

/// What contacts are looked up by.
#[derive(Clone, Copy)]
enum By {
    Id,
    NumberTail,
}

impl By {
    /// Returns the look-up of so many keys from `$3` on.
    fn sql(self, length: usize, is_shared: bool) -> String {
        let (column, kind, collation) = match self {
            Self::Id => ("id", "BIGINT", ""),
            Self::NumberTail => ("number_tail", "TEXT", " COLLATE \"C\""),
        };
        let keys = |key: fn(usize, &str) -> String| {
            let keys = (3..length + 3).map(|number| key(number, kind));
            keys.collect::<Vec<_>>().join(", ")
        };
        let select = concat!("SELECT ", columns!(), ", ", gone!(), " FROM ");
        if !is_shared {
            let keys = keys(|number, _| format!("${number}"));
            let wanted = format!("project_id = $1 AND {column} IN ({keys})");
            return format!("{select}contacts WHERE {wanted} LIMIT $2");
        }
        // For a list of keys the server would rather walk all contacts of the project.
        let keys = keys(|number, kind| format!("(CAST(${number} AS {kind}))"));
        format!(
            "{select}(VALUES {keys}) AS wanted (key) CROSS JOIN LATERAL (SELECT * FROM contacts \
             WHERE project_id = $1 AND {column} = wanted.key{collation} LIMIT $2) AS contacts LIMIT $2"
        )
    }
}

/// Returns a project's contacts that have one of the keys in a column, the oldest first; `None` where
/// they are too many.
fn find_all(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    by: By,
    mut keys: Vec<Value<'_>>,
) -> Result<Option<Vec<Contact>>, StoreError> {
    if keys.is_empty() {
        return Ok(None);
    }
    let length = LENGTHS.into_iter().find(|length| *length >= keys.len());
    let length = length.unwrap_or(keys.len());
    let most = length * ROWS_PER_KEY;
    // No row has it.
    keys.resize(length, Value::Null);
    let mut values = vec![project_id.into(), Value::Int(most as i64)];
    values.append(&mut keys);
    let sql = by.sql(length, tx.is_shared());
    let mut found = tx.query_built(&sql, &values, read)?;
    found.sort_unstable_by_key(|contact| contact.id);
    Ok((found.len() < most).then_some(found))
}
