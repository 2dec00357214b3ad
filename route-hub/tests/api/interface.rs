//! The hub serves the URLs that the list of the interface names, and no others.

use crate::support::{hub, reply};
use axum::Router;
use axum::body::{Body, to_bytes};
use route_hub::{described, routes};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use tower_service::Service as _;

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
    let paths: BTreeSet<_> = routes::urls().into_iter().map(|url| url.path).collect();
    for path in paths {
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

#[tokio::test]
async fn the_page_for_people_asks_nobody_else() {
    let test = hub().await;
    let get = |path: &'static str| http::Request::get(path).body(Body::empty()).unwrap();
    let (parts, body) = raw(&test.router, get("/docs")).await;
    let text = String::from_utf8(body).expect("a text");
    if parts.status == 404 {
        assert!(text.contains("scripts/setup"), "{text}");
        return;
    }
    assert_eq!(parts.status, 200);
    let policy = parts.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self';"),
        "{policy}"
    );
    assert!(!text.contains("//"), "it names another host: {text}");
    let (script, body) = raw(&test.router, get("/docs/redoc.js")).await;
    let asks = |host: &str| body.windows(host.len()).any(|at| at == host.as_bytes());
    assert!(!asks("cdn.redoc.ly"), "Redoc asks its maker for a picture");
    assert_eq!(
        script.headers["content-type"],
        "text/javascript; charset=utf-8"
    );
}

#[tokio::test]
async fn both_addresses_show_the_description_that_the_program_prints() {
    let test = hub().await;
    for path in ["/openapi.json", "/v1/openapi.json"] {
        let request = http::Request::get(path).body(Body::empty()).unwrap();
        let (parts, body) = raw(&test.router, request).await;
        assert_eq!(parts.status, 200);
        assert_eq!(body, described::document().as_bytes(), "{path}");
    }
}

#[test]
fn each_operation_is_summed_up_in_one_whole_sentence() {
    let document: Value = serde_json::from_str(&described::document()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let mut count = 0;
    for operation in paths.flat_map(|path| path.as_object().unwrap().values()) {
        let name = &operation["operationId"];
        let summary = operation["summary"].as_str().expect("a summary");
        assert!(summary.ends_with('.'), "{name}: {summary}");
        assert!(!summary.contains(". "), "{name}: {summary}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn what_stands_in_the_url_beside_a_sheet_is_described() {
    let document: Value = serde_json::from_str(&described::document()).unwrap();
    let create = &document["paths"]["/projects/{project_id}/files"]["post"];
    let described = create["parameters"].as_array().expect("parameters").iter();
    let in_url = described.filter(|it| it["in"] == "query");
    let names: Vec<_> = in_url.map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["filename", "description", "fields"]);
}

async fn raw(router: &Router, request: http::Request<Body>) -> (http::response::Parts, Vec<u8>) {
    let response = router.clone().call(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a body");
    (parts, bytes.to_vec())
}
