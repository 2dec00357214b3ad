//! Shared workers: damage and backlog of one project do not affect others.

use crate::support::{
    Client, TO, TestHub, add_key, add_phone, add_project, fresh_id, hub, id, message_id,
    new_project,
};
use hub_app::dispatch::expiry;
use hub_app::schedules::fire;
use hub_app::schedules::relative::follow;
use hub_app::test_routes::{self, playable};
use hub_domain::{AlertKind, Permissions, Phone, PhoneType, ProjectShares, Webhook};
use hub_store::{StoreError, Tx, Value as Column, alerts, damaged, phones, rows_aside, webhooks};
use postrider_model::Now;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

const HOUR_MS: i64 = 3_600_000;
/// A test that waits longer than this fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Another project of the same hub, with a phone and a test route.
struct Neighbour {
    client: Client,
    route: Phone,
}

async fn neighbour(test: &TestHub) -> Neighbour {
    let organization = test.project.organization_id;
    let project = new_project(&test.hub, organization, "Second");
    add_project(&test.hub, &project).await;
    let phone_type = PhoneType::Simulated;
    let route = add_phone(&test.hub, project.id, phone_type, "+15005550109").await;
    let all = Permissions::all();
    let key = add_key(&test.hub, organization, Some(project.id), &all).await;
    Neighbour {
        client: test.client_of(&key, project.id),
        route,
    }
}

/// Damages the rows of one id, as a failing disk would.
async fn damage(test: &TestHub, sql: &'static str, object: &Value) {
    let key = message_id(object).get();
    let damaging = test
        .hub
        .store
        .write(move |tx| tx.execute(sql, &[Column::Int(key)]));
    assert_eq!(damaging.await.ok(), Some(1));
}

/// Damages the row of an object of any kind.
async fn damage_any(test: &TestHub, sql: &'static str, object: &Value) {
    let key = i64::from_str_radix(&id(object)[2..], 16).expect("an id");
    let damaging = test
        .hub
        .store
        .write(move |tx| tx.execute(sql, &[Column::Int(key)]));
    assert_eq!(damaging.await.ok(), Some(1));
}

/// Returns the tables of the rows that were set aside.
async fn aside(test: &TestHub) -> Vec<String> {
    let all = test
        .hub
        .store
        .read(rows_aside::all)
        .await
        .expect("the rows set aside");
    all.into_iter().map(|(table, _, _)| table).collect()
}

/// Returns whether only the damaged project has the alert.
async fn is_told(test: &TestHub) -> bool {
    let standing = test.hub.store.read(|tx| alerts::latest(tx, false, 9)).await;
    let about = standing
        .expect("the alerts")
        .into_iter()
        .filter(|alert| alert.kind == AlertKind::RowUnreadable);
    about.map(|alert| alert.project_id).collect::<Vec<_>>() == [test.project.id]
}

fn later(test: &TestHub, by_ms: i64) -> Now {
    let now = test.hub.now();
    Now::new(now.boot.0, now.unix.0 + by_ms)
}

async fn status(client: &Client, message: &Value) -> Value {
    client.get(&format!("messages/{}", id(message))).await["status"].clone()
}

#[tokio::test]
async fn a_damaged_schedule_is_set_aside_and_the_others_send() {
    let test = hub().await;
    let (ours, theirs) = (test.client(), neighbour(&test).await.client);
    let start = test.hub.now().unix.seconds() + 60;
    let plan = json!({ "to_number": TO, "content": "x", "start_time": start });
    let damaged = ours.post("scheduled", plan.clone()).await;
    ours.post("scheduled", plan.clone()).await;
    theirs.post("scheduled", plan).await;
    let sql = "UPDATE schedules SET instance = 'x' WHERE id = $1";
    damage_any(&test, sql, &damaged).await;

    let fired = fire::all_due(&test.hub, later(&test, HOUR_MS)).await;
    assert_eq!(fired.unwrap(), 2);
    assert_eq!(aside(&test).await, ["schedules"]);
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_schedule_that_cannot_send_holds_up_no_other() {
    let test = hub().await;
    let ours = test.client();
    let contact = ours.post("contacts", json!({ "phone_number": TO })).await;
    let start = test.hub.now().unix.seconds() + 60;
    for number in [TO, "+15005550102", "+15005550103"] {
        let plan = json!({ "to_number": number, "content": "x", "start_time": start });
        ours.post("scheduled", plan).await;
    }
    let sql = "UPDATE contacts SET vars = X'00' WHERE id = $1";
    damage_any(&test, sql, &contact).await;

    let fired = fire::all_due(&test.hub, later(&test, HOUR_MS)).await;
    assert_eq!(fired.unwrap(), 2);
    assert!(
        aside(&test).await.is_empty(),
        "the schedule itself is sound"
    );
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_project_whose_own_row_is_damaged_stops_no_other() {
    let test = hub().await;
    let (ours, theirs) = (test.client(), neighbour(&test).await.client);
    let start = test.hub.now().unix.seconds() + 60;
    let plan = json!({ "to_number": TO, "content": "x", "start_time": start });
    ours.post("scheduled", plan.clone()).await;
    theirs.post("scheduled", plan).await;
    let key = test.project.id.get();
    let sql = "UPDATE projects SET queue_cap = 'x' WHERE id = $1";
    let damaging = test
        .hub
        .store
        .write(move |tx| tx.execute(sql, &[Column::Int(key)]));
    damaging.await.unwrap();
    test.hub.rows_changed();
    let fired = fire::all_due(&test.hub, later(&test, HOUR_MS)).await;
    assert_eq!(fired.unwrap(), 1);
}

#[tokio::test]
async fn a_damaged_message_whose_life_ended_is_set_aside_and_the_others_end() {
    let test = hub().await;
    let (ours, neighbour) = (test.client(), neighbour(&test).await);
    let theirs = neighbour.client;
    let damaged = ours.send("x").await;
    let sound = ours.send("x").await;
    let body = json!({ "to_number": TO, "content": "x" });
    let other = theirs.post("messages/send", body).await;
    for message in [&damaged, &sound, &other] {
        damage(
            &test,
            "UPDATE messages SET life_end = 1 WHERE id = $1",
            message,
        )
        .await;
    }
    let sql = "UPDATE messages SET priority = 'x' WHERE id = $1";
    damage(&test, sql, &damaged).await;

    assert_eq!(expiry::sweep(&test.hub).await.unwrap(), 2);
    assert_eq!(status(&ours, &sound).await, "failed");
    assert_eq!(status(&theirs, &other).await, "failed");
    assert_eq!(aside(&test).await, ["messages"]);
    assert!(is_told(&test).await);
    assert_eq!(expiry::sweep(&test.hub).await.unwrap(), 0);
}

#[tokio::test]
async fn a_life_that_cannot_be_ended_holds_up_no_other() {
    let test = hub().await;
    let (ours, theirs) = (test.client(), neighbour(&test).await.client);
    ours.post(
        "webhooks",
        json!({ "url": "http://127.0.0.1:9/", "events": ["send_status"] }),
    )
    .await;
    let stuck = ours.send("x").await;
    let body = json!({ "to_number": TO, "content": "x" });
    let other = theirs.post("messages/send", body).await;
    for message in [&stuck, &other] {
        damage(
            &test,
            "UPDATE messages SET life_end = 1 WHERE id = $1",
            message,
        )
        .await;
    }
    // The webhook names its contact, whose row cannot be read.
    let sql = "UPDATE contacts SET vars = X'00' \
        WHERE id = (SELECT contact_id FROM messages WHERE id = $1)";
    damage(&test, sql, &stuck).await;

    assert_eq!(expiry::sweep(&test.hub).await.unwrap(), 1);
    assert_eq!(status(&theirs, &other).await, "failed");
    assert!(aside(&test).await.is_empty(), "the message itself is sound");
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_damaged_message_of_a_test_route_is_set_aside_and_the_others_play() {
    let test = hub().await;
    let (ours, neighbour) = (test.client(), neighbour(&test).await);
    let theirs = neighbour.client;
    let route = test.test_phone().await.id;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route });
    let damaged = ours.post("messages/send", body.clone()).await;
    let sound = ours.post("messages/send", body).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": neighbour.route.id });
    let other = theirs.post("messages/send", body).await;
    let sql = "UPDATE messages SET vars = X'00' WHERE id = $1";
    damage(&test, sql, &damaged).await;

    while test_routes::play_once(&test.hub).await.unwrap() {}
    assert_eq!(status(&ours, &sound).await, "sent");
    assert_eq!(status(&theirs, &other).await, "sent");
    assert_eq!(aside(&test).await, ["messages"]);
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_damaged_test_route_stops_no_other() {
    let test = hub().await;
    let (ours, neighbour) = (test.client(), neighbour(&test).await);
    let route = test.test_phone().await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route.id });
    let held = ours.post("messages/send", body).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": neighbour.route.id });
    let other = neighbour.client.post("messages/send", body).await;
    let sql = "UPDATE phones SET quiet_mode = 99 \
        WHERE id = (SELECT phone_id FROM messages WHERE id = $1)";
    damage(&test, sql, &held).await;

    while test_routes::play_once(&test.hub).await.unwrap() {}
    assert_eq!(status(&neighbour.client, &other).await, "sent");
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_step_of_a_test_route_that_fails_holds_up_no_other() {
    let test = hub().await;
    let (ours, neighbour) = (test.client(), neighbour(&test).await);
    let route = test.test_phone().await;
    ours.post(
        "webhooks",
        json!({ "url": "http://127.0.0.1:9/", "events": ["send_status"] }),
    )
    .await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route.id });
    let stuck = ours.post("messages/send", body).await;
    let body = json!({ "to_number": "+15005550102", "content": "x", "route_id": route.id });
    let sound = ours.post("messages/send", body).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": neighbour.route.id });
    let other = neighbour.client.post("messages/send", body).await;
    // The webhook names its contact, whose row cannot be read.
    let sql = "UPDATE contacts SET vars = X'00' \
        WHERE id = (SELECT contact_id FROM messages WHERE id = $1)";
    damage(&test, sql, &stuck).await;

    assert!(test_routes::play_once(&test.hub).await.unwrap());
    assert_eq!(status(&ours, &sound).await, "sent");
    assert_eq!(status(&neighbour.client, &other).await, "sent");
    assert!(is_told(&test).await);
}

/// Makes a relative schedule in each of two projects, for a contact's birthday.
async fn birthdays(clients: [&Client; 2]) -> Vec<Value> {
    let mut contacts = Vec::new();
    for client in clients {
        let contact = json!({ "phone_number": TO, "vars": { "birthday": "1990-05-17" } });
        let contact = client.post("contacts", contact).await;
        let relative = json!({
            "contact_id": id(&contact), "content": "x", "date_variable": "birthday",
            "time_of_day": "09:00", "rrule": "FREQ=YEARLY",
        });
        client.post("relative_scheduled", relative).await;
        contacts.push(contact);
    }
    contacts
}

/// Returns when each schedule of a project begins, by its id.
async fn starts(client: &Client) -> BTreeMap<String, Value> {
    let listed = client.get("scheduled").await;
    let all = listed["data"].as_array().into_iter().flatten();
    all.map(|one| (id(one), one["start_time"].clone()))
        .collect()
}

#[tokio::test]
async fn a_walk_that_fails_holds_up_no_other_project() {
    let test = hub().await;
    let (ours, theirs) = (test.client(), neighbour(&test).await.client);
    let contacts = birthdays([&ours, &theirs]).await;
    damage_any(
        &test,
        "UPDATE contacts SET vars = X'00' WHERE id = $1",
        &contacts[0],
    )
    .await;
    assert!(follow::step_all(&test.hub, test.hub.now()).await.is_ok());
    assert_eq!(theirs.ids("scheduled").await.len(), 1);
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_damaged_relative_schedule_holds_up_no_change_of_a_contact() {
    let test = hub().await;
    let (ours, theirs) = (test.client(), neighbour(&test).await.client);
    let contacts = birthdays([&ours, &theirs]).await;
    let now = test.hub.now();
    while follow::step_all(&test.hub, now).await.unwrap() > 0 {}
    let relative = json!({
        "contact_id": id(&contacts[0]), "content": "x", "date_variable": "birthday",
        "time_of_day": "10:00", "rrule": "FREQ=YEARLY",
    });
    let damaged = ours.post("relative_scheduled", relative).await;
    while follow::step_all(&test.hub, now).await.unwrap() > 0 {}
    let sql = "UPDATE relative_schedules SET offset_scale = 'x' WHERE id = $1";
    damage_any(&test, sql, &damaged).await;
    let before = starts(&ours).await;
    let path = format!("contacts/{}", id(&contacts[0]));
    ours.post(&path, json!({ "vars": { "birthday": "1990-06-18" } }))
        .await;
    while follow::step_all(&test.hub, now).await.unwrap() > 0 {}
    let after = starts(&ours).await;
    let followed = before.iter().zip(&after).filter(|(old, new)| old != new);
    assert_eq!((after.len(), followed.count()), (2, 1), "the sound one");
    assert_eq!(aside(&test).await, ["relative_schedules"]);
    assert!(is_told(&test).await);
}

#[tokio::test]
async fn a_damaged_relative_schedule_is_set_aside_and_the_others_are_followed() {
    let test = hub().await;
    let (ours, theirs) = (test.client(), neighbour(&test).await.client);
    let mut made = Vec::new();
    for client in [&ours, &ours, &theirs] {
        let contact = json!({ "phone_number": TO, "vars": { "birthday": "1990-05-17" } });
        client.post("contacts", contact).await;
        let relative = json!({
            "to_number": TO, "content": "x", "date_variable": "birthday", "time_of_day": "09:00",
            "rrule": "FREQ=YEARLY",
        });
        made.push(client.post("relative_scheduled", relative).await);
    }
    let sql = "UPDATE relative_schedules SET offset_scale = 'x' WHERE id = $1";
    damage_any(&test, sql, &made[0]).await;
    let now = test.hub.now();
    while follow::step_all(&test.hub, now).await.unwrap() > 0 {}
    for client in [&ours, &theirs] {
        assert_eq!(client.ids("scheduled").await.len(), 1);
    }
    assert_eq!(aside(&test).await, ["relative_schedules"]);
    assert!(is_told(&test).await);
}

/// Makes test routes that rest for an hour, each with waiting messages.
async fn resting_routes(test: &TestHub, routes: usize, of_first: usize) {
    let now = test.hub.now();
    let client = test.client();
    let mut first = None;
    for from in (0..routes).step_by(200) {
        let (count, project) = ((routes - from).min(200), test.project.id);
        let job = move |tx: &mut Tx<'_>| {
            let mut first = None;
            for _ in 0..count {
                let kind = PhoneType::Simulated;
                let mut route = Phone::new(tx.id(now.unix), project, "Route", kind, now.unix);
                route.set_send_delay(HOUR_MS);
                phones::insert(tx, &route)?;
                route.rest(now.unix);
                phones::update_next_slot(tx, &route)?;
                first = first.or(Some(route.id));
            }
            Ok::<_, StoreError>(first)
        };
        let made = test.hub.store.write(job).await.expect("written");
        first = first.or(made);
    }
    let body = json!({ "to_number": TO, "content": "x", "route_id": first });
    let model = client.post("messages/send", body).await;
    let key = message_id(&model).get();
    // The others are copies, one for each route and the rest for the first.
    copies(test, key, routes, of_first).await;
}

/// Copies a message: one for each route of the project but the first, and more for the first.
async fn copies(test: &TestHub, key: i64, routes: usize, of_first: usize) {
    let now = test.hub.now().unix;
    let job = move |tx: &mut Tx<'_>| -> Result<(), StoreError> {
        let all = tx.query(
            "SELECT id FROM phones WHERE name = 'Route' ORDER BY id",
            &[],
            |row| row.int(0),
        )?;
        let model = hub_store::messages::found(tx, key)?;
        let Some(damaged::Found::Row(model)) = model else {
            return Ok(());
        };
        for n in 0..routes + of_first {
            let mut copy = model.clone();
            copy.id = tx.id(now);
            let route = all.get(n + 1).copied().unwrap_or(all[0]);
            copy.phone_id =
                postrider_model::PhoneId::new(postrider_model::Key::new(route).expect("a key"));
            hub_store::messages::insert(tx, &copy)?;
        }
        Ok(())
    };
    test.hub.store.write(job).await.expect("written");
}

#[tokio::test]
async fn a_thousand_resting_test_routes_delay_no_other_and_turn_no_idle_wheel() {
    let test = hub().await;
    let neighbour = neighbour(&test).await;
    resting_routes(&test, 1_001, 256).await;
    let jobs = || test.hub.store.load().jobs_committed;
    let before = jobs();
    let turn = test_routes::play_at(&test.hub, test.hub.now())
        .await
        .unwrap();
    assert!(!turn.played && turn.next_slot.is_some());
    assert_eq!(jobs(), before, "what is held back is not even looked at");
    // A newer route of the same project comes after all of them.
    let own = test.test_phone().await;
    let playing = tokio::spawn(test_routes::run(test.hub.clone()));
    let ours = test.client();
    let both = [(&ours, &own), (&neighbour.client, &neighbour.route)];
    for (client, route) in both.into_iter().cycle().take(6) {
        let body = json!({ "to_number": TO, "content": "x", "route_id": route.id });
        let other = client.post("messages/send", body).await;
        let changed = test.hub.bus.watch_message(message_id(&other));
        if status(client, &other).await != "sent" {
            let changed = tokio::time::timeout(PATIENCE, changed).await;
            changed.expect("it is played").unwrap();
        }
        assert_eq!(status(client, &other).await, "sent");
    }
    // One idle turn at the start, and at most two for each message: after it, and after its wake-up.
    let idle = test.hub.bus.idle_turns();
    assert!(idle <= 1 + 2 * 6, "{idle} turns without progress");
    for _ in 0..400 {
        ours.get("labels").await;
    }
    let turns = test.hub.bus.idle_turns() - idle;
    assert!(turns <= 2, "{turns} turns while there was nothing to do");
    playing.abort();
}

#[tokio::test]
async fn one_project_plays_a_bounded_number_of_messages_a_turn() {
    let test = hub().await;
    let client = test.client();
    for _ in 0..5 {
        let route = test.test_phone().await.id;
        let message = json!({ "to_number": TO, "content": "x" });
        let body = json!({ "messages": vec![message; 70], "route_id": route });
        client.post("send_multi", body).await;
    }
    let now = test.hub.now().unix;
    let page = test
        .hub
        .store
        .read(move |tx| playable::Page::read(tx, ProjectShares::ALL, 0, now));
    let page = page.await.unwrap();
    assert_eq!(page.by_project[&test.project.id].len(), 256);
}

#[tokio::test]
async fn a_cache_holds_nothing_of_a_group_whose_commit_broke() {
    let test = hub().await;
    let (store, project, now) = (&test.hub.store, test.project.id, test.hub.now());
    let id = fresh_id(&test.hub, now);
    let (release, held) = mpsc::channel::<()>();
    let mut held = Some(held);
    let holding = store.write(move |_| {
        let _ = held.take().map(|held| held.recv());
        Ok::<_, StoreError>(())
    });
    let webhook = Webhook {
        id,
        project_id: project,
        url: "http://127.0.0.1:9/".to_owned(),
        secret: None,
        events: Default::default(),
        time_created: now.unix,
    };
    // The first run makes it; when the group's commit breaks, the second run decides otherwise.
    let mut runs = 0;
    let making = store.write(move |tx| {
        runs += 1;
        match runs {
            1 => webhooks::insert(tx, &webhook),
            _ => Err(StoreError::Closed),
        }
    });
    let inside = test.hub.clone();
    let reading =
        store.write(move |tx| Ok::<_, StoreError>(inside.cache.webhooks_in(tx, project)?.len()));
    let breaking = store.write(|tx| {
        hub_store::meta::put(tx, "broken", "x")?;
        Err::<(), _>(StoreError::Closed)
    });
    drop(release);
    holding.await.unwrap();
    assert!(making.await.is_err() && breaking.await.is_err());
    assert_eq!(reading.await.unwrap(), 0);
    let inside = test.hub.clone();
    let kept =
        store.write(move |tx| Ok::<_, StoreError>(inside.cache.webhooks_in(tx, project)?.len()));
    assert_eq!(kept.await.unwrap(), 0);
}
