//! A label.

use crate::views::pages::{Page, write_pages};
use hub_domain::Label;
use hub_view::{ObjectWriter, Resource};

/// A label.
#[derive(Debug, Clone)]
pub struct LabelView(pub Label);

impl Resource for LabelView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let label = &self.0;
        out.put("id", &label.id);
        out.put("name", &label.name);
        out.put("time_created", &label.time_created.seconds());
        out.put("vars", &label.vars);
        out.put("project_id", &label.project_id);
        write_pages(out, &[Page::Shown]);
    }
}
