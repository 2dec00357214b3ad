//! The layer around every route: ids, limits on the head, panics, compression.

use crate::{
    context::{RequestContext, RequestIds},
    error::{ApiError, Cause, ErrorCode},
    limits::{GZIP_ANSWER_BYTES_MIN, HEADER_BYTES_MAX, URL_BYTES_MAX},
};
use axum::{
    body::{Body, HttpBody},
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use std::{io::Write, panic::AssertUnwindSafe, sync::Arc};

/// Wraps a request in what all of them share; use with `axum::middleware::from_fn_with_state`.
///
/// The answer has an `X-Request-Id`, is compressed where that is accepted and worth it, and is an
/// envelope even when the handler panics. Causes of server errors are logged here, once, and at
/// `debug` each answer, by its route: never by its URL, which may hold a number or a key.
pub async fn conventions(
    State(ids): State<Arc<RequestIds>>,
    mut request: Request,
    next: Next,
) -> Response {
    let context = RequestContext::new(ids.take(request.headers()));
    let gzip = accepts_gzip(request.headers());
    let refused = check_head(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    request.extensions_mut().insert(context.clone());
    let mut response = match refused {
        Some(error) => error.into_response(),
        None => caught(next.run(request)).await,
    };
    if let Some(Cause(cause)) = response.extensions_mut().remove() {
        let status = response.status().as_u16();
        tracing::error!(
            request_id = context.request_id(),
            status,
            cause,
            "a request failed"
        );
    }
    tracing::debug!(
        request_id = context.request_id(),
        %method,
        route = route.as_ref().map(MatchedPath::as_str),
        status = response.status().as_u16(),
        "answered"
    );
    context.write_headers(response.headers_mut());
    if gzip {
        compressed(response).await
    } else {
        response
    }
}

/// Answers a URL that no route has.
pub async fn no_such_url() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is nothing at this URL")
}

/// Answers a method that the URL does not have.
pub async fn no_such_method(method: Method) -> ApiError {
    let text = format!("{method} is not a method of this URL");
    ApiError::new(ErrorCode::MethodNotAllowed, text)
}

fn check_head(request: &Request) -> Option<ApiError> {
    let uri = request.uri();
    let url_bytes = uri.path().len() + uri.query().map_or(0, str::len);
    if url_bytes > URL_BYTES_MAX {
        return Some(ApiError::new(ErrorCode::UrlTooLong, "the URL is too long"));
    }
    let bytes =
        |(name, value): (&header::HeaderName, &HeaderValue)| name.as_str().len() + value.len();
    let header_bytes: usize = request.headers().iter().map(bytes).sum();
    (header_bytes > HEADER_BYTES_MAX).then(|| {
        let text = "the headers are too large together";
        ApiError::new(ErrorCode::HeadersTooLarge, text)
    })
}

async fn caught(answer: impl Future<Output = Response>) -> Response {
    match AssertUnwindSafe(answer).catch_unwind().await {
        Ok(response) => response,
        Err(_) => ApiError::internal("the handler panicked").into_response(),
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    accepted.split(',').any(|choice| {
        let mut parts = choice.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let named = name == "*" || name.eq_ignore_ascii_case("gzip");
        named && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

async fn compressed(response: Response) -> Response {
    let size = response.body().size_hint().exact().unwrap_or(0);
    let is_json = response.headers().get(header::CONTENT_TYPE)
        == Some(&HeaderValue::from_static("application/json"));
    if !is_json || size < GZIP_ANSWER_BYTES_MIN as u64 {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return (StatusCode::INTERNAL_SERVER_ERROR, Body::empty()).into_response();
    };
    let Some(smaller) = gzip(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    let headers = &mut parts.headers;
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(smaller))
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_accepted_as_every_client_writes_it() {
        let accepts = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            accepts_gzip(&headers)
        };
        assert!(accepts("gzip, deflate"));
        assert!(accepts("gzip;q=1.0,deflate;q=0.6,identity;q=0.3"));
        assert!(accepts("*"));
        assert!(!accepts("identity"));
        assert!(!accepts("gzip;q=0"));
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
