//! A project.

use crate::views::pages::{Page, write_pages};
use hub_domain::Project;
use hub_view::{ObjectWriter, Resource};

/// A project.
#[derive(Debug, Clone)]
pub struct ProjectView(pub Project);

impl Resource for ProjectView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let project = &self.0;
        out.put("id", &project.id);
        out.put("name", &project.name);
        out.put("timezone_id", &project.timezone_id);
        out.put("country", &project.country);
        out.put("url_slug", &project.url_slug);
        out.put("default_route_id", &project.default_route_id);
        out.put("auto_create_contacts", &project.auto_create_contacts);
        let retention = project.message_retention_days;
        out.put("message_retention_days", &retention);
        out.put("short_link_scheme", &project.short_link_scheme);
        out.put("sms_parts_max", &project.sms_parts_max);
        out.put("vars", &project.vars);
        out.put("organization_id", &project.organization_id);
        write_pages(out, &[Page::Shown]);
    }
}
