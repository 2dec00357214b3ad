//! Labels of messages.

mod create;
mod delete;
mod get;
mod list;
pub(super) mod message_labels;
mod messages;
mod update;

pub use create::get_or_create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use message_labels::{put_on, take_off};
pub use messages::messages;
pub use update::update;

use crate::Failure;
use hub_app::hub::Hub;
use hub_domain::{Label, Project};
use hub_store::labels;
use hub_web::ApiError;
use postrider_model::LabelId;

/// A label of another project is none.
fn found<T>(label: Option<T>) -> Result<T, ApiError> {
    label.ok_or_else(|| ApiError::not_found("label"))
}

/// Returns the label of a path.
async fn find(hub: &Hub, project: &Project, id: LabelId) -> Result<Label, Failure> {
    let project_id = project.id;
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| labels::get(tx, project_id, id));
    Ok(found(reading.await?)?)
}
