//! Why a use case came to nothing.

use hub_store::StoreError;
use hub_web::ApiError;
use std::error::Error;
use std::fmt::Write as _;

/// Why a use case came to nothing.
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

/// Turns an error of the database into what the caller reads.
pub fn told(error: &StoreError) -> ApiError {
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
