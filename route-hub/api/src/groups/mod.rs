//! Groups of contacts, normal and dynamic.

mod contacts;
mod create;
mod delete;
mod get;
mod list;
mod membership;
mod patch;
mod update;

pub use contacts::contacts;
pub use create::{create, get_or_create};
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use membership::{join, leave};
pub use update::update;

pub(super) use list::LIST;

use crate::Failure;
use hub_app::hub::Hub;
use hub_domain::{Group, Project};
use hub_store::groups;
use hub_web::ApiError;
use postrider_model::GroupId;

/// A group of another project is none.
fn found<T>(group: Option<T>) -> Result<T, ApiError> {
    group.ok_or_else(|| ApiError::not_found("group"))
}

/// Returns the group of a path.
async fn find(hub: &Hub, project: &Project, id: GroupId) -> Result<Group, Failure> {
    let project_id = project.id;
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| groups::get(tx, project_id, id));
    Ok(found(reading.await?)?)
}
