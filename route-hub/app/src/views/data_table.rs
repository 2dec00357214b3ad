//! A data table.

use crate::views::pages::{Page, write_pages};
use hub_domain::DataTable;
use hub_view::{ObjectWriter, Resource};

/// A data table.
#[derive(Debug, Clone)]
pub struct DataTableView(pub DataTable);

impl Resource for DataTableView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let table = &self.0;
        out.put("id", &table.id);
        out.put("name", &table.name);
        out.put("num_rows", &table.num_rows);
        out.put("show_add_row", &table.show_add_row);
        out.put("show_stats", &table.show_stats);
        out.put("show_contact_columns", &table.show_contact_columns);
        out.put("vars", &table.vars);
        out.put("project_id", &table.project_id);
        write_pages(out, &[Page::Shown]);
    }
}
