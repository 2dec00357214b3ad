//! An organization.

use hub_domain::Organization;
use hub_view::{ObjectWriter, Resource};

/// An organization.
#[derive(Debug, Clone)]
pub struct OrganizationView(pub Organization);

impl Resource for OrganizationView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let organization = &self.0;
        out.put("id", &organization.id);
        out.put("name", &organization.name);
        out.put("timezone_id", &organization.timezone_id);
    }
}
