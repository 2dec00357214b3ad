//! What is refused says which rule it breaks, with its bounds and words.

use crate::support::{Client, Reply, TO, TestHub, hub, reply};
use axum::body::Body;
use serde_json::{Value, json};

#[track_caller]
fn says(reply: &Reply, param: Option<&str>, rule: &str) {
    let (code, named) = reply.refused(400);
    assert_eq!((code.as_str(), named.as_deref()), ("invalid_param", param));
    let message = reply.json["error"]["message"].as_str().expect("words");
    let named = param.map_or(String::new(), |param| format!("{param} "));
    assert_eq!(message, format!("{named}{rule}"));
}

async fn post(client: &Client, path: &str, body: Value) -> Reply {
    client.call("POST", path, Some(body)).await
}

/// Sends a text as JSON, whether it is or not.
async fn post_text(test: &TestHub, path: &str, body: String) -> Reply {
    let uri = format!(
        "/v1/projects/{}/{path}?api_key={}",
        test.project.id, test.key
    );
    let request = http::Request::post(uri).header("content-type", "application/json");
    let request = request.body(Body::from(body)).expect("a request");
    reply(&test.router, request).await
}

#[tokio::test]
async fn too_many_values_and_too_deep_ones_are_told_how_many_there_may_be() {
    let test = hub().await;
    let client = test.client();
    let row = json!({ "vars": vec![1; 100] });
    let swarm = json!({ "rows": vec![row; 200] });
    let rule = "the body has more than 20000 values";
    says(&post(&client, "import_contacts", swarm).await, None, rule);
    let many = vec!["a[]=1"; 20_001].join("&");
    let uri = format!("/v1/projects/{}/contacts", test.project.id);
    let request = http::Request::post(uri)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(format!("api_key={}&{many}", test.key)));
    let answer = reply(&test.router, request.expect("a request")).await;
    says(&answer, None, "the request has more than 20000 values");
    let deep = format!("{}1{}", "{\"a\":".repeat(9), "}".repeat(9));
    let answer = post_text(&test, "contacts", deep).await;
    says(&answer, None, "the body is nested more than 8 levels deep");
    let answer = client.call("GET", "contacts?a[1][2][3][4][5][6][7][8]=1", None);
    let name = "a[1][2][3][4][5][6][7][8]";
    says(
        &answer.await,
        Some(name),
        "is nested more than 8 levels deep",
    );
}

#[tokio::test]
async fn what_stands_twice_in_json_is_named_as_in_a_form() {
    let test = hub().await;
    for (body, param) in [
        (r#"{"vars":{"a":1,"a":2}}"#, "vars[a]"),
        (
            r#"{"contacts":[{},{"vars":{"b":1,"b":1}}]}"#,
            "contacts[1][vars][b]",
        ),
        (r#"{"name":"a","name":"b"}"#, "name"),
    ] {
        let answer = post_text(&test, "contacts", body.to_owned()).await;
        says(&answer, Some(param), "is given more than once");
    }
    let client = test.client();
    let form = client.call("POST", "contacts?vars[a]=1&vars[a]=2", None);
    says(&form.await, Some("vars[a]"), "is given more than once");
}

#[tokio::test]
async fn words_and_bounds_are_listed() {
    let test = hub().await;
    let client = test.client();
    let campaign = json!({ "campaign_type": "x" });
    says(
        &post(&client, "campaigns", campaign).await,
        Some("campaign_type"),
        "must be one of: broadcast_text, broadcast_call, relative, anniversary",
    );
    let filters: serde_json::Map<_, _> = (0..51)
        .map(|n| (format!("vars.a{n}"), json!("x")))
        .collect();
    let group = json!({ "name": "Many", "filters": filters });
    says(
        &post(&client, "create_group", group).await,
        Some("filters"),
        "must have at most 50 conditions",
    );
    for (rrule, rule) in [
        ("FREQ=DAILY;COUNT=0", "has a COUNT that is not 1 to 10000"),
        ("FREQ=DAILY;BYHOUR=24", "has a BYHOUR that is not 0 to 23"),
        (
            "FREQ=MONTHLY;BYMONTHDAY=0",
            "has a BYMONTHDAY that is not 1 to 31 or -31 to -1",
        ),
        (
            "FREQ=WEEKLY;WKST=1",
            "has a WKST that is not MO, TU, WE, TH, FR, SA or SU",
        ),
    ] {
        let body = json!({ "to_number": TO, "content": "x", "rrule": rrule });
        says(&post(&client, "scheduled", body).await, Some("rrule"), rule);
    }
    let nobody = json!({ "content": "x", "start_time_offset": 60 });
    says(
        &post(&client, "scheduled", nobody).await,
        Some("to_number"),
        "is required, or contact_id, group_id or filter_type",
    );
    let code = json!({ "message_type": "ussd", "start_time_offset": 60 });
    let code = post(&client, "scheduled", code).await;
    says(&code, Some("to_number"), "is required: the code to dial");
}
