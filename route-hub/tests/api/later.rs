//! Operations that exist already for features that come later.

use crate::support::{TO, hub, id};
use serde_json::json;

#[tokio::test]
async fn a_contact_has_empty_lists_of_rows_and_states() {
    let test = hub().await;
    let client = test.client();
    let contact = client.post("contacts", json!({ "phone_number": TO })).await;
    let path = format!("contacts/{}", id(&contact));
    let empty = json!({
        "data": [], "truncated": false, "next_marker": null, "sort": "default", "sort_dir": "asc",
    });
    for (list, filter, wrong) in [
        ("rows", "time_created[min]=1", "time_created[prefix]"),
        ("states", "id[not_prefix]=a&vars[x][min]=1", "id[exists]"),
    ] {
        let path = format!("{path}/{list}");
        assert_eq!(client.get(&path).await, empty);
        assert_eq!(client.get(&format!("{path}?{filter}")).await, empty);
        let count = client.get(&format!("{path}?count=1")).await;
        assert_eq!(count, json!({ "count": 0 }));
        for (query, param) in [
            (format!("{wrong}=1"), wrong),
            ("sort=name".to_owned(), "sort"),
        ] {
            let reply = client.call("GET", &format!("{path}?{query}"), None).await;
            reply.invalid(param);
        }
        let nobody = format!("contacts/CT0000000000000001/{list}");
        let reply = client.call("GET", &nobody, None).await;
        assert_eq!(reply.refused(404).0, "not_found");
    }
}

#[tokio::test]
async fn read_receipts_and_typing_indicators_are_for_whatsapp_alone() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "from_number": "+15005550101", "content": "in", "phone_id": test.phone.id });
    let incoming = client.post("messages/receive", body).await;
    let outgoing = client.send("x").await;
    for call in ["send_read_receipt", "send_typing_indicator"] {
        for message in [&incoming, &outgoing] {
            let path = format!("messages/{}/{call}", id(message));
            let (code, param) = client.call("POST", &path, None).await.refused(400);
            let param = param.as_deref();
            assert_eq!(
                (code.as_str(), param),
                ("invalid_param", Some("message_id")),
                "{call}"
            );
        }
        let path = format!("messages/SM0000000000000001/{call}");
        let reply = client.call("POST", &path, None).await;
        assert_eq!(reply.refused(404).0, "not_found");
    }
}
