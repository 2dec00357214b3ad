//! A label as the API shows it.

use hub_domain::Label;
use hub_web::{ObjectWriter, Resource};

/// A label.
#[derive(Debug, Clone)]
pub struct LabelView(pub Label);

impl Resource for LabelView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let label = &self.0;
        out.put("id", &label.id);
        out.put("name", &label.name);
        out.put("time_created", &label.time_created.seconds());
        out.put_json("vars", &label.vars.to_json());
        out.put("project_id", &label.project_id);
        out.put("url", &None::<&str>);
    }
}

/// The fields that a caller may read but not write.
pub const READ_ONLY: &[&str] = &["id", "time_created", "project_id", "url"];
