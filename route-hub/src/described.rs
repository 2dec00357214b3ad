//! The description of the API: `/openapi.json` for programs, and `/docs` for people.

use crate::routes;
use axum::Router;
use axum::body::Bytes;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::{StatusCode, header};
use hub_api::openapi;
use std::sync::LazyLock;

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| document().into());

const PAGE: &str = include_str!("../docs/index.html");
/// What draws the page; empty in a program that was built without it.
const REDOC: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/redoc.js"));
const MISSING: &str = "This hub was built without what draws this page. With Node 20.19 or newer, `scripts/setup demo` \
                       fetches it in half a minute, and the next build takes a minute. /openapi.json has the \
                       description.\n";
/// Nothing comes from elsewhere. Redoc writes its styles into the page, and searches in a worker.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; \
                      img-src 'self' data:; worker-src blob:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Returns the `OpenAPI` document of every URL of the API.
pub fn document() -> String {
    openapi::document(&routes::urls())
}

/// Says what `/docs` lacks, and how long that takes; `None` where it shows the description.
pub fn lacks() -> Option<&'static str> {
    REDOC.is_empty().then_some(MISSING.trim_ascii_end())
}

/// Returns the routes that show it, without a key.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/openapi.json", get(description))
        .route("/v1/openapi.json", get(description))
        .route("/docs", get(page))
        .route("/docs/redoc.js", get(redoc))
}

async fn description() -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, DOCUMENT.clone()).into_response()
}

async fn page() -> Response {
    if REDOC.is_empty() {
        return missing();
    }
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, PAGE).into_response()
}

async fn redoc() -> Response {
    if REDOC.is_empty() {
        return missing();
    }
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "max-age=3600"),
    ];
    (headers, REDOC).into_response()
}

fn missing() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (StatusCode::NOT_FOUND, kind, MISSING).into_response()
}
