//! What operators look at: `/healthz`, `/readyz` and `/metrics`, none of which needs a key.

use crate::api::Failure;
use crate::hub::Hub;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{Method, header};
use hub_store::{StoreError, Tx, messages, meta, outbox};
use hub_web::ApiError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::atomic::{AtomicBool, Ordering};

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS_S: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];
/// Stands for the route of a request that has none.
const NO_ROUTE: &str = "none";
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: String,
    method: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

/// What is counted as it happens; the rest is read when it is asked for.
#[derive(Debug)]
pub struct Metrics {
    answered: Family<Answered, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
    stopping: AtomicBool,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            answered: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS_S)),
            stopping: AtomicBool::new(false),
        }
    }
}

impl Metrics {
    /// Says that the hub is about to stop: it is ready for nothing new.
    pub fn say_stopping(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn count(&self, route: String, method: &'static str, status: &'static str, seconds: f64) {
        let answered = Answered {
            route,
            method,
            status,
        };
        self.answered.get_or_create(&answered).inc();
        let Answered { route, .. } = answered;
        self.seconds
            .get_or_create(&Route { route })
            .observe(seconds);
    }
}

/// Returns the routes of this file.
pub fn routes() -> Router<Hub> {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
}

/// Counts a request by its route, method and class of status, and how long its answer took; use
/// with `axum::middleware::from_fn_with_state`.
pub async fn count(State(hub): State<Hub>, request: Request, next: Next) -> Response {
    let started = hub.clock.since_start();
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
    let method = method_name(request.method());
    let response = next.run(request).await;
    let seconds = hub
        .clock
        .since_start()
        .saturating_sub(started)
        .as_secs_f64();
    let status = status_class(response.status().as_u16());
    hub.metrics.count(route, method, status, seconds);
    response
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn status_class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

fn ok() -> Response {
    const OK: &str = r#"{"status":"ok"}"#;
    ([(header::CONTENT_TYPE, "application/json")], OK).into_response()
}

/// Answers while the process runs.
async fn healthz() -> Response {
    ok()
}

/// Answers while the database takes writes and the hub is not about to stop.
async fn readyz(State(hub): State<Hub>) -> Result<Response, Failure> {
    if hub.metrics.is_stopping() {
        return Err(ApiError::unavailable("the hub is about to stop").into());
    }
    hub.store.write(meta::generation).await?;
    Ok(ok())
}

/// What is read from the database for one look.
#[derive(Debug, Clone, Copy)]
struct Counted {
    queued: u64,
    webhooks: u64,
}

async fn metrics(State(hub): State<Hub>) -> Result<Response, Failure> {
    let counted = hub.store.read(count_rows).await?;
    let text = written(&hub, counted).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, METRICS_TYPE)], text).into_response())
}

fn count_rows(tx: &mut Tx<'_>) -> Result<Counted, StoreError> {
    let by_project = messages::queued_by_project(tx)?;
    Ok(Counted {
        queued: by_project.iter().map(|(_, queued)| queued).sum(),
        webhooks: outbox::count(tx)?,
    })
}

fn written(hub: &Hub, counted: Counted) -> Result<String, std::fmt::Error> {
    let mut registry = Registry::with_prefix("route_hub");
    let load = hub.store.load();
    let visitors = hub.front.load();
    let gauges: [(&str, &str, u64); 8] = [
        (
            "connections_open",
            "Connections to the hub, phones among them",
            visitors.connections as u64,
        ),
        (
            "strangers",
            "Connections and proxied requests without a valid key or hello",
            visitors.strangers as u64,
        ),
        (
            "messages_queued",
            "Messages that wait at the hub or on a phone",
            counted.queued,
        ),
        (
            "webhooks_waiting",
            "Webhook events that are not delivered yet",
            counted.webhooks,
        ),
        (
            "phones_connected",
            "Devices with an open link",
            hub.links.connected() as u64,
        ),
        (
            "store_jobs_waiting",
            "Jobs that wait to be written",
            load.writes_waiting as u64,
        ),
        (
            "store_reads_waiting",
            "Jobs that wait to read",
            load.reads_waiting as u64,
        ),
        (
            "store_health",
            "0 while the database takes writes, 1 while it is full, 2 while it cannot be written, 3 when damaged",
            hub.store.health() as u64,
        ),
    ];
    for (name, help, value) in gauges {
        registry.register(
            name,
            help,
            ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)),
        );
    }
    let counters: [(&str, &str, u64); 5] = [
        (
            "connections_turned_away",
            "Connections and requests for which there was no place",
            visitors.turned_away,
        ),
        (
            "strangers_ended",
            "Connections of strangers that ended to make room",
            visitors.made_room,
        ),
        ("store_commits", "Group commits", load.commits),
        (
            "store_jobs_committed",
            "Jobs that were committed, in groups",
            load.jobs_committed,
        ),
        (
            "link_looks",
            "Times that a phone's link was told that its settings may have changed",
            hub.bus.looks(),
        ),
    ];
    for (name, help, value) in counters {
        registry.register(name, help, ConstCounter::new(value));
    }
    let metrics = &hub.metrics;
    registry.register(
        "http_requests",
        "Requests answered",
        metrics.answered.clone(),
    );
    let help = "How long answers took, in seconds";
    registry.register(
        "http_request_duration_seconds",
        help,
        metrics.seconds.clone(),
    );
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::data_folder;
    use tokio::runtime::{Builder, Runtime};

    fn hub() -> (Hub, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path()).unwrap();
        let parts = data_folder::parts(store, 0, "http://127.0.0.1".into(), Vec::new());
        (Hub::new(parts.unwrap()), folder)
    }

    fn runtime() -> Runtime {
        Builder::new_current_thread().build().unwrap()
    }

    fn answer(hub: &Hub) -> u16 {
        let ready = runtime().block_on(readyz(State(hub.clone())));
        ready.into_response().status().as_u16()
    }

    #[test]
    fn a_hub_is_ready_until_it_is_about_to_stop() {
        let (hub, _folder) = hub();
        assert_eq!(answer(&hub), 200);
        hub.metrics.say_stopping();
        assert_eq!(answer(&hub), 503);
    }

    #[test]
    fn what_is_counted_has_the_names_that_operators_watch() {
        let (hub, _folder) = hub();
        for status in ["2xx", "2xx", "5xx"] {
            hub.metrics.count("/v1/x/{id}".into(), "GET", status, 0.004);
        }
        let counted = hub.store.read_blocking(count_rows).unwrap();
        let text = written(&hub, counted).unwrap();
        for line in [
            "route_hub_messages_queued 0",
            "route_hub_webhooks_waiting 0",
            "route_hub_phones_connected 0",
            "route_hub_store_jobs_waiting 0",
            r#"route_hub_http_requests_total{route="/v1/x/{id}",method="GET",status="2xx"} 2"#,
            r#"route_hub_http_requests_total{route="/v1/x/{id}",method="GET",status="5xx"} 1"#,
            r#"route_hub_http_request_duration_seconds_count{route="/v1/x/{id}"} 3"#,
            r#"route_hub_http_request_duration_seconds_bucket{le="0.0025",route="/v1/x/{id}"} 0"#,
            r#"route_hub_http_request_duration_seconds_bucket{le="0.005",route="/v1/x/{id}"} 3"#,
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
        }
    }
}
