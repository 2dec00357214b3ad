//! Messages of custom routes on their phones.

use super::support::{Phone, TestHub, fresh_id, hub};
use hub_app::dispatch::failover;
use hub_domain::PhoneType;
use hub_domain::routing::{Actions, Route};
use hub_store::routes;
use postrider_link::ownership::hub::HubState;
use postrider_model::{CustomRouteId, WireState};
use serde_json::json;
use std::time::Duration;

/// Makes a route that offers these phones in their order.
pub(super) async fn route(hub: &TestHub, phones: &[&Phone]) -> CustomRouteId {
    let ids: Vec<_> = phones.iter().map(|phone| phone.row.id).collect();
    let rules = json!([{ "type": "use_phone", "phone_ids": ids, "offline_sec": 60 }]);
    let now = hub.hub.now();
    let route = Route {
        id: fresh_id(&hub.hub, now),
        project_id: hub.project.id,
        name: "Route".to_owned(),
        actions: Actions::parse(&rules).expect("rules"),
        vars: hub_domain::Vars::default(),
        time_created: now.unix,
    };
    let id = route.id;
    hub.write(move |tx| routes::insert(tx, &route)).await;
    id
}

#[tokio::test]
async fn of_what_could_go_elsewhere_only_two_are_exposed_at_once() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let route = route(&hub, &[&first, &second]).await;
    let _other = second.connect().await;
    hub.until_connected(1).await;
    for text in ["one", "two", "three"] {
        hub.queue_with(&first, text, move |it| it.route_id = Some(route))
            .await;
    }
    let pinned = hub.queue(&first, "for this phone alone").await;
    let mut line = first.connect().await;
    let one = line.send().await;
    let two = line.send().await;
    assert!(one.movable && two.movable);
    let here = line.send().await;
    assert_eq!((here.id, here.movable), (pinned, false));
    assert!(
        line.idle().await.is_empty(),
        "the third can still go elsewhere"
    );
    line.event(&one, WireState::Sent).await;
    let three = line.send().await;
    assert!(three.movable);
}

#[tokio::test]
async fn what_goes_out_again_can_still_go_elsewhere() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let route = route(&hub, &[&first, &second]).await;
    let _other = second.connect().await;
    hub.until_connected(1).await;
    hub.queue_with(&first, "again", move |it| it.route_id = Some(route))
        .await;
    let mut line = first.connect().await;
    let frame = line.send().await;
    line.down = frame.s - 1;
    first.cut(line);
    let mut line = first.connect().await;
    let again = line.send().await;
    assert_eq!((again.s, again.movable), (frame.s, true));
}

#[tokio::test]
async fn what_a_phone_provably_did_not_send_goes_to_the_other_one() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let route = route(&hub, &[&first, &second]).await;
    let (mut line, mut other) = (first.connect().await, second.connect().await);
    hub.until_connected(2).await;
    let id = hub
        .queue_with(&first, "x", move |it| it.route_id = Some(route))
        .await;
    let frame = line.send().await;
    assert!(other.idle().await.is_empty());
    line.event_with(&frame, WireState::Failed, |event| event.unsent = true)
        .await;
    let again = other.send().await;
    assert_eq!((again.id, again.ep), (id, 2));
    let message = hub.message(id).await;
    assert_eq!(
        (message.phone_id, message.route_id),
        (second.row.id, Some(route))
    );
    other.event(&again, WireState::Sent).await;
    hub.until(id, HubState::Sent).await;
}

#[tokio::test]
async fn what_may_have_gone_out_stays_failed_where_it_was() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let route = route(&hub, &[&first, &second]).await;
    let (mut line, mut other) = (first.connect().await, second.connect().await);
    hub.until_connected(2).await;
    let id = hub
        .queue_with(&first, "x", move |it| it.route_id = Some(route))
        .await;
    let frame = line.send().await;
    line.event_with(&frame, WireState::Failed, |event| event.unsent = false)
        .await;
    hub.until(id, HubState::Failed).await;
    assert!(other.idle().await.is_empty(), "not without proof");
}

#[tokio::test]
async fn what_a_phone_took_with_it_waits_for_its_word_and_the_rest_goes_on() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let route = route(&hub, &[&first, &second]).await;
    let mut other = second.connect().await;
    let mut line = first.connect().await;
    hub.until_connected(2).await;
    for text in ["one", "two", "three"] {
        hub.queue_with(&first, text, move |it| it.route_id = Some(route))
            .await;
    }
    let held = [line.send().await.id, line.send().await.id];
    line.settle().await;
    first.cut(line);
    hub.until_gone(&first).await;
    let later = hub.hub.now().plus_ms(61_000);
    let moved = failover::sweep(&hub.hub, later, Duration::ZERO).await;
    assert_eq!(moved.ok(), Some(1));
    let third = other.send().await;
    assert!(!held.contains(&third.id));
    assert!(other.idle().await.is_empty());
    for id in held {
        assert_eq!(hub.message(id).await.phone_id, first.row.id);
    }
}

#[tokio::test]
async fn after_a_restore_nothing_moves_that_may_be_out() {
    let hub = hub().await;
    let (first, mut spare) = (hub.pair().await, hub.pair().await);
    // A test route is always there.
    spare.row.phone_type = PhoneType::Simulated;
    (spare.row.id, spare.row.device_id, spare.row.sim) =
        (fresh_id(&hub.hub, hub.hub.now()), None, None);
    let row = spare.row.clone();
    hub.write(move |tx| hub_store::phones::insert(tx, &row))
        .await;
    let route = route(&hub, &[&first, &spare]).await;
    let queue = || hub.queue_with(&first, "x", move |it| it.route_id = Some(route));
    let before = queue().await;
    hub.freeze().await;
    let after = queue().await;
    let later = hub.hub.now().plus_ms(61_000);
    let moved = failover::sweep(&hub.hub, later, Duration::ZERO).await;
    assert_eq!(moved.ok(), Some(1));
    assert_eq!(hub.message(before).await.phone_id, first.row.id);
    assert_eq!(hub.message(after).await.phone_id, spare.row.id);
}
