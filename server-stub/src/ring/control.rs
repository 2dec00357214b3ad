//! The control interface: what a scenario can say, said by HTTP while it runs.

use super::shared::Shared;
use crate::engine::{Engine, Refused};
use crate::scenario::{Fault, InvalidScenario, Step, Wait};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::{StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Largest body.
const BODY_BYTES_MAX: usize = 256 * 1024;
/// How long `POST /wait` waits at most.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Returns the URL table.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/state", get(state))
        .route("/inbound", get(inbound))
        .route("/verdict", get(verdict))
        .route("/pairing", get(pairing).post(change_pairing))
        .route("/step", post(step))
        .route("/wait", post(wait))
        .route("/fault", post(add_fault).delete(clear_faults))
        .route("/stop", post(stop))
        .route("/{action}", post(action))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(shared)
}

async fn state(State(shared): State<Arc<Shared>>) -> Response {
    answer(&shared.look(|engine, _| engine.state()))
}

async fn inbound(State(shared): State<Arc<Shared>>) -> Response {
    answer(&shared.look(|engine, _| engine.inbound()))
}

async fn verdict(State(shared): State<Arc<Shared>>) -> Response {
    answer(&shared.verdict().await)
}

async fn pairing(State(shared): State<Arc<Shared>>) -> Response {
    answer(&invitation(&shared))
}

/// Returns how a phone joins.
pub(super) fn invitation(shared: &Shared) -> Value {
    let pins: Vec<String> = shared.tls.iter().map(|tls| tls.pin.clone()).collect();
    shared.look(|engine, _| {
        json!({
            "base_url": shared.base_url,
            "pairing_code": engine.code().typed(),
            "pairing_uri": engine.code().uri(&shared.base_url, &pins),
            "pins": pins,
        })
    })
}

async fn change_pairing(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    act(&shared, "pairing", &body)
}

async fn action(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    act(&shared, &name, &body)
}

/// `POST /NAME` takes as JSON what stands behind `NAME =` in a step; an empty body is `true`.
fn act(shared: &Shared, name: &str, body: &[u8]) -> Response {
    let value = match body {
        [] => Ok(Value::Bool(true)),
        body => serde_json::from_slice(body),
    };
    match value {
        Ok(value) => perform(shared, json!({name: value}).to_string().as_bytes()),
        Err(error) => refused(StatusCode::BAD_REQUEST, &error.to_string()),
    }
}

async fn step(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    perform(&shared, &body)
}

/// A step of the control interface is done at once: what it would wait for is refused.
fn perform(shared: &Shared, step: &[u8]) -> Response {
    let step = match Step::from_json(step) {
        Ok(step) => step,
        Err(invalid) => return not_valid(&invalid),
    };
    if step.wait != Wait::default() || step.after_ms != 0 {
        let text = "wait and after_ms belong to a scenario: POST /wait first";
        return refused(StatusCode::BAD_REQUEST, text);
    }
    match shared.with(|engine, now| engine.act(step.action, now)) {
        Ok(messages) => answer(&json!({ "messages": messages })),
        Err(why) => cannot(why),
    }
}

async fn add_fault(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let fault = match Fault::from_json(&body) {
        Ok(fault) => fault,
        Err(invalid) => return not_valid(&invalid),
    };
    match shared.with(|engine, _| engine.add_fault(fault)) {
        Ok(()) => answer(&json!({})),
        Err(why) => cannot(why),
    }
}

async fn clear_faults(State(shared): State<Arc<Shared>>) -> Response {
    shared.with(|engine, _| engine.clear_faults());
    answer(&json!({}))
}

async fn stop(State(shared): State<Arc<Shared>>) -> Response {
    shared.with(|engine, _| engine.stop());
    answer(&json!({}))
}

async fn wait(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let wait: Wait = match serde_json::from_slice(&body) {
        Ok(wait) => wait,
        Err(error) => return refused(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    let met = shared.until(|engine: &Engine| engine.is_met(&wait));
    match tokio::time::timeout(WAIT_MAX, met).await {
        Ok(()) => answer(&json!({})),
        Err(_) => refused(
            StatusCode::REQUEST_TIMEOUT,
            "it did not come so far in time",
        ),
    }
}

fn not_valid(invalid: &InvalidScenario) -> Response {
    refused(StatusCode::BAD_REQUEST, &invalid.to_string())
}

fn cannot(why: Refused) -> Response {
    let status = match why {
        Refused::NoSuchMessage => StatusCode::NOT_FOUND,
        Refused::NotConnected | Refused::NothingRemembered | Refused::NoCredit => {
            StatusCode::CONFLICT
        }
        Refused::Full => StatusCode::TOO_MANY_REQUESTS,
    };
    refused(status, &why.to_string())
}

fn refused(status: StatusCode, message: &str) -> Response {
    (status, answer(&json!({"error": {"message": message}}))).into_response()
}

fn answer(value: &impl Serialize) -> Response {
    let json = serde_json::to_string(value).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], json).into_response()
}
