//! Contacts: create, find, update, list, import.

use crate::support::{TO, TestHub, hub, hub_with, id};
use serde_json::{Value, json};

/// Stores contacts named a to e with ages, of which two live in Oslo and one is blocked.
async fn people(test: &TestHub) -> Vec<Value> {
    let client = test.client();
    let mut made = Vec::new();
    for (index, name) in ["Ann", "bea", "Cid", "dan", "Eve"].into_iter().enumerate() {
        let city = if index < 2 { "Oslo" } else { "Bergen" };
        let body = json!({
            "name": name,
            "phone_number": format!("+1500555020{index}"),
            "send_blocked": index == 3,
            "vars": { "city": city, "age": 18 + index, "member": index % 2 == 0 },
        });
        made.push(client.post("contacts", body).await);
    }
    made
}

#[tokio::test]
async fn a_contact_has_all_its_fields() {
    let test = hub().await;
    let body = json!({
        "name": "Ann", "phone_number": "(500) 555-0101", "vars": { "city": "Oslo" },
        "default_route_id": test.phone.id, "send_blocked": false,
    });
    let contact = test.client().post("contacts", body).await;
    assert_eq!(contact["phone_number"], TO);
    let names: Vec<&str> = contact
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    for name in [
        "id",
        "name",
        "phone_number",
        "time_created",
        "time_updated",
        "send_blocked",
        "conversation_status",
        "last_message_time",
        "last_incoming_message_time",
        "last_outgoing_message_time",
        "message_count",
        "incoming_message_count",
        "outgoing_message_count",
        "last_message_id",
        "default_route_id",
        "group_ids",
        "vars",
        "project_id",
        "url",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    assert_eq!(contact["conversation_status"], "closed");
    assert_eq!(contact["group_ids"], json!([]));
    let path = format!("contacts/{}", id(&contact));
    assert_eq!(test.client().get(&path).await, contact);
    let few = test.client().get(&format!("{path}?fields=name")).await;
    assert_eq!(few, json!({ "id": contact["id"], "name": "Ann" }));
}

#[tokio::test]
async fn what_cannot_be_a_contact_is_refused_by_name() {
    let test = hub().await;
    let client = test.client();
    for (body, param) in [
        (json!({}), "phone_number"),
        (
            json!({ "name": "a", "add_group_ids": ["CG0000000000000009"] }),
            "add_group_ids[0]",
        ),
        (json!({ "name": "a", "message_count": 5 }), "message_count"),
    ] {
        let reply = client.call("POST", "contacts", Some(body.clone())).await;
        assert_eq!(reply.status, 400, "{body} {}", reply.json);
        reply.invalid(param);
    }
    let many: Vec<String> = (0..21).map(|n| format!("CG{n:016x}")).collect();
    let body = json!({ "name": "a", "add_group_ids": many });
    client
        .call("POST", "contacts", Some(body))
        .await
        .invalid("add_group_ids");
    assert_eq!(client.get("contacts?count=1").await, json!({ "count": 0 }));
}

#[tokio::test]
async fn a_contact_is_updated_and_deleted() {
    let test = hub().await;
    let client = test.client();
    let made = people(&test).await;
    let path = format!("contacts/{}", id(&made[0]));
    let body = json!({
        "name": null, "phone_number": "+15005550299", "send_blocked": true,
        "conversation_status": "handled", "vars": { "city": null, "shoe": 41 },
    });
    let changed = client.post(&path, body).await;
    assert_eq!(changed["name"], Value::Null);
    assert_eq!(changed["phone_number"], "+15005550299");
    assert_eq!(changed["conversation_status"], "handled");
    assert_eq!(
        changed["vars"],
        json!({ "age": 18, "member": true, "shoe": 41 })
    );
    assert_eq!(client.ids("contacts?vars[city]=oslo").await, [id(&made[1])]);
    assert_eq!(client.ids("contacts?vars[shoe]=41").await, [id(&made[0])]);
    let refused = client
        .call("POST", &path, Some(json!({ "id": "CT1" })))
        .await;
    refused.invalid("id");

    assert_eq!(client.call("DELETE", &path, None).await.ok(), json!({}));
    for method in ["GET", "POST", "DELETE"] {
        client.call(method, &path, None).await.refused(404);
    }
    assert_eq!(
        client.ids("contacts?vars[shoe]=41").await,
        Vec::<String>::new()
    );
    assert_eq!(client.get("contacts?count=1").await, json!({ "count": 4 }));
}

#[tokio::test]
async fn contacts_are_listed_by_every_filter_and_sort() {
    let test = hub().await;
    let client = test.client();
    let made: Vec<String> = people(&test).await.iter().map(id).collect();
    let body = json!({ "to_number": "+15005550204", "content": "hello" });
    let sent = client.post("messages/send", body).await;
    let now = sent["time_created"].as_i64().unwrap();
    let all: &[usize] = &[0, 1, 2, 3, 4];
    for (filter, expected) in [
        ("", all),
        ("name=ann", &[0]),
        ("name[eq]=ANN", &[0]),
        ("name[ne]=ann", &[1, 2, 3, 4]),
        ("name[prefix]=A", &[0]),
        ("name[not_prefix]=a", &[1, 2, 3, 4]),
        ("name[gte]=cid", &[2, 3, 4]),
        ("name[gt]=cid", &[3, 4]),
        ("name[lt]=cid", &[0, 1]),
        ("name[lte]=cid", &[0, 1, 2]),
        ("phone_number=%2B15005550201", &[1]),
        ("phone_number=(500)%20555-0201", &[1]),
        ("phone_number[ne]=%2B15005550201", &[0, 2, 3, 4]),
        ("phone_number[prefix]=%2B1500555020", all),
        ("phone_number[gte]=%2B15005550203", &[3, 4]),
        ("phone_number[exists]=1", all),
        ("phone_number[exists]=0", &[]),
        ("send_blocked=1", &[3]),
        ("send_blocked=false", &[0, 1, 2, 4]),
        ("last_message_time[exists]=1", &[4]),
        ("last_message_time[exists]=0", &[0, 1, 2, 3]),
        ("last_outgoing_message_time[min]=1", &[4]),
        ("last_incoming_message_time[max]=99999999999", &[]),
        ("outgoing_message_count=1", &[4]),
        ("outgoing_message_count[ne]=1", &[0, 1, 2, 3]),
        ("outgoing_message_count[min]=1", &[4]),
        ("outgoing_message_count[max]=1", &[0, 1, 2, 3]),
        ("incoming_message_count=0", all),
        ("vars[city]=OSLO", &[0, 1]),
        ("vars[city][ne]=oslo", &[2, 3, 4]),
        ("vars[city][prefix]=b", &[2, 3, 4]),
        ("vars[city][not_prefix]=b", &[0, 1]),
        ("vars[age]=19", &[1]),
        ("vars[age][min]=20", &[2, 3, 4]),
        ("vars[age][max]=20", &[0, 1]),
        ("vars[age][min]=18.5&vars[age][max]=20.5", &[1, 2]),
        ("vars[age][gte]=21", &[3, 4]),
        ("vars[age][lt]=19", &[0]),
        ("vars[member]=1", &[0, 2, 4]),
        ("vars[member]=true", &[0, 2, 4]),
        ("vars[member]=0", &[1, 3]),
        ("vars[shoe]=1", &[]),
        ("vars[shoe][ne]=1", all),
        ("vars[shoe][exists]=0", all),
        ("vars[shoe][exists]=1", &[]),
        ("vars[city][exists]=1", all),
        ("group_id=CG0000000000000001", &[]),
        ("sort=name&sort_dir=desc", &[4, 3, 2, 1, 0]),
        (
            "sort=phone_number&name[gte]=bea&vars[city]=bergen",
            &[2, 3, 4],
        ),
        ("sort=last_message_time&sort_dir=desc&page_size=1", &[4]),
    ] {
        let found = client.ids(&format!("contacts?{filter}")).await;
        let expected: Vec<String> = expected.iter().map(|at| made[*at].clone()).collect();
        assert_eq!(found, expected, "{filter}");
        if !filter.contains("page_size") {
            let count = client.get(&format!("contacts?count=1&{filter}")).await;
            assert_eq!(count, json!({ "count": expected.len() }), "{filter}");
        }
    }
    let since = format!(
        "contacts?last_message_time[min]={now}&last_message_time[max]={}",
        now + 1
    );
    assert_eq!(client.ids(&since).await, [made[4].clone()]);
    for (filter, param) in [
        ("name[exists]=1", "name[exists]"),
        ("send_blocked=maybe", "send_blocked"),
        ("group_id[ne]=CG1", "group_id[ne]"),
        ("incoming_message_count=many", "incoming_message_count"),
        (
            "incoming_message_count[gte]=1",
            "incoming_message_count[gte]",
        ),
        ("time_created[exists]=1", "time_created[exists]"),
        ("vars=5", "vars"),
        ("vars[age][min]=old", "vars"),
        ("vars[age][between]=1", "vars[age][between]"),
        ("sort=age", "sort"),
    ] {
        let reply = client
            .call("GET", &format!("contacts?{filter}"), None)
            .await;
        assert_eq!(reply.status, 400, "{filter}");
        let (_, named) = reply.refused(400);
        assert!(
            named.is_some_and(|named| named.starts_with(param)),
            "{filter}"
        );
    }
}

#[tokio::test]
async fn an_import_answers_in_its_order() {
    let test = hub().await;
    let client = test.client();
    let old = client
        .post("contacts", json!({ "name": "Old", "phone_number": TO }))
        .await;
    let group = id(&client.post("groups", json!({ "name": "Guests" })).await);
    let mut items: Vec<Value> = (0..200)
        .map(|n| json!({ "phone_number": format!("+1500555{n:04}"), "vars": { "n": n } }))
        .collect();
    items[7] = json!({ "name": "Only a name" });
    let body = json!({ "contacts": items, "add_group_ids": [group] });
    let answer = client.post("import_contacts", body.clone()).await;
    let ids: Vec<String> = answer["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(id)
        .collect();
    assert_eq!(ids.len(), 200);
    assert_eq!(ids[101], id(&old));
    let hundred = client.get(&format!("contacts/{}", ids[100])).await;
    assert_eq!(hundred["vars"], json!({ "n": 100 }));
    assert_eq!(hundred["group_ids"], json!([group]));
    let again = client.post("import_contacts", body).await;
    let again: Vec<String> = again["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(id)
        .collect();
    assert_eq!(again[..7], ids[..7]);
    assert_ne!(again[7], ids[7], "without a number nobody is looked up");
    let shown = client.get(&format!("groups/{group}")).await;
    assert_eq!(shown["num_members"], 201);
}

#[tokio::test]
async fn an_import_is_taken_whole_or_not_at_all() {
    let test = hub().await;
    let client = test.client();
    let many: Vec<Value> = (0..201).map(|n| json!({ "name": n.to_string() })).collect();
    let full: serde_json::Map<String, Value> =
        (0..100).map(|n| (format!("v{n}"), json!(1))).collect();
    for (body, param) in [
        (json!({}), "contacts"),
        (json!({ "contacts": many }), "contacts"),
        (json!({ "contacts": ["x"] }), "contacts[0]"),
        (
            json!({ "contacts": [{ "phone_number": "?" }] }),
            "contacts[0][phone_number]",
        ),
        (
            json!({ "contacts": [{ "name": "a", "vars": { "x": {} } }] }),
            "contacts[0][vars][x]",
        ),
        (
            json!({ "contacts": [], "add_group_ids": ["x"] }),
            "add_group_ids[0]",
        ),
        (
            json!({ "contacts": [], "add_group_ids": ["a", "b", "c", "d", "e", "f"] }),
            "add_group_ids",
        ),
        (
            json!({ "contacts": [
                { "phone_number": TO, "vars": full },
                { "phone_number": TO, "vars": { "one_more": 1 } },
            ] }),
            "contacts[1][vars]",
        ),
    ] {
        let reply = client
            .call("POST", "import_contacts", Some(body.clone()))
            .await;
        assert_eq!(reply.status, 400, "{param}: {}", reply.json);
        reply.invalid(param);
    }
    assert_eq!(client.get("contacts?count=1").await, json!({ "count": 0 }));
    let none = client
        .post("import_contacts", json!({ "contacts": [] }))
        .await;
    assert_eq!(none, json!({ "contacts": [] }));
}

#[tokio::test]
async fn without_automatic_contacts_those_that_exist_are_still_found() {
    let test = hub_with(|project| project.auto_create_contacts = false).await;
    let client = test.client();
    let known = client.post("contacts", json!({ "phone_number": TO })).await;
    let receive =
        |from: &str| json!({ "content": "hi", "from_number": from, "phone_id": test.phone.id });
    let message = client.post("messages/receive", receive(TO)).await;
    assert_eq!(message["contact_id"], known["id"]);
    let message = client
        .post("messages/receive", receive("+15005550222"))
        .await;
    assert_eq!(message["contact_id"], Value::Null);
    let known = client.get(&format!("contacts/{}", id(&known))).await;
    assert_eq!(known["conversation_status"], "active");
    assert_eq!(known["incoming_message_count"], 1);
}

#[tokio::test]
async fn senders_with_names_are_found_whatever_their_case() {
    let test = hub().await;
    let client = test.client();
    let mut senders = Vec::new();
    for from in ["GOOGLE", "Google", "Bank7", TO] {
        let received = json!({ "content": "hi", "from_number": from, "phone_id": test.phone.id });
        let received = client.post("messages/receive", received).await;
        senders.push(received["contact_id"].as_str().unwrap().to_owned());
    }
    let [first, second, bank, number] = &*senders else {
        panic!("each has a contact of its own: {senders:?}")
    };
    for (filter, found) in [
        ("phone_number=google", vec![first, second]),
        ("phone_number=GooglE", vec![first, second]),
        ("phone_number[eq]=BANK7", vec![bank]),
        ("phone_number[ne]=google", vec![bank, number]),
        ("phone_number[prefix]=goo", vec![first, second]),
        ("phone_number[prefix]=B", vec![bank]),
        ("phone_number[not_prefix]=GO", vec![bank, number]),
        ("phone_number[gte]=c", vec![first, second]),
        ("phone_number[lt]=C", vec![bank, number]),
        ("phone_number=%2B15005550101", vec![number]),
        ("phone_number=500-555-0101", vec![number]),
        ("phone_number=oogle", vec![]),
    ] {
        let ids = client.ids(&format!("contacts?{filter}")).await;
        assert_eq!(ids.iter().collect::<Vec<_>>(), found, "{filter}");
    }
}

#[tokio::test]
async fn a_message_without_its_contact_is_not_sent_again_to_a_number_that_is_blocked_now() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("once").await;
    let contact = format!("contacts/{}", sent["contact_id"].as_str().unwrap());
    client.call("DELETE", &contact, None).await.ok();
    let resend = format!("messages/{}/resend", id(&sent));
    let blocked = json!({ "phone_number": TO, "send_blocked": true });
    client.post("contacts", blocked).await;
    let (code, _) = client.call("POST", &resend, None).await.refused(400);
    assert_eq!(code, "invalid_param");
}

#[tokio::test]
async fn of_several_contacts_with_a_number_a_blocked_one_counts_for_sending() {
    let test = hub().await;
    let client = test.client();
    let open = client.post("contacts", json!({ "phone_number": TO })).await;
    let more = json!({ "phone_number": TO, "lookup_key": "none", "send_blocked": true });
    client.post("contacts", more).await;
    let message = json!({ "to_number": TO, "content": "x" });
    let refused = client.call("POST", "messages/send", Some(message)).await;
    refused.refused(400);
    let found = client.post("contacts", json!({ "phone_number": TO })).await;
    assert_eq!(found["id"], open["id"]);
}

#[tokio::test]
async fn a_contact_without_messages_has_no_last_ones() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("once").await;
    let contact = format!("contacts/{}", sent["contact_id"].as_str().unwrap());
    let message = format!("messages/{}", id(&sent));
    client.call("DELETE", &message, None).await.ok();
    let contact = client.get(&contact).await;
    assert_eq!(contact["message_count"], 0);
    for name in [
        "last_message_id",
        "last_message_time",
        "last_incoming_message_time",
        "last_outgoing_message_time",
    ] {
        assert_eq!(contact[name], Value::Null, "{name}");
    }
}

#[tokio::test]
async fn nothing_is_sent_again_to_a_blocked_contact() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("once").await;
    let contact = format!("contacts/{}", sent["contact_id"].as_str().unwrap());
    client.post(&contact, json!({ "send_blocked": true })).await;
    let resend = format!("messages/{}/resend", id(&sent));
    let (code, _) = client.call("POST", &resend, None).await.refused(400);
    assert_eq!(code, "invalid_param");
    client
        .post(&contact, json!({ "send_blocked": false }))
        .await;
    client.call("POST", &resend, None).await.ok();
}
