//! Labels, and which messages have them.

use crate::leftovers::{self, Holder};
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Label, Vars, fold};
use postrider_model::{LabelId, MessageId, ProjectId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, time_created, vars"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
}

const TABLE: Table<Label> = Table::plain("labels", columns!(), read);

/// Stores a new label.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has one of this name.
pub fn insert(tx: &mut Tx<'_>, label: &Label) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO labels (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6)"
        ),
        &values![
            label.id,
            label.project_id,
            &label.name,
            label.time_created,
            label.vars.to_json(),
            fold(&label.name),
        ],
    )?;
    Ok(())
}

/// Stores name and variables.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has another of this name.
pub fn update(tx: &mut Tx<'_>, label: &Label) -> Result<(), StoreError> {
    tx.run(
        "UPDATE labels SET name = $3, name_folded = $4, vars = $5 \
         WHERE id = $1 AND project_id = $2",
        &values![
            label.id,
            label.project_id,
            &label.name,
            fold(&label.name),
            label.vars.to_json(),
        ],
    )?;
    Ok(())
}

/// Returns a project's label.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: LabelId,
) -> Result<Option<Label>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM labels WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a project's label of a name, without regard to case.
pub fn by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    name: &str,
) -> Result<Option<Label>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM labels WHERE project_id = $1 AND name_folded = $2"
        ),
        &values![project_id, fold(name)],
        read,
    )
}

/// Removes a label and takes it off its messages, which stay.
pub fn delete(tx: &mut Tx<'_>, project_id: ProjectId, id: LabelId) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM labels WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    if removed == 1 {
        leftovers::remove(tx, Holder::Label, id.get())?;
    }
    Ok(removed == 1)
}

/// Puts a project's label on a message, once; one that is gone is left out.
pub fn put_on(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    label: LabelId,
    message: MessageId,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO message_labels (label_id, labelled_id) SELECT id, $3 FROM labels \
         WHERE id = $1 AND project_id = $2 ON CONFLICT (label_id, labelled_id) DO NOTHING",
        &values![label, project_id, message],
    )?;
    Ok(())
}

/// Takes every label off a message that is no more.
pub(crate) fn forget(tx: &mut Tx<'_>, message: MessageId) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM message_labels WHERE labelled_id = $1",
        &values![message],
    )?;
    Ok(())
}

/// Takes a label off a message.
pub fn take_off(tx: &mut Tx<'_>, label: LabelId, message: MessageId) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM message_labels WHERE label_id = $1 AND labelled_id = $2",
        &values![label, message],
    )?;
    Ok(())
}

/// Returns the labels of a message, the oldest first.
pub fn of_message(tx: &mut Tx<'_>, message: MessageId) -> Result<Vec<LabelId>, StoreError> {
    tx.query(
        "SELECT label_id FROM message_labels WHERE labelled_id = $1 AND EXISTS (SELECT 1 \
         FROM labels WHERE id = label_id) ORDER BY label_id",
        &values![message],
        |row| row.id(0),
    )
}

/// Returns a page of a project's labels.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Label>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's labels that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<Label, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Label {
        id: columns.id()?,
        project_id: columns.id()?,
        name: columns.text()?,
        time_created: columns.time()?,
        vars: columns.parsed(Vars::from_json)?,
    })
}
