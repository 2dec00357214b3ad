//! The hub serves the URLs that the list of the interface names, and no others.

use crate::support::{hub, reply};
use axum::body::Body;
use route_hub::routes;
use std::collections::BTreeSet;
use std::fs;

const LIST: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/conformance/interface"
);

/// Reads `MARK METHOD /path: ANSWER` lines; what comes `later (…)` is not served yet.
fn listed() -> BTreeSet<String> {
    let files = fs::read_dir(LIST).expect("the list");
    let mut found = BTreeSet::new();
    for file in files.map(|file| file.expect("a file").path()) {
        if file.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        for line in fs::read_to_string(file).expect("a text").lines() {
            let mut words = line.split(' ');
            let served = matches!(words.next(), Some("now" | "ours" | "refused"));
            if let (true, Some(method), Some(path)) = (served, words.next(), words.next()) {
                found.insert(format!("{method} /v1{}", path.trim_end_matches(':')));
            }
        }
    }
    found
}

#[tokio::test]
async fn the_urls_are_those_of_the_list() {
    let test = hub().await;
    let mut served = BTreeSet::new();
    for path in routes::paths() {
        let url = path.replace(['{', '}'], "");
        let request = http::Request::builder().method("BREW").uri(url);
        let answer = reply(&test.router, request.body(Body::empty()).unwrap()).await;
        answer.refused(405);
        let methods = answer.headers["allow"].to_str().expect("names");
        let methods = methods.split(',').filter(|method| *method != "HEAD");
        served.extend(methods.map(|method| format!("{method} {path}")));
    }
    let listed = listed();
    let missing: Vec<_> = listed.difference(&served).collect();
    let unlisted: Vec<_> = served.difference(&listed).collect();
    assert_eq!((missing, unlisted), (vec![], vec![]), "(missing, unlisted)");
}

#[tokio::test]
async fn other_urls_are_not_found() {
    let test = hub().await;
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v2/projects",
        "/v1/nothing",
        "/v1/projects/",
        "//v1/projects",
        "/v1/projects/../projects",
        "/v1/projects/%2e%2e/x",
        "/v1/projects/%00",
        "/v1/projects/%ff",
    ] {
        let request = http::Request::get(format!("{path}?api_key={}", test.key));
        let answer = reply(&test.router, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.refused(404).0, "not_found", "{path}");
    }
}
