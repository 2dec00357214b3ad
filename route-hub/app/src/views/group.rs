//! A group.

use crate::views::pages::{Page, write_pages};
use hub_domain::{Group, GroupFilters};
use hub_view::{ObjectWriter, Resource};

/// A group.
#[derive(Debug, Clone)]
pub struct GroupView(pub Group);

impl Resource for GroupView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let group = &self.0;
        out.put("id", &group.id);
        out.put("name", &group.name);
        out.put("dynamic", &group.is_dynamic());
        let filters = group.filters.as_ref().map(GroupFilters::to_value);
        out.put("filters", &filters);
        let members = (!group.is_dynamic()).then_some(group.num_members);
        out.put("num_members", &members);
        out.put("time_created", &group.time_created.seconds());
        out.put("allow_sending", &group.allow_sending);
        out.put("add_time_variable", &group.add_time_variable);
        out.put("vars", &group.vars);
        out.put("project_id", &group.project_id);
        write_pages(out, &[Page::Shown]);
    }
}
