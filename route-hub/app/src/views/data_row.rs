//! A row of a data table.

use hub_domain::DataRow;
use hub_view::{ObjectWriter, Resource};

/// A row of a data table.
#[derive(Debug, Clone)]
pub struct DataRowView(pub DataRow);

impl Resource for DataRowView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let row = &self.0;
        out.put("id", &row.id);
        out.put("contact_id", &row.contact_id);
        out.put("from_number", &row.from_number);
        out.put("vars", &row.vars);
        out.put("time_created", &row.time_created.seconds());
        out.put("time_updated", &row.time_updated.seconds());
        out.put("table_id", &row.table_id);
        out.put("project_id", &row.project_id);
    }
}
