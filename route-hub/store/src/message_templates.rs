//! Message templates.

use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{MessageTemplate, Vars, fold};
use postrider_model::{MessageTemplateId, ProjectId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, message, track_clicks, short_link_params, vars, time_created, \
         time_updated"
    };
}

/// The column of the message, as errors name it.
pub const MESSAGE: usize = 3;

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
    /// The account of a chat app that has it, which none does yet.
    pub const WABA_ID: Column = Column::new("waba_id", Kind::Text);
}

const TABLE: Table<MessageTemplate> = Table::plain("message_templates", columns!(), read);

/// Stores a new template.
pub fn insert(tx: &mut Tx<'_>, template: &MessageTemplate) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO message_templates (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        &values![
            template.id,
            template.project_id,
            &template.name,
            &template.message,
            template.track_clicks,
            &template.short_link_params,
            template.vars.to_json(),
            template.time_created,
            template.time_updated,
            fold(&template.name),
        ],
    )
}

/// Stores a changed template.
pub fn update(tx: &mut Tx<'_>, template: &MessageTemplate) -> Result<(), StoreError> {
    tx.run(
        "UPDATE message_templates SET name = $3, name_folded = $4, message = $5, \
         track_clicks = $6, short_link_params = $7, vars = $8, time_updated = $9 \
         WHERE id = $1 AND project_id = $2",
        &values![
            template.id,
            template.project_id,
            &template.name,
            fold(&template.name),
            &template.message,
            template.track_clicks,
            &template.short_link_params,
            template.vars.to_json(),
            template.time_updated,
        ],
    )
}

/// Returns a project's template.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: MessageTemplateId,
) -> Result<Option<MessageTemplate>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM message_templates WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Removes a template; says whether there was one.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: MessageTemplateId,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM message_templates WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    Ok(removed == 1)
}

/// Returns a page of a project's templates.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<MessageTemplate>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's templates that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<MessageTemplate, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(MessageTemplate {
        id: columns.id()?,
        project_id: columns.id()?,
        name: columns.text()?,
        message: columns.text()?,
        track_clicks: columns.flag()?,
        short_link_params: columns.opt_text()?,
        vars: columns.parsed(Vars::from_json)?,
        time_created: columns.time()?,
        time_updated: columns.time()?,
    })
}
