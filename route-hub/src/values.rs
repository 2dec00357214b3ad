//! Values of flags, read from text. Who is refused is told what is allowed.

use http::Uri;
use hub_link::pairing::offer::Fingerprint;
use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;
use tracing_subscriber::EnvFilter;

/// Returns a reader of whole numbers within bounds.
pub(crate) fn number<T>(
    bounds: impl RangeBounds<T> + Clone,
) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display,
{
    move |text: &str| {
        let number = text.trim().parse::<T>().ok();
        let number = number.filter(|number| bounds.contains(number));
        number.ok_or_else(|| match (bounds.start_bound(), bounds.end_bound()) {
            (Bound::Included(low), Bound::Included(high)) => {
                format!("must be a whole number from {low} to {high}")
            }
            (Bound::Included(low), _) => format!("must be a whole number, {low} or more"),
            _ => "must be a whole number, 0 or more".to_owned(),
        })
    }
}

/// Reads an address and a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let rule = "must be an address and a port, such as 127.0.0.1:8090";
    text.trim().parse().map_err(|_| rule.to_owned())
}

/// Reads an address of the web.
pub(crate) fn web_address(text: &str) -> Result<String, String> {
    let is_web = text.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
    });
    if is_web {
        Ok(text.to_owned())
    } else {
        Err("must be an address such as https://gateway.example.org".to_owned())
    }
}

/// Reads what has a reader of its own, whatever blanks are around it.
pub(crate) fn trimmed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|rule: T::Err| rule.to_string())
}

/// Reads the SHA-256 of a certificate.
pub(crate) fn fingerprint(text: &str) -> Result<Fingerprint, String> {
    let rule = "must be the SHA-256 of a certificate, 64 hexadecimal digits";
    Fingerprint::read(text).ok_or_else(|| rule.to_owned())
}

/// Checks a filter of the log.
pub(crate) fn log_filter(text: &str) -> Result<String, String> {
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err("must be levels, such as info or info,route_hub=debug".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_refused_names_its_bounds() {
        assert_eq!(number(0u8..=239)(" 7 "), Ok(7));
        for wrong in ["", "x", "-1", "240", "1.5", "99999999999999999999"] {
            let rule = "must be a whole number from 0 to 239";
            assert_eq!(number(0u8..=239)(wrong), Err(rule.to_owned()), "{wrong}");
        }
        let rule = "must be a whole number, 1 or more".to_owned();
        assert_eq!(number(1usize..)("0"), Err(rule));
        assert!(number::<u64>(..)("x").is_err());
    }

    #[test]
    fn an_address_of_the_web_has_a_scheme_and_a_host() {
        for good in ["https://hub.example.org", "http://127.0.0.1:8090/sms/"] {
            assert_eq!(web_address(good).as_deref(), Ok(good));
        }
        for wrong in ["", "hub.example.org", "ftp://hub.example.org", "https://"] {
            assert!(web_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_filter_of_the_log_is_checked() {
        assert!(log_filter("info,route_hub=debug").is_ok());
        assert!(log_filter("route_hub=loud").unwrap_err().contains("info"));
    }
}
