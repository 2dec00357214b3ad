//! `POST /pair`, as far as a phone needs it.

use super::hub::{CODE, Device, HOST, Shared};
use base64::{Engine, engine::general_purpose::STANDARD};
use postrider_link::{
    frame::InstallId,
    pairing::{CodeUse, Joiner, Number},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

pub(crate) async fn serve(mut stream: TcpStream, shared: &Shared) {
    let request = read(&mut stream).await;
    let (status, answer) = answer(&request, shared);
    let body = answer.to_string();
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all((head + &body).as_bytes()).await.unwrap();
}

async fn read(stream: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    loop {
        stream.read_buf(&mut bytes).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((_, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            return body;
        }
    }
}

fn answer(request: &Value, shared: &Shared) -> (&'static str, Value) {
    let mut state = shared.state();
    state.pair_requests += 1;
    if request["code"] != CODE {
        let error = json!({"code": "invalid_code", "message": "there is no such code"});
        return ("403 Forbidden", json!({ "error": error }));
    }
    if let Some(commitment) = request["commitment"].as_str() {
        state.code_use = CodeUse::Free;
        let told = state
            .code_use
            .commit(commitment.parse().unwrap(), Number([9; 32]));
        return (
            "200 OK",
            json!({"status": "committed", "number": told.unwrap()}),
        );
    }
    let key = STANDARD
        .decode(request["public_key"].as_str().unwrap())
        .unwrap();
    let install: InstallId = request["install"].as_str().unwrap().parse().unwrap();
    let joiner = Joiner {
        code: CODE,
        key_algorithm: request["key_algorithm"].as_str().unwrap(),
        public_key: &key,
        install: &install,
    };
    let number = request["number"].as_str().unwrap().parse().unwrap();
    let digits = state.code_use.open(&joiner, &number, sha256).unwrap();
    state.digits.clone_from(&digits);
    if !state.is_confirmed {
        return ("200 OK", json!({"status": "pending", "digits": digits}));
    }
    let project = state.project;
    let device = state
        .device
        .get_or_insert_with(|| Device::new(key, install));
    let answer = json!({
        "status": "confirmed",
        "digits": digits,
        "device_id": device.id,
        "host": HOST,
        "link_url": format!("ws://{}/link", shared.address),
        "hub_id": "HB0000000000000001",
        "project_id": format!("PJ{:016x}", 1 + project),
        "phones": phones(&request["device"]["sims"]),
    });
    ("200 OK", answer)
}

/// Each SIM is a Phone of its own.
fn phones(sims: &Value) -> Vec<Value> {
    let phone = |sim: &Value| {
        let slot = sim["slot"].as_u64().unwrap();
        json!({
            "id": format!("PN{:016x}", 9 + slot),
            "sim": slot,
            "phone_number": sim["number"],
        })
    };
    sims.as_array().unwrap().iter().map(phone).collect()
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let hash = ring::digest::digest(&ring::digest::SHA256, bytes);
    hash.as_ref().try_into().unwrap()
}
