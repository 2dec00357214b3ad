//! Labels, labelled messages, and the messages of a group.

use crate::support::{TO, hub, id};
use serde_json::{Value, json};

#[tokio::test]
async fn a_label_is_made_changed_listed_and_removed() {
    let test = hub().await;
    let client = test.client();
    let label = client.post("labels", json!({ "name": "Urgent" })).await;
    let path = format!("labels/{}", id(&label));
    let other = id(&client.post("labels", json!({ "name": "Answered" })).await);
    let changed = client
        .post(&path, json!({ "name": "URGENT", "vars": { "x": 1 } }))
        .await;
    assert_eq!(
        (&changed["name"], &changed["vars"]),
        (&json!("URGENT"), &json!({ "x": 1 }))
    );
    assert_eq!(client.get(&path).await, changed);
    assert_eq!(
        client.ids("labels?sort=name").await,
        [other.clone(), id(&label)]
    );
    assert_eq!(client.ids("labels?name[prefix]=u").await, [id(&label)]);
    for (path, body, param) in [
        ("labels", json!({}), "name"),
        ("labels", json!({ "name": 5 }), "name"),
        (path.as_str(), json!({ "name": "" }), "name"),
        (path.as_str(), json!({ "time_created": 5 }), "time_created"),
    ] {
        client.call("POST", path, Some(body)).await.invalid(param);
    }
    client.call("DELETE", &path, None).await.ok();
    client.call("GET", &path, None).await.refused(404);
    assert_eq!(client.ids("labels").await, [other]);
}

#[tokio::test]
async fn messages_are_labelled_as_they_are_made_and_later() {
    let test = hub().await;
    let client = test.client();
    let red = id(&client.post("labels", json!({ "name": "Red" })).await);
    let blue = id(&client.post("labels", json!({ "name": "Blue" })).await);
    let body = json!({ "to_number": TO, "content": "a", "label_ids": [blue, red, red] });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["label_ids"], json!([red, blue]));
    assert_eq!(
        client.get(&format!("messages/{}", id(&sent))).await["label_ids"],
        json!([red, blue])
    );
    let body = json!({ "messages": [{ "to_number": TO, "content": "b" }], "label_ids": [blue] });
    let multi = id(&client.post("send_multi", body).await["messages"][0]);
    let body = json!({ "content": "in", "from_number": TO, "phone_id": test.phone.id,
        "label_ids": [red] });
    let came = client.post("messages/receive", body).await;
    assert_eq!(came["label_ids"], json!([red]));
    let bare = client.send("bare").await;

    let (sent, came, bare) = (id(&sent), id(&came), id(&bare));
    for (query, expected) in [
        (format!("labels/{blue}/messages"), vec![&sent, &multi]),
        (format!("messages?label_id={blue}"), vec![&sent, &multi]),
        (
            format!("messages?label_id={red}&direction=incoming"),
            vec![&came],
        ),
        (
            format!("labels/{red}/messages?sort_dir=desc&page_size=1"),
            vec![&came],
        ),
        ("messages?label_id=LB0000000000000001".to_owned(), vec![]),
    ] {
        assert_eq!(
            client.ids(&query).await.iter().collect::<Vec<_>>(),
            expected,
            "{query}"
        );
    }
    let on = format!("labels/{red}/messages/{bare}");
    assert_eq!(client.call("PUT", &on, None).await.ok(), json!({}));
    assert_eq!(
        client.get(&format!("messages/{bare}")).await["label_ids"],
        json!([red])
    );
    assert_eq!(client.call("DELETE", &on, None).await.ok(), json!({}));
    client
        .call("DELETE", &format!("labels/{blue}"), None)
        .await
        .ok();
    let left: Value = client.get(&format!("messages/{sent}")).await;
    assert_eq!(left["label_ids"], json!([red]));
    client
        .call("DELETE", &format!("messages/{sent}"), None)
        .await
        .ok();
    assert_eq!(client.ids(&format!("labels/{red}/messages")).await, [came]);

    for body in [
        json!({ "to_number": TO, "content": "a", "label_ids": ["LB0000000000000001"] }),
        json!({ "to_number": TO, "content": "a", "label_ids": ["x"] }),
    ] {
        client
            .call("POST", "messages/send", Some(body))
            .await
            .invalid("label_ids[0]");
    }
    let many =
        json!({ "to_number": TO, "content": "a", "label_ids": [red, red, red, red, red, red] });
    client
        .call("POST", "messages/send", Some(many))
        .await
        .invalid("label_ids");
    let none = format!("labels/{red}/messages/SM0000000000000001");
    client.call("PUT", &none, None).await.refused(404);
}

#[tokio::test]
async fn the_messages_of_a_group_are_those_of_its_contacts() {
    let test = hub().await;
    let client = test.client();
    let group = id(&client.post("groups", json!({ "name": "Guests" })).await);
    let mut of_group = Vec::new();
    for index in 0..6 {
        let number = format!("+1500555030{}", index % 3);
        let body = json!({ "to_number": number, "content": index.to_string() });
        let sent = client.post("messages/send", body).await;
        if index % 3 != 1 {
            let contact = sent["contact_id"].as_str().unwrap();
            client
                .call("PUT", &format!("groups/{group}/contacts/{contact}"), None)
                .await
                .ok();
            of_group.push(id(&sent));
        }
    }
    assert_eq!(
        client.ids(&format!("messages?group_id={group}")).await,
        of_group
    );
    of_group.reverse();
    let mut paged = Vec::new();
    let mut path = format!("messages?group_id={group}&sort_dir=desc&page_size=3");
    loop {
        let page = client.get(&path).await;
        paged.extend(page["data"].as_array().unwrap().iter().map(id));
        match page["next_marker"].as_str() {
            Some(marker) => {
                path =
                    format!("messages?group_id={group}&sort_dir=desc&page_size=3&marker={marker}")
            }
            None => break,
        }
    }
    assert_eq!(paged, of_group);
}
