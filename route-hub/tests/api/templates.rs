//! Texts with variables in them, links to media, and one text to many numbers.

use crate::support::{TO, TestHub, fresh_id, hub, hub_with};
use hub_domain::{Contact, VarsChange};
use hub_store::contacts;
use serde_json::{Value, json};

const OTHER: &str = "+15005550111";

/// Makes the contact of [`TO`], with a name and variables.
async fn ann(test: &TestHub) {
    let now = test.hub.now();
    let number = TO.parse().ok();
    let mut contact = Contact::new(
        fresh_id(&test.hub, now),
        test.project.id,
        number,
        None,
        now.unix,
    );
    contact.name = Some("Ann".to_owned());
    let vars = json!({ "city": "Oslo", "sly": "[[contact.name]]", "long": "x".repeat(4_000) });
    let vars = VarsChange::parse(&vars).expect("variables");
    contact.vars.apply(vars).expect("variables");
    let job = move |tx: &mut hub_store::Tx<'_>| contacts::insert(tx, &contact);
    test.hub.store.write(job).await.expect("a contact");
}

#[tokio::test]
async fn variables_are_put_in_for_each_recipient() {
    let test = hub().await;
    let client = test.client();
    ann(&test).await;
    let text = "[[contact.name|default('friend')]] in [[contact.vars.city]] of [[project.name]]";
    let body = json!({ "to_number": TO, "content": text, "replace_variables": true });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["content"], "Ann in Oslo of First");
    let body = json!({ "to_number": TO, "content": text });
    assert_eq!(client.post("messages/send", body).await["content"], text);
    let body = json!({
        "replace_variables": true,
        "messages": [
            { "to_number": TO, "content": "Dear [[contact.name|upper]]" },
            { "to_number": OTHER, "content": "[[contact.name|default('You')]] at [[contact.phone_number]]" },
            { "to_number": TO, "content": "plain" },
        ],
    });
    client.post("send_multi", body).await;
    let list = client.get("messages?sort_dir=desc&page_size=3").await;
    let texts: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["content"])
        .collect();
    assert_eq!(texts, ["plain", "You at +15005550111", "Dear ANN"]);
}

#[tokio::test]
async fn a_project_that_makes_no_contacts_has_variables_all_the_same() {
    let test = hub_with(|project| project.auto_create_contacts = false).await;
    let client = test.client();
    let body =
        json!({ "to_number": TO, "content": "To [[contact.phone_number]]", "is_template": true });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["content"], format!("To {TO}"));
    assert_eq!(sent["contact_id"], Value::Null);
}

#[tokio::test]
async fn what_a_variable_holds_is_sent_as_it_is() {
    let test = hub().await;
    ann(&test).await;
    let body =
        json!({ "to_number": TO, "content": "[[contact.vars.sly]]", "replace_variables": true });
    let sent = test.client().post("messages/send", body).await;
    assert_eq!(sent["content"], "[[contact.name]]");
}

#[tokio::test]
async fn a_text_that_cannot_be_written_is_refused_by_name() {
    let test = hub().await;
    let client = test.client();
    ann(&test).await;
    for content in [
        "[[contact.name|shout]]",
        "[[contact.name|default]]",
        "[[contact.vars.none]]",
        "[[contact.vars.long]]",
        "",
    ] {
        let body = json!({ "to_number": TO, "content": content, "replace_variables": true });
        let refused = client.call("POST", "messages/send", Some(body)).await;
        refused.invalid("content");
    }
    let call = json!({ "to_number": TO, "message_type": "call", "replace_variables": true });
    let refused = client.call("POST", "messages/send", Some(call)).await;
    refused.invalid("replace_variables");
    assert_eq!(client.get("messages?count=1").await["count"], 0);

    let body = json!({
        "replace_variables": true,
        "messages": [
            { "to_number": TO, "content": "[[contact.vars.long]]" },
            { "to_number": TO, "content": "short" },
        ],
    });
    let answer = client.post("send_multi", body).await;
    assert_eq!(answer["messages"][0]["id"], Value::Null);
    assert!(answer["messages"][0]["error_message"].is_string());
    assert_eq!(answer["messages"][1]["status"], "queued");
    let item = json!({ "to_number": TO, "content": "x", "replace_variables": true });
    let body = json!({ "messages": [item] });
    let refused = client.call("POST", "send_multi", Some(body)).await;
    refused.invalid("messages[0][replace_variables]");
}

#[tokio::test]
async fn links_to_media_stand_below_the_text_and_count() {
    let test = hub().await;
    let client = test.client();
    let url = format!("https://a.example/{}", "x".repeat(150));
    let body = json!({ "to_number": TO, "content": "See [[word1]]", "media_urls": [url] });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["content"], format!("See [[word1]]\n{url}"));
    assert_eq!(sent["num_parts"], 2);
    let body = json!({
        "to_number": TO, "content": "[[contact.phone_number]]", "replace_variables": true,
        "media": [{ "url": "http://a.example/[[contact.name]]" }, { "url": "http://b.example/" }],
    });
    let sent = client.post("messages/send", body).await;
    let expected = format!("{TO}\nhttp://a.example/[[contact.name]]\nhttp://b.example/");
    assert_eq!(sent["content"], expected.as_str());
    let body = json!({ "to_number": TO, "media_urls": ["http://a.example/"] });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["content"], "http://a.example/");
    let call =
        json!({ "to_number": TO, "message_type": "call", "media_urls": ["http://a.example"] });
    let refused = client.call("POST", "messages/send", Some(call)).await;
    refused.invalid("media_urls");
}

#[tokio::test]
async fn one_text_goes_to_many_numbers_once_each() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "content": "Hello", "to_numbers": [TO, OTHER, "+1 500 555 0101"] });
    for path in ["messages/send_batch", "messages/outgoing_batch"] {
        let answer = client.post(path, body.clone()).await;
        assert_eq!(answer["count_queued"], 2, "{path}");
        let path = format!("broadcasts/{}", answer["broadcast_id"].as_str().unwrap());
        let broadcast = client.get(&path).await;
        assert_eq!(broadcast["status"], "sending");
        assert_eq!(broadcast["message_count"], 2);
        assert_eq!(broadcast["recipients_str"], format!("{TO}, {OTHER}"));
    }
    let list = client.get("messages").await;
    let numbers: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["to_number"])
        .collect();
    assert_eq!(numbers, [TO, OTHER, TO, OTHER]);
}

#[tokio::test]
async fn a_batch_that_cannot_be_sent_is_refused_as_a_whole() {
    let test = hub().await;
    let client = test.client();
    for (body, param) in [
        (json!({ "content": "x" }), "to_numbers"),
        (json!({ "to_numbers": [TO] }), "content"),
        (json!({ "content": "x", "to_numbers": [] }), "to_numbers"),
        (json!({ "content": "x", "to_numbers": TO }), "to_numbers"),
        (
            json!({ "content": "x", "to_numbers": [TO, "nobody"] }),
            "to_numbers[1]",
        ),
        (
            json!({ "content": "x", "to_numbers": [null] }),
            "to_numbers[0]",
        ),
        (
            json!({ "content": "x", "to_numbers": vec![TO; 501] }),
            "to_numbers",
        ),
        (
            json!({ "content": "x", "to_numbers": [TO], "message_type": "ussd" }),
            "message_type",
        ),
        (
            json!({ "content": "x", "to_numbers": [TO], "vars": 1 }),
            "vars",
        ),
    ] {
        let refused = client.call("POST", "messages/send_batch", Some(body)).await;
        refused.invalid(param);
    }
    assert_eq!(client.get("messages?count=1").await["count"], 0);
    let headers = [("idempotency-key", "one")];
    let body = json!({ "content": "x", "to_numbers": [TO, OTHER] });
    for _ in 0..2 {
        let path = "messages/send_batch";
        let answer = client
            .call_with("POST", path, Some(body.clone()), &headers)
            .await;
        assert_eq!(answer.ok()["count_queued"], 2);
    }
    assert_eq!(client.get("messages?count=1").await["count"], 2);
}

#[tokio::test]
async fn a_text_whose_filters_go_through_too_much_is_refused_by_its_parameter() {
    let test = hub().await;
    ann(&test).await;
    let filters = "|lower|upper".repeat(3);
    let tag = format!("[[contact.vars.long{filters}|truncate(1)]]");
    let body = |tags: usize| json!({ "to_number": TO, "content": tag.repeat(tags), "replace_variables": true });
    let client = test.client();
    let refused = client.call("POST", "messages/send", Some(body(20))).await;
    refused.invalid("content");
    let sent = client.post("messages/send", body(5)).await;
    assert_eq!(sent["content"], "XXXXX");
}
