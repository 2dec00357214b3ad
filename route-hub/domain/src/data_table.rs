//! Data tables, their rows, and views of them.

use crate::conditions::{Comparison, Filters, Subject, Takes};
use crate::{Address, Vars};
use postrider_model::{ContactId, DataRowId, DataTableId, DataViewId, ProjectId, UnixMs};

/// A data table of a project: rows with variables, which have fields of the table's own.
#[derive(Debug, Clone, PartialEq)]
pub struct DataTable {
    /// Its id.
    pub id: DataTableId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// Its name, of which there is one in a project.
    pub name: String,
    /// How many rows it has.
    pub num_rows: i64,
    /// Whether people may add rows on a page.
    pub show_add_row: bool,
    /// Whether a page shows statistics of it.
    pub show_stats: bool,
    /// Whether a page shows the contacts of its rows.
    pub show_contact_columns: bool,
    /// The caller's own variables.
    pub vars: Vars,
}

impl DataTable {
    /// Makes a table without rows.
    pub fn new(id: DataTableId, project_id: ProjectId, name: &str) -> Self {
        Self {
            id,
            project_id,
            name: name.to_owned(),
            num_rows: 0,
            show_add_row: true,
            show_stats: true,
            show_contact_columns: true,
            vars: Vars::default(),
        }
    }
}

/// A row of a data table.
#[derive(Debug, Clone, PartialEq)]
pub struct DataRow {
    /// Its id.
    pub id: DataRowId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// The table it is in.
    pub table_id: DataTableId,
    /// The contact that it is about.
    pub contact_id: Option<ContactId>,
    /// The number that it came from.
    pub from_number: Option<Address>,
    /// What it holds.
    pub vars: Vars,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it was changed last.
    pub time_updated: UnixMs,
}

impl DataRow {
    /// Makes a row that holds nothing.
    pub fn new(id: DataRowId, project_id: ProjectId, table_id: DataTableId, now: UnixMs) -> Self {
        Self {
            id,
            project_id,
            table_id,
            contact_id: None,
            from_number: None,
            vars: Vars::default(),
            time_created: now,
            time_updated: now,
        }
    }
}

/// A view of a data table: those of its rows that meet conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct DataView {
    /// Its id.
    pub id: DataViewId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// The table it is of.
    pub table_id: DataTableId,
    /// Its name, of which there is one in a table.
    pub name: String,
    /// What its rows have in common.
    pub filters: ViewFilters,
}

/// The conditions of a view.
pub type ViewFilters = Filters<Comparison<RowSubject>>;

/// What a view's condition looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowSubject {
    /// A custom variable.
    Variable(String),
    /// The row itself.
    Id,
    /// When it was made.
    TimeCreated,
    /// When it was changed last.
    TimeUpdated,
    /// The contact that it is about.
    ContactId,
    /// That contact's name.
    ContactName,
    /// The number that it came from.
    FromNumber,
}

impl Subject for RowSubject {
    const UNKNOWN: &'static str = "is not a filter of rows";

    fn variable(name: &str) -> Self {
        Self::Variable(name.to_owned())
    }

    fn named(key: &str) -> Option<Self> {
        Some(match key {
            "id" => Self::Id,
            "time_created" => Self::TimeCreated,
            "time_updated" => Self::TimeUpdated,
            "contact_id" => Self::ContactId,
            "contact_name" => Self::ContactName,
            "from_number" => Self::FromNumber,
            _ => return None,
        })
    }

    fn takes(&self) -> Takes {
        match self {
            Self::Variable(_) => Takes::Any,
            Self::ContactName => Takes::Text,
            Self::FromNumber => Takes::Address,
            Self::Id => Takes::Key {
                read: |text| text.parse().ok().map(DataRowId::get),
                rule: "must be the id of a row",
                ordered: true,
            },
            Self::ContactId => Takes::Key {
                read: |text| text.parse().ok().map(ContactId::get),
                rule: "must be the id of a contact",
                ordered: true,
            },
            Self::TimeCreated | Self::TimeUpdated => Takes::Time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_view_takes_what_rows_have_and_nothing_of_groups() {
        let json = json!({
            "vars.answer": "yes", "vars": { "age": { "gte": 18 } },
            "id": { "gt": "DR0000000000000001" }, "time_created": { "gte": 5 },
            "time_updated": { "lt": 9 }, "contact_id": { "exists": true },
            "contact_name": { "prefix": "A" }, "from_number": "+15005550101",
        });
        let filters = ViewFilters::parse(&json).unwrap();
        assert_eq!(filters.conditions().len(), 8);
        assert_eq!(filters.to_value(), json);
        for (json, place) in [
            (json!({}), ""),
            (json!({ "group": "CG0000000000000002" }), "[group]"),
            (json!({ "q": "word" }), "[q]"),
            (json!({ "name": "a" }), "[name]"),
            (json!({ "id": "CT0000000000000001" }), "[id]"),
            (
                json!({ "contact_id": { "prefix": "CT" } }),
                "[contact_id][prefix]",
            ),
            (json!({ "vars": { "a b": 1 } }), "[vars][a b]"),
        ] {
            let refused = ViewFilters::parse(&json).unwrap_err();
            assert_eq!(refused.place, place, "{json}");
        }
    }

    #[test]
    fn what_says_nothing_is_refused_of_a_caller_and_read_where_it_is_stored() {
        for (json, place) in [
            (json!({ "from_number": { "ne": "-" } }), "[from_number][ne]"),
            (
                json!({ "contact_name": { "prefix": " " } }),
                "[contact_name][prefix]",
            ),
            (json!({ "vars.answer": "" }), "[vars.answer]"),
        ] {
            let refused = ViewFilters::parse(&json).unwrap_err();
            assert_eq!(refused.place, place, "{json}");
            let stored = ViewFilters::from_json(&json.to_string());
            assert_eq!(stored.unwrap().to_value(), json);
        }
    }
}
