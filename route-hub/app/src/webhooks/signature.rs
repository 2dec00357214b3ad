//! What a request carries so that its receiver can tell who sent it.
//!
//! Three ways stand beside each other: the `secret` parameter of the specification, the signature
//! headers of Standard Webhooks, and HTTP Basic for webhook objects.

use crate::views::webhook_delivery::header_id;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use hub_domain::OutboxRow;
use postrider_model::{Secret, UnixMs};
use ring::hmac;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
/// The user of HTTP Basic for webhook objects (`gaps.md`, 1.13).
const BASIC_USER: &str = "telerivet";

/// Returns the whole body: the row's parameters and, where there is one, `secret`.
pub(crate) fn full_body(row: &OutboxRow) -> String {
    let mut body = row.body.clone();
    if let Some(secret) = &row.secret {
        let pair = form_urlencoded::Serializer::new(String::new())
            .append_pair("secret", secret.as_str())
            .finish();
        body.push('&');
        body.push_str(&pair);
    }
    body
}

/// Returns the headers for one attempt with `body`.
///
/// `webhook-id` stays the same in every attempt, so that a receiver can tell a repeat; the
/// signature covers id, time and body. Without a secret there is no signature.
///
/// Source: Standard Webhooks, with the secret's bytes as they are for a key.
pub(crate) fn headers(row: &OutboxRow, body: &str, now: UnixMs) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let id = header_id(row.id);
    let timestamp = now.seconds().to_string();
    if let Some(secret) = &row.secret {
        let signature = sign(secret, &id, &timestamp, body);
        insert(&mut headers, SIGNATURE, &format!("v1,{signature}"));
    }
    if let Some(password) = &row.basic_password {
        let pair = STANDARD.encode(format!("{BASIC_USER}:{}", password.as_str()));
        insert(
            &mut headers,
            header::AUTHORIZATION,
            &format!("Basic {pair}"),
        );
    }
    insert(&mut headers, ID, &id);
    insert(&mut headers, TIMESTAMP, &timestamp);
    headers
}

fn sign(secret: &Secret, id: &str, timestamp: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_str().as_bytes());
    let signed = format!("{id}.{timestamp}.{body}");
    STANDARD.encode(hmac::sign(&key, signed.as_bytes()))
}

/// Every text put here is ASCII without control characters, so none is ever left out.
fn insert(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(mut value) = HeaderValue::from_str(text) {
        value.set_sensitive(name == header::AUTHORIZATION);
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::testing::row;

    #[test]
    fn the_signature_is_that_of_standard_webhooks() {
        let mut row = row(0x2a);
        row.secret = Some(Secret::new("s3cret ü"));
        row.body = "event=send_status&id=SM1".into();
        let body = full_body(&row);
        assert_eq!(body, "event=send_status&id=SM1&secret=s3cret+%C3%BC");
        let headers = headers(&row, &body, UnixMs(1_700_000_000_999));
        assert_eq!(headers["webhook-id"], "msg_000000000000002a");
        assert_eq!(headers["webhook-timestamp"], "1700000000");
        // Made with another implementation of HMAC-SHA256 (Python's hmac module).
        assert_eq!(
            headers["webhook-signature"],
            "v1,ne8aoBF4kizrlA1GY5fhHkPLLnWA6jPUBFQaXM5Y0kI="
        );
        assert!(headers.get("authorization").is_none());
    }

    #[test]
    fn a_webhook_object_signs_in_by_http_basic() {
        let mut row = row(1);
        row.basic_password = Some(Secret::new("pa:ss"));
        let headers = headers(&row, "", UnixMs(0));
        assert_eq!(headers["authorization"], "Basic dGVsZXJpdmV0OnBhOnNz");
        assert!(headers["authorization"].is_sensitive());
        assert!(headers.get("webhook-signature").is_none());
    }
}
