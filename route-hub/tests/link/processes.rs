//! Two processes of one hub on one database.

use super::routes::route;
use super::support::{Line, PATIENCE, Phone, TestHub, hub};
use hub_app::alerts::offline;
use hub_app::devices::presence;
use hub_app::dispatch::{expiry, failover};
use hub_app::hub::Hub;
use hub_app::test_routes;
use hub_domain::{DeviceState, ProjectShares};
use hub_store::Health;
use postrider_link::frame::PhoneFrame;
use postrider_link::ownership::hub::HubState;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// Connects through another process while a hello is on its way here, which is then let off unharmed.
async fn overtake(phone: &mut Phone, other: &TestHub) -> Line {
    let (mut slow, challenge) = phone.open().await;
    let late = phone.hello(&challenge, |_| {});
    phone.turn_to(other);
    let newer = phone.connect().await;
    slow.write(PhoneFrame::Hello(late)).await;
    assert_eq!(slow.close_code().await, 4409);
    newer
}

#[tokio::test]
async fn a_hello_that_was_overtaken_through_another_process_harms_nobody() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let mut phone = hub.pair().await;
    let mut newer = overtake(&mut phone, &other).await;
    assert_eq!(hub.device(&phone).await.state, DeviceState::Active);
    newer.idle().await;
}

#[tokio::test]
async fn a_copy_is_found_out_by_the_process_that_knows_the_newer_connection() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let mut phone = hub.pair().await;
    let line = phone.connect().await;
    phone.turn_to(&other);
    let mut newer = phone.connect().await;
    phone.turn_to(&hub);
    let (mut slow, challenge) = phone.open().await;
    let late = phone.hello(&challenge, |hello| hello.conn = 1);
    slow.write(PhoneFrame::Hello(late)).await;
    assert_eq!(slow.close_code().await, 4409, "it may have been on its way");
    let known_by = hub.hub.now().boot;
    while hub.hub.now().boot == known_by {
        tokio::task::yield_now().await;
    }
    let mut copy = phone.greet(|hello| hello.conn = 1).await;
    assert_eq!(copy.close_code().await, 4410);
    newer.health(Vec::new()).await;
    assert_eq!(newer.close_code().await, 4410);
    drop(line);
}

#[tokio::test]
async fn a_connection_is_closed_once_its_process_learns_of_a_newer_one_elsewhere() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let mut phone = hub.pair().await;
    let mut older = phone.connect().await;
    let mut newer = overtake(&mut phone, &other).await;
    assert_eq!(older.close_code().await, 4409);
    hub.hub.links.all_ended().await;
    newer.idle().await;
}

#[tokio::test]
async fn what_a_phone_acked_is_known_to_another_process_before_the_phone_says_more() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "once").await;
    let mut line = phone.connect().await;
    let sent = line.send().await;
    line.ack().await;
    let acked = async {
        while other.device(&phone).await.down_acked < sent.s {
            tokio::task::yield_now().await;
        }
    };
    let acked = tokio::time::timeout(PATIENCE, acked).await;
    acked.expect("the ack is stored");
    phone.turn_to(&other);
    let mut copy = phone.greet(|hello| hello.down = 0).await;
    assert_eq!(copy.close_code().await, 4410);
    assert_eq!(hub.state(id).await, HubState::Unknown);
}

#[tokio::test]
async fn a_phone_keeps_its_socket_and_loses_nothing_while_the_database_is_away() {
    let hub = hub().await;
    let rest = hub.rest().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.idle().await;
    let stored = hub.device(&phone).await.up;
    let held = hub.hold_database().await;
    line.inbound(1, "meanwhile").await;
    hub.until_busy().await;
    line.pong().await;
    line.inbound(2, "a little later").await;
    hub.until_busy().await;
    line.pong().await;
    assert_eq!(line.up_acked, stored, "nothing is acked that is not stored");
    let note = json!({"name": "label"});
    assert_eq!(rest.refused("labels", note).await, 503);
    drop(held);
    line.settle().await;
    assert_eq!(hub.device(&phone).await.up, line.up);
    let taken = rest.get("messages?direction=incoming").await;
    assert_eq!(taken["data"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_phone_keeps_its_socket_and_loses_nothing_while_the_disk_is_full() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.idle().await;
    let stored = hub.device(&phone).await.up;
    hub.limit_pages("PRAGMA max_page_count = 1").await;
    line.inbound(1, &"long ".repeat(10_000)).await;
    while hub.hub.store.health() != Health::Full {
        tokio::task::yield_now().await;
    }
    line.pong().await;
    assert_eq!(line.up_acked, stored, "nothing is acked that is not stored");
    hub.limit_pages("PRAGMA max_page_count = 1000000").await;
    line.settle().await;
    assert_eq!(hub.device(&phone).await.up, line.up);
}

#[tokio::test]
async fn a_hello_waits_for_the_database() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let held = hub.hold_database().await;
    let mut line = phone.greet(|_| {}).await;
    hub.until_busy().await;
    hub.until_busy().await;
    drop(held);
    line.welcome().await;
    assert_eq!(hub.device(&phone).await.conn, 1);
}

#[tokio::test]
async fn a_phone_that_is_connected_to_another_process_is_not_offline() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let (mut phone, started) = (hub.pair().await, hub.hub.now().unix);
    phone.turn_to(&other);
    let line = phone.connect().await;
    assert_eq!(hub.device(&phone).await.connected_to, Some(1));
    let later = hub.hub.now().plus_ms(3_600_000);
    let offline = |now| offline::look(&hub.hub, started, now);
    assert_eq!(offline(later).await.unwrap(), 0);
    phone.cut(line);
    hub.until_gone(&phone).await;
    assert_eq!(offline(later).await.unwrap(), 1);
}

#[tokio::test]
async fn the_answer_to_a_send_knows_a_phone_that_is_connected_to_another_process() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let rest = hub.rest().await;
    let mut phone = hub.pair().await;
    phone.turn_to(&other);
    let send = || async {
        let message = json!({"to_number": super::support::TO, "content": "x"});
        let sent = rest.post("messages/send", message).await;
        let id = sent["id"].as_str().unwrap();
        let shown = rest.get(&format!("messages/{id}")).await;
        assert_eq!(sent["waiting_for"], shown["waiting_for"]);
        sent["waiting_for"].clone()
    };
    assert_eq!(send().await, "phone_offline");
    let line = phone.connect().await;
    hub.hub.rows_changed();
    assert_ne!(send().await, "phone_offline");
    phone.cut(line);
    hub.until_gone(&phone).await;
    hub.hub.rows_changed();
    assert_eq!(send().await, "phone_offline");
}

#[tokio::test]
async fn a_message_stays_with_a_phone_that_is_connected_to_another_process() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let route = route(&hub, &[&first, &second]).await;
    let _spare = second.connect().await;
    first.turn_to(&other);
    let mut line = first.connect().await;
    line.idle().await;
    // Its process is not told, so the message waits.
    let id = hub
        .queue_with(&first, "x", move |it| it.route_id = Some(route))
        .await;
    let later = hub.hub.now().plus_ms(3_600_000);
    let moved = failover::sweep(&hub.hub, later, Duration::ZERO).await;
    assert_eq!(moved.ok(), Some(0));
    first.cut(line);
    hub.until_gone(&first).await;
    let moved = failover::sweep(&hub.hub, later, Duration::ZERO).await;
    assert_eq!(moved.ok(), Some(1));
    assert_eq!(hub.message(id).await.phone_id, second.row.id);
}

#[tokio::test]
async fn the_phones_of_a_process_that_was_killed_are_offline_from_when_that_is_known() {
    let hub = hub().await;
    let killed = hub.another_process().await;
    let (mut phone, mut own) = (hub.pair().await, hub.pair().await);
    phone.turn_to(&killed);
    let (_line, _other) = (phone.connect().await, own.connect().await);
    let known = hub.hub.now().unix;
    presence::process_ended(&hub.hub, 1).await.unwrap();
    let device = hub.device(&phone).await;
    assert_eq!(device.connected_to, None);
    assert!(device.offline_since >= Some(known));
    assert_eq!(hub.device(&own).await.connected_to, Some(0));
}

/// Has two processes share the projects; returns the one that works for the test's, and the other.
fn shared<'h>(hub: &'h TestHub, other: &'h TestHub) -> (&'h Hub, &'h Hub) {
    let live = BTreeSet::from([0, 1]);
    hub.hub.share_with(&live);
    other.hub.share_with(&live);
    if ProjectShares::of_process(0, &live).has(hub.project.id) {
        (&hub.hub, &other.hub)
    } else {
        (&other.hub, &hub.hub)
    }
}

#[tokio::test]
async fn one_process_does_what_a_project_needs_by_itself() {
    let hub = hub().await;
    let other = hub.another_process().await;
    let started = hub.hub.now().unix;
    let (owner, idle) = shared(&hub, &other);
    let (mut first, second) = (hub.pair().await, hub.pair().await);
    let line = first.connect().await;
    first.cut(line);
    hub.until_gone(&first).await;
    let later = hub.hub.now().plus_ms(3_600_000);
    assert_eq!(offline::look(idle, started, later).await.unwrap(), 0);
    assert_eq!(offline::look(owner, started, later).await.unwrap(), 1);

    let over = hub.hub.now().unix.plus_ms(-600_000);
    hub.queue_with(&first, "x", move |it| it.life_end = Some(over))
        .await;
    assert_eq!(expiry::sweep(idle).await.unwrap(), 0);
    assert_eq!(expiry::sweep(owner).await.unwrap(), 1);

    hub.queue_with(&second, "x", |it| it.simulated = true).await;
    assert!(!test_routes::play_once(idle).await.unwrap());
    assert!(test_routes::play_once(owner).await.unwrap());

    let mut line = first.connect().await;
    line.idle().await;
    let route = route(&hub, &[&second, &first]).await;
    hub.queue_with(&second, "x", move |it| it.route_id = Some(route))
        .await;
    let sweep = |by| failover::sweep(by, later, Duration::ZERO);
    assert_eq!(sweep(idle).await.unwrap(), 0);
    assert_eq!(sweep(owner).await.unwrap(), 1);

    let left = BTreeSet::from([idle.process]);
    idle.share_with(&left);
    hub.queue_with(&first, "x", move |it| it.life_end = Some(over))
        .await;
    assert_eq!(expiry::sweep(idle).await.unwrap(), 1, "it takes over");
}
