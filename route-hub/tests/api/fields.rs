//! Fields of contacts and messages.

use crate::support::{TO, hub, id};
use serde_json::{Value, json};

fn variables(fields: &Value) -> Vec<&str> {
    let fields = fields.as_array().expect("an array");
    fields
        .iter()
        .map(|field| field["variable"].as_str().expect("a name"))
        .collect()
}

#[tokio::test]
async fn a_field_appears_when_its_variable_is_written() {
    let test = hub().await;
    let client = test.client();
    assert_eq!(client.get("contact_fields").await, json!([]));
    client
        .post(
            "contacts",
            json!({ "name": "Ann", "vars": { "shoe": 41, "city": "Oslo" } }),
        )
        .await;
    let body = json!({ "to_number": TO, "content": "a", "vars": { "order": 7 } });
    let sent = client.post("messages/send", body).await;
    client
        .post(
            &format!("messages/{}", id(&sent)),
            json!({ "vars": { "seen": true } }),
        )
        .await;
    let body = json!({ "content": "in", "from_number": TO, "phone_id": test.phone.id,
        "vars": { "mood": "good" } });
    client.post("messages/receive", body).await;
    let fields = client.get("contact_fields").await;
    assert_eq!(
        fields[0],
        json!({ "name": "city", "variable": "city", "type": "text", "order": 0,
            "readonly": false, "lookup_key": false, "show_on_conversation": false })
    );
    assert_eq!(variables(&fields), ["city", "shoe"]);
    let fields = client.get("message_fields").await;
    assert_eq!(variables(&fields), ["order", "seen", "mood"]);
    assert_eq!(
        fields[0],
        json!({ "name": "order", "variable": "order", "type": "text", "order": 0,
            "hide_values": false })
    );
}

#[tokio::test]
async fn fields_are_customized_one_and_many() {
    let test = hub().await;
    let client = test.client();
    let items = json!([{ "value": "s", "label": "Small" }, { "value": "l", "label": "Large" }]);
    let body = json!({ "name": "Size", "type": "select", "items": items, "order": 3,
        "readonly": true, "lookup_key": true, "show_on_conversation": true });
    let size = client.post("contact_fields/size", body).await;
    assert_eq!(
        (&size["name"], &size["items"], &size["order"]),
        (&json!("Size"), &items, &json!(3))
    );
    let size = client
        .post("contact_fields/size", json!({ "readonly": false }))
        .await;
    assert_eq!(
        (&size["type"], &size["readonly"]),
        (&json!("select"), &json!(false))
    );
    let body = json!({ "metadata": [
        { "variable": "born", "type": "date", "order": 1 }, { "variable": "size", "order": 0 },
    ]});
    let all = client.post("contact_fields", body).await;
    assert_eq!(variables(&all), ["size", "born"]);
    assert_eq!(client.get("contact_fields").await, all);
    let hidden = client
        .post("message_fields/code", json!({ "hide_values": true }))
        .await;
    assert_eq!(hidden["hide_values"], true);
    let not_its_own = json!({ "readonly": "x", "delete": "x", "name": "Code" });
    let named = client.post("message_fields/code", not_its_own).await;
    assert_eq!(
        (&named["name"], named.get("readonly")),
        (&json!("Code"), None)
    );
    for (path, body, param) in [
        ("contact_fields/a%20b", json!({}), "variable"),
        (
            "contact_fields/x",
            json!({ "name": "n".repeat(65) }),
            "name",
        ),
        ("contact_fields/x", json!({ "type": "colour" }), "type"),
        (
            "contact_fields/x",
            json!({ "items": [{ "value": "a" }] }),
            "items[0][label]",
        ),
        ("contact_fields/x", json!({ "order": "first" }), "order"),
        ("contact_fields", json!({}), "metadata"),
        ("contact_fields", json!({ "metadata": [5] }), "metadata[0]"),
        (
            "contact_fields",
            json!({ "metadata": [{ "name": "x" }] }),
            "metadata[0][variable]",
        ),
        (
            "message_fields",
            json!({ "metadata": [{ "variable": "x", "type": 5 }] }),
            "metadata[0][type]",
        ),
    ] {
        let reply = client.call("POST", path, Some(body.clone())).await;
        assert_eq!(reply.status, 400, "{path} {body}");
        reply.invalid(param);
    }
    assert_eq!(client.get("contact_fields").await, all);
}

#[tokio::test]
async fn a_deleted_contact_field_takes_its_values_with_it_and_a_message_field_does_not() {
    let test = hub().await;
    let client = test.client();
    let items: Vec<Value> = (0..200)
        .map(|n| json!({ "phone_number": format!("+1500555{n:04}"), "vars": { "n": n, "city": "Oslo" } }))
        .collect();
    let imported = client
        .post("import_contacts", json!({ "contacts": items }))
        .await;
    let left = client.post(
        "contact_fields",
        json!({ "metadata": [{ "variable": "n", "delete": true }] }),
    );
    assert_eq!(variables(&left.await), ["city"]);
    let contact = format!("contacts/{}", id(&imported["contacts"][150]));
    assert_eq!(
        client.get(&contact).await["vars"],
        json!({ "city": "Oslo" })
    );
    assert_eq!(
        client.get("contacts?count=1&vars[n][exists]=1").await,
        json!({ "count": 0 })
    );
    client.post(&contact, json!({ "vars": { "n": 5 } })).await;
    assert_eq!(
        client.get("contacts?count=1&vars[n]=5").await,
        json!({ "count": 1 })
    );

    let body = json!({ "to_number": TO, "content": "a", "vars": { "order": 7 } });
    let sent = client.post("messages/send", body).await;
    let body = json!({ "metadata": [{ "variable": "order", "delete": true }] });
    assert_eq!(client.post("message_fields", body).await, json!([]));
    let sent = client.get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(sent["vars"], json!({ "order": 7 }));
}
