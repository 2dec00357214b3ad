//! Keys, and ids of other projects, which are never revealed.

use crate::support::{TO, add_key, add_organization, add_phone, add_project, hub, id, new_project};
use hub_domain::{Permissions, PhoneType};
use hub_store::api_keys;
use serde_json::json;
use std::time::Duration;

/// Every operation on one object, with its id to be put in.
const ON_MESSAGES: &[(&str, &str)] = &[
    ("GET", ""),
    ("POST", ""),
    ("DELETE", ""),
    ("POST", "/cancel"),
    ("POST", "/resend"),
    ("GET", "/mms_parts"),
];

#[tokio::test]
async fn the_ids_of_others_are_like_ids_of_nothing() {
    let test = hub().await;
    let ours = test.client();
    let organization = add_organization(&test.hub).await;
    let theirs = new_project(&test.hub, organization, "Theirs");
    add_project(&test.hub, &theirs).await;
    let phone = add_phone(&test.hub, theirs.id, PhoneType::Android, "+15005550180").await;
    let key = add_key(&test.hub, organization, None, &Permissions::all()).await;
    let them = test.client_of(&key, theirs.id);
    let sent = them.send("secret").await;
    let hook = them
        .post("webhooks", json!({ "url": "https://a.example/" }))
        .await;

    let mut swaps: Vec<(String, String)> = ON_MESSAGES
        .iter()
        .map(|(method, rest)| {
            (
                (*method).to_owned(),
                format!("messages/{}{rest}", id(&sent)),
            )
        })
        .collect();
    let contact = sent["contact_id"].as_str().unwrap();
    for (method, path) in [
        ("GET", format!("phones/{}", phone.id)),
        ("POST", format!("phones/{}", phone.id)),
        ("GET", format!("phones/{}/messages", phone.id)),
        (
            "POST",
            format!("phones/{}/reset_sent_message_count", phone.id),
        ),
        ("POST", format!("phones/{}/release_quiet_hours", phone.id)),
        ("GET", format!("contacts/{contact}")),
        ("GET", format!("contacts/{contact}/messages")),
        ("GET", format!("webhooks/{}", id(&hook))),
        ("POST", format!("webhooks/{}", id(&hook))),
        ("DELETE", format!("webhooks/{}", id(&hook))),
    ] {
        swaps.push((method.to_owned(), path));
    }
    for (method, path) in &swaps {
        assert_eq!(
            ours.call(method, path, None).await.refused(404).0,
            "not_found",
            "{path}"
        );
        let in_their_project = format!("/projects/{}/{path}", theirs.id);
        let reply = ours.call(method, &in_their_project, None).await;
        assert_eq!(reply.refused(404).0, "not_found", "{in_their_project}");
    }
    for body in [
        json!({ "to_number": TO, "content": "x", "route_id": phone.id }),
        json!({ "contact_id": contact, "content": "x" }),
    ] {
        assert_eq!(
            ours.call("POST", "messages/send", Some(body))
                .await
                .refused(400)
                .0,
            "invalid_param"
        );
    }
    assert_eq!(
        ours.get(&format!("messages?contact_id={contact}")).await["data"],
        json!([])
    );
    assert_eq!(
        them.get(&format!("messages/{}", id(&sent))).await["content"],
        "secret"
    );
    assert_eq!(them.get("webhooks?count=1").await["count"], 1);
}

#[tokio::test]
async fn keys_that_are_none_are_refused() {
    let test = hub().await;
    for key in ["", "prk_nobody", "prk_0000000000000001_x_y"] {
        let reply = test
            .client_of(key, test.project.id)
            .call("GET", "messages", None)
            .await;
        assert_eq!(reply.refused(401).0, "unauthorized");
    }
    let mut wrong = test.key.clone();
    wrong.replace_range(25..26, if &wrong[25..26] == "A" { "B" } else { "A" });
    let reply = test
        .client_of(&wrong, test.project.id)
        .call("GET", "messages", None)
        .await;
    assert_eq!(reply.refused(401).0, "unauthorized");
}

#[tokio::test]
async fn the_time_of_a_keys_last_use_is_kept() {
    let test = hub().await;
    let organization = test.project.organization_id;
    let last_used = async || {
        let keys = test
            .hub
            .store
            .read(move |tx| api_keys::of_organization(tx, organization));
        keys.await.expect("the keys")[0].time_last_used
    };
    assert_eq!(last_used().await, None);
    test.client().get("messages").await;
    // Nobody waits for it.
    let kept = async {
        while last_used().await.is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), kept)
        .await
        .expect("the time of the use");
}

#[tokio::test]
async fn a_marker_of_another_project_shows_nothing_of_it() {
    let test = hub().await;
    let ours = test.client();
    let theirs = new_project(&test.hub, test.project.organization_id, "Theirs");
    add_project(&test.hub, &theirs).await;
    add_phone(&test.hub, theirs.id, PhoneType::Android, "+15005550180").await;
    let key = add_key(&test.hub, theirs.organization_id, None, &Permissions::all()).await;
    let them = test.client_of(&key, theirs.id);
    ours.send("before").await;
    them.send("secret").await;
    them.send("secret").await;
    ours.send("after").await;
    let page = them.get("messages?page_size=1").await;
    let marker = page["next_marker"].as_str().expect("a marker");
    let shown = ours.get(&format!("messages?marker={marker}")).await;
    let shown: Vec<_> = shown["data"].as_array().unwrap().iter().collect();
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0]["content"], "after");
}
