//! What a person sees whose short link leads nowhere. Programs get the error as it is.

use super::preference::preference;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// Nothing runs, and nothing is loaded or sent.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// A title, and a sentence below it.
type Words = (&'static str, &'static str);

const ENDED: [Words; 2] = [
    (
        "This link has expired",
        "It was valid for a limited time. Ask whoever sent it for a new one.",
    ),
    (
        "Ce lien a expiré",
        "Il n’était valable que pour une durée limitée. Demandez-en un nouveau à son expéditeur.",
    ),
];
const MISSING: [Words; 2] = [
    (
        "This link does not work",
        "It was removed, or the address is incomplete. Compare it with the message that you received.",
    ),
    (
        "Ce lien ne fonctionne pas",
        "Il a été supprimé, ou l’adresse est incomplète. Comparez-la avec le message que vous avez reçu.",
    ),
];
const TOO_MANY: [Words; 2] = [
    (
        "Too many attempts",
        "Too many links that do not exist were opened from your network. Try again in a few minutes.",
    ),
    (
        "Trop de tentatives",
        "Trop de liens inexistants ont été ouverts depuis votre réseau. Réessayez dans quelques minutes.",
    ),
];
const UNAVAILABLE: [Words; 2] = [
    (
        "This link cannot be opened right now",
        "Try again in a few minutes.",
    ),
    (
        "Ce lien ne peut pas être ouvert pour le moment",
        "Réessayez dans quelques minutes.",
    ),
];

/// Says whether a page is asked for: `text/html` is named, and nothing says that JSON is liked better.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let weight = |kind| preference(headers, &header::ACCEPT, |name| name == kind);
    let page = weight("text/html").unwrap_or_default();
    page > 0 && page >= weight("application/json").unwrap_or_default()
}

/// Puts a page in the place of a failure. Its status stays.
pub(super) fn in_place_of(failure: Response, headers: &HeaderMap) -> Response {
    let (mut parts, _) = failure.into_parts();
    let html = html(parts.status, is_french(headers));
    let fixed = HeaderValue::from_static;
    for (name, value) in [
        (header::CONTENT_TYPE, fixed("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, fixed(POLICY)),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
    ] {
        parts.headers.insert(name, value);
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(html))
}

fn is_french(headers: &HeaderMap) -> bool {
    let weight = |language| {
        preference(headers, &header::ACCEPT_LANGUAGE, |name| {
            name.split('-').next() == Some(language)
        })
    };
    weight("fr").unwrap_or_default() > weight("en").unwrap_or_default()
}

fn html(status: StatusCode, is_french: bool) -> String {
    let words = match status {
        StatusCode::GONE => ENDED,
        StatusCode::NOT_FOUND => MISSING,
        StatusCode::TOO_MANY_REQUESTS => TOO_MANY,
        _ => UNAVAILABLE,
    };
    let [english, french] = words;
    let (language, (title, text)) = if is_french {
        ("fr", french)
    } else {
        ("en", english)
    };
    HTML.replace("{language}", language)
        .replace("{style}", STYLE)
        .replace("{title}", title)
        .replace("{text}", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    fn with(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
    }

    #[test]
    fn only_who_names_html_gets_a_page() {
        for (accept, page) in [
            (BROWSER, true),
            ("TEXT/HTML", true),
            ("application/json;q=0.5, text/html", true),
            ("application/json, text/html;q=0.9", false),
            ("text/html;q=0", false),
            ("text/html;q=x", false),
            ("*/*", false),
            ("application/json", false),
            ("", false),
        ] {
            assert_eq!(is_wanted(&with("accept", accept)), page, "{accept}");
        }
        assert!(!is_wanted(&HeaderMap::new()));
    }

    #[test]
    fn the_language_that_is_liked_better_is_shown_and_english_otherwise() {
        for (languages, french) in [
            ("fr", true),
            ("fr-CA,fr;q=0.9,en;q=0.8", true),
            ("en;q=0.3, FR;q=0.4", true),
            ("en-GB,en;q=0.9,fr;q=0.8", false),
            ("de,fr;q=0.5", true),
            ("de", false),
            ("fry", false),
            ("fr;q=0", false),
            ("*", false),
        ] {
            let headers = with("accept-language", languages);
            assert_eq!(is_french(&headers), french, "{languages}");
        }
        assert!(!is_french(&HeaderMap::new()));
    }

    #[test]
    fn no_page_has_a_script_or_names_another_place() {
        for status in [404, 410, 429, 503] {
            let status = StatusCode::from_u16(status).unwrap();
            for is_french in [false, true] {
                let page = html(status, is_french);
                for way in ["<script", "//", "src=", "href=", "url(", "{title}"] {
                    assert!(!page.contains(way), "{way}");
                }
            }
        }
    }
}
