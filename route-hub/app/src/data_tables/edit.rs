//! Making, changing and removing tables.

use crate::actor::Actor;
use crate::clearing;
use crate::data_tables::{PERMISSION, found_in};
use crate::failure::Failure;
use crate::transaction::run;
use crate::vars;
use crate::views::data_table::DataTableView;
use hub_domain::{DataTable, VarsChange};
use hub_store::data_tables;
use hub_view::Refusal;
use postrider_model::DataTableId;

/// Finds the table of a name, or makes it.
pub async fn get_or_create(actor: &Actor, name: String) -> Result<DataTableView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let project = work.project.id;
        if let Some(table) = data_tables::by_name(work.tx, project, &name)? {
            return Ok(DataTableView(table));
        }
        let table = DataTable::new(work.id(), project, &name);
        data_tables::insert(work.tx, &table)?;
        Ok(DataTableView(table))
    })
    .await
}

/// What is to be changed of a table; `None` stays.
#[derive(Debug, Clone, Default)]
pub struct TablePatch {
    /// Its name.
    pub name: Option<String>,
    /// Whether people may add rows on a page.
    pub show_add_row: Option<bool>,
    /// Whether a page shows statistics of it.
    pub show_stats: Option<bool>,
    /// Whether a page shows the contacts of its rows.
    pub show_contact_columns: Option<bool>,
    /// Its custom variables.
    pub vars: VarsChange,
}

impl TablePatch {
    fn apply(&self, table: &mut DataTable) -> Result<(), Refusal> {
        if let Some(name) = &self.name {
            table.name.clone_from(name);
        }
        table.show_add_row = self.show_add_row.unwrap_or(table.show_add_row);
        table.show_stats = self.show_stats.unwrap_or(table.show_stats);
        let columns = self.show_contact_columns;
        table.show_contact_columns = columns.unwrap_or(table.show_contact_columns);
        vars::apply(&mut table.vars, &self.vars)
    }
}

/// Changes a table.
pub async fn update(
    actor: &Actor,
    id: DataTableId,
    patch: TablePatch,
) -> Result<DataTableView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let mut table = found_in(work, id)?;
        if let Some(name) = &patch.name {
            let named = data_tables::by_name(work.tx, table.project_id, name)?;
            if named.is_some_and(|other| other.id != id) {
                let rule = "is already used by another table";
                return Err(Refusal::invalid_param("name", rule).into());
            }
        }
        patch.apply(&mut table)?;
        data_tables::update(work.tx, &table)?;
        Ok(DataTableView(table))
    })
    .await
}

/// Removes a table with its rows, fields and views.
pub async fn delete(actor: &Actor, id: DataTableId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        if data_tables::begin_clearing(work.tx, work.project.id, id, work.now.unix)? {
            Ok(())
        } else {
            Err(Failure::from(Refusal::not_found("table")))
        }
    })
    .await?;
    clearing::soon(&actor.hub);
    Ok(())
}
