//! The control interface.

use crate::support::Run;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Calls the control interface of a stub.
async fn call(run: &Run, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let address = run
        .stub
        .control_url()
        .strip_prefix("http://")
        .unwrap()
        .to_owned();
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

async fn done(run: &Run, path: &str, body: Value) -> Value {
    let (status, answer) = call(run, "POST", path, &body).await;
    assert_eq!(status, 200, "{path} {body}: {answer}");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_led_by_hand_from_joining_to_the_verdict() {
    let run = Run::start("[end]\nwhen = \"told\"\n[pairing]\nanswer = \"wait\"\n").await;
    let starting = tokio::spawn(virtual_phone::VirtualPhone::start(run.phone_config()));
    done(&run, "/pairing", json!("confirm")).await;
    let phone = starting.await.unwrap().unwrap();
    done(&run, "/wait", json!({"connected": 1})).await;
    let fault = json!({"do": "cut", "frame": "send"});
    done(&run, "/fault", fault).await;
    let sent = done(&run, "/send", json!({"label": "a", "count": 2})).await;
    assert_eq!(sent["messages"].as_array().unwrap().len(), 2);
    done(&run, "/wait", json!({"settled": true, "connected": 2})).await;
    done(&run, "/config", json!({"pause": true})).await;
    done(&run, "/send", json!({"label": "b"})).await;
    done(&run, "/wait", json!({"facts": 1})).await;
    done(&run, "/cancel", json!("b")).await;
    done(&run, "/wait", json!({"settled": true})).await;
    let (_, state) = call(&run, "GET", "/state", &Value::Null).await;
    assert_eq!(state["messages"][2]["status"], "cancelled", "{state}");
    assert_eq!(state["connections"][0]["open"], true);
    done(&run, "/bye", json!(0)).await;
    done(&run, "/wait", json!({"connected": 3})).await;
    done(&run, "/cut", Value::Null).await;
    done(&run, "/wait", json!({"connected": 4})).await;
    done(&run, "/stop", Value::Null).await;
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.ended, Some("told"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_in_is_shown_with_its_text_and_the_verdict_has_none() {
    let run = Run::start("[end]\nwhen = \"told\"\n").await;
    let phone = run.phone().await;
    let message = virtual_phone::Incoming {
        sim: postrider_model::SimSlot::default(),
        from: "+15005550123".parse().unwrap(),
        text: postrider_model::MessageText::new("seen once"),
    };
    assert!(phone.receive(message));
    done(&run, "/wait", json!({"inbound": 1})).await;
    let (_, inbound) = call(&run, "GET", "/inbound", &Value::Null).await;
    assert_eq!(
        (&inbound[0]["from"], &inbound[0]["text"]),
        (&json!("+15005550123"), &json!("seen once"))
    );
    for path in ["/verdict", "/state"] {
        let (status, shown) = call(&run, "GET", path, &Value::Null).await;
        let shown = shown.to_string();
        assert_eq!(status, 200);
        assert!(
            !shown.contains("5550123") && !shown.contains("seen once"),
            "{shown}"
        );
    }
    run.stub.stop();
    assert!(run.finish().await.held);
    phone.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused_with_a_word_why() {
    let run = Run::start("[end]\nwhen = \"told\"\n").await;
    for (path, body, status, word) in [
        ("/send", json!({"count": 0}), 400, "count"),
        ("/send", json!({"colour": 1}), 400, "colour"),
        ("/close", json!(99), 400, "code"),
        ("/nothing", Value::Null, 400, "nothing"),
        ("/fault", json!({"do": "delay"}), 400, "ms"),
        ("/cancel", json!("nobody"), 404, "label"),
        ("/cut", Value::Null, 409, "connected"),
        ("/go_back", Value::Null, 409, "remember"),
        ("/step", json!({"after_ms": 5, "pass": true}), 400, "wait"),
    ] {
        let (got, answer) = call(&run, "POST", path, &body).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(got, status, "{path}: {answer}");
        assert!(message.contains(word), "{path}: {message}");
    }
    let (status, pairing) = call(&run, "GET", "/pairing", &Value::Null).await;
    assert_eq!(
        (status, &pairing["pairing_code"]),
        (200, &json!(run.stub.code()))
    );
    let (status, _) = call(&run, "DELETE", "/fault", &Value::Null).await;
    assert_eq!(status, 200);
}
