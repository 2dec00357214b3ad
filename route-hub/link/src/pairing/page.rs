//! The page that a phone's camera opens: a button into the app, a place for a typed code, the app.
//!
//! It is the same for everybody. The code stands behind `#` in its address, which browsers do not
//! send: the page's own script hands it to the app, and opening the page does not use it up. The
//! page's policy allows no other script, and loads and sends nothing.

use crate::pairing::offer::AppOffer;
use axum::Router;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use ring::digest::{SHA256, digest};

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
/// Part of the page if the hub has the app's file.
const APP: &str = r#"<p><a class="button quiet" href="pair/postrider.apk">Download Postrider for Android</a></p>"#;
const APK_TYPE: &str = "application/vnd.android.package-archive";

/// Returns the page, and the app and its statement if the operator offers them.
pub fn routes<S: Clone + Send + Sync + 'static>(offer: &AppOffer) -> Router<S> {
    let page = Bytes::from(page(offer.file.is_some()));
    let headers = page_headers();
    let mut routes = Router::new().route("/pair", get(async move || (headers, page)));
    if let Some(file) = offer.file.clone() {
        let headers = [
            (header::CONTENT_TYPE, APK_TYPE),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (
                header::CONTENT_DISPOSITION,
                "attachment; filename=\"postrider.apk\"",
            ),
        ];
        routes = routes.route("/pair/postrider.apk", get(async move || (headers, file)));
    }
    if let Some(statement) = offer.statement() {
        let statement = Bytes::from(statement);
        let headers = [(header::CONTENT_TYPE, "application/json")];
        let answer = get(async move || (headers, statement));
        routes = routes.route("/.well-known/assetlinks.json", answer);
    }
    routes
}

fn page(has_app: bool) -> String {
    HTML.replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replace("{app}", if has_app { APP } else { "" })
}

fn page_headers() -> [(HeaderName, HeaderValue); 5] {
    let fixed = HeaderValue::from_static;
    [
        (header::CONTENT_TYPE, fixed("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, policy()),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
        (header::CACHE_CONTROL, fixed("no-store")),
    ]
}

/// Only the page's own script and style may run; nothing is loaded or sent.
fn policy() -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    // Two hashes in Base64 are always a valid header.
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

fn hash(text: &str) -> String {
    STANDARD.encode(digest(&SHA256, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_pages_own_script_and_nothing_is_sent() {
        let page = page(false);
        let between = |from: &str, to: &str| page.split(from).nth(1)?.split(to).next();
        let script = between("<script>", "</script>").unwrap();
        let policy = policy();
        let policy = policy.to_str().unwrap();
        assert!(policy.contains(&hash(script)), "{policy}");
        assert!(policy.contains(&hash(between("<style>", "</style>").unwrap())));
        assert_eq!(page.matches("<script").count(), 1);
        for way in ["fetch", "XMLHttpRequest", "sendBeacon", "innerHTML", "src="] {
            assert!(!page.contains(way), "{way}");
        }
        assert!(!page.contains("postrider.apk") && super::page(true).contains("postrider.apk"));
    }
}
