//! A URL, taken apart once.

use crate::address::Special;
use http::Uri;
use std::{fmt, net::IpAddr};
use url::{Host, Url};

/// Longest URL that is taken, in bytes.
pub const URL_LENGTH_MAX: usize = 2_048;

/// A URL that a request can be made to.
///
/// Prints as its scheme alone: paths and queries of webhooks often hold a secret.
#[derive(Clone)]
pub struct Target {
    uri: Uri,
    host: Host<String>,
    host_text: String,
    port: u16,
    https: bool,
}

/// Why a URL cannot be used; its text may be shown to the person who typed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlRefused {
    /// Not an absolute URL at all.
    Malformed,
    /// Longer than [`URL_LENGTH_MAX`].
    TooLong,
    /// Neither http nor https.
    Scheme,
    /// Plain http, which the operator forbids.
    HttpsOnly,
    /// A user or password before the host.
    UserInfo,
    /// Port 0.
    Port,
    /// An address that is not public.
    Address(Special),
}

impl fmt::Display for UrlRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("is not a URL with a scheme and a host"),
            Self::TooLong => write!(f, "is longer than {URL_LENGTH_MAX} bytes"),
            Self::Scheme => f.write_str("must begin with http:// or https://"),
            Self::HttpsOnly => f.write_str("must begin with https:// on this server"),
            Self::UserInfo => f.write_str("must not hold a user name or password"),
            Self::Port => f.write_str("must not have port 0"),
            Self::Address(kind) => write!(
                f,
                "has a {kind} address, which this server's operator has not allowed"
            ),
        }
    }
}

impl std::error::Error for UrlRefused {}

impl Target {
    /// Takes a URL apart; the fragment is left out.
    ///
    /// # Errors
    /// [`UrlRefused`], all but its operator's kinds.
    pub fn parse(url: &str) -> Result<Self, UrlRefused> {
        if url.len() > URL_LENGTH_MAX {
            return Err(UrlRefused::TooLong);
        }
        if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(UrlRefused::Malformed);
        }
        let mut url = Url::parse(url).map_err(|_| UrlRefused::Malformed)?;
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(UrlRefused::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefused::UserInfo);
        }
        url.set_fragment(None);
        let port = match url.port_or_known_default() {
            Some(0) | None => return Err(UrlRefused::Port),
            Some(port) => port,
        };
        let host = url.host().ok_or(UrlRefused::Malformed)?.to_owned();
        Ok(Self {
            uri: url.as_str().parse().map_err(|_| UrlRefused::Malformed)?,
            host_text: bare_host(&host),
            host,
            port,
            https,
        })
    }

    /// Returns scheme, host and port, as `https://example.com:443`: the endpoint that requests
    /// are counted against.
    pub fn origin(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        format!("{scheme}://{}:{}", self.host, self.port)
    }

    /// Returns the host without brackets, in lower case.
    pub fn host(&self) -> &str {
        &self.host_text
    }

    /// Returns whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.https
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(crate) fn literal_address(&self) -> Option<IpAddr> {
        match &self.host {
            Host::Ipv4(address) => Some((*address).into()),
            Host::Ipv6(address) => Some((*address).into()),
            Host::Domain(_) => None,
        }
    }

    /// Returns whether the name always means the machine itself (RFC 6761, 6.3).
    pub(crate) fn is_localhost(&self) -> bool {
        let name = self.host_text.trim_end_matches('.');
        name == "localhost" || name.ends_with(".localhost")
    }
}

fn bare_host(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.clone(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.https {
            "<https URL>"
        } else {
            "<http URL>"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_names_scheme_host_and_port_alone() {
        let origin = |url: &str| Target::parse(url).unwrap().origin();
        assert_eq!(
            origin("https://Example.com/a?b=c#d"),
            "https://example.com:443"
        );
        assert_eq!(origin("http://example.com:8080"), "http://example.com:8080");
        assert_eq!(origin("http://[::1]:9/x"), "http://[::1]:9");
        assert_eq!(origin("http://0x7f.1/"), "http://127.0.0.1:80");
        assert_eq!(
            origin("https://bücher.example/"),
            "https://xn--bcher-kva.example:443"
        );
    }

    #[test]
    fn path_and_query_stay_as_typed() {
        let target = Target::parse("https://example.com/a%20b/{x}?q=1&r=ü|^`#f").unwrap();
        assert_eq!(
            target.uri().path_and_query().unwrap().as_str(),
            "/a%20b/%7Bx%7D?q=1&r=%C3%BC|^`"
        );
    }

    #[test]
    fn what_is_no_url_for_a_request_is_refused_with_its_reason() {
        let long = format!("https://example.com/{}", "x".repeat(URL_LENGTH_MAX));
        for (url, reason) in [
            ("", UrlRefused::Malformed),
            ("example.com/hook", UrlRefused::Malformed),
            ("http://", UrlRefused::Malformed),
            ("http://exa mple.com/", UrlRefused::Malformed),
            ("http://example.com/\r\nX: y", UrlRefused::Malformed),
            ("http://[fe80::1%25eth0]/", UrlRefused::Malformed),
            ("http://1.2.3.256/", UrlRefused::Malformed),
            ("ftp://example.com/", UrlRefused::Scheme),
            ("file:///etc/passwd", UrlRefused::Scheme),
            ("javascript:alert(1)", UrlRefused::Scheme),
            ("http://user@example.com/", UrlRefused::UserInfo),
            ("http://:pw@example.com/", UrlRefused::UserInfo),
            ("http://example.com:0/", UrlRefused::Port),
            (&long, UrlRefused::TooLong),
        ] {
            assert_eq!(Target::parse(url).unwrap_err(), reason, "{url}");
        }
    }

    #[test]
    fn a_target_does_not_print_its_url() {
        let target = Target::parse("https://example.com/token/abc").unwrap();
        assert_eq!(format!("{target:?}"), "<https URL>");
    }
}
