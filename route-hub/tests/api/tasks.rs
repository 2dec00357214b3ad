//! Tasks through the API: made, shown, done, cancelled.

use crate::support::{hub, id};
use hub_app::tasks;
use serde_json::json;

#[tokio::test]
async fn a_task_goes_through_what_its_filter_finds() {
    let test = hub().await;
    let client = test.client();
    let mut contacts = Vec::new();
    for name in ["Ann", "Anna", "Ben"] {
        let body = json!({ "name": name, "lookup_key": "none" });
        contacts.push(id(&client.post("contacts", body).await));
    }
    let given = json!({ "variable": "city", "value": "Oslo" });
    let body = json!({
        "task_type": "update_contact_var", "task_params": given,
        "filter_type": "query_contacts", "filter_params": { "name": { "prefix": "an" } },
        "vars": { "why": "a move" },
    });
    let made = client.post("tasks", body).await;
    assert_eq!(made["status"], json!("queued"));
    assert_eq!(made["task_params"], given);
    assert_eq!(made["vars"], json!({ "why": "a move" }));
    while tasks::round(&test.hub, test.hub.now()).await.unwrap() > 0 {}
    let done = client.get(&format!("tasks/{}", id(&made))).await;
    let rows = (&done["status"], &done["total_rows"], &done["current_row"]);
    assert_eq!(rows, (&json!("complete"), &json!(2), &json!(2)));
    let mut cities = Vec::new();
    for contact in contacts {
        cities.push(client.get(&format!("contacts/{contact}")).await["vars"]["city"].clone());
    }
    assert_eq!(json!(cities), json!(["Oslo", "Oslo", null]));
    assert_eq!(client.ids("tasks").await, [id(&made)]);
}

#[tokio::test]
async fn a_task_goes_through_the_rows_of_a_table_or_of_a_view() {
    let test = hub().await;
    let client = test.client();
    let table = id(&client.post("tables", json!({ "name": "Answers" })).await);
    let rows = format!("tables/{table}/rows");
    for answer in ["yes", "no"] {
        client
            .post(&rows, json!({ "vars": { "q1": answer } }))
            .await;
    }
    let filters = json!({ "vars.q1": "yes" });
    let view = json!({ "name": "Yes", "filters": filters });
    let view = client.post(&format!("tables/{table}/views"), view).await;
    let task = |filter: serde_json::Value| {
        json!({
            "task_type": "delete_rows", "table_id": table, "filter_type": "query_rows",
            "filter_params": filter,
        })
    };
    for (filter, param) in [
        (json!({}), "filter_params[all]"),
        (json!({ "name": "x" }), "filter_params[name]"),
        (
            json!({ "view_id": id(&view), "vars": { "q1": "no" } }),
            "filter_params[vars]",
        ),
        (
            json!({ "view_id": "DV0000000000000001" }),
            "filter_params[view_id]",
        ),
        (
            json!({ "vars": { "q1": "yes", "q2": null } }),
            "filter_params[vars][q2]",
        ),
    ] {
        let refused = client.call("POST", "tasks", Some(task(filter))).await;
        refused.invalid(param);
    }
    let left = async |filter| {
        client.post("tasks", task(filter)).await;
        while tasks::round(&test.hub, test.hub.now()).await.unwrap() > 0 {}
        client.ids(&rows).await.len()
    };
    assert_eq!(left(json!({ "vars": { "q1": "maybe" } })).await, 2);
    assert_eq!(left(json!({ "view_id": id(&view) })).await, 1);
    assert_eq!(left(json!({ "vars": { "q1": "no" } })).await, 0);
}

#[tokio::test]
async fn a_filter_that_is_misspelt_never_means_everything() {
    let test = hub().await;
    let client = test.client();
    for (filter_type, filter_params, param) in [
        ("query_contacts", json!({}), "filter_params[all]"),
        (
            "query_contacts",
            json!({ "all": false }),
            "filter_params[all]",
        ),
        (
            "query_contacts",
            json!({ "nmae": "x" }),
            "filter_params[nmae]",
        ),
        (
            "query_contacts",
            json!({ "name": null }),
            "filter_params[name]",
        ),
        (
            "query_contacts",
            json!({ "name": { "like": 1 } }),
            "filter_params[name][like]",
        ),
        (
            "query_contacts",
            json!({ "all": true, "name": "x" }),
            "filter_params[name]",
        ),
        (
            "query_contacts",
            json!({ "vars": { "q1": "z", "opt": null } }),
            "filter_params[vars][opt]",
        ),
        (
            "query_contacts",
            json!({ "vars": { "q1": "z", "opt": {} } }),
            "filter_params[vars][opt]",
        ),
        (
            "query_contacts",
            json!({ "vars": { "q1": { "eq": "z", "ne": null } } }),
            "filter_params[vars][q1][ne]",
        ),
        (
            "query_contacts",
            json!({ "send_blocked": false, "name": { "prefix": "N", "ne": null } }),
            "filter_params[name][ne]",
        ),
        (
            "query_contacts",
            json!({ "send_blocked": false, "vars": [] }),
            "filter_params[vars]",
        ),
        (
            "query_contacts",
            json!({ "name[prefix]": null }),
            "filter_params[name][prefix]",
        ),
        (
            "query_contacts",
            json!({ "name[like]": "N" }),
            "filter_params[name][like]",
        ),
        (
            "query_contacts",
            json!({ "name[prefix][ne]": "N" }),
            "filter_params[name][prefix][ne]",
        ),
        (
            "query_contacts",
            json!({ "name[prefix": "N" }),
            "filter_params[name[prefix]",
        ),
        (
            "query_contacts",
            json!({ "name": { "prefix": "N" }, "name[prefix]": "M" }),
            "filter_params[name][prefix]",
        ),
        ("contact_ids", json!({ "all": true }), "filter_params[all]"),
        (
            "contact_ids",
            json!({ "contact_ids": ["x"] }),
            "filter_params[contact_ids][0]",
        ),
    ] {
        let body = json!({
            "task_type": "delete_contacts", "filter_type": filter_type, "filter_params": filter_params,
        });
        client
            .call("POST", "tasks", Some(body))
            .await
            .invalid(param);
    }
}

#[tokio::test]
async fn filters_may_be_named_with_brackets_as_in_a_list() {
    let test = hub().await;
    let client = test.client();
    for (name, city) in [("Ann", "Oslo"), ("Anna", "Rome"), ("Ben", "Oslo")] {
        let body = json!({ "name": name, "lookup_key": "none", "vars": { "city": city } });
        client.post("contacts", body).await;
    }
    for (filter_params, found) in [
        (json!({ "name[prefix]": "an" }), 2),
        (json!({ "vars[city]": "Oslo" }), 2),
        (json!({ "vars[city][prefix]": "R" }), 1),
        (
            json!({ "name[prefix]": "an", "vars[city]": { "ne": "Rome" } }),
            1,
        ),
        (
            json!({ "vars": { "city": "Oslo" }, "vars[city][prefix]": "O", "name": "Ben" }),
            1,
        ),
    ] {
        let body = json!({
            "task_type": "update_contact_var", "task_params": { "variable": "x", "value": 1 },
            "filter_type": "query_contacts", "filter_params": filter_params,
        });
        let made = client.post("tasks", body).await;
        assert_eq!(made["filter_params"], filter_params);
        while tasks::round(&test.hub, test.hub.now()).await.unwrap() > 0 {}
        let done = client.get(&format!("tasks/{}", id(&made))).await;
        assert_eq!(done["total_rows"], found, "{filter_params}");
    }
}
