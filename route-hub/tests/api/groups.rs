//! Groups: create, members, list, dynamic groups.

use crate::support::{TestHub, hub, id};
use serde_json::{Value, json};

async fn contact(test: &TestHub, index: usize) -> String {
    let body = json!({
        "name": format!("Contact {index}"),
        "phone_number": format!("+1500555{index:04}"),
        "vars": { "city": if index.is_multiple_of(2) { "Oslo" } else { "Bergen" }, "age": index },
    });
    id(&test.client().post("contacts", body).await)
}

#[tokio::test]
async fn a_group_is_made_once_by_its_name_and_filled() {
    let test = hub().await;
    let client = test.client();
    let group = client.post("groups", json!({ "name": "Guests" })).await;
    assert_eq!(group["dynamic"], false);
    assert_eq!(group["filters"], Value::Null);
    assert_eq!(group["num_members"], 0);
    assert_eq!(group["allow_sending"], true);
    let again = client.post("groups", json!({ "name": "gUESTS" })).await;
    assert_eq!(again["id"], group["id"]);

    let (a, b) = (contact(&test, 1).await, contact(&test, 2).await);
    let path = format!("groups/{}", id(&group));
    for _ in 0..2 {
        for contact in [&a, &b] {
            let joined = client
                .call("PUT", &format!("{path}/contacts/{contact}"), None)
                .await;
            assert_eq!(joined.ok(), json!({}));
        }
    }
    assert_eq!(client.get(&path).await["num_members"], 2);
    let within = format!("{path}/contacts");
    assert_eq!(client.ids(&within).await, [a.clone(), b.clone()]);
    for (query, found) in [
        ("sort_dir=desc&page_size=1", &b),
        ("name[prefix]=contact%201", &a),
        ("vars[city]=oslo&sort=name", &b),
    ] {
        assert_eq!(
            client.ids(&format!("{within}?{query}")).await,
            std::slice::from_ref(found)
        );
    }
    assert_eq!(
        client
            .ids(&format!("contacts?group_id={}", id(&group)))
            .await
            .len(),
        2
    );
    assert_eq!(
        client.get(&format!("{within}?count=1")).await,
        json!({ "count": 2 })
    );
    let shown = client.get(&format!("contacts/{a}")).await;
    assert_eq!(shown["group_ids"], json!([group["id"]]));
    assert_eq!(
        client.ids(&format!("contacts/{a}/groups")).await,
        [id(&group)]
    );

    let left = client.call("DELETE", &format!("{within}/{a}"), None).await;
    assert_eq!(left.ok(), json!({}));
    client
        .call("DELETE", &format!("{within}/{a}"), None)
        .await
        .ok();
    assert_eq!(client.get(&path).await["num_members"], 1);
    client
        .call("DELETE", &format!("contacts/{b}"), None)
        .await
        .ok();
    assert_eq!(client.get(&path).await["num_members"], 0);
    client.call("DELETE", &path, None).await.ok();
    client.call("GET", &path, None).await.refused(404);
    assert_eq!(client.ids("contacts").await, [a]);
}

#[tokio::test]
async fn groups_are_listed_changed_and_refused() {
    let test = hub().await;
    let client = test.client();
    let b = id(&client.post("groups", json!({ "name": "Beta" })).await);
    let filters = json!({ "vars.city": "Oslo" });
    let body = json!({ "name": "alpha", "filters": filters });
    let a = client.post("create_group", body).await;
    assert_eq!((&a["dynamic"], &a["filters"]), (&json!(true), &filters));
    assert_eq!(a["num_members"], Value::Null);
    let a = id(&a);
    for (query, expected) in [
        ("", vec![&b, &a]),
        ("sort=name", vec![&a, &b]),
        ("dynamic=1", vec![&a]),
        ("dynamic=0", vec![&b]),
        ("name=ALPHA", vec![&a]),
        ("name[prefix]=b", vec![&b]),
    ] {
        let found = client.ids(&format!("groups?{query}")).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{query}");
    }
    let path = format!("groups/{b}");
    let changed = client
        .post(&path, json!({ "name": "BETA", "allow_sending": false }))
        .await;
    assert_eq!(
        (&changed["name"], &changed["allow_sending"]),
        (&json!("BETA"), &json!(false))
    );
    for (path, body, param) in [
        ("groups", json!({}), "name"),
        (
            "create_group",
            json!({ "name": "c", "filters": { "shoe": 1 } }),
            "filters[shoe]",
        ),
        (&path, json!({ "dynamic": true }), "dynamic"),
    ] {
        let reply = client.call("POST", path, Some(body.clone())).await;
        assert_eq!(reply.status, 400, "{body}");
        reply.invalid(param);
    }
    let ann = contact(&test, 1).await;
    let join = format!("groups/{a}/contacts/{ann}");
    client.call("PUT", &join, None).await.invalid("group_id");
    client
        .call(
            "PUT",
            &format!("groups/{b}/contacts/CT0000000000000001"),
            None,
        )
        .await
        .refused(404);
}

#[tokio::test]
async fn a_dynamic_group_always_has_whom_its_filters_let_through() {
    let test = hub().await;
    let client = test.client();
    let mut all = Vec::new();
    for index in 0..6 {
        all.push(contact(&test, index).await);
    }
    let friends = id(&client.post("groups", json!({ "name": "Friends" })).await);
    for at in [1, 4] {
        let path = format!("groups/{friends}/contacts/{}", all[at]);
        client.call("PUT", &path, None).await.ok();
    }
    for (number, (filters, expected)) in [
        (json!({ "vars.city": "oslo" }), vec![0, 2, 4]),
        (
            json!({ "vars": { "age": { "gte": 2, "lt": 5 } } }),
            vec![2, 3, 4],
        ),
        (json!({ "vars.age": { "gt": 4 } }), vec![5]),
        (
            json!({ "vars.age": { "ne": 3 }, "vars.city": "bergen" }),
            vec![1, 5],
        ),
        (
            json!({ "vars.shoe": { "not_exists": true } }),
            vec![0, 1, 2, 3, 4, 5],
        ),
        (json!({ "vars.shoe": { "exists": 1 } }), vec![]),
        (json!({ "id": all[2] }), vec![2]),
        (json!({ "name": { "prefix": "CONTACT 3" } }), vec![3]),
        (json!({ "phone_number": "+15005550001" }), vec![1]),
        (
            json!({ "time_created": { "gte": 1 }, "time_updated": { "lt": 4_000_000_000_i64 } }),
            vec![0, 1, 2, 3, 4, 5],
        ),
        (
            json!({ "incoming_message_count": 0, "outgoing_message_count": { "lte": 0 } }),
            vec![0, 1, 2, 3, 4, 5],
        ),
        (
            json!({ "last_incoming_message_time": { "exists": true } }),
            vec![],
        ),
        (
            json!({ "last_outgoing_message_time": { "not_exists": true }, "q": "contact 0005" }),
            vec![5],
        ),
        (
            json!({ "conversation_status": "closed", "send_blocked": false, "group": friends }),
            vec![1, 4],
        ),
        (
            json!({ "not_group": friends, "vars.city": "Oslo" }),
            vec![0, 2],
        ),
        (json!({ "q": "berg 0003" }), vec![3]),
        (json!({ "q": "100%_" }), vec![]),
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({ "name": format!("Dynamic {number}"), "filters": filters });
        let group = id(&client.post("create_group", body).await);
        let expected: Vec<String> = expected.iter().map(|at: &usize| all[*at].clone()).collect();
        let found = client.ids(&format!("groups/{group}/contacts")).await;
        assert_eq!(found, expected, "{filters}");
        assert_eq!(
            client.ids(&format!("contacts?group_id={group}")).await,
            expected
        );
        for member in &all {
            let groups = client
                .ids(&format!("contacts/{member}/groups?dynamic=1"))
                .await;
            assert_eq!(
                groups.contains(&group),
                expected.contains(member),
                "{filters}"
            );
        }
    }
    let body = json!({ "name": "Now", "filters": { "vars.city": "Rome" } });
    let now = id(&client.post("create_group", body).await);
    let within = format!("groups/{now}/contacts");
    assert_eq!(client.ids(&within).await, Vec::<String>::new());
    client
        .post(
            &format!("contacts/{}", all[3]),
            json!({ "vars": { "city": "Rome" } }),
        )
        .await;
    assert_eq!(client.ids(&within).await, [all[3].clone()]);
    client
        .post(
            &format!("groups/{now}"),
            json!({ "filters": { "vars.city": "Oslo" } }),
        )
        .await;
    assert_eq!(
        client.ids(&format!("{within}?page_size=2")).await,
        [all[0].clone(), all[2].clone()]
    );
}
