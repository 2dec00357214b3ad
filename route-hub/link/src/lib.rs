//! The phones' links: `GET /link`, one WebSocket for each device.
//!
//! `connection` is the loop around the session of `postrider-link`. `identify` decides about a
//! hello; `turn` commits everything after it.

mod config;
mod connection;
mod held;
mod identify;
mod leave;
mod nul;
mod pages;
pub mod pairing;
mod patience;
mod socket;
mod turn;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::{IntoResponse as _, Response};
use http::{Extensions, HeaderMap, Uri, header};
use hub_app::hub::Hub;
use hub_web::ApiError;
use hub_web::front::Guest;
use postrider_link::limits::{FRAME_BYTES_MAX, SUB_PROTOCOL};

/// A phone's socket reads this much at a time: thousands of them are idle.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// Most bytes that wait to be written to one phone; with more the connection ends.
const WRITE_BUFFER_BYTES_MAX: usize = 64 * FRAME_BYTES_MAX;

/// Takes a phone's connection; a plain request gets an error in the usual envelope.
pub async fn upgrade(
    State(hub): State<Hub>,
    headers: HeaderMap,
    extensions: Extensions,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        let text = "phones connect here, with a WebSocket";
        return ApiError::invalid_body(text).into_response();
    };
    let dialled = dialled_host(&headers);
    let guest = extensions.get::<Guest>().cloned();
    if let Err(refused) = guest.as_ref().map_or(Ok(()), Guest::stay) {
        return refused.into_response();
    }
    let now = hub.now().boot;
    let since = guest.as_ref().map_or(now, |guest| guest.since(now));
    upgrade
        .protocols([SUB_PROTOCOL])
        .max_message_size(FRAME_BYTES_MAX)
        .max_frame_size(FRAME_BYTES_MAX)
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER_BYTES_MAX)
        .on_upgrade(move |socket| {
            if let Some(guest) = &guest {
                guest.visit.progress.opened();
            }
            connection::serve(hub, socket::Socket::new(socket), dialled, guest, since)
        })
}

/// Returns the host name that a request was sent to, in lower case and without its port.
fn dialled_host(headers: &HeaderMap) -> Option<String> {
    let authority = headers.get(header::HOST)?.to_str().ok()?;
    let uri: Uri = format!("http://{authority}").parse().ok()?;
    Some(uri.host()?.trim_matches(['[', ']']).to_lowercase())
}
