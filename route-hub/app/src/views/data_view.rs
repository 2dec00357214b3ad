//! A view of a data table.

use crate::views::pages::{Page, write_pages};
use hub_domain::DataView;
use hub_view::{ObjectWriter, Resource};

/// A view of a data table.
#[derive(Debug, Clone)]
pub struct DataViewView {
    /// The view.
    pub view: DataView,
    /// How many rows it has now; `None` where counting took too long.
    pub num_rows: Option<u64>,
}

impl Resource for DataViewView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let view = &self.view;
        out.put("id", &view.id);
        out.put("name", &view.name);
        out.put("num_rows", &self.num_rows);
        out.put("filters", &view.filters.to_value());
        out.put("table_id", &view.table_id);
        out.put("project_id", &view.project_id);
        write_pages(out, &[Page::Shown]);
    }
}
