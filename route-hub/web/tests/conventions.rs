//! The conventions as a client meets them: through a router, with one small resource.

use axum::{
    Router,
    body::Body,
    extract::{FromRequest, Request, State},
    middleware::from_fn_with_state,
    response::Response,
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use http::StatusCode;
use hub_web::{
    Answer, ApiError, Asked, Authenticator, BodySize, Call, FIELDS, Fields, Kind, MediaBodies,
    Member, ObjectWriter, RateLimit, RequestContext, RequestIds, Resource, StrangerBodies, Takes,
    conventions, no_such_method, no_such_url,
};
use postrider_model::{Secret, kind};
use std::{
    io::{Read, Write},
    sync::Arc,
};
use tower_service::Service;

#[derive(Clone, Default)]
struct App(Arc<StrangerBodies>, MediaBodies);

impl Authenticator for App {
    type Caller = &'static str;

    async fn authenticate(
        &self,
        key: &Secret,
        context: &RequestContext,
    ) -> Result<&'static str, ApiError> {
        if key.as_str() != "good" {
            return Err(ApiError::unauthorized("the API key is not valid"));
        }
        context.set_rate_limit(RateLimit {
            limit: 10,
            remaining: 9,
            reset_s: 1,
        });
        Ok("tester")
    }

    fn stranger_bodies(&self) -> &StrangerBodies {
        &self.0
    }

    fn media_bodies(&self) -> &MediaBodies {
        &self.1
    }
}

struct Echo<'a>(&'a Call<&'static str>);

impl Resource for Echo<'_> {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        out.put("id", "E1");
        out.put("caller", self.0.caller);
        for name in ["a", "b", "api_key"] {
            let field = self.0.params.get(name);
            if field.is_present() {
                let name = if name == "api_key" { "leaked" } else { name };
                out.put(name, &field.to_json());
            }
        }
    }
}

const TAKES: &[Member] = &[
    Member::new("a", Kind::Any, "One thing."),
    Member::new("b", Kind::Any, "Another."),
    Member::new("api_key", Kind::Any, "What no operation is shown."),
];

/// A call whose body was read, as an operation has it.
struct Called(Call<&'static str>);

impl FromRequest<App> for Called {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let takes = Takes {
            own: &[TAKES],
            common: &[FIELDS],
        };
        let call = Asked::read(request, app)
            .await?
            .call(app, takes, BodySize::Usual)
            .await?;
        Ok(Self(call))
    }
}

async fn echo(State(_): State<App>, Called(call): Called) -> Result<Answer, ApiError> {
    let fields = Fields::read(&call.params)?;
    Ok(Answer::object(&Echo(&call), &fields))
}

async fn by_id(Called(call): Called) -> Result<Answer, ApiError> {
    let id = call.path_id::<kind::Message>("id", "message")?;
    Answer::value(
        &serde_json::json!({ "id": id, "text": "x".repeat(5_000) }),
        Fields::ALL,
    )
}

async fn broken(_: Called) -> Result<Answer, ApiError> {
    panic!("an accident")
}

async fn faulty(_: Called) -> Result<Answer, ApiError> {
    Err(ApiError::internal("table is locked"))
}

fn router() -> Router {
    let ids = Arc::new(RequestIds::new(1));
    Router::new()
        .route("/echo", get(echo).post(echo).delete(echo))
        .route("/things/{id}", get(by_id))
        .route("/broken", post(broken))
        .route("/faulty", post(faulty))
        .fallback(no_such_url)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(ids, conventions))
        .with_state(App::default())
}

struct Reply {
    status: StatusCode,
    response: http::response::Parts,
    body: Bytes,
}

impl Reply {
    fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("every answer is JSON")
    }

    fn code(&self) -> String {
        let json = self.json();
        json["error"]["code"].as_str().unwrap_or("none").to_owned()
    }
}

fn basic(key: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{key}:")))
}

fn request(method: &str, uri: &str) -> http::request::Builder {
    let builder = Request::builder().method(method).uri(uri);
    builder.header("authorization", basic("good"))
}

async fn send(request: http::Result<Request>) -> Reply {
    let response: Response = router()
        .call(request.expect("a request"))
        .await
        .expect("never fails");
    let (parts, body) = response.into_parts();
    Reply {
        status: parts.status,
        body: axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("a whole body"),
        response: parts,
    }
}

async fn post_json(body: impl Into<Body>) -> Reply {
    let request = request("POST", "/echo").header("content-type", "application/json");
    send(request.body(body.into())).await
}

#[tokio::test]
async fn json_and_forms_and_queries_mean_the_same() {
    let json = post_json(r#"{"a":"1"}"#).await;
    let form = request("POST", "/echo").header("content-type", "application/x-www-form-urlencoded");
    let form = send(form.body("a=1".into())).await;
    let query = send(request("GET", "/echo?a=1").body(Body::empty())).await;
    assert_eq!(json.status, 200);
    assert_eq!(json.body, form.body);
    assert_eq!(json.body, query.body);
}

#[tokio::test]
async fn every_empty_body_is_no_parameters() {
    for body in ["", "null", "[]", "{}"] {
        assert_eq!(post_json(body).await.status, 200, "{body}");
    }
    let bare = send(request("POST", "/echo").body(Body::empty())).await;
    assert_eq!(bare.status, 200);
    let php =
        request("DELETE", "/echo?b=2").header("content-type", "application/x-www-form-urlencoded");
    let php = send(php.header("content-length", "0").body(Body::empty())).await;
    assert_eq!(php.json()["b"], "2");
}

#[tokio::test]
async fn a_chunked_gzip_body_is_read() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(br#"{"a":"x"}"#).unwrap();
    let pieces = encoder.finish().unwrap();
    let (one, two) = pieces.split_at(7);
    let stream = [one.to_vec(), two.to_vec()].map(Ok::<_, std::convert::Infallible>);
    let body = Body::from_stream(futures_util::stream::iter(stream));
    let request = request("POST", "/echo")
        .header("content-type", "application/json")
        .header("content-encoding", "gzip");
    assert_eq!(send(request.body(body)).await.json()["a"], "x");
}

#[tokio::test]
async fn a_key_may_come_in_header_query_or_body_and_goes_no_further() {
    let query = Request::get("/echo?api_key=good").body(Body::empty());
    let form = Request::post("/echo")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("api_key=good".into());
    let json = Request::post("/echo")
        .header("content-type", "application/json")
        .body(r#"{"api_key":"good"}"#.into());
    for request in [query, form, json] {
        let reply = send(request).await;
        assert_eq!(reply.status, 200);
        assert!(reply.json().get("leaked").is_none());
    }
}

#[tokio::test]
async fn other_credentials_are_refused_with_the_envelope() {
    let with = |value: &str| Request::get("/echo").header("authorization", value.to_owned());
    for builder in [
        with(&basic("bad")),
        with("Bearer abc"),
        Request::get("/echo"),
    ] {
        let reply = send(builder.body(Body::empty())).await;
        assert_eq!(reply.status, 401);
        assert_eq!(reply.code(), "unauthorized");
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused_before_the_body_is_read() {
    let never = Body::from_stream(futures_util::stream::pending::<
        Result<Bytes, std::convert::Infallible>,
    >());
    let request = Request::post("/echo").header("authorization", basic("bad"));
    assert_eq!(send(request.body(never)).await.status, 401);
}

#[tokio::test]
async fn unknown_urls_and_methods_get_the_envelope() {
    let url = send(request("GET", "/nowhere").body(Body::empty())).await;
    assert_eq!(
        (url.status.as_u16(), url.code().as_str()),
        (404, "not_found")
    );
    let method = send(request("PATCH", "/echo").body(Body::empty())).await;
    assert_eq!(
        (method.status.as_u16(), method.code().as_str()),
        (405, "method_not_allowed")
    );
    assert!(method.response.headers.contains_key("allow"));
}

#[tokio::test]
async fn a_panic_and_an_inner_fault_are_server_errors_that_say_nothing() {
    for uri in ["/broken", "/faulty"] {
        let reply = send(request("POST", uri).body(Body::empty())).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (500, "server_error")
        );
        let text = String::from_utf8_lossy(&reply.body);
        assert!(!text.contains("accident") && !text.contains("locked"));
    }
}

#[tokio::test]
async fn oversized_heads_and_bodies_are_refused() {
    let header = request("GET", "/echo").header("x-large", "x".repeat(10_000));
    assert_eq!(send(header.body(Body::empty())).await.status, 431);
    let url = request("GET", &format!("/echo?a={}", "x".repeat(9_000)));
    assert_eq!(send(url.body(Body::empty())).await.status, 414);
    let body = post_json(vec![b' '; 2_000_000]).await;
    assert_eq!(
        (body.status.as_u16(), body.code().as_str()),
        (413, "too_large")
    );
    let declared = request("POST", "/echo").header("content-length", "99999999999");
    assert_eq!(send(declared.body(Body::empty())).await.status, 413);
}

#[tokio::test]
async fn bad_bodies_name_what_is_wrong() {
    for (body, param) in [
        (&b"{"[..], serde_json::Value::Null),
        (b"\xff", serde_json::Value::Null),
        (b"[1]", serde_json::Value::Null),
        (br#"{"a":1,"a":2}"#, "a".into()),
    ] {
        let reply = post_json(body.to_vec()).await;
        assert_eq!(reply.status, 400);
        let error = &reply.json()["error"];
        assert_eq!(error["code"], "invalid_param");
        assert_eq!(error.get("param"), Some(&param));
    }
    let text = request("POST", "/echo").header("content-type", "text/plain");
    assert_eq!(
        send(text.body("a=1".into())).await.code(),
        "unsupported_media_type"
    );
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_the_rate_limit() {
    let made = send(request("GET", "/echo").body(Body::empty())).await;
    assert_eq!(made.response.headers["x-request-id"].len(), 16);
    assert_eq!(made.response.headers["ratelimit-remaining"], "9");
    let echoed = request("GET", "/nowhere").header("x-request-id", "mine-1");
    let echoed = send(echoed.body(Body::empty())).await;
    assert_eq!(echoed.response.headers["x-request-id"], "mine-1");
}

#[tokio::test]
async fn large_answers_are_compressed_where_that_is_accepted() {
    let uri = "/things/SM0000000000000001";
    let plain = send(request("GET", uri).body(Body::empty())).await;
    assert!(plain.response.headers.get("content-encoding").is_none());
    let accepting = request("GET", uri).header("accept-encoding", "gzip, deflate");
    let packed = send(accepting.body(Body::empty())).await;
    assert_eq!(packed.response.headers["content-encoding"], "gzip");
    assert!(packed.body.len() < plain.body.len() / 4);
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed.body)
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.body);
    let small = request("GET", "/echo").header("accept-encoding", "gzip");
    let small = send(small.body(Body::empty())).await;
    assert!(small.response.headers.get("content-encoding").is_none());
}

#[tokio::test]
async fn what_is_no_id_is_not_found() {
    for id in [
        "SM1",
        "CT0000000000000001",
        "%ff",
        "..",
        "SM000000000000000g",
    ] {
        let reply = send(request("GET", &format!("/things/{id}")).body(Body::empty())).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (404, "not_found"),
            "{id}"
        );
    }
}
