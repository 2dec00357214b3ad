//! Lists: filters, order, pages, counts.

use crate::support::{TO, add_key, add_project, hub, id, new_project};
use hub_domain::Permissions;
use serde_json::{Value, json};

#[tokio::test]
async fn each_filter_selects() {
    let test = hub().await;
    let client = test.client();
    let out = client.send("out").await;
    let body =
        json!({ "from_number": TO, "content": "in", "phone_id": test.phone.id, "starred": true });
    let incoming = client.post("messages/receive", body).await;
    let (out_id, in_id) = (id(&out), id(&incoming));
    let contact = out["contact_id"].as_str().unwrap();
    let created = out["time_created"].as_i64().unwrap();
    for (filter, expected) in [
        (String::new(), vec![&out_id, &in_id]),
        ("sort_dir=desc".into(), vec![&in_id, &out_id]),
        ("direction=incoming".into(), vec![&in_id]),
        ("direction=outgoing".into(), vec![&out_id]),
        ("status=queued".into(), vec![&out_id]),
        ("status=delivered".into(), vec![]),
        ("message_type=sms".into(), vec![&out_id, &in_id]),
        ("source=api".into(), vec![&out_id, &in_id]),
        ("source=mcp".into(), vec![]),
        ("status=Queued&direction=OUTGOING".into(), vec![&out_id]),
        (
            format!("contact_id={}", contact.to_ascii_lowercase()),
            vec![&out_id, &in_id],
        ),
        ("starred=true".into(), vec![&in_id]),
        ("starred=0".into(), vec![&out_id]),
        (format!("contact_id={contact}"), vec![&out_id, &in_id]),
        (format!("contact_id[ne]={contact}"), vec![]),
        ("contact_id[exists]=0".into(), vec![]),
        (
            format!("phone_id={}&direction=outgoing", test.phone.id),
            vec![&out_id],
        ),
        ("phone_id=PN0000000000000001".into(), vec![]),
        ("external_id[exists]=1".into(), vec![]),
        ("external_id[ne]=x".into(), vec![&out_id, &in_id]),
        ("label_id=LB1".into(), vec![]),
        ("group_id=GR1".into(), vec![]),
        ("broadcast_id[exists]=0".into(), vec![&out_id, &in_id]),
        ("scheduled_id=SC1".into(), vec![]),
        (
            format!("time_created[min]={created}"),
            vec![&out_id, &in_id],
        ),
        (format!("time_created[min]={}", created + 3_600), vec![]),
        (format!("time_created[max]={created}"), vec![]),
    ] {
        let found = client.ids(&format!("messages?{filter}")).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter}");
        let count = client.get(&format!("messages?count=1&{filter}")).await;
        assert_eq!(count, json!({ "count": expected.len() }), "{filter}");
    }
    for (filter, param) in [
        ("direction=up", "direction"),
        ("status[prefix]=s", "status[prefix]"),
        ("contact_id[prefix]=CT", "contact_id[prefix]"),
        ("time_created[gte]=1", "time_created[gte]"),
        ("time_created[min]=yesterday", "time_created[min]"),
        ("marker=no-such-marker", "marker"),
        ("sort=content", "sort"),
        ("page_size=501", "page_size"),
    ] {
        client
            .call("GET", &format!("messages?{filter}"), None)
            .await
            .invalid(param);
    }
}

#[tokio::test]
async fn pages_follow_their_markers() {
    let test = hub().await;
    let client = test.client();
    let mut sent = Vec::new();
    for index in 0..5 {
        sent.push(id(&client.send(&index.to_string()).await));
    }
    let first = client.get("messages?page_size=2").await;
    assert_eq!(first["truncated"], true);
    let (mut seen, mut marker) = (Vec::new(), String::new());
    loop {
        let page = client
            .get(&format!("messages?page_size=2&offset=0&marker={marker}"))
            .await;
        seen.extend(page["data"].as_array().unwrap().iter().map(id));
        assert_eq!(page["truncated"], page["next_marker"].is_string());
        match page["next_marker"].as_str() {
            Some(next) => marker = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, sent);
    let exact = client.get("messages?page_size=5").await;
    assert_eq!(
        exact["truncated"], true,
        "a full page, though nothing follows"
    );
    let marker = exact["next_marker"].as_str().unwrap();
    let beyond = client
        .get(&format!("messages?page_size=5&marker={marker}"))
        .await;
    assert_eq!(beyond["data"], json!([]));
    assert_eq!(
        (&beyond["truncated"], &beyond["next_marker"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(client.ids("messages?offset=3&page_size=9").await, sent[3..]);
    let path = format!(
        "messages?offset=3&page_size=9&marker={}",
        first["next_marker"].as_str().unwrap()
    );
    assert_eq!(client.ids(&path).await, sent[2..]);
    let of_phone = format!(
        "phones/{}/messages?page_size=1&fields=status",
        test.phone.id
    );
    let page = client.get(&of_phone).await;
    assert_eq!(
        page["data"][0],
        json!({ "id": sent[0], "status": "queued" })
    );
}

#[tokio::test]
async fn projects_are_those_that_the_key_reaches() {
    let test = hub().await;
    let organization = test.project.organization_id;
    let second = new_project(&test.hub, organization, "Second");
    add_project(&test.hub, &second).await;
    let bound = test.client();
    let wide = add_key(&test.hub, organization, None, &Permissions::all()).await;
    let wide = test.client_of(&wide, test.project.id);
    let (one, two) = (test.project.id.to_string(), second.id.to_string());
    assert_eq!(bound.ids("/projects").await, [one.as_str()]);
    assert_eq!(wide.ids("/projects").await, [one.clone(), two.clone()]);
    assert_eq!(
        wide.ids("/projects?sort=name&sort_dir=desc").await,
        [two.clone(), one.clone()]
    );
    assert_eq!(wide.ids("/projects?name=SECOND").await, [two.as_str()]);
    assert_eq!(wide.ids("/projects?name[prefix]=fi").await, [one.as_str()]);
    assert_eq!(
        wide.ids(&format!("/organizations/{organization}/projects"))
            .await
            .len(),
        2
    );
    let other = wide
        .call("GET", "/organizations/OR0000000000000001/projects", None)
        .await;
    assert_eq!(other.refused(404).0, "not_found");
    let shown = wide.get(&format!("/projects/{two}")).await;
    assert_eq!(shown["name"], "Second");
    assert_eq!(shown["organization_id"], organization.to_string());
    assert_eq!(shown["vars"], json!({}));
    assert_eq!(
        bound
            .call("GET", &format!("/projects/{two}"), None)
            .await
            .refused(404)
            .0,
        "not_found"
    );
    assert_eq!(shown["default_route_id"], Value::Null);
}

#[tokio::test]
async fn a_marker_goes_with_its_order_alone() {
    let test = hub().await;
    let client = test.client();
    for name in ["a", "b", "c"] {
        let body = json!({ "name": name, "lookup_key": "none" });
        client.post("contacts", body).await;
    }
    let orders = [
        "sort=name",
        "sort=name&sort_dir=desc",
        "sort_dir=desc",
        "sort_dir=asc",
    ];
    for order in orders {
        let page = client.get(&format!("contacts?page_size=1&{order}")).await;
        let marker = page["next_marker"].as_str().expect("a marker");
        for other in orders {
            let path = format!("contacts?page_size=1&{other}&marker={marker}");
            let reply = client.call("GET", &path, None).await;
            if other == order {
                assert_eq!(reply.ok()["data"].as_array().map(Vec::len), Some(1));
            } else {
                reply.invalid("marker");
            }
        }
    }
    let own = client.get("/organizations?page_size=1").await;
    let marker = own["next_marker"].as_str().expect("a marker");
    let path = format!("/organizations?page_size=1&sort_dir=desc&marker={marker}");
    client.call("GET", &path, None).await.invalid("marker");
}

#[tokio::test]
async fn a_marker_from_before_markers_told_their_direction_goes_on() {
    let test = hub().await;
    // base64url of `["id",null,5]`.
    let old = "marker=WyJpZCIsbnVsbCw1XQ";
    let client = test.client();
    client.send("x").await;
    assert_eq!(client.ids(&format!("messages?{old}")).await.len(), 1);
    let backwards = format!("messages?sort_dir=desc&{old}");
    client.call("GET", &backwards, None).await.invalid("marker");
}
