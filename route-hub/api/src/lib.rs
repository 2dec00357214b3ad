//! The REST API: a folder for each resource.
//!
//! A handler lets the caller in, reads the parameters into a command, calls one use case of `hub-app`
//! and shows what it returns.

#![warn(unreachable_pub)]

pub mod broadcasts;
pub mod contacts;
pub mod fields;
pub mod groups;
pub mod labels;
mod lists;
pub mod messages;
pub mod organizations;
pub mod phones;
pub mod projects;
pub mod relative_scheduled;
pub mod routes;
pub mod scheduled;
pub mod state;
pub mod webhooks;

mod anew;
mod idempotency;
mod parse;

use axum::response::{IntoResponse, Response};
use hub_app::actor::{Actor, Who};
use hub_app::auth;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::StoreError;
use hub_view::Refusal;
use hub_web::{Answer, ApiError, Unanswered};
use std::sync::Arc;

pub use anew::Anew;
pub use state::Call;

/// What an operation returns.
pub type ApiResult = Result<Answer, Failure>;

/// Why an operation failed.
#[derive(Debug)]
pub enum Failure {
    /// It was refused.
    Refused(ApiError),
    /// The database could not do it.
    Store(StoreError),
}

impl Failure {
    /// Returns what the caller is told.
    pub fn into_error(self) -> ApiError {
        match self {
            Self::Refused(error) => error,
            Self::Store(error) => hub_app::failure::told(&error).into(),
        }
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<hub_app::failure::Failure> for Failure {
    fn from(failure: hub_app::failure::Failure) -> Self {
        match failure {
            hub_app::failure::Failure::Refused(refusal) => Self::Refused(refusal.into()),
            hub_app::failure::Failure::Store(error) => Self::Store(error),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::Store(StoreError::Unsure) => Unanswered.into_response(),
            failure => failure.into_error().into_response(),
        }
    }
}

/// Lets the caller into the project of the path, which its key must reach with this permission.
async fn enter(hub: &Hub, call: &Call, permission: Permission) -> Result<Actor, Failure> {
    let id = call.path_id("project_id", "project")?;
    Ok(auth::enter(hub, &call.caller.holder, id, permission).await?)
}

/// Returns who calls.
fn who(call: &Call) -> Who {
    Who::Key(Arc::clone(&call.caller.holder.key))
}
