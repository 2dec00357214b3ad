//! `POST /pair`: a phone asks to join, and asks again until the operator has confirmed.

use crate::pairing::wire::{self, PairAnswer, PairedPhone};
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Uri, header};
use hub_app::failure::{NotDone, told};
use hub_app::hub::Hub;
use hub_app::hub::pairing_tries::{NoTries, Source};
use hub_app::pairing::ask::ask;
use hub_app::pairing::claim::{Circumstances, Claim};
use hub_app::pairing::code::GivenCode;
use hub_app::pairing::request::PairRequest;
use hub_web::front::{Guest, address_of, party};
use hub_web::{ApiError, ErrorCode, StrangerBodies, read_stranger_body};
use postrider_link::pairing::Number;
use std::net::IpAddr;
use std::sync::Arc;

/// Largest body of a pairing request.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// Answers a phone's request to join.
///
/// # Errors
/// `invalid_param`, `pairing_refused`, `pairing_expired`, `app_too_old`, `public_url_missing`,
/// `rate_limited`, and the errors of bodies.
pub async fn pair(
    State(hub): State<Hub>,
    State(bodies): State<Arc<StrangerBodies>>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let address = address_of(&parts.extensions);
    let guest = parts.extensions.get::<Guest>();
    guest.map_or(Ok(()), Guest::stay)?;
    let bytes = read_stranger_body(&parts, body, &bodies, BODY_BYTES_MAX).await?;
    let request = wire::read(&bytes)?;
    drop(bytes);
    let dialled = host_header(&parts.headers);
    let answer = settle(&hub, address, request, dialled).await?;
    let json = serde_json::to_string(&answer).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], json).into_response())
}

/// Answers a phone at `address` that reached the hub as `dialled` (host and port).
///
/// # Errors
/// As [`pair`].
pub async fn settle(
    hub: &Hub,
    address: IpAddr,
    request: PairRequest,
    dialled: Option<&str>,
) -> Result<PairAnswer, ApiError> {
    let given = GivenCode::read(request.code.as_str())
        .ok_or_else(|| ApiError::invalid_param("code", "must be a pairing code"))?;
    let (host, link_url) = way_to(hub, dialled);
    let with = Circumstances {
        fresh: Number(hub.random.bytes()),
        is_link_plain: link_url.starts_with("ws://"),
        now: hub.now().unix,
    };
    let asked = ask(hub, Source(party(address)), given, request, with).await;
    let asked = asked.map_err(not_asked)?;
    match asked.claim {
        Claim::Committed { number } => Ok(PairAnswer::Committed { number }),
        Claim::Pending { digits } => Ok(PairAnswer::Pending { digits }),
        Claim::Confirmed(pairing) => {
            let device_id = pairing
                .device_id
                .ok_or_else(|| ApiError::internal("a confirmed pairing without its device"))?;
            Ok(PairAnswer::Confirmed {
                digits: pairing.digits.clone().unwrap_or_default(),
                device_id,
                host,
                link_url,
                hub_id: hub.hub_id,
                project_id: pairing.project_id,
                phones: asked
                    .phones
                    .into_iter()
                    .filter_map(PairedPhone::of)
                    .collect(),
            })
        }
        Claim::Wrong => Err(refused("the pairing code is not valid")),
        Claim::UsedUp => Err(refused("the pairing code has been used or ended")),
        Claim::Expired => {
            let text = "the pairing code has expired";
            Err(ApiError::new(ErrorCode::PairingExpired, text))
        }
        Claim::PlainLink => Err(public_url_missing()),
    }
}

/// A hub cannot see a proxy in front of it that ends TLS: its own address says http.
fn public_url_missing() -> ApiError {
    tracing::error!(
        "a phone dialled https, and this hub would have it go on without TLS: \
         --public-url is missing, with the address that phones dial"
    );
    let text = "this hub does not know that it is reached over https: start it with --public-url \
                and the address that phones dial";
    ApiError::new(ErrorCode::PublicUrlMissing, text)
}

fn not_asked(error: NotDone<NoTries>) -> ApiError {
    match error {
        NotDone::Refused(none) => {
            let text = "too many pairing codes came from this address: try again later";
            ApiError::rate_limited(text, none.wait_s)
        }
        NotDone::Store(error) => told(&error).into(),
    }
}

fn refused(text: &'static str) -> ApiError {
    ApiError::new(ErrorCode::PairingRefused, text)
}

fn host_header(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// Returns the host name that a phone signs, and where it dials its link.
///
/// A hub that listens on every address and has no public URL is where the phone found it.
fn way_to(hub: &Hub, dialled: Option<&str>) -> (String, String) {
    let base: Option<Uri> = hub.base_url.parse().ok();
    let own_host = base.as_ref().and_then(host_of);
    let anywhere = own_host
        .as_deref()
        .and_then(|host| host.parse::<IpAddr>().ok())
        .is_some_and(|address| address.is_unspecified());
    let mut url = hub.base_url.clone();
    let mut host = own_host;
    if let (true, Some(found)) = (anywhere, dialled) {
        let scheme = hub.base_url.split("://").next().unwrap_or("http");
        let found_url = format!("{scheme}://{found}");
        if let Some(found_host) = found_url.parse::<Uri>().ok().as_ref().and_then(host_of) {
            url = found_url;
            host = Some(found_host);
        }
    }
    let known = |name: &String| hub.host_names.contains(name);
    let host = host
        .filter(known)
        .or_else(|| hub.host_names.first().cloned())
        .unwrap_or_default();
    // http becomes ws, https becomes wss.
    let link_url = format!("ws{}/link", url.trim_start_matches("http"));
    (host, link_url)
}

fn host_of(uri: &Uri) -> Option<String> {
    Some(uri.host()?.trim_matches(['[', ']']).to_lowercase())
}
