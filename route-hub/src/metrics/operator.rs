//! The operator's own address: `/metrics`, and what is wrong when the hub is not ready.

use crate::metrics::{Observed, Readiness, among_hubs, ok, process};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::{StatusCode, header};
use hub_app::hub::Hub;
use hub_domain::HubAlertKind;
use hub_store::{ServerLoad, StoreError, Tx, facts_aside, messages, outbox, server_load};
use hub_web::ApiError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;
use serde_json::json;

const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns the router of the operator's address.
pub fn router(observed: Observed) -> Router {
    Router::new()
        .route("/healthz", get(async || ok()))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/doctor", post(doctor))
        .with_state(observed)
}

/// Says what is wrong when the hub is not ready.
async fn readyz(State(observed): State<Observed>) -> Response {
    let readiness = Readiness::of(&observed).await;
    let (status, word) = if readiness.is_ready() {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
    };
    let told = json!({
        "status": word,
        "stopping": readiness.stopping,
        "database": readiness.database.as_str(),
        "database_answers": readiness.answers,
        "clock": if readiness.is_clock_off { "off" } else { "ok" },
    });
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, told.to_string()).into_response()
}

/// Gives out the word for `/healthz` at the public URL.
async fn doctor(State(Observed { hub, metrics, .. }): State<Observed>) -> Response {
    let word = hub.random.token::<16>();
    metrics.words.give(&word, hub.clock.since_start());
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, json!({ "word": word }).to_string()).into_response()
}

/// What is read from the database for one look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    queued: u64,
    webhooks: u64,
    facts_dropped: u64,
    server: Option<ServerLoad>,
}

/// Tells what is counted; what the database would have to say is left out while it does not answer.
async fn metrics(State(observed): State<Observed>) -> Response {
    let Observed { hub, metrics, .. } = &observed;
    let counting = async {
        let counted = hub.store.read(count_rows).await;
        counted
            .inspect_err(|error| hub_store::failed!(warn, error, "rows could not be counted"))
            .ok()
    };
    let counted = metrics.counted.get(hub.clock, counting).await;
    match written(&observed, counted) {
        Ok(text) => ([(header::CONTENT_TYPE, METRICS_TYPE)], text).into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}

fn count_rows(tx: &mut Tx<'_>) -> Result<Counted, StoreError> {
    let by_project = messages::queued_by_project(tx)?;
    Ok(Counted {
        queued: by_project.iter().map(|(_, queued)| queued).sum(),
        webhooks: outbox::count(tx)?,
        facts_dropped: facts_aside::dropped(tx)?,
        server: server_load(tx)?,
    })
}

fn written(observed: &Observed, counted: Option<Counted>) -> Result<String, std::fmt::Error> {
    let mut registry = Registry::with_prefix("route_hub");
    let Observed {
        hub,
        front,
        metrics,
    } = observed;
    let load = hub.store.load();
    let visitors = front.load();
    let gauges: [(&str, &str, Option<u64>); 8] = [
        (
            "connections_open",
            "Connections to the hub, phones among them",
            Some(visitors.connections as u64),
        ),
        (
            "strangers",
            "Connections and proxied requests without a valid key or hello",
            Some(visitors.strangers as u64),
        ),
        (
            "messages_queued",
            "Messages that wait at the hub or on a phone",
            counted.map(|counted| counted.queued),
        ),
        (
            "webhooks_waiting",
            "Webhook events that are not delivered yet",
            counted.map(|counted| counted.webhooks),
        ),
        (
            "phones_connected",
            "Devices with an open link",
            Some(hub.links.connected() as u64),
        ),
        (
            "store_jobs_waiting",
            "Jobs that wait to be written",
            Some(load.writes_waiting as u64),
        ),
        (
            "store_reads_waiting",
            "Jobs that wait to read",
            Some(load.reads_waiting as u64),
        ),
        (
            "store_health",
            "0 while the database takes writes, 1 while it is full, 2 while it cannot be written, 3 when damaged",
            Some(hub.store.health() as u64),
        ),
    ];
    for (name, help, value) in gauges {
        let Some(value) = value else { continue };
        registry.register(
            name,
            help,
            ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)),
        );
    }
    if let Some(load) = hub.store.cluster_load() {
        #[expect(clippy::cast_precision_loss, reason = "a clock is not centuries off")]
        let off_s = load.clock_off_ms as f64 / 1_000.0;
        let help = "How far this machine's clock is off the database's: above 0 where it is ahead";
        registry.register("store_clock_off_seconds", help, ConstGauge::new(off_s));
    }
    if let Some(counted) = counted {
        let help = "Facts of phones that were set aside and dropped for newer ones";
        registry.register(
            "facts_dropped",
            help,
            ConstCounter::new(counted.facts_dropped),
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
    registry.register(
        "alert",
        "1 while an alert about this hub stands, by its kind",
        alerts(hub),
    );
    among_hubs::register(&mut registry, &hub.store, counted.and_then(|it| it.server));
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
    let mut of_process = Registry::default();
    process::register(&mut of_process);
    let mut text = String::new();
    encode_registry(&mut text, &registry)?;
    encode_registry(&mut text, &of_process)?;
    encode_eof(&mut text)?;
    Ok(text)
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    kind: &'static str,
}

fn alerts(hub: &Hub) -> Family<OfKind, Gauge> {
    let all = Family::<OfKind, Gauge>::default();
    for kind in HubAlertKind::ALL {
        let of_kind = OfKind {
            kind: kind.as_str(),
        };
        let stands = hub.own_alerts.stands(*kind);
        all.get_or_create(&of_kind).set(i64::from(stands));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::observed;

    #[test]
    fn the_operator_learns_why_a_hub_is_not_ready() {
        let (observed, _folder) = observed();
        observed.say_stopping();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.unwrap();
        let answer = runtime.block_on(readyz(State(observed)));
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        let body = runtime.block_on(axum::body::to_bytes(answer.into_body(), 10_000));
        let told: serde_json::Value = serde_json::from_slice(&body.unwrap()).unwrap();
        let expected = json!({
            "status": "unavailable", "stopping": true, "database": "ok", "database_answers": true,
            "clock": "ok",
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_counted_has_the_names_that_operators_watch() {
        let (observed, _folder) = observed();
        for status in ["2xx", "2xx", "5xx"] {
            observed
                .metrics
                .count("/v1/x/{id}".into(), "GET", status, 0.004);
        }
        let counted = observed.hub.store.read_blocking(count_rows).ok();
        let text = written(&observed, counted).unwrap();
        for line in [
            "route_hub_messages_queued 0",
            "route_hub_webhooks_waiting 0",
            "route_hub_phones_connected 0",
            "route_hub_facts_dropped_total 0",
            "route_hub_store_jobs_waiting 0",
            r#"route_hub_alert{kind="clock_off"} 0"#,
            r#"route_hub_http_requests_total{route="/v1/x/{id}",method="GET",status="2xx"} 2"#,
            r#"route_hub_http_requests_total{route="/v1/x/{id}",method="GET",status="5xx"} 1"#,
            r#"route_hub_http_request_duration_seconds_count{route="/v1/x/{id}"} 3"#,
            r#"route_hub_http_request_duration_seconds_bucket{le="0.0025",route="/v1/x/{id}"} 0"#,
            r#"route_hub_http_request_duration_seconds_bucket{le="0.005",route="/v1/x/{id}"} 3"#,
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
        }
        assert!(text.ends_with("\n# EOF\n"), "{text}");
        assert_eq!(text.matches("# EOF").count(), 1, "{text}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_operator_learns_what_memory_the_hub_holds() {
        let (observed, _folder) = observed();
        let text = written(&observed, None).unwrap();
        let bytes = |name: &str| -> u64 {
            let value = text.lines().find_map(|line| line.strip_prefix(name));
            value.unwrap_or(&text).trim().parse().unwrap()
        };
        let own = bytes("process_resident_anonymous_bytes ");
        assert!(own > 0);
        assert!(own < bytes("process_resident_memory_bytes "));
    }
}
