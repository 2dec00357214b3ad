//! Tasks that write files and read them, through the API.

use crate::support::{Reply, TestHub, hub, hub_on_server, id, reply};
use axum::body::{Body, to_bytes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_app::tasks;
use hub_media::Blobs;
use serde_json::{Value, json};
use tower_service::Service as _;

/// Gives a body as it is, with a key in the header.
pub(crate) async fn given(test: &TestHub, query: &str, kind: &str, body: impl Into<Body>) -> Reply {
    let key = STANDARD.encode(format!("{}:", test.key));
    let request = http::Request::post(format!("/v1/projects/{}/files?{query}", test.project.id))
        .header("authorization", format!("Basic {key}"))
        .header("content-type", kind);
    reply(&test.router, request.body(body.into()).expect("a request")).await
}

/// Follows an address of a file, without a key; returns its headers and its text.
async fn followed(test: &TestHub, file: &Value) -> (http::HeaderMap, String) {
    let url = file["url"].as_str().expect("an address");
    let path = url.strip_prefix("http://127.0.0.1:1").expect("the hub's");
    let request = http::Request::get(path).body(Body::empty());
    let request = request.expect("a request");
    let answer = test.router.clone().call(request).await.expect("an answer");
    let (parts, body) = answer.into_parts();
    assert_eq!(parts.status, 200);
    let bytes = to_bytes(body, usize::MAX).await.expect("a body");
    (
        parts.headers,
        String::from_utf8(bytes.to_vec()).expect("a text"),
    )
}

/// Makes a task, and runs it to its end.
async fn done(test: &TestHub, body: Value) -> Value {
    let client = test.client();
    let made = client.post("tasks", body).await;
    while tasks::round(&test.hub, test.hub.now())
        .await
        .expect("a round")
        > 0
    {}
    client.get(&format!("tasks/{}", id(&made))).await
}

#[tokio::test]
async fn a_form_names_the_columns_of_a_file_without_names_by_their_places() {
    let test = hub().await;
    let sheet = given(&test, "", "text/csv", "Ann,+15005550101\n")
        .await
        .ok();
    let form = [
        ("task_type", "import_contacts".to_owned()),
        ("task_params[file_id]", id(&sheet)),
        ("task_params[has_header]", "0".to_owned()),
        ("task_params[columns][phone_number]", "2".to_owned()),
        ("task_params[columns][name]", "1".to_owned()),
    ];
    let form = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish();
    let key = STANDARD.encode(format!("{}:", test.key));
    let request = http::Request::post(format!("/v1/projects/{}/tasks", test.project.id))
        .header("authorization", format!("Basic {key}"))
        .header("content-type", "application/x-www-form-urlencoded");
    let request = request.body(Body::from(form)).expect("a request");
    reply(&test.router, request).await.ok();
    while tasks::round(&test.hub, test.hub.now())
        .await
        .expect("a round")
        > 0
    {}
    let people = test.client().get("contacts").await;
    let first = &people["data"][0];
    assert_eq!(
        (&first["name"], &first["phone_number"]),
        (&json!("Ann"), &json!("+15005550101"))
    );
}

const PEOPLE: &str = "Number,Who,City\n+15005550101,Ann,=1+1\n5,Ben,Oslo\n";

async fn files_are_read_and_written(test: &TestHub) {
    let client = test.client();
    let sheet = given(
        test,
        "filename=people.csv",
        "text/csv; charset=utf-8",
        PEOPLE,
    )
    .await
    .ok();
    let shown = (
        &sheet["type"],
        &sheet["source"],
        &sheet["category"],
        &sheet["filename"],
    );
    let expected = (
        &json!("text/csv"),
        &json!("import"),
        &json!("task_data"),
        &json!("people.csv"),
    );
    assert_eq!((shown, &sheet["size"]), (expected, &json!(PEOPLE.len())));
    let columns = json!({ "phone_number": 1, "name": "Who", "vars.city": "City" });
    let params = json!({ "file_id": id(&sheet), "columns": columns, "dry_run": true });
    let tried = done(
        test,
        json!({ "task_type": "import_contacts", "task_params": params }),
    )
    .await;
    assert_eq!(tried["status"], "complete");
    assert_eq!(
        (&tried["filter_type"], &tried["filter_params"]),
        (&json!(null), &json!(null))
    );
    assert!(client.ids("contacts").await.is_empty());
    let preview = &tried["preview"];
    assert_eq!(
        (&preview["created"], &preview["failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(
        preview["rows"],
        json!([{
            "phone_number": "+15005550101", "name": "Ann", "vars.city": "=1+1"
        }])
    );
    let error = &preview["errors"][0];
    assert_eq!(
        (&error["line"], &error["column"]),
        (&json!(3), &json!("Number"))
    );
    let params = json!({ "file_id": id(&sheet), "columns": columns });
    let real = done(
        test,
        json!({ "task_type": "import_contacts", "task_params": params }),
    )
    .await;
    assert_eq!(client.ids("contacts").await.len(), 1);
    let errors = real["errors_file_id"].as_str().expect("a file");
    let errors = client.get(&format!("files/{errors}")).await;
    let (_, text) = followed(test, &errors).await;
    assert!(
        text.starts_with("Number,Who,City,error\r\n5,Ben,Oslo,Number: "),
        "{text}"
    );
    let export = json!({
        "task_type": "export_contacts", "filter_type": "query_contacts",
        "filter_params": { "all": true },
        "task_params": { "filename": "out.csv", "column_ids": ["name", "vars.city"] },
    });
    let export = done(test, export).await;
    let file = export["file_id"].as_str().expect("a file");
    let file = client.get(&format!("files/{file}")).await;
    let (headers, text) = followed(test, &file).await;
    assert_eq!(text, "name,vars.city\r\nAnn,'=1+1\r\n");
    for (name, value) in [
        ("content-type", "text/csv; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        (
            "content-disposition",
            "attachment; filename=\"out.csv\"; filename*=UTF-8''out.csv",
        ),
    ] {
        assert_eq!(headers[name], value);
    }
    assert_eq!(client.ids("files?source=export").await.len(), 3);
    let medium = json!({ "to_number": "+15005550101", "media": [{ "file_id": id(&file) }] });
    let sent = client.call("POST", "messages/send", Some(medium)).await;
    sent.invalid("media[0][file_id]");
}

#[tokio::test]
async fn a_file_is_imported_and_an_export_is_had() {
    files_are_read_and_written(&hub().await).await;
}

#[tokio::test]
async fn the_same_goes_on_postgresql() {
    let Some((_database, test)) = hub_on_server().await else {
        return;
    };
    let blobs = Blobs::in_folder(&test.folder().join("files")).expect("a folder");
    test.hub.files.keep_in(blobs);
    files_are_read_and_written(&test).await;
}

#[tokio::test]
async fn a_body_of_rows_is_a_file_within_its_bounds() {
    let test = hub().await;
    let large = vec![b'x'; 20 * 1024 * 1024 + 1];
    given(&test, "", "text/csv", large).await.refused(413);
    given(&test, "", "text/csv", "").await.invalid("data");
    given(&test, "", "text/csv", &b"PK\x03\x04xlsx"[..])
        .await
        .invalid("data");
    given(&test, "type=image/png", "text/csv", "a\n")
        .await
        .invalid("type");
    given(&test, "", "text/plain", "a\n").await.refused(415);
    let many = "name\n".repeat(2 * 1024 * 1024 / 5);
    let file = given(&test, "", "text/csv", many.clone()).await.ok();
    assert_eq!(file["size"], json!(many.len()));
    let request = http::Request::post(format!("/v1/projects/{}/files", test.project.id));
    let request = request
        .header("content-type", "text/csv")
        .body(Body::from("a\n"));
    reply(&test.router, request.unwrap()).await.refused(415);
    assert_eq!(
        test.client().ids("files").await.len(),
        1,
        "what was refused is no file"
    );
}

#[tokio::test]
async fn what_a_task_with_a_file_cannot_be_is_named() {
    let test = hub().await;
    let client = test.client();
    let everybody = json!({ "all": true });
    for (task_type, params, filter_type, param) in [
        (
            "export_contacts",
            json!({}),
            json!("query_contacts"),
            "task_params[filename]",
        ),
        (
            "export_contacts",
            json!({ "filename": "a.csv", "storage_id": "x" }),
            json!("query_contacts"),
            "task_params[storage_id]",
        ),
        (
            "export_contacts",
            json!({ "filename": "a.csv" }),
            json!(null),
            "filter_type",
        ),
        ("import_contacts", json!({}), json!(null), "filter_type"),
        (
            "import_contacts",
            json!({ "file_id": "FI0000000000000001", "columns": { "name": [1] } }),
            json!("query_contacts"),
            "task_params[columns][name]",
        ),
    ] {
        let body = json!({
            "task_type": task_type, "task_params": params, "filter_type": filter_type,
            "filter_params": everybody,
        });
        client
            .call("POST", "tasks", Some(body))
            .await
            .invalid(param);
    }
    for task_type in ["import_contacts", "delete_contacts"] {
        let body = json!({ "task_type": task_type, "task_params": {} });
        let refused = client.call("POST", "tasks", Some(body)).await;
        let param = match task_type {
            "import_contacts" => "task_params[file_id]",
            _ => "filter_type",
        };
        refused.invalid(param);
    }
}
