//! An operation whose rows other hubs change each time that it is prepared.

use crate::support::{Client, hub_on_server, state};
use axum::Router;
use axum::routing::{MethodFilter, on};
use hub_api::{Answers, ApiResult, Failure, Operation, Run};
use hub_domain::Permission;
use hub_store::StoreError;
use hub_web::Answer;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often the operation was prepared.
static TRIES: AtomicUsize = AtomicUsize::new(0);
/// How often it is refused as stale.
static STALE: AtomicUsize = AtomicUsize::new(0);

const OPERATION: Operation = Operation::new(
    "isStale",
    module_path!(),
    "Is refused as stale.",
    Answers::Nothing,
    Run::Project(Permission::ViewProjects, |_, _| Box::pin(run())),
);

async fn run() -> ApiResult {
    if TRIES.fetch_add(1, Ordering::Relaxed) < STALE.load(Ordering::Relaxed) {
        Err(Failure::Store(StoreError::Stale))
    } else {
        Ok(Answer::void())
    }
}

/// Returns what the caller of an operation is told that is refused as stale so many times, and how often
/// it was prepared.
async fn prepared(stale: usize) -> Option<(u16, usize)> {
    let (_database, test) = hub_on_server().await?;
    STALE.store(stale, Ordering::Relaxed);
    TRIES.store(0, Ordering::Relaxed);
    let path = "/v1/projects/{project_id}/stale";
    let routes = Router::new().route(path, on(MethodFilter::POST, &OPERATION));
    let router = routes.with_state(state(&test.hub));
    let client = Client::new(router, test.key.clone(), test.project.id);
    let path = format!("/projects/{}/stale", test.project.id);
    let reply = client.call("POST", &path, None).await;
    Some((reply.status, TRIES.load(Ordering::Relaxed)))
}

#[tokio::test]
async fn an_operation_is_prepared_twenty_times_and_then_its_caller_is_told_to_come_again() {
    let Some(last) = prepared(19).await else {
        return;
    };
    assert_eq!(last, (200, 20));
    assert_eq!(prepared(20).await, Some((503, 20)));
}
