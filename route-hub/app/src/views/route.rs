//! A custom route.

use crate::views::pages::{Page, write_pages};
use hub_domain::routing::Route;
use hub_view::{ObjectWriter, Resource};

/// A custom route.
#[derive(Debug, Clone)]
pub struct RouteView(pub Route);

impl Resource for RouteView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let route = &self.0;
        out.put("id", &route.id);
        out.put("name", &route.name);
        out.put_json("actions", &route.actions.to_json());
        out.put("vars", &route.vars);
        out.put("project_id", &route.project_id);
        write_pages(out, &[Page::Shown]);
    }
}
