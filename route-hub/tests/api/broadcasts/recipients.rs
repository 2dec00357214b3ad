//! Whom a broadcast reaches, and in which order.

use super::{OTHER, count, counts, expand, group_of, join, number, one_step, path, send};
use crate::support::{TO, add_key, add_project, hub, hub_with, id, new_project, only};
use hub_app::broadcasts::{self, Turns};
use hub_domain::{Permission, Permissions};
use hub_store::projects;
use serde_json::json;

#[tokio::test]
async fn each_member_gets_its_own_text_once_but_for_who_is_blocked_or_excluded() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 6).await;
    let members = client.ids(&format!("groups/{group}/contacts")).await;
    let blocked = json!({ "send_blocked": true });
    let member = format!("contacts/{}", members[0]);
    client.post(&member, blocked).await;
    let made = send(
        &client,
        json!({
            "group_id": group, "exclude_contact_id": members[5], "replace_variables": true,
            "content": "Dear [[contact.name]]",
        }),
    )
    .await;
    assert_eq!(made["title"], "Group of 6");
    assert_eq!(made["recipients_str"], "Group of 6");
    let recipient = json!({ "type": "group", "group_id": group, "group_name": "Group of 6" });
    assert_eq!(made["recipients"], json!([recipient]));
    assert_eq!(made["exclude_contact_id"], members[5]);
    assert_eq!(made["estimated_count"], 6);
    expand(&test.hub).await;
    let sent = client.get("messages").await["data"].take();
    let sent = sent.as_array().unwrap();
    let texts: Vec<_> = sent.iter().map(|one| &one["content"]).collect();
    assert_eq!(texts, ["Dear N1", "Dear N2", "Dear N3", "Dear N4"]);
    let contacts: Vec<_> = sent.iter().map(|one| &one["contact_id"]).collect();
    assert_eq!(contacts, members[1..5].iter().collect::<Vec<_>>());
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["status"], "sending");
    assert_eq!(shown["message_count"], 4);
    assert_eq!(shown["estimated_count"], 5);
}

#[tokio::test]
async fn who_is_in_the_group_when_it_is_made_gets_it_unless_it_leaves_before() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 300).await;
    let later = client
        .post("contacts", json!({ "phone_number": TO, "name": "Known" }))
        .await;
    let made = send(&client, json!({ "group_id": group })).await;
    let before = made["time_created"].as_i64().unwrap() * 1_000 + 1_000;
    // Who joins within the same millisecond still belongs to it: wait for the next one.
    while test.hub.now().unix.0 <= before - 1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(one_step(&test.hub).await, 1);
    let stamp = test.hub.now().unix;
    while test.hub.now().unix == stamp {
        tokio::task::yield_now().await;
    }
    join(&client, &group, 300..310).await;
    let path_of = |contact: &str| format!("groups/{group}/contacts/{contact}");
    client.call("PUT", &path_of(&id(&later)), None).await.ok();
    let members = client
        .ids(&format!(
            "groups/{group}/contacts?sort=name&page_size=200&sort_dir=desc"
        ))
        .await;
    let last = client
        .post("contacts", json!({ "phone_number": number(299) }))
        .await;
    client.call("DELETE", &path_of(&id(&last)), None).await.ok();
    assert_eq!(members.len(), 200);
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 299);
    assert_eq!(
        count(&client, &format!("contact_id={}", id(&later))).await,
        0
    );
    assert_eq!(
        count(&client, &format!("contact_id={}", id(&last))).await,
        0
    );
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["message_count"], 299);
    assert_eq!(shown["estimated_count"], 299);
}

#[tokio::test]
async fn a_dynamic_group_is_who_meets_its_conditions() {
    let test = hub().await;
    let client = test.client();
    for (name, to) in [("Ann", TO), ("Bob", OTHER)] {
        let contact = json!({ "name": name, "phone_number": to, "vars": { "city": name } });
        client.post("contacts", contact).await;
    }
    let dynamic = json!({ "name": "In Ann", "filters": { "vars.city": "ann" } });
    let group = id(&client.post("create_group", dynamic).await);
    let made = send(&client, json!({ "group_id": group })).await;
    assert_eq!(made["estimated_count"], 1);
    let new = json!({ "phone_number": "+15005550133", "vars": { "city": "ann" } });
    client.post("contacts", new).await;
    expand(&test.hub).await;
    let sent = client.get("messages").await["data"].take();
    assert_eq!(sent.as_array().map(Vec::len), Some(1));
    assert_eq!(sent[0]["to_number"], TO);
}

#[tokio::test]
async fn a_hub_that_starts_again_goes_on_where_it_was() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 250).await;
    let made = send(&client, json!({ "group_id": group })).await;
    assert_eq!(one_step(&test.hub).await, 1);
    assert_eq!(count(&client, "").await, 100);
    // Another process on the same file, beside the first one with its old caches.
    let again = test.start_again();
    assert_eq!(one_step(&again).await, 1);
    assert_eq!(one_step(&test.hub).await, 1);
    assert_eq!(expand(&again).await, 0);
    assert_eq!(expand(&test.hub).await, 0);
    assert_eq!(count(&client, "").await, 250);
    let mut numbers = std::collections::BTreeSet::new();
    for page in 0..5 {
        let path = format!("messages?page_size=50&offset={}", page * 50);
        let list = client.get(&path).await["data"].take();
        for message in list.as_array().unwrap() {
            assert!(numbers.insert(message["to_number"].to_string()));
        }
    }
    assert_eq!(numbers.len(), 250);
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["status_counts"], counts(&[("queued", 250)]));
}

#[tokio::test]
async fn a_group_that_goes_away_ends_its_broadcast_with_the_reason() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 250).await;
    let made = send(&client, json!({ "group_id": group })).await;
    one_step(&test.hub).await;
    client
        .call("DELETE", &format!("groups/{group}"), None)
        .await
        .ok();
    expand(&test.hub).await;
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["message_count"], 100);
    assert_eq!(shown["status"], "sending");
    assert_eq!(shown["error_message"], "the group is gone");
    assert_eq!(shown["title"], "Group of 250");
}

#[tokio::test]
async fn a_full_queue_holds_a_broadcast_up_and_others_go_on() {
    let test = hub_with(|project| project.queue_cap = 300).await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let made = send(&client, json!({ "group_id": group })).await;
    let other = new_project(&test.hub, test.project.organization_id, "Other");
    add_project(&test.hub, &other).await;
    crate::support::add_phone(
        &test.hub,
        other.id,
        hub_domain::PhoneType::Simulated,
        "+15005550198",
    )
    .await;
    let (organization, all) = (other.organization_id, Permissions::all());
    let key = add_key(&test.hub, organization, Some(other.id), &all).await;
    let others = test.client_of(&key, other.id);
    let theirs = send(&others, json!({ "to_numbers": [TO] })).await;
    expand(&test.hub).await;
    assert_eq!(client.get(&path(&made)).await["status"], "queuing");
    assert_eq!(count(&client, "").await, 300);
    assert_eq!(others.get(&path(&theirs)).await["message_count"], 1);
    let project = test.project.id;
    let raise = test.hub.store.write(move |tx| {
        let mut row = projects::get(tx, project)?.expect("the project");
        row.queue_cap = 10_000;
        projects::update(tx, &row)
    });
    assert!(raise.await.unwrap());
    test.hub.rows_changed();
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 450);
}

#[tokio::test]
async fn broadcasts_of_a_project_take_turns() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let large = send(&client, json!({ "group_id": group })).await;
    let small = send(&client, json!({ "to_numbers": [TO] })).await;
    let mut turns = Turns::default();
    for _ in 0..2 {
        let round = broadcasts::round(&test.hub, &mut turns, test.hub.now());
        assert_eq!(round.await.unwrap(), 1);
    }
    assert_eq!(client.get(&path(&large)).await["message_count"], 100);
    assert_eq!(client.get(&path(&small)).await["message_count"], 1);
}

#[tokio::test]
async fn contacts_that_a_filter_finds_get_it_each_once_as_they_match_then() {
    let test = hub().await;
    let client = test.client();
    group_of(&client, 130).await;
    let changed = client.ids("contacts?name=N7").await;
    let wanted = json!({
        "filter_type": "query_contacts", "filter_params": { "name": { "prefix": "N" } },
        "content": "Dear [[contact.name]]", "replace_variables": true,
    });
    let made = send(&client, wanted.clone()).await;
    let recipient = json!({
        "type": "filter", "filter_type": "query_contacts",
        "filter_params": { "name": { "prefix": "N" } },
    });
    assert_eq!(made["recipients"], json!([recipient]));
    assert_eq!(made["recipients_str"], "contacts by a filter");
    assert_eq!(made["estimated_count"], 130);
    client
        .post(
            &format!("contacts/{}", changed[0]),
            json!({ "name": "Other" }),
        )
        .await;
    let later = json!({ "phone_number": TO, "name": "New" });
    client.post("contacts", later).await;
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 129);
    let shown = client.get(&path(&made)).await;
    assert_eq!(
        (&shown["message_count"], &shown["status"]),
        (&json!(129), &json!("sending"))
    );
    let ids = client.ids("contacts?name[prefix]=N1&page_size=2").await;
    let by_ids = json!({ "filter_type": "contact_ids", "filter_params": { "contact_ids": ids } });
    let made = send(&client, by_ids).await;
    expand(&test.hub).await;
    let path = format!("messages?broadcast_id={}", id(&made));
    assert_eq!(client.ids(&path).await.len(), 2);
    for (more, param) in [
        (json!({ "to_numbers": [TO] }), "filter_type"),
        (json!({ "group_id": "CG0000000000000001" }), "filter_type"),
        (
            json!({ "exclude_contact_id": changed[0] }),
            "exclude_contact_id",
        ),
        (json!({ "filter_type": null }), "filter_type"),
        (json!({ "filter_params": {} }), "filter_params[all]"),
        (
            json!({ "filter_params": { "vars": { "q1": "z", "opt": null } } }),
            "filter_params[vars][opt]",
        ),
        (
            json!({ "exclude_group_id": "CG0000000000000001" }),
            "exclude_group_id",
        ),
    ] {
        let mut body = wanted.clone();
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        client
            .call("POST", "send_broadcast", Some(body))
            .await
            .invalid(param);
    }
    let form = "send_broadcast?content=x&filter_type=query_contacts\
                &filter_params[vars][q1]=z&filter_params[vars][opt]=";
    client
        .call("POST", form, None)
        .await
        .invalid("filter_params[vars][opt]");
    let sender = only(Permission::SendMessages);
    let key = add_key(&test.hub, test.project.organization_id, None, &sender).await;
    let stranger = test.client_of(&key, test.project.id);
    stranger
        .call("POST", "send_broadcast", Some(wanted))
        .await
        .refused(401);
}

#[tokio::test]
async fn whom_the_text_cannot_go_to_is_told_of() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 2).await;
    let made = send(
        &client,
        json!({ "group_id": group, "content": "[[contact.nothing]]", "replace_variables": true }),
    )
    .await;
    expand(&test.hub).await;
    let shown = client.get(&path(&made)).await;
    assert_eq!(
        (&shown["message_count"], &shown["error_message"]),
        (
            &json!(0),
            &json!("recipients were left out: content is empty with its variables")
        )
    );
}
