//! A client that breaks the rules over a real socket: the verdict says so.

use crate::support::{Run, radio_log};
use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::{SinkExt, StreamExt};
use postrider_link::pairing::{Joiner, Number};
use postrider_link::signature::hello_bytes;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use server_stub::verdict::Verdict;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{ClientRequestBuilder, Message};

const INSTALL: &str = "install-of-a-wrong-client";

struct WrongClient {
    key: Ed25519KeyPair,
    device: String,
    socket: Option<WebSocketStream<TcpStream>>,
    conn: u64,
}

/// Asks for a pairing and returns the answer.
async fn asked(run: &Run, body: &Value) -> Value {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address(run)).await.unwrap();
    let head = format!(
        "POST /pair HTTP/1.1\r\nhost: stub\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

impl WrongClient {
    async fn join(run: &Run) -> Self {
        let key = Ed25519KeyPair::from_seed_unchecked(&[3; 32]).unwrap();
        let (code, install) = (run.stub.code(), INSTALL.parse().unwrap());
        let joiner = Joiner {
            code: &code,
            key_algorithm: "ed25519",
            public_key: key.public_key().as_ref(),
            install: &install,
        };
        let number = Number([5; 32]);
        let commitment = joiner.commitment(&number, |bytes| {
            let hash = ring::digest::digest(&ring::digest::SHA256, bytes);
            hash.as_ref().try_into().unwrap()
        });
        let told = asked(run, &json!({"code": code, "commitment": commitment})).await;
        assert_eq!(told["status"], "committed");
        let body = json!({
            "code": code, "number": number, "key_algorithm": "ed25519", "install": INSTALL,
            "public_key": STANDARD.encode(key.public_key().as_ref()),
        });
        let answer = asked(run, &body).await;
        assert_eq!(answer["status"], "confirmed");
        Self {
            key,
            device: answer["device_id"].as_str().unwrap().to_owned(),
            socket: None,
            conn: 0,
        }
    }

    async fn connect(&mut self, run: &Run, down: u64, up: u64) {
        let stream = TcpStream::connect(address(run)).await.unwrap();
        let uri = format!("ws://{}/link", address(run)).parse().unwrap();
        let request = ClientRequestBuilder::new(uri).with_sub_protocol("postrider.v1+json");
        let (socket, _) = tokio_tungstenite::client_async(request, stream)
            .await
            .unwrap();
        self.socket = Some(socket);
        self.conn += 1;
        let challenge = self.next("challenge").await;
        let nonce = challenge["nonce"].as_str().unwrap().parse().unwrap();
        let (device, install) = (self.device.parse().unwrap(), INSTALL.parse().unwrap());
        let bytes = hello_bytes("127.0.0.1", &nonce, device, &install, self.conn);
        let sig = STANDARD.encode(self.key.sign(&bytes).as_ref());
        self.say(json!({
            "t": "hello", "v": [1, 1], "phone": self.device, "install": INSTALL,
            "conn": self.conn, "sig": sig, "gen": 1, "down": down, "up_lo": up + 1, "up_hi": up,
            "limit": 500, "boot": "b", "wall": 0, "mono": 0, "sims": [], "held": [],
        }))
        .await;
    }

    async fn say(&mut self, frame: Value) {
        let socket = self.socket.as_mut().unwrap();
        socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Waits for the next frame of a type.
    async fn next(&mut self, t: &str) -> Value {
        loop {
            let message = self.socket.as_mut().unwrap().next().await.unwrap().unwrap();
            let frame: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
            if frame["t"] == t {
                return frame;
            }
        }
    }

    /// Waits until the hub ended the connection; says with which code.
    async fn closed(&mut self) -> Option<u16> {
        while let Some(Ok(message)) = self.socket.as_mut().unwrap().next().await {
            if let Message::Close(frame) = message {
                return frame.map(|frame| frame.code.into());
            }
        }
        None
    }
}

fn address(run: &Run) -> String {
    run.stub
        .base_url()
        .strip_prefix("http://")
        .unwrap()
        .to_owned()
}

fn event(s: u64, send: &Value, state: &str) -> Value {
    json!({"t": "event", "s": s, "id": send["id"], "ep": send["ep"], "state": state, "wall": 0, "mono": 0})
}

fn ack(a: u64) -> Value {
    json!({"t": "ack", "a": a, "limit": a + 500, "mono": 0})
}

/// Writes what a radio log says of so many hand-overs.
fn hand_over(run: &Run, send: &Value, times: usize) {
    let line = json!({"message_id": send["id"], "exposure": send["ep"]});
    std::fs::write(
        radio_log(run.folder.path()),
        format!("{line}\n").repeat(times),
    )
    .unwrap();
}

const ONE: &str = "[[step]]\nwait.connected = 1\nsend = {}\n";

async fn started(scenario: &str) -> (Run, WrongClient) {
    let run = Run::start(scenario).await;
    let mut client = WrongClient::join(&run).await;
    client.connect(&run, 0, 0).await;
    client.next("welcome").await;
    (run, client)
}

async fn verdict(run: Run) -> Verdict {
    run.stub.stop();
    run.finish().await
}

#[tokio::test]
async fn it_acks_before_it_holds() {
    let (run, mut client) = started(ONE).await;
    client.next("send").await;
    client.say(ack(1)).await;
    // What it acked was not on its disk: after a restart it has nothing.
    client.connect(&run, 0, 0).await;
    assert_eq!(client.closed().await, Some(4410));
    assert_eq!(verdict(run).await.broken(), ["holds"]);
}

#[tokio::test]
async fn it_sends_twice() {
    let (run, mut client) = started(ONE).await;
    let send = client.next("send").await;
    client.say(ack(1)).await;
    hand_over(&run, &send, 2);
    client.say(event(1, &send, "sent")).await;
    client.say(event(2, &send, "delivered")).await;
    let verdict = run.finish().await;
    assert_eq!(verdict.broken(), ["radio"], "{verdict}");
}

#[tokio::test]
async fn it_skips_a_number() {
    let (run, mut client) = started(ONE).await;
    let send = client.next("send").await;
    client.say(ack(1)).await;
    hand_over(&run, &send, 1);
    client.say(event(2, &send, "sent")).await;
    assert_eq!(client.closed().await, Some(4400));
    assert_eq!(verdict(run).await.broken(), ["sequence"]);
}

#[tokio::test]
async fn it_takes_a_result_back() {
    let (run, mut client) = started(ONE).await;
    let send = client.next("send").await;
    client.say(ack(1)).await;
    client.say(event(1, &send, "revoked")).await;
    client.say(event(2, &send, "sent")).await;
    client.next("ack").await;
    run.until(r#"{"facts": 2}"#).await;
    let verdict = verdict(run).await;
    assert!(verdict.broken().contains(&"exposure"), "{verdict}");
}

#[tokio::test]
async fn it_swallows_what_it_must_refuse() {
    let scenario = "[[step]]\nwait.connected = 1\nsend = { count = 3 }\n[[fault]]\ndo = \"drop\"\nframe = \"send\"\nnth = 2\n";
    let (run, mut client) = started(scenario).await;
    client.next("send").await;
    client.next("send").await;
    client.say(ack(3)).await;
    run.until(r#"{"connected": 1}"#).await;
    client
        .say(event(
            1,
            &json!({"id": "SM0000000000000001", "ep": 1}),
            "sent",
        ))
        .await;
    run.until(r#"{"facts": 1}"#).await;
    let verdict = verdict(run).await;
    assert_eq!(
        verdict.broken(),
        ["holds", "exposure", "refuse"],
        "{verdict}"
    );
}
