//! Webhook objects: addresses that a project's events are posted to.

mod create;
mod delete;
mod get;
mod list;
mod model;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use update::update;

use hub_domain::Webhook;
use hub_web::ApiError;

fn found(webhook: Option<Webhook>) -> Result<Webhook, ApiError> {
    webhook.ok_or_else(|| ApiError::not_found("webhook"))
}
