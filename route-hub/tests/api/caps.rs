//! Limits on what a project may have.

use crate::support::{Client, Reply, TestHub, hub};
use hub_app::stored_caps::Cap;
use hub_store::Tx;
use serde_json::{Value, json};

async fn set(test: &TestHub, cap: Cap, most: u32) {
    let job = move |tx: &mut Tx<'_>| cap.put(tx, Some(most));
    test.hub.store.write(job).await.expect("a cap");
}

#[track_caller]
fn refuses(reply: &Reply, param: &str, rule: &str) {
    reply.invalid(param);
    let message = reply.json["error"]["message"].as_str().unwrap_or_default();
    assert!(message.ends_with(rule), "{message}");
}

async fn make(client: &Client, path: &str, body: &Value) -> u16 {
    client.call("POST", path, Some(body.clone())).await.status
}

#[tokio::test]
async fn what_is_one_too_many_is_refused_by_its_parameter_and_what_is_there_stays() {
    let test = hub().await;
    let client = test.client();
    let dynamic = json!({ "name": "Dynamic", "filters": { "vars.city": "Oslo" } });
    let relative = json!({
        "to_number": crate::support::TO, "content": "x", "date_variable": "birthday",
        "time_of_day": "09:00", "rrule": "FREQ=YEARLY",
    });
    let phone = |n: u32| {
        json!({
            "name": format!("Route {n}"), "phone_type": "simulated", "phone_number": format!("+1500555017{n}"),
        })
    };

    set(&test, Cap::Phones, 2).await;
    assert_eq!(
        make(&client, "phones", &phone(1)).await,
        200,
        "beside the first phone"
    );
    let refused = client.call("POST", "phones", Some(phone(2))).await;
    refuses(&refused, "phone_type", "may have 2 phones");
    set(&test, Cap::Phones, 1).await;
    assert_eq!(client.ids("phones").await.len(), 2);

    set(&test, Cap::RelativeSchedules, 1).await;
    assert_eq!(make(&client, "relative_scheduled", &relative).await, 200);
    let refused = client
        .call("POST", "relative_scheduled", Some(relative))
        .await;
    let rule = "may have 1 relative scheduled messages";
    refuses(&refused, "date_variable", rule);

    set(&test, Cap::DynamicGroups, 0).await;
    let refused = client.call("POST", "create_group", Some(dynamic)).await;
    refuses(&refused, "filters", "may have 0 dynamic groups");
    assert_eq!(
        make(&client, "groups", &json!({ "name": "Normal" })).await,
        200
    );
}

#[tokio::test]
async fn a_campaign_has_all_its_items_or_none() {
    let test = hub().await;
    let client = test.client();
    let group = crate::support::id(&client.post("groups", json!({ "name": "News" })).await);
    let item = json!({ "time_of_day": "09:00", "content": "x" });
    let campaign = json!({
        "campaign_type": "relative", "group_id": group, "date_variable": "birthday",
        "items": [item, item],
    });
    let made = crate::support::id(&client.post("campaigns", campaign).await);
    let send = format!("campaigns/{made}/send");
    set(&test, Cap::RelativeSchedules, 1).await;
    let refused = client.call("POST", &send, None).await;
    refuses(&refused, "items", "may have 1 relative scheduled messages");
    assert_eq!(client.ids("relative_scheduled").await, Vec::<String>::new());
    set(&test, Cap::RelativeSchedules, 2).await;
    client.call("POST", &send, None).await.ok();
    assert_eq!(client.ids("relative_scheduled").await.len(), 2);
}
