//! Files: kept, listed, served and sent; what is hostile among them; and a place that is away.

use crate::support::{Client, TO, TestHub, hub, hub_over, id, reply, router};
use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_media::{Blobs, S3};
use serde_json::{Value, json};
use std::io::{self, Read as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use tower_service::Service as _;

/// A picture of one pixel, with a name for each.
fn gif(name: &str) -> Vec<u8> {
    let picture =
        b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    [&picture[..], name.as_bytes()].concat()
}

fn given(bytes: &[u8], media_type: &str, filename: &str) -> Value {
    json!({ "data": STANDARD.encode(bytes), "type": media_type, "filename": filename })
}

async fn kept(client: &Client, name: &str) -> Value {
    let body = given(&gif(name), "image/gif", name);
    client.post("files", body).await
}

struct Got {
    status: u16,
    headers: http::HeaderMap,
    bytes: Vec<u8>,
}

impl Got {
    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |it| it.to_str().expect("a text"))
    }
}

/// Follows an address of a file, without a key.
async fn got(test: &TestHub, url: &Value, range: Option<&str>) -> Got {
    let path = url
        .as_str()
        .expect("it is one")
        .strip_prefix("http://127.0.0.1:1")
        .expect("it is one");
    let mut request = http::Request::builder().uri(path);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    let request = request.body(Body::empty()).expect("it is one");
    let answer = test.router.clone().call(request).await.expect("it is one");
    let (parts, body) = answer.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX)
        .await
        .expect("it is one");
    Got {
        status: parts.status.as_u16(),
        headers: parts.headers,
        bytes: bytes.to_vec(),
    }
}

#[tokio::test]
async fn a_file_is_kept_listed_changed_and_removed() {
    let test = hub().await;
    let client = test.client();
    let file = kept(&client, "b.gif").await;
    assert_eq!(
        (&file["type"], &file["source"], &file["category"]),
        (&json!("image/gif"), &json!("api"), &json!("outgoing_media"))
    );
    assert_eq!(kept(&client, "b.gif").await["id"], file["id"]);
    let other = kept(&client, "A.gif").await;
    let ids = [id(&file), id(&other)];
    assert_eq!(client.ids("files").await, ids);
    assert_eq!(client.ids("files?sort=filename").await, [&*ids[1], &ids[0]]);
    assert_eq!(client.ids("files?filename[prefix]=a").await, [&*ids[1]]);
    assert_eq!(client.ids("files?type=image/*").await, ids);
    assert_eq!(
        client
            .ids("files?type=IMAGE/GIF&size[min]=1&source=api")
            .await,
        ids
    );
    assert!(client.ids("files?type=video/*").await.is_empty());
    let sha256 = file["sha256"].as_str().unwrap();
    assert_eq!(
        client.ids(&format!("files?sha256={sha256}")).await,
        [&*ids[0]]
    );
    let path = format!("files/{}", ids[0]);
    let changed = client.post(&path, json!({ "description": "A dot." })).await;
    assert_eq!(
        (&changed["description"], &changed["filename"]),
        (&json!("A dot."), &json!("b.gif"))
    );
    client.call("DELETE", &path, None).await.ok();
    client.call("GET", &path, None).await.refused(404);
    assert_eq!(got(&test, &file["url"], None).await.status, 404);
}

#[tokio::test]
async fn an_address_shows_a_file_and_lets_nothing_of_it_run() {
    let test = hub().await;
    let client = test.client();
    let bytes = gif("x");
    let body = given(&bytes, "image/png", "../a \"dot\".gif");
    let file = client.post("files", body).await;
    let whole = got(&test, &file["url"], None).await;
    assert_eq!(
        (whole.status, whole.bytes.as_slice()),
        (200, bytes.as_slice())
    );
    assert_eq!(whole.header("content-type"), "image/gif");
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
    assert!(whole.header("content-security-policy").contains("sandbox"));
    let disposition = whole.header("content-disposition");
    assert!(
        disposition.starts_with("inline; filename=\"a _dot_.gif\""),
        "{disposition}"
    );
    let part = got(&test, &file["url"], Some("bytes=3-5")).await;
    assert_eq!((part.status, part.bytes.as_slice()), (206, &b"89a"[..]));
    let all = bytes.len();
    assert_eq!(part.header("content-range"), format!("bytes 3-5/{all}"));
    let beyond = got(&test, &file["url"], Some("bytes=5000-")).await;
    assert_eq!((beyond.status, beyond.bytes.len()), (416, 0));
    let small = got(&test, &file["thumbnail_url"], None).await;
    assert_eq!(
        (small.status, small.header("content-type")),
        (200, "image/jpeg")
    );
    let disposition = small.header("content-disposition");
    assert!(
        disposition.starts_with("inline; filename=\"a _dot_.jpg\""),
        "{disposition}"
    );
    let url = file["url"].as_str().unwrap();
    for (from, to) in [
        ("expires=", "expires=9"),
        ("signature=", "signature=A"),
        ("?", "/thumbnail?"),
    ] {
        let changed = json!(url.replace(from, to));
        assert_eq!(got(&test, &changed, None).await.status, 404, "{changed}");
    }
}

#[tokio::test]
async fn a_type_that_is_given_beside_a_data_uri_stands_for_its_own() {
    let test = hub().await;
    let client = test.client();
    let uri = |name| {
        let bytes = STANDARD.encode(gif(name));
        format!("data:application/octet-stream;base64,{bytes}")
    };
    let file = json!({ "data": uri("a"), "type": "image/gif" });
    assert_eq!(client.post("files", file).await["type"], "image/gif");
    let media = |given| json!({ "to_number": TO, "content": "x", "media": [given] });
    let sent = media(json!({ "url": uri("b"), "type": "image/gif" }));
    let sent = client.post("messages/send", sent).await;
    assert_eq!(sent["media"][0]["type"], "image/gif");
    for (given, param) in [
        (json!({ "url": uri("c") }), "media[0][url]"),
        (
            json!({ "url": uri("c"), "type": "text/html" }),
            "media[0][type]",
        ),
    ] {
        let refused = client.call("POST", "messages/send", Some(media(given)));
        refused.await.invalid(param);
    }
    for (given, param) in [
        (json!({ "data": uri("c") }), "data"),
        (json!({ "data": uri("c"), "type": "text/html" }), "type"),
    ] {
        let refused = client.call("POST", "files", Some(given)).await;
        refused.invalid(param);
    }
}

#[tokio::test]
async fn a_form_that_spoils_its_base64_is_refused() {
    let test = hub().await;
    let (project, key) = (test.project.id, &test.key);
    let sent = async |path: &str, form: String| {
        let request = http::Request::post(format!("/v1/projects/{project}/{path}?api_key={key}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(form));
        reply(&test.router, request.expect("a request")).await
    };
    // The last bytes have a + in base64.
    let data = STANDARD.encode(gif("~~~"));
    assert!(data.contains('+'), "{data}");
    let coded = data.replace('+', "%2B");
    let kept = sent("files", format!("type=image/gif&data={coded}"))
        .await
        .ok();
    let uri = format!("data={}", "data:image/gif;base64,");
    assert_eq!(
        sent("files", format!("{uri}{coded}")).await.ok()["id"],
        kept["id"]
    );
    let lines = format!("{}%0D%0A{}", &coded[..8], &coded[8..]);
    let in_lines = sent("files", format!("type=image/gif&data={lines}"))
        .await
        .ok();
    assert_eq!(in_lines["id"], kept["id"]);
    for spoiled in [
        format!("type=image/gif&data={data}"),
        format!("{uri}{data}"),
    ] {
        let refused = sent("files", spoiled).await;
        let words = refused.json["error"]["message"].to_string();
        assert!(words.contains("data") && words.contains("%2B"), "{words}");
        refused.invalid("data");
    }
    let message = format!("to_number=%2B15005550101&media_urls[]=data:image/gif;base64,{data}");
    sent("messages/send", message)
        .await
        .invalid("media_urls[0]");
}

#[tokio::test]
async fn media_of_a_message_cannot_be_changed() {
    let test = hub().await;
    let client = test.client();
    let path = format!("messages/{}", id(&client.send("x").await));
    for name in ["media", "media_urls"] {
        let change = json!({ name: ["https://a.example/1.jpg"] });
        let refused = client.call("POST", &path, Some(change)).await;
        refused.invalid(name);
    }
}

#[tokio::test]
async fn messages_carry_files_and_show_them() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let file = kept(&client, "a.gif").await;
    let media = json!([
        { "file_id": file["id"], "type": "ignored/this" },
        { "url": "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "filename": "dot.gif" },
        { "url": "https://a.example/b.mp4" },
    ]);
    let mms = json!({ "to_number": TO, "message_type": "mms", "media": media, "route_id": route });
    let sent = client.post("messages/send", mms.clone()).await;
    let shown = &sent["media"];
    assert_eq!(
        (&sent["message_type"], &sent["content"]),
        (&json!("mms"), &Value::Null)
    );
    assert_eq!(shown[0]["type"], "image/gif");
    assert_eq!(got(&test, &shown[0]["url"], None).await.bytes, gif("a.gif"));
    assert_eq!(
        (&shown[1]["filename"], &shown[1]["size"]),
        (&json!("dot.gif"), &json!(14))
    );
    assert_eq!(
        shown[2],
        json!({ "url": "https://a.example/b.mp4", "type": "video/mp4",
        "filename": null, "size": null })
    );
    let text = json!({ "to_number": TO, "content": "See", "media": media, "route_id": route });
    let text = client.post("messages/send", text).await;
    let lines: Vec<_> = text["content"].as_str().unwrap().split('\n').collect();
    assert_eq!(
        (lines.len(), lines[0], lines[3]),
        (4, "See", "https://a.example/b.mp4")
    );
    let link = got(&test, &json!(lines[1]), None).await;
    assert_eq!(link.status, 302);
    let address = json!(link.header("location"));
    assert_eq!(got(&test, &address, None).await.bytes, gif("a.gif"));
    let mut real = mms;
    real["route_id"] = json!(test.phone.id);
    let failed = client.post("messages/send", real).await;
    assert_eq!(
        (&failed["status"], &failed["error_code"]),
        (&json!("failed"), &json!("unsupported"))
    );
    let path = format!("files/{}", id(&file));
    client.call("DELETE", &path, None).await.refused(400);
}

#[tokio::test]
async fn what_is_planned_names_its_files_until_it_is_gone() {
    let test = hub().await;
    let client = test.client();
    let (first, second) = (kept(&client, "a").await, kept(&client, "b").await);
    let with = |file: &Value| json!([{ "file_id": file["id"] }]);
    let plan = json!({ "to_number": TO, "content": "x", "start_time_offset": 9_000,
        "media": with(&first) });
    let plan = client.post("scheduled", plan).await;
    assert_eq!(plan["media"][0]["file_id"], first["id"]);
    let relative = json!({ "to_number": TO, "content": "x", "date_variable": "d",
        "time_of_day": "09:00", "media": with(&first) });
    let relative = client.post("relative_scheduled", relative).await;
    let removal = |file: &Value| client.call_owned("DELETE", format!("files/{}", id(file)));
    removal(&first).await.invalid("file_id");
    let path = format!("scheduled/{}", id(&plan));
    client.post(&path, json!({ "media": with(&second) })).await;
    let told = removal(&first).await;
    told.invalid("file_id");
    let words = told.json["error"]["message"].as_str().unwrap();
    assert!(
        words.ends_with("a relative scheduled message names it"),
        "{words}"
    );
    let path_of_relative = format!("relative_scheduled/{}", id(&relative));
    client.call("DELETE", &path_of_relative, None).await.ok();
    removal(&first).await.ok();
    removal(&second).await.refused(400);
    client.call("DELETE", &path, None).await.ok();
    removal(&second).await.ok();
    let all = json!({ "to_numbers": [TO], "content": "x", "media": [{ "file_id": first["id"] }] });
    let refused = client.call("POST", "send_broadcast", Some(all)).await;
    refused.invalid("media[0][file_id]");
}

impl Client {
    async fn call_owned(&self, method: &str, path: String) -> crate::support::Reply {
        self.call(method, &path, None).await
    }
}

/// Files that are not what they say, or that do harm where somebody believes them.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let after = |start: &[u8], more: &[u8]| [start, more].concat();
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        units
            .flat_map(|it| {
                if big {
                    it.to_be_bytes()
                } else {
                    it.to_le_bytes()
                }
            })
            .collect()
    };
    vec![
        ("html", b"<html><script>alert(1)</script></html>".to_vec()),
        ("html in capitals", b"<HTML><BODY>".to_vec()),
        ("html with a doctype", b"<!DOCTYPE html><p>".to_vec()),
        ("html behind white space", b"\r\n\t  <script>".to_vec()),
        ("html behind a mark", b"\xef\xbb\xbf<script>".to_vec()),
        ("html behind a vertical tab", b"\x0b<script>".to_vec()),
        ("html behind NULs", b"\0\0<script>".to_vec()),
        ("html as a comment", b"<!-- x --><script>".to_vec()),
        ("html in utf-16le with a mark", after(b"\xff\xfe", &utf16("<html>", false))),
        ("html in utf-16be with a mark", after(b"\xfe\xff", &utf16("<html>", true))),
        ("html in utf-16le", utf16("<html>", false)),
        ("html in utf-16be", utf16("<html>", true)),
        ("svg", b"<svg onload='x()'/>".to_vec()),
        ("svg as xml", b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()),
        ("svg with a doctype", b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' ''><svg/>".to_vec()),
        ("xml with an entity", b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>".to_vec()),
        ("xhtml", b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>".to_vec()),
        ("a shell script", b"#!/bin/sh\nrm -rf /\n".to_vec()),
        ("a python script", b"#!/usr/bin/env python3\n".to_vec()),
        ("a zip", after(b"PK\x03\x04\x14\0\0\0\x08\0", &[0; 30])),
        ("an empty zip", after(b"PK\x05\x06", &[0; 18])),
        ("a zip of nothing but zeros", after(b"PK\x03\x04", &[0; 4_000])),
        ("a jar", after(b"PK\x03\x04\x14\0\x08\0\x08\0", b"META-INF/MANIFEST.MF")),
        ("a gzip bomb", b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xed\xc1\x01\x01\0\0\0\x80\x90".to_vec()),
        ("a bzip2", b"BZh91AY&SY".to_vec()),
        ("an xz", b"\xfd7zXZ\0\0\x04".to_vec()),
        ("a 7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec()),
        ("a rar", b"Rar!\x1a\x07\x01\0".to_vec()),
        ("a tar", {
            let mut tar = vec![0; 512];
            tar[..4].copy_from_slice(b"../x");
            tar[257..262].copy_from_slice(b"ustar");
            tar
        }),
        ("a program of Windows", after(b"MZ\x90\0\x03\0\0\0", &[0; 60])),
        ("a program of Linux", after(b"\x7fELF\x02\x01\x01\0", &[0; 56])),
        ("a program of macOS", after(b"\xcf\xfa\xed\xfe", &[0; 28])),
        ("a program of Android", after(b"dex\n035\0", &[0; 100])),
        ("a class of Java", after(b"\xca\xfe\xba\xbe\0\0\0\x34", &[0; 8])),
        ("a module of WebAssembly", b"\0asm\x01\0\0\0".to_vec()),
        ("an old document", after(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", &[0; 504])),
        ("a rich text", b"{\\rtf1\\ansi}".to_vec()),
        ("a PostScript", b"%!PS-Adobe-3.0\n(/etc/passwd)".to_vec()),
        ("a Flash film", b"CWS\x06\0\0\0\0".to_vec()),
        ("a database", b"SQLite format 3\0".to_vec()),
        ("a cabinet", after(b"MSCF\0\0\0\0", &[0; 28])),
    ]
}

#[tokio::test]
async fn hostile_files_are_refused_by_name_whatever_they_say_of_themselves() {
    let test = hub().await;
    let client = test.client();
    assert!(hostile().len() >= 40);
    for (name, bytes) in hostile() {
        for media_type in ["image/png", "text/vcard"] {
            let body = given(&bytes, media_type, "photo.png");
            let reply = client.call("POST", "files", Some(body)).await;
            assert_eq!(reply.status, 400, "{name}: {}", reply.json);
            reply.invalid("data");
        }
    }
    assert!(client.ids("files").await.is_empty());
    let folder = test.folder().join("files");
    let left = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(left, 0, "nothing of them is on disk");
}

#[tokio::test]
async fn bombs_polyglots_and_lies_do_no_harm() {
    let test = hub().await;
    let client = test.client();
    // A picture that says it is 60,000 pixels wide and high.
    let mut bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x06\0\0\0".to_vec();
    bomb.extend([0; 400]);
    let made = client
        .post("files", given(&bomb, "image/png", "bomb.png"))
        .await;
    assert_eq!(made["thumbnail_url"], Value::Null);
    // A picture and a page, a picture and an archive: each is only a picture.
    for tail in [
        &b"<script>alert(1)</script>"[..],
        b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        let both = [&gif("")[..], tail].concat();
        let made = client
            .post("files", given(&both, "image/gif", "both.html"))
            .await;
        let served = got(&test, &made["url"], None).await;
        assert_eq!(served.header("content-type"), "image/gif");
        assert_eq!(served.header("x-content-type-options"), "nosniff");
    }
    // What nobody knows is saved, not shown, under a name that leads nowhere.
    for name in [
        "../../etc/passwd",
        "..\\..\\x",
        "/etc/shadow",
        "a\r\nb",
        "\u{202e}gnp.exe",
        "CON",
    ] {
        let body = given(format!("unknown {name}").as_bytes(), "text/vcard", name);
        let made = client.post("files", body).await;
        let served = got(&test, &made["url"], None).await;
        let disposition = served.header("content-disposition");
        assert!(disposition.starts_with("attachment"), "{disposition}");
        assert!(!disposition.contains(['/', '\\', '\n']), "{disposition}");
    }
    for media_type in [
        "text/html",
        "image/svg+xml",
        "application/x-sh",
        "image/png\r\nX: y",
        "",
        "*/*",
    ] {
        let reply = client
            .call("POST", "files", Some(given(b"x", media_type, "x")))
            .await;
        reply.invalid("type");
    }
}

#[tokio::test]
async fn a_file_has_five_mebibytes_and_a_body_eight() {
    let test = hub().await;
    let client = test.client();
    let mut full = gif("");
    full.resize(5 * 1024 * 1024, 0);
    let made = client
        .post("files", given(&full, "image/gif", "full.gif"))
        .await;
    assert_eq!(made["size"], 5 * 1024 * 1024);
    full.push(0);
    let over = client
        .call("POST", "files", Some(given(&full, "image/gif", "x")))
        .await;
    over.invalid("data");
    let mut third = gif("");
    third.resize(2 * 1024 * 1024 + 1, 0);
    let uri = format!("data:image/gif;base64,{}", STANDARD.encode(&third));
    let text = json!({ "to_number": TO, "content": "x", "media_urls": [uri] });
    let refused = client.call("POST", "messages/send", Some(text)).await;
    refused.invalid("media_urls[0]");
    let huge = json!({ "data": "A".repeat(8 * 1024 * 1024) });
    assert_eq!(
        client
            .call("POST", "files", Some(huge.clone()))
            .await
            .status,
        413
    );
    let large = json!({ "name": "A".repeat(1024 * 1024) });
    assert_eq!(client.call("POST", "labels", Some(large)).await.status, 413);
    // Who may not do it is told so without the body being read.
    let stranger = test.client_of("prk_nobody", test.project.id);
    let told = stranger.call("POST", "files", Some(huge)).await;
    told.refused(401);
}

/// Returns a place of files in a bucket of a server.
fn bucket_at(endpoint: String) -> Blobs {
    let bucket = Blobs::in_s3(&S3 {
        bucket: "bucket".into(),
        prefix: String::new(),
        region: "us-east-1".into(),
        endpoint: Some(endpoint),
        path_style: true,
        keys: Some(("key".into(), "secret".into())),
    });
    bucket.expect("a place")
}

/// Starts a server that takes connections and never answers. Its connections stay where the caller sees them.
fn silent_place() -> (Blobs, Arc<Mutex<Vec<TcpStream>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("its address"));
    let connections: Arc<Mutex<Vec<_>>> = Arc::default();
    let open = Arc::clone(&connections);
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let connection = connection.expect("a connection");
            open.lock().expect("a list").push(connection);
        }
    });
    (bucket_at(endpoint), connections)
}

/// Reads what a caller has sent so far, unless it has hung up.
fn heard(mut connection: &TcpStream) -> Option<String> {
    connection.set_nonblocking(true).expect("a socket");
    let (mut bytes, mut all) = ([0; 4_096], Vec::new());
    loop {
        match connection.read(&mut bytes) {
            Ok(0) => return None,
            Ok(length) => all.extend_from_slice(&bytes[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    Some(String::from_utf8(all).expect("a request"))
}

#[tokio::test]
async fn a_file_goes_before_a_silent_place_has_let_go_of_its_bytes() {
    let test = hub().await;
    let file = id(&kept(&test.client(), "a.gif").await);
    let (silent, connections) = silent_place();
    let hub = hub_over(test.hub.store.clone(), 1);
    hub.files.keep_in(silent);
    let client = test.client().to(router(&hub));
    let path = format!("files/{file}");
    client.call("DELETE", &path, None).await.ok();
    client.call("GET", &path, None).await.refused(404);
    // Both removals still wait for their answer, and were asked for together.
    let asked: Vec<_> = connections.lock().unwrap().iter().map(heard).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    for asked in asked {
        let asked = asked.expect("is still open");
        assert!(asked.starts_with("POST /bucket?delete "), "{asked}");
    }
}

#[tokio::test]
async fn while_the_place_of_files_is_away_the_rest_goes_on() {
    let test = hub().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let hub = hub_over(test.hub.store.clone(), 1);
    hub.files.keep_in(bucket_at(endpoint));
    let client = test.client().to(router(&hub));
    let refused = client
        .call("POST", "files", Some(given(&gif(""), "image/gif", "a")))
        .await;
    let (code, _) = refused.refused(503);
    assert_eq!(code, "unavailable");
    let with = json!({ "to_number": TO, "content": "x",
        "media_urls": ["data:image/gif;base64,R0lGODlhAQABAAAAACw="] });
    client
        .call("POST", "messages/send", Some(with))
        .await
        .refused(503);
    client.send("without").await;
    assert!(client.ids("files").await.is_empty());
}
