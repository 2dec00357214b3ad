//! An alert.

use hub_domain::Alert;
use hub_view::{ObjectWriter, Resource};
use postrider_model::UnixMs;

/// An alert.
pub(crate) struct AlertView<'a>(pub(crate) &'a Alert);

impl Resource for AlertView<'_> {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let alert = self.0;
        out.put("id", &alert.id);
        out.put("kind", alert.kind.as_str());
        out.put("detail", &alert.detail);
        out.put("phone_id", &alert.phone_id);
        out.put("time_created", &alert.time_created.seconds());
        let time_cleared = alert.time_cleared.map(UnixMs::seconds);
        out.put("time_cleared", &time_cleared);
        out.put("project_id", &alert.project_id);
    }
}
