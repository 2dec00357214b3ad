//! The REST API: one folder per resource, one file per operation.
//!
//! A handler does five things: it takes the caller with its permission, parses into domain types,
//! asks the domain for the transition, commits one unit of work, and answers.

pub mod broadcasts;
pub mod contacts;
pub mod fields;
pub mod groups;
pub mod labels;
pub mod lists;
pub mod messages;
pub mod organizations;
pub mod phones;
pub mod projects;
pub mod relative_scheduled;
pub mod routes;
pub mod scheduled;
pub mod webhooks;

mod idempotency;
mod parse;
mod queue;
mod transaction;

pub use queue::QueueCaps;

use crate::auth::Caller;
use crate::hub::Hub;
use axum::response::{IntoResponse, Response};
use hub_domain::{Permission, Project};
use hub_store::StoreError;
use hub_web::{Answer, ApiError, ErrorCode};
use postrider_model::Now;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;

/// One call of an operation by the holder of a key.
pub type Call = hub_web::Call<Caller>;

/// What an operation comes to.
pub type ApiResult = Result<Answer, Failure>;

/// Why an operation came to nothing.
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
            Self::Store(error) => told(&error),
        }
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.into_error().into_response()
    }
}

/// Turns an error of the database into what the caller reads.
fn told(error: &StoreError) -> ApiError {
    match error {
        StoreError::Busy => ApiError::unavailable("too much is being written at once"),
        StoreError::Closed => ApiError::unavailable("the hub is shutting down"),
        StoreError::TooSlow => ApiError::unavailable(
            "this takes too long to look up: ask for less, or use other filters",
        ),
        StoreError::OverBudget { job } => {
            tracing::error!(job, "a request did more at once than one may do: a defect");
            ApiError::unavailable("this is more than can be done at once: ask for less")
        }
        StoreError::Full(_) => ApiError::unavailable("the hub's disk is full"),
        StoreError::NotWritable(_) => ApiError::unavailable("the hub's database cannot be written"),
        StoreError::Damaged(_) => ApiError::unavailable("the hub's database is damaged"),
        error => ApiError::internal(with_causes(error)),
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

/// Takes the project of the path, which the caller's key must reach with this permission.
async fn enter(hub: &Hub, call: &Call, permission: Permission) -> Result<Arc<Project>, Failure> {
    let id = call.path_id("project_id", "project")?;
    call.caller.project(hub, id, permission).await
}

/// Checks that a project takes `count` more messages to send.
async fn accepting(hub: &Hub, project: &Project, count: usize, now: Now) -> Result<(), Failure> {
    if project.stopped {
        let text = "the operator of this hub has stopped the project";
        return Err(ApiError::new(ErrorCode::LimitExceeded, text).into());
    }
    hub.queue_caps.admit(hub, project, count, now).await
}
