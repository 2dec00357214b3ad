//! Why a request has no answer.

use crate::{Special, UrlRefused};
use std::fmt;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The URL itself.
    Url(UrlRefused),
    /// The name resolves to nothing.
    NoSuchHost,
    /// No name server answered in time.
    LookupTimeout,
    /// Every address of the name is a special one.
    AddressRefused(Special),
    /// Nobody listens there, or there is no way to it.
    Connect,
    /// No connection within [`Limits::connect`](crate::Limits::connect).
    ConnectTimeout,
    /// No TLS, or a certificate that is not the host's.
    Tls,
    /// No whole answer within [`Limits::total`](crate::Limits::total).
    Timeout,
    /// The connection broke, or what came is not HTTP.
    Protocol,
}

impl Failure {
    /// Returns the stable name of the kind, for logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Url(_) => "url_refused",
            Self::NoSuchHost => "no_such_host",
            Self::LookupTimeout => "lookup_timeout",
            Self::AddressRefused(_) => "address_refused",
            Self::Connect => "connect_failed",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls_failed",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol_error",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(reason) => write!(f, "the URL {reason}"),
            Self::AddressRefused(kind) => write!(f, "the host has only a {kind} address"),
            other => f.write_str(other.as_str()),
        }
    }
}

impl std::error::Error for Failure {}
