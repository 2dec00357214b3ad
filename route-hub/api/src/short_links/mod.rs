//! `GET /s/{code}`, and `GET /{code}` at a short domain: where a short link leads. No key is asked for.

mod page;
mod person;
mod preference;

use crate::Failure;
use crate::state::ApiState;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, Uri, header};
use hub_app::hub::Hub;
use hub_app::short_links::follow::{Followed, Visit, follow};
use hub_web::front::{address_of, party};
use hub_web::{ApiError, ErrorCode, no_such_method, no_such_url};
use std::net::IpAddr;

/// The short domain that a request came in by.
#[derive(Debug, Clone)]
struct AtDomain(String);

/// Returns where short links are at the hub's own address.
pub fn addresses() -> Router<ApiState> {
    Router::new().route("/s/{code}", get(visit))
}

/// Returns all that there is at a short domain.
pub fn of_domains() -> Router<ApiState> {
    Router::new()
        .route("/{code}", get(visit))
        .fallback(no_such_url)
        .method_not_allowed_fallback(no_such_method)
}

/// Notes the short domain that a request came in by; says whether it did.
///
/// # Errors
/// When nobody can say which domains there are.
pub async fn is_at_domain(hub: &Hub, request: &mut Request) -> Result<bool, Response> {
    let Some(host) = host(request.headers(), request.uri()) else {
        return Ok(false);
    };
    let found = hub.short_domain(&host).await;
    let found = found.map_err(|error| Failure::from(error).into_response())?;
    let domain = found.map(|domain| AtDomain(domain.name));
    let is_at_one = domain.is_some();
    domain.map(|domain| request.extensions_mut().insert(domain));
    Ok(is_at_one)
}

/// Returns the host that a request is for, unless it is an address or a name of this machine.
fn host(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let named = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = named.or_else(|| uri.authority().map(|authority| authority.as_str()))?;
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_name = name.contains('.') && name.parse::<IpAddr>().is_err();
    is_name.then(|| name.trim_end_matches('.').to_ascii_lowercase())
}

async fn visit(State(hub): State<Hub>, Path(code): Path<String>, request: Parts) -> Response {
    let mut response = answered(&hub, &code, &request).await;
    if !response.status().is_redirection() && page::is_wanted(&request.headers) {
        response = page::in_place_of(response, &request.headers);
    }
    let never = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, never);
    response
}

async fn answered(hub: &Hub, code: &str, request: &Parts) -> Response {
    let address = party(address_of(&request.extensions));
    if let Some(seconds) = hub.link_misses.wait_s(address, hub.now().boot) {
        let text = "too many short links that there are not were asked for from this address";
        return ApiError::rate_limited(text, seconds).into_response();
    }
    let followed = match code.parse() {
        Ok(code) => {
            let domain = domain(&request.extensions);
            follow(hub, Visit { code, domain }, || person::clicks(request)).await
        }
        Err(_) => Ok(Followed::Missing),
    };
    match followed {
        Ok(Followed::To(address)) => redirect(address),
        Ok(Followed::Over) => ApiError::new(ErrorCode::Gone, "this link has ended").into_response(),
        Ok(Followed::FileGone) => ApiError::not_found("file").into_response(),
        Ok(Followed::Missing) => {
            hub.link_misses.count(address, hub.now().boot);
            ApiError::not_found("short link").into_response()
        }
        Err(failure) => Failure::from(failure).into_response(),
    }
}

fn domain(extensions: &Extensions) -> Option<String> {
    extensions
        .get::<AtDomain>()
        .map(|AtDomain(name)| name.clone())
}

fn redirect(address: String) -> Response {
    match HeaderValue::try_from(address) {
        Ok(address) => (StatusCode::FOUND, [(header::LOCATION, address)]).into_response(),
        Err(_) => ApiError::not_found("short link").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_without_its_port_and_an_address_is_none() {
        let host = |named: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, named.parse().unwrap());
            host(&headers, &Uri::from_static("/x"))
        };
        assert_eq!(host("Go.Example:8090").as_deref(), Some("go.example"));
        assert_eq!(host("go.example.").as_deref(), Some("go.example"));
        for none in ["localhost:8090", "127.0.0.1:8090", "[::1]:8090", ""] {
            assert_eq!(host(none), None, "{none}");
        }
        let whole = Uri::from_static("http://go.example/x");
        assert_eq!(
            super::host(&HeaderMap::new(), &whole).as_deref(),
            Some("go.example")
        );
    }
}
