//! The one error of the API and its envelope.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use hub_view::{Refusal, RefusalCode};
use serde::Serialize;
use std::{borrow::Cow, fmt};

/// What went wrong, as programs read it.
///
/// The first three are codes that client libraries know; the others are ours. The specification
/// fixes which statuses exist, [`status`](Self::status) says which code has which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// A parameter, or the body as a whole, is not acceptable.
    InvalidParam,
    /// The URL or the entity does not exist, or is not the caller's.
    NotFound,
    /// There was one, and it has ended.
    Gone,
    /// The message is past the point where it could be taken back.
    NotCancellable,
    /// The credentials are missing, wrong, or lack the permission.
    Unauthorized,
    /// A limit of the account is exceeded.
    LimitExceeded,
    /// The URL exists, but not with this method.
    MethodNotAllowed,
    /// The request body came too slowly.
    RequestTimeout,
    /// The request body is too large.
    TooLarge,
    /// The URL is too long.
    UrlTooLong,
    /// The request headers are too large.
    HeadersTooLarge,
    /// The body is neither a form nor JSON.
    UnsupportedMediaType,
    /// The `Idempotency-Key` was used with another body.
    IdempotencyMismatch,
    /// The pairing code is wrong, used up, or for another phone.
    PairingRefused,
    /// The pairing code has expired.
    PairingExpired,
    /// The phone's app speaks an older form of pairing.
    AppTooOld,
    /// The phone came over https, and the hub was not told the address that it dialled.
    PublicUrlMissing,
    /// Too many requests, or too much is queued.
    RateLimited,
    /// Our fault; the cause is in the log.
    ServerError,
    /// Too busy or shutting down.
    Unavailable,
}

impl ErrorCode {
    /// The names of all.
    pub const NAMES: &'static [&'static str] = &[
        "invalid_param",
        "not_found",
        "gone",
        "not_cancellable",
        "unauthorized",
        "limit_exceeded",
        "method_not_allowed",
        "request_timeout",
        "too_large",
        "url_too_long",
        "headers_too_large",
        "unsupported_media_type",
        "idempotency_mismatch",
        "pairing_refused",
        "pairing_expired",
        "app_too_old",
        "public_url_missing",
        "rate_limited",
        "server_error",
        "unavailable",
    ];

    /// Returns the name in the envelope.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidParam => "invalid_param",
            Self::NotFound => "not_found",
            Self::Gone => "gone",
            Self::NotCancellable => "not_cancellable",
            Self::Unauthorized => "unauthorized",
            Self::LimitExceeded => "limit_exceeded",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::RequestTimeout => "request_timeout",
            Self::TooLarge => "too_large",
            Self::UrlTooLong => "url_too_long",
            Self::HeadersTooLarge => "headers_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::IdempotencyMismatch => "idempotency_mismatch",
            Self::PairingRefused => "pairing_refused",
            Self::PairingExpired => "pairing_expired",
            Self::AppTooOld => "app_too_old",
            Self::PublicUrlMissing => "public_url_missing",
            Self::RateLimited => "rate_limited",
            Self::ServerError => "server_error",
            Self::Unavailable => "unavailable",
        }
    }

    /// Returns the HTTP status.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidParam
            | Self::NotCancellable
            | Self::PairingExpired
            | Self::AppTooOld
            | Self::PublicUrlMissing => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Gone => StatusCode::GONE,
            Self::Unauthorized | Self::PairingRefused => StatusCode::UNAUTHORIZED,
            Self::LimitExceeded => StatusCode::PAYMENT_REQUIRED,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UrlTooLong => StatusCode::URI_TOO_LONG,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::IdempotencyMismatch => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Whether the connection ends with this error, because the request was not read to its end.
    const fn closes(self) -> bool {
        matches!(
            self,
            Self::RequestTimeout | Self::TooLarge | Self::UrlTooLong | Self::HeadersTooLarge
        )
    }
}

/// A failure that the caller sees.
///
/// Messages name parameters and rules, never the values that came in. A cause, where there is one,
/// goes to the log with the request's id and is not shown.
#[derive(Debug, Clone)]
pub struct ApiError(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    code: ErrorCode,
    message: Cow<'static, str>,
    param: Option<String>,
    retry_after_s: Option<u32>,
    cause: Option<String>,
}

impl ApiError {
    /// Makes an error of this code with a message for the caller.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            param: None,
            retry_after_s: None,
            cause: None,
        }))
    }

    /// Makes the error for a parameter that breaks a rule.
    ///
    /// `rule` continues the parameter's name: `must be a string`.
    pub fn invalid_param(param: impl fmt::Display, rule: impl fmt::Display) -> Self {
        let param = param.to_string();
        let mut error = Self::new(ErrorCode::InvalidParam, format!("{param} {rule}"));
        error.0.param = Some(param);
        error
    }

    /// Makes the error for a body that cannot be read at all: `invalid_param` that names none.
    pub fn invalid_body(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::InvalidParam, message)
    }

    /// Makes the error for something that does not exist, or not for this caller.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(ErrorCode::NotFound, format!("{what} not found"))
    }

    /// Makes the error for credentials that do not allow the operation.
    pub fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Unauthorized, message)
    }

    /// Makes the error for too many requests; `retry_after_s` goes out as `Retry-After`.
    pub fn rate_limited(message: impl Into<Cow<'static, str>>, retry_after_s: u32) -> Self {
        Self::new(ErrorCode::RateLimited, message).with_retry_after(retry_after_s)
    }

    /// Makes the error for a fault of ours; `cause` is logged once and never shown.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let mut error = Self::new(
            ErrorCode::ServerError,
            "something went wrong here; the request's id finds it in the log",
        );
        error.0.cause = Some(cause.to_string());
        error
    }

    /// Makes the error for a hub that cannot take the request just now.
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Unavailable, message).with_retry_after(1)
    }

    /// Adds a `Retry-After` of this many seconds.
    #[must_use]
    pub(crate) fn with_retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after_s = Some(seconds);
        self
    }

    /// Returns the code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Returns the parameter that is named, if one is.
    pub fn param(&self) -> Option<&str> {
        self.0.param.as_deref()
    }

    /// Returns after how many seconds to ask again.
    pub fn retry_after_s(&self) -> Option<u32> {
        self.0.retry_after_s
    }

    /// Returns the message for the caller.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.code() {
            RefusalCode::InvalidParam => ErrorCode::InvalidParam,
            RefusalCode::NotFound => ErrorCode::NotFound,
            RefusalCode::NotCancellable => ErrorCode::NotCancellable,
            RefusalCode::Unauthorized => ErrorCode::Unauthorized,
            RefusalCode::LimitExceeded => ErrorCode::LimitExceeded,
            RefusalCode::IdempotencyMismatch => ErrorCode::IdempotencyMismatch,
            RefusalCode::RateLimited => ErrorCode::RateLimited,
            RefusalCode::Unavailable => ErrorCode::Unavailable,
            RefusalCode::ServerError => ErrorCode::ServerError,
        };
        Self(Box::new(Inner {
            code,
            message: refusal.message().to_owned().into(),
            param: refusal.param().map(str::to_owned),
            retry_after_s: refusal.retry_after_s(),
            cause: refusal.cause().map(str::to_owned),
        }))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.as_str(), self.0.message)
    }
}

impl std::error::Error for ApiError {}

/// The hidden cause of a server error, on its way to the log.
#[derive(Debug, Clone)]
pub(crate) struct Cause(pub(crate) String);

#[derive(Serialize)]
struct Envelope<'a> {
    error: Shown<'a>,
}

#[derive(Serialize)]
struct Shown<'a> {
    message: &'a str,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<Option<&'a str>>,
}

impl ApiError {
    fn envelope(&self) -> Vec<u8> {
        let inner = &self.0;
        let shown = Shown {
            message: &inner.message,
            code: inner.code.as_str(),
            param: (inner.code == ErrorCode::InvalidParam).then_some(inner.param.as_deref()),
        };
        serde_json::to_vec(&Envelope { error: shown }).unwrap_or_default()
    }
}

/// Marks a response that must not go out: whether the request was done is not known, and each answer would
/// say that it was or was not. The connection closes instead.
#[derive(Debug, Clone, Copy)]
pub struct Unanswered;

impl IntoResponse for Unanswered {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for ApiError {
    fn into_response(mut self) -> Response {
        let mut response = Response::new(self.envelope().into());
        *response.status_mut() = self.0.code.status();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if let Some(seconds) = self.0.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.code == ErrorCode::Unauthorized {
            let challenge = HeaderValue::from_static("Basic realm=\"route-hub\"");
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        if self.0.code.closes() {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(cause) = self.0.cause.take() {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: &ApiError) -> String {
        String::from_utf8(error.envelope()).unwrap()
    }

    #[test]
    fn invalid_param_always_carries_param() {
        assert_eq!(
            text(&ApiError::invalid_param("to_number", "must be a string")),
            r#"{"error":{"message":"to_number must be a string","code":"invalid_param","param":"to_number"}}"#
        );
        assert_eq!(
            text(&ApiError::invalid_body("the body is not JSON")),
            r#"{"error":{"message":"the body is not JSON","code":"invalid_param","param":null}}"#
        );
    }

    #[test]
    fn other_codes_have_no_param() {
        assert_eq!(
            text(&ApiError::not_found("message")),
            r#"{"error":{"message":"message not found","code":"not_found"}}"#
        );
    }

    #[test]
    fn a_cause_is_never_shown() {
        let error = ApiError::internal("disk I/O error in wal");
        assert!(!text(&error).contains("disk"));
        let response = error.into_response();
        assert_eq!(response.status(), 500);
        assert!(response.extensions().get::<Cause>().is_some());
    }

    #[test]
    fn retry_after_and_close_are_headers() {
        let response = ApiError::rate_limited("slow down", 7).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "7");
        let response = ApiError::new(ErrorCode::TooLarge, "too large").into_response();
        assert_eq!(response.headers()[header::CONNECTION], "close");
    }
}
