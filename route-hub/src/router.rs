//! What the API answers: its URLs with their conventions, and routes beside them.

use crate::{described, routes};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{MethodFilter, on};
use hub_api::state::ApiState;
use hub_api::{files, short_links};
use hub_store::list::TIME_MAX;
use hub_store::within_request;
use hub_web::{RequestIds, conventions, no_such_method, no_such_url};
use std::sync::Arc;
use std::time::Duration;
use tower_service::Service as _;

/// Returns the API under `/v1`, with its conventions around every answer.
///
/// `others` are routes beside it (the link, pairing, health); what neither has is answered here.
pub fn router(state: ApiState, others: Router<ApiState>) -> Router {
    router_within(state, others, TIME_MAX)
}

/// As [`router`], with another limit on the time that the readings of one request may take, all
/// together.
pub fn router_within(state: ApiState, others: Router<ApiState>, reading_time: Duration) -> Router {
    let hub = state.hub.clone();
    let ids = Arc::new(RequestIds::new(u64::from_le_bytes(hub.random.bytes())));
    let at_domain = short_links::of_domains()
        .layer(from_fn_with_state(Arc::clone(&ids), conventions))
        .with_state(state.clone());
    // One layer for all: each costs a copy of its service with every request.
    let answer = move |ids: State<Arc<RequestIds>>, mut request: Request, next: Next| {
        let (hub, mut at_domain) = (hub.clone(), at_domain.clone());
        within_request(reading_time, async move {
            match short_links::is_at_domain(&hub, &mut request).await {
                Ok(false) => conventions(ids, request, next).await,
                Ok(true) => match at_domain.call(request).await {
                    Ok(response) => response,
                },
                Err(unavailable) => unavailable,
            }
        })
    };
    api()
        .merge(described::routes())
        .merge(files::addresses())
        .merge(short_links::addresses())
        .merge(others)
        .fallback(no_such_url)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(ids, answer))
        .with_state(state)
}

/// Routes the URLs by their whole paths: a router nested in another would take the prefix off the
/// path of each request again.
fn api() -> Router<ApiState> {
    routes::urls()
        .into_iter()
        .fold(Router::new(), |router, url| {
            let method = MethodFilter::try_from(url.method).unwrap_or(MethodFilter::GET);
            router.route(&url.path, on(method, url.operation))
        })
}
