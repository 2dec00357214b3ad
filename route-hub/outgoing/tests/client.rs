//! The client against servers that behave and that do not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod server;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use hub_outgoing::{Client, Failure, Guard, Limits, Names, Special, UrlRefused};
use server::{Reply, Server, tls_identity};
use std::time::Duration;

#[tokio::test]
async fn a_form_arrives_whole_and_the_answer_comes_back() {
    let server = Server::start(Reply::text("200 OK", "hello")).await;
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", "7".parse().unwrap());
    let answer = client()
        .post_form(1, &server.url("/hook?x=1"), headers, "a=1&b=%C3%BC")
        .await
        .unwrap();
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body, Bytes::from_static(b"hello"));
    assert!(!answer.truncated && !answer.is_json);
    let request = server.requests().remove(0);
    assert!(
        request.starts_with("POST /hook?x=1 HTTP/1.1\r\n"),
        "{request}"
    );
    for line in [
        "content-type: application/x-www-form-urlencoded",
        "webhook-id: 7",
        "content-length: 12",
        "user-agent: postrider/",
        &format!("host: 127.0.0.1:{}", server.port),
    ] {
        assert!(request.to_lowercase().contains(line), "{line} in {request}");
    }
    assert!(request.ends_with("\r\n\r\na=1&b=%C3%BC"), "{request}");
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_nobody_goes_there() {
    let other = Server::start(Reply::text("200 OK", "")).await;
    let redirect = format!(
        "HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n",
        other.url("/")
    );
    let server = Server::start(Reply::Bytes(redirect.into_bytes())).await;
    let answer = post(&client(), &server.url("/")).await.unwrap();
    assert_eq!(answer.status, StatusCode::FOUND);
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_in_the_end() {
    let server = Server::start(Reply::Hang).await;
    let outcome = post(&hasty(), &server.url("/")).await;
    assert_eq!(outcome.unwrap_err(), Failure::Timeout);
}

#[tokio::test]
async fn a_body_that_never_ends_in_time_is_a_timeout() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_vec();
    let server = Server::start(Reply::BytesThenHang(head)).await;
    let outcome = post(&hasty(), &server.url("/")).await;
    assert_eq!(outcome.unwrap_err(), Failure::Timeout);
}

#[tokio::test]
async fn of_an_endless_body_only_the_beginning_is_read() {
    let server = Server::start(Reply::Endless).await;
    let answer = post(&client(), &server.url("/")).await.unwrap();
    assert_eq!(answer.body.len(), Limits::default().body_bytes);
    assert!(answer.truncated);
}

#[tokio::test]
async fn an_endless_head_is_a_failure() {
    let mut head = b"HTTP/1.1 200 OK\r\nX: ".to_vec();
    head.extend(std::iter::repeat_n(b'x', 1 << 20));
    let server = Server::start(Reply::BytesThenHang(head)).await;
    let outcome = post(&client(), &server.url("/")).await;
    assert_eq!(outcome.unwrap_err(), Failure::Protocol);
}

#[tokio::test]
async fn what_is_not_http_is_a_failure() {
    let server = Server::start(Reply::Bytes(b"220 mail.example ready\r\n".to_vec())).await;
    let outcome = post(&client(), &server.url("/")).await;
    assert_eq!(outcome.unwrap_err(), Failure::Protocol);
}

#[tokio::test]
async fn a_closed_port_is_a_failure_to_connect() {
    let server = Server::start(Reply::Hang).await;
    let url = server.url("/");
    server.stop().await;
    assert_eq!(post(&client(), &url).await.unwrap_err(), Failure::Connect);
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = Server::start(Reply::text("200 OK", "x")).await;
    let client = client();
    for _ in 0..5 {
        post(&client, &server.url("/")).await.unwrap();
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 5));
}

#[tokio::test]
async fn with_too_many_connections_open_none_is_kept() {
    let server = Server::start(Reply::text("200 OK", "x")).await;
    let limits = Limits {
        kept_open: 0,
        ..Limits::default()
    };
    let client = Client::with_limits(loopback(), limits, Names::of_system()).unwrap();
    for _ in 0..2 {
        post(&client, &server.url("/")).await.unwrap();
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn internal_addresses_are_refused_before_anything_is_sent() {
    let server = Server::start(Reply::text("200 OK", "")).await;
    let client = Client::new(Guard::default()).unwrap();
    for host in ["127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "localhost"] {
        let outcome = post(&client, &format!("http://{host}:{}/", server.port)).await;
        let refused = Failure::Url(UrlRefused::Address(Special::Loopback));
        assert_eq!(outcome.unwrap_err(), refused, "{host}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_listed_name_reaches_an_internal_address() {
    let server = Server::start(Reply::text("200 OK", "")).await;
    let guard = Guard {
        allowed: vec!["localhost".parse().unwrap()],
        ..Guard::default()
    };
    let client = Client::new(guard).unwrap();
    let url = format!("http://localhost:{}/", server.port);
    assert_eq!(post(&client, &url).await.unwrap().status, StatusCode::OK);
    assert!(post(&client, &server.url("/")).await.is_err());
}

#[tokio::test]
async fn tls_is_verified_against_host_and_root() {
    let (identity, root) = tls_identity("localhost");
    let server = Server::start_tls(Reply::text("200 OK", ""), identity).await;
    let trusting = Guard {
        extra_roots: vec![root],
        ..loopback()
    };
    let trusting = Client::new(trusting).unwrap();
    let url = |host: &str| format!("https://{host}:{}/", server.port);
    let answer = post(&trusting, &url("localhost")).await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);
    let wrong_host = post(&trusting, &url("127.0.0.1")).await;
    assert_eq!(wrong_host.unwrap_err(), Failure::Tls);
    let unknown_root = post(&client(), &url("localhost")).await;
    assert_eq!(unknown_root.unwrap_err(), Failure::Tls);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_never_speaks_tls_is_left_at_the_connect_limit() {
    let server = Server::start(Reply::Hang).await;
    let limits = Limits {
        connect: Duration::from_millis(50),
        ..Limits::default()
    };
    let client = Client::with_limits(loopback(), limits, Names::of_system()).unwrap();
    let outcome = post(&client, &format!("https://127.0.0.1:{}/", server.port)).await;
    assert_eq!(outcome.unwrap_err(), Failure::ConnectTimeout);
}

#[tokio::test]
async fn json_is_told_by_its_content_type() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\n\
                 Content-Length: 2\r\n\r\n{}";
    let server = Server::start(Reply::Bytes(reply.as_bytes().to_vec())).await;
    assert!(post(&client(), &server.url("/")).await.unwrap().is_json);
}

fn loopback() -> Guard {
    Guard {
        allow_loopback: true,
        ..Guard::default()
    }
}

fn client() -> Client {
    Client::new(loopback()).unwrap()
}

fn hasty() -> Client {
    let limits = Limits {
        total: Duration::from_millis(100),
        ..Limits::default()
    };
    Client::with_limits(loopback(), limits, Names::of_system()).unwrap()
}

async fn post(client: &Client, url: &str) -> Result<hub_outgoing::Answer, Failure> {
    client.post_form(1, url, HeaderMap::new(), "a=1").await
}
