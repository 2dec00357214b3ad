//! The REST API: a folder for each resource.
//!
//! An [`Operation`] stands as a constant beside its handler: what it takes, answers and needs. Its handler
//! reads the parameters into a command, calls one use case of `hub-app` and shows what it returns.

pub mod broadcasts;
pub mod campaigns;
mod conditions;
mod contact_filter;
pub mod contacts;
pub mod data_tables;
pub mod fields;
pub mod files;
pub mod groups;
pub mod labels;
mod lists;
pub mod message_templates;
pub mod messages;
pub mod openapi;
pub mod organizations;
pub mod phones;
pub mod projects;
pub mod relative_scheduled;
pub mod routes;
pub mod scheduled;
pub mod short_links;
pub mod state;
pub mod statistics;
pub mod tasks;
pub mod webhook_deliveries;
pub mod webhooks;

mod enter;
mod idempotency;
mod members;
mod operation;
mod parse;
mod run;

use axum::response::{IntoResponse, Response};
use hub_store::StoreError;
use hub_view::Refusal;
use hub_web::{Answer, ApiError, Unanswered};

pub use lists::List;
pub use operation::{Answers, Call, Operation, Run, Running, Url};

pub(crate) use operation::operation;

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
