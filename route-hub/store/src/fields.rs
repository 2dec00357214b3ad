//! Fields: what a project knows of the variables of its contacts, its messages and the rows of its
//! data tables.
//!
//! A field's key stands for its variable in the rows that lists find. A deleted field is gone at
//! once for everybody; its row stays, with `clearing` set, until the last value is taken away.

use crate::row::Cursor;
use crate::{Row, StoreError, Tx, usage, values};
use hub_domain::{CustomField, FieldItem, FieldOwner, FieldType, UsageType};
use postrider_model::{Key, ProjectId, UnixMs};
use std::collections::BTreeMap;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, owner, variable, name, field_type, place, items, readonly, lookup_key, \
         show_on_conversation, hide_values"
    };
}

/// The keys of one owner's fields, each looked up once, and made where a variable is new.
pub struct Fields {
    project_id: ProjectId,
    owner: FieldOwner,
    now: UnixMs,
    known: BTreeMap<String, i64>,
}

impl Fields {
    /// Begins with none known; new ones are made at `now`.
    pub fn new(project_id: ProjectId, owner: FieldOwner, now: UnixMs) -> Self {
        Self {
            project_id,
            owner,
            now,
            known: BTreeMap::new(),
        }
    }

    /// Returns the key of a variable's field, which is made if there was none.
    pub fn key(&mut self, tx: &mut Tx<'_>, variable: &str) -> Result<i64, StoreError> {
        if let Some(key) = self.known.get(variable) {
            return Ok(*key);
        }
        let key = match key(tx, self.project_id, self.owner, variable)? {
            Some(key) => key,
            None => {
                let key = tx.key(self.now).get();
                let order = next_place(tx, self.project_id, self.owner)?;
                let field = CustomField::new(key, self.project_id, self.owner, variable, order);
                insert(tx, &field)?;
                key
            }
        };
        self.known.insert(variable.to_owned(), key);
        Ok(key)
    }
}

/// Returns the key of a variable's field.
pub fn key(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    owner: FieldOwner,
    variable: &str,
) -> Result<Option<i64>, StoreError> {
    tx.query_one(
        "SELECT id FROM fields WHERE project_id = $1 AND owner = $2 AND variable = $3 \
         AND clearing = 0",
        &values![project_id, owner.code(), variable],
        |row| row.int(0),
    )
}

/// Returns the field of a variable.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    owner: FieldOwner,
    variable: &str,
) -> Result<Option<CustomField>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM fields WHERE project_id = $1 AND owner = $2 AND variable = $3 AND clearing = 0"
        ),
        &values![project_id, owner.code(), variable],
        read,
    )
}

/// Returns all fields of an owner, in their order.
pub fn all(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    owner: FieldOwner,
) -> Result<Vec<CustomField>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM fields WHERE project_id = $1 AND owner = $2 AND clearing = 0 ORDER BY place, id"
        ),
        &values![project_id, owner.code()],
        read,
    )
}

/// Returns the place behind the last field.
pub fn next_place(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    owner: FieldOwner,
) -> Result<i64, StoreError> {
    let place = tx.query_one(
        "SELECT COALESCE(max(place) + 1, 0) FROM fields WHERE project_id = $1 AND owner = $2 \
         AND clearing = 0",
        &values![project_id, owner.code()],
        |row| row.int(0),
    )?;
    Ok(place.unwrap_or(0))
}

/// Stores a new field.
pub fn insert(tx: &mut Tx<'_>, field: &CustomField) -> Result<(), StoreError> {
    if field.owner == FieldOwner::Contact {
        let key = Key::new(field.key).unwrap_or_default();
        usage::count_made(tx, field.project_id, UsageType::CustomContactFields, key)?;
    }
    tx.run(
        concat!(
            "INSERT INTO fields (",
            columns!(),
            ", clearing) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0)"
        ),
        &values![
            field.key,
            field.project_id,
            field.owner.code(),
            &field.variable,
            &field.name,
            field.field_type.code(),
            field.order,
            items_json(field),
            field.readonly,
            field.lookup_key,
            field.show_on_conversation,
            field.hide_values,
        ],
    )?;
    Ok(())
}

/// Stores what people say of a field.
pub fn update(tx: &mut Tx<'_>, field: &CustomField) -> Result<(), StoreError> {
    tx.run(
        "UPDATE fields SET name = $3, field_type = $4, place = $5, items = $6, readonly = $7, \
         lookup_key = $8, show_on_conversation = $9, hide_values = $10 \
         WHERE id = $1 AND project_id = $2",
        &values![
            field.key,
            field.project_id,
            &field.name,
            field.field_type.code(),
            field.order,
            items_json(field),
            field.readonly,
            field.lookup_key,
            field.show_on_conversation,
            field.hide_values,
        ],
    )?;
    Ok(())
}

/// Removes a message field; messages keep its values.
pub fn delete(tx: &mut Tx<'_>, field: &CustomField) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM fields WHERE id = $1 AND project_id = $2",
        &values![field.key, field.project_id],
    )?;
    Ok(())
}

/// Removes a field of contacts or of rows for everybody; its values go in steps ([`to_clear`]).
pub fn begin_clearing(tx: &mut Tx<'_>, field: &CustomField, now: UnixMs) -> Result<(), StoreError> {
    if field.owner == FieldOwner::Contact {
        usage::count(
            tx,
            field.project_id,
            UsageType::CustomContactFields,
            -1,
            now,
        )?;
    }
    tx.run(
        "UPDATE fields SET clearing = 1 WHERE id = $1 AND project_id = $2",
        &values![field.key, field.project_id],
    )?;
    Ok(())
}

/// Returns the fields whose values are still to be taken away.
pub fn to_clear(tx: &mut Tx<'_>) -> Result<Vec<CustomField>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM fields WHERE clearing = 1 ORDER BY id"
        ),
        &[],
        read,
    )
}

/// Forgets a deleted field whose values are all taken away.
pub(crate) fn forget(tx: &mut Tx<'_>, field: &CustomField) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM fields WHERE id = $1 AND clearing = 1",
        &values![field.key],
    )
}

fn items_json(field: &CustomField) -> Option<String> {
    let items = Some(&field.items).filter(|items| !items.is_empty());
    items.and_then(|items| serde_json::to_string(items).ok())
}

fn read(row: &Row<'_>) -> Result<CustomField, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(CustomField {
        key: columns.int()?,
        project_id: columns.id()?,
        owner: columns.coded(FieldOwner::from_code)?,
        variable: columns.text()?,
        name: columns.opt_text()?,
        field_type: columns.coded(FieldType::from_code)?,
        order: columns.int()?,
        items: columns
            .opt_parsed(|text| serde_json::from_str::<Vec<FieldItem>>(text).ok())?
            .unwrap_or_default(),
        readonly: columns.flag()?,
        lookup_key: columns.flag()?,
        show_on_conversation: columns.flag()?,
        hide_values: columns.flag()?,
    })
}
