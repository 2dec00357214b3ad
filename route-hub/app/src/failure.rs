//! Why a use case failed.

use hub_store::StoreError;
use hub_view::{Refusal, RefusalCode};
use std::error::Error;
use std::fmt;
use std::fmt::Write as _;

/// Why a use case failed.
#[derive(Debug)]
pub enum Failure {
    /// It was refused.
    Refused(Refusal),
    /// The database could not do it.
    Store(StoreError),
}

impl Failure {
    /// As [`Refusal::within`].
    #[must_use]
    pub fn within(self, item: impl fmt::Display) -> Self {
        match self {
            Self::Refused(refusal) => Self::Refused(refusal.within(item)),
            Self::Store(error) => Self::Store(error),
        }
    }

    /// Returns what whoever asked is told.
    pub fn into_refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Store(error) => told(&error),
        }
    }
}

/// Why a use case with reasons of its own failed.
#[derive(Debug)]
pub enum NotDone<R> {
    /// It was refused.
    Refused(R),
    /// The database could not do it.
    Store(StoreError),
}

impl<R> From<StoreError> for NotDone<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<R: Into<Refusal>> From<NotDone<R>> for Failure {
    fn from(error: NotDone<R>) -> Self {
        match error {
            NotDone::Refused(reason) => Self::Refused(reason.into()),
            NotDone::Store(error) => Self::Store(error),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Turns an error of the database into what whoever asked is told.
pub fn told(error: &StoreError) -> Refusal {
    match error {
        StoreError::Busy | StoreError::Stale => {
            Refusal::unavailable("too much is being written at once")
        }
        StoreError::Beyond(exceeded) => {
            Refusal::new(RefusalCode::LimitExceeded, exceeded.to_string())
        }
        StoreError::Closed => Refusal::unavailable("the hub is shutting down"),
        StoreError::TooSlow => Refusal::unavailable(
            "this takes too long to look up: ask for less, or use other filters",
        ),
        StoreError::OverBudget { job } => {
            tracing::error!(job, "a request did more at once than one may do: a defect");
            Refusal::unavailable("this is more than can be done at once: ask for less")
        }
        StoreError::Unreachable(_) | StoreError::Refused { .. } => {
            Refusal::unavailable("the hub's database cannot be reached")
        }
        StoreError::Full(_) => Refusal::unavailable("the hub's disk is full"),
        StoreError::NotWritable(_) => Refusal::unavailable("the hub's database cannot be written"),
        StoreError::Damaged(_) => Refusal::unavailable("the hub's database is damaged"),
        error => Refusal::internal(with_causes(error)),
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
