//! What a load balancer asks, without a key: `/healthz` and `/readyz`, which say yes or no.
//!
//! Reasons and metrics are only on the operator's own address ([`operator`]). The database is asked
//! at most once a second, however many requests come.

mod among_hubs;
mod once_a_second;
pub mod operator;
mod process;
pub mod seen;

use crate::metrics::once_a_second::OnceASecond;
use crate::metrics::operator::Counted;
use crate::metrics::seen::Words;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{Method, header};
use hub_api::state::ApiState;
use hub_app::hub::Hub;
use hub_store::{Health, meta};
use hub_web::ApiError;
use hub_web::front::{Front, Guest};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS_S: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];
/// Stands for the route of a request that has none.
const NO_ROUTE: &str = "none";

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

/// What is counted as it happens; other metrics are read on request.
#[derive(Debug)]
pub struct Metrics {
    answered: Family<Answered, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
    stopping: AtomicBool,
    words: Words,
    counted: OnceASecond<Option<Counted>>,
    answers: OnceASecond<bool>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            answered: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS_S)),
            stopping: AtomicBool::new(false),
            words: Words::default(),
            counted: OnceASecond::default(),
            answers: OnceASecond::default(),
        }
    }
}

impl Metrics {
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

/// A hub with what is counted of its requests.
#[derive(Clone)]
pub struct Observed {
    hub: Hub,
    front: Arc<Front>,
    metrics: Arc<Metrics>,
}

impl Observed {
    /// Starts counting.
    pub fn new(state: &ApiState) -> Self {
        Self {
            hub: state.hub.clone(),
            front: Arc::clone(&state.front),
            metrics: Arc::default(),
        }
    }

    /// Says that the hub is about to stop: from now on it is not ready.
    pub fn say_stopping(&self) {
        self.metrics.stopping.store(true, Ordering::Release);
    }
}

/// Returns the routes of the main address.
pub fn routes<S: Clone + Send + Sync + 'static>(observed: Observed) -> Router<S> {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .with_state(observed)
}

/// Counts a request by its route, method and class of status, and how long its answer took; use
/// with `axum::middleware::from_fn_with_state`.
pub async fn count(State(observed): State<Observed>, request: Request, next: Next) -> Response {
    let started = observed.hub.clock.since_start();
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
    let method = method_name(request.method());
    let response = next.run(request).await;
    let seconds = observed
        .hub
        .clock
        .since_start()
        .saturating_sub(started)
        .as_secs_f64();
    let status = status_class(response.status().as_u16());
    observed.metrics.count(route, method, status, seconds);
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

/// Answers while the process runs; to who has the operator's word, with where the request came from.
async fn healthz(State(observed): State<Observed>, request: Request) -> Response {
    let Observed {
        hub,
        front,
        metrics,
    } = &observed;
    let headers = request.headers();
    match request.extensions().get::<Guest>() {
        Some(guest) if metrics.words.are_in(headers, hub.clock.since_start()) => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (json, seen::shown(front, guest, headers).to_string()).into_response()
        }
        _ => ok(),
    }
}

/// Answers 200 while the database takes writes and the hub is not about to stop. The reason for
/// anything else is not for everybody.
async fn readyz(State(observed): State<Observed>) -> Response {
    if Readiness::of(&observed).await.is_ready() {
        ok()
    } else {
        ApiError::unavailable("the hub is not ready").into_response()
    }
}

/// Whether the hub is ready for requests, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Readiness {
    /// Whether it is about to stop.
    stopping: bool,
    /// What errors of the database have shown.
    database: Health,
    /// Whether the writer did the last job that asked it for a sign of life.
    answers: bool,
    /// Whether the clock is too far off the database's.
    is_clock_off: bool,
}

impl Readiness {
    async fn of(Observed { hub, metrics, .. }: &Observed) -> Self {
        let asked = async { hub.store.write(meta::generation).await.is_ok() };
        let answers = metrics.answers.get(hub.clock, asked).await;
        Self {
            stopping: metrics.is_stopping(),
            database: hub.store.health(),
            answers,
            is_clock_off: is_too_far(hub.store.cluster_load().map(|load| load.clock_off_ms)),
        }
    }

    fn is_ready(self) -> bool {
        let takes_writes = self.answers && self.database == Health::Ok;
        !self.stopping && takes_writes && !self.is_clock_off
    }
}

/// A clock that is off so far makes a hub unready.
const CLOCK_OFF_MS_MIN: u64 = 60_000;

fn is_too_far(clock_off_ms: Option<i64>) -> bool {
    clock_off_ms.is_some_and(|off_ms| off_ms.unsigned_abs() >= CLOCK_OFF_MS_MIN)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use hub_app::data_folder;
    use hub_web::front::FrontSettings;
    use tokio::runtime::{Builder, Runtime};

    pub(super) fn observed() -> (Observed, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path(), 0).unwrap();
        let parts = data_folder::parts(store, "http://127.0.0.1".into(), Vec::new());
        let state = ApiState::new(Hub::new(parts.unwrap()), FrontSettings::default());
        (Observed::new(&state), folder)
    }

    fn runtime() -> Runtime {
        Builder::new_current_thread().build().unwrap()
    }

    fn answer(observed: &Observed) -> u16 {
        let ready = runtime().block_on(readyz(State(observed.clone())));
        ready.status().as_u16()
    }

    #[test]
    fn each_cause_by_itself_makes_a_hub_unready() {
        let ready = Readiness {
            stopping: false,
            database: Health::Ok,
            answers: true,
            is_clock_off: false,
        };
        assert!(ready.is_ready());
        let unready = |change: fn(&mut Readiness)| {
            let mut readiness = ready;
            change(&mut readiness);
            assert!(!readiness.is_ready(), "{readiness:?}");
        };
        unready(|it| it.stopping = true);
        unready(|it| it.answers = false);
        unready(|it| it.is_clock_off = true);
        unready(|it| it.database = Health::Full);
        unready(|it| it.database = Health::NotWritable);
        unready(|it| it.database = Health::Damaged);
    }

    #[test]
    fn a_clock_that_is_a_minute_off_either_way_is_too_far() {
        let off = [None, Some(59_999), Some(60_000), Some(-60_000)];
        assert_eq!(off.map(is_too_far), [false, false, true, true]);
    }

    #[test]
    fn a_hub_is_ready_until_it_is_about_to_stop() {
        let (observed, _folder) = observed();
        assert_eq!(answer(&observed), 200);
        observed.say_stopping();
        assert_eq!(answer(&observed), 503);
    }
}
