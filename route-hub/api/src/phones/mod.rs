//! Phones: the basic routes of a project.

mod account;
mod create;
mod delete;
mod get;
mod list;
mod messages;
mod quiet;
mod release_quiet_hours;
mod reset_sent_message_count;
mod update;
mod waits;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use messages::messages;
pub use release_quiet_hours::release_quiet_hours;
pub use reset_sent_message_count::reset_sent_message_count;
pub use update::update;

use crate::{Call, Failure};
use hub_app::hub::Hub;
use hub_domain::{Phone, Project};
use hub_store::phones;
use hub_web::ApiError;

fn found<T>(phone: Option<T>) -> Result<T, ApiError> {
    phone.ok_or_else(|| ApiError::not_found("phone"))
}

/// Reads the phone of the path, as it is now.
async fn find(hub: &Hub, call: &Call, project: &Project) -> Result<Phone, Failure> {
    let (project_id, id) = (project.id, call.path_id("phone_id", "phone")?);
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| phones::get(tx, project_id, id));
    Ok(found(reading.await?)?)
}

#[cfg(test)]
fn phone_of_tests() -> Phone {
    use postrider_model::{Id, Key, UnixMs};
    let (id, project) = (Key::new(3).unwrap(), Key::new(1).unwrap());
    let phone_type = hub_domain::PhoneType::Android;
    Phone::new(
        Id::new(id),
        Id::new(project),
        "Front desk",
        phone_type,
        UnixMs(0),
    )
}
