//! The two URLs of a phone: `POST /pair` and the upgrade at `/link`.

use super::link::Upgrade;
use super::shared::Shared;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use postrider_link::limits::SUB_PROTOCOL;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// Largest body of a pairing request.
const BODY_BYTES_MAX: usize = 16 * 1024;
/// Where a redirecting fault sends phones: nowhere.
const ELSEWHERE: &str = "http://elsewhere.invalid/link";

type Answer = Response<Full<Bytes>>;

pub(super) async fn answer(
    request: Request<Incoming>,
    dial: Option<u64>,
    shared: Arc<Shared>,
    upgrades: mpsc::Sender<Upgrade>,
) -> Result<Answer, Infallible> {
    Ok(match (request.method(), request.uri().path()) {
        (&Method::POST, "/pair") => pair(request, &shared).await,
        (&Method::GET, "/link") => open(request, dial, &shared, &upgrades),
        _ => plain(StatusCode::NOT_FOUND),
    })
}

async fn pair(request: Request<Incoming>, shared: &Shared) -> Answer {
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX)
        .collect()
        .await;
    let Ok(body) = body else {
        return plain(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let body = body.to_bytes();
    let (status, answer) = shared.with(|engine, now| engine.pair(&body, now));
    let mut response = Response::new(Full::new(Bytes::from(answer.to_string())));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn open(
    request: Request<Incoming>,
    dial: Option<u64>,
    shared: &Shared,
    upgrades: &mpsc::Sender<Upgrade>,
) -> Answer {
    let headers = request.headers();
    let asks = has_word(headers, header::UPGRADE, "websocket")
        && has_word(headers, header::SEC_WEBSOCKET_PROTOCOL, SUB_PROTOCOL);
    let key = headers.get(header::SEC_WEBSOCKET_KEY).cloned();
    let (true, Some(key)) = (asks, key) else {
        return plain(StatusCode::BAD_REQUEST);
    };
    let dial = match shared.with(|engine, now| engine.upgrade(dial, now)) {
        Ok(dial) => dial,
        Err(status) => return refusal(status),
    };
    let upgrade = Upgrade {
        dial,
        io: hyper::upgrade::on(request),
    };
    if upgrades.try_send(upgrade).is_err() {
        return plain(StatusCode::SERVICE_UNAVAILABLE);
    }
    let answer = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(
            header::SEC_WEBSOCKET_ACCEPT,
            derive_accept_key(key.as_bytes()),
        )
        .header(header::SEC_WEBSOCKET_PROTOCOL, SUB_PROTOCOL)
        .body(Full::default());
    answer.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR))
}

fn refusal(status: u16) -> Answer {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let mut answer = plain(status);
    if status.is_redirection() {
        let elsewhere = header::HeaderValue::from_static(ELSEWHERE);
        answer.headers_mut().insert(header::LOCATION, elsewhere);
    }
    answer
}

fn plain(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}

fn has_word(headers: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter();
    let mut words = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|it| it.split(','));
    words.any(|it| it.trim().eq_ignore_ascii_case(word))
}
