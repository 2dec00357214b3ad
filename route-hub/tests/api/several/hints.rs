//! A message that came in through another hub, while every hint of it is lost.

use crate::support::{device_of, hub, hub_in, router};
use futures_util::FutureExt as _;
use hub_app::hints;
use hub_app::hub::bus::Wake;
use serde_json::json;
use std::sync::Arc;

/// Says whether the look at the queues wakes the link of a phone for which another hub queued a message.
async fn is_found() -> bool {
    let test = hub().await;
    let link = Arc::new(Wake::default());
    let (phone, device) = (test.phone.id, device_of(&test.phone));
    let bus = &test.hub.bus;
    bus.listen(test.project.id, device, &[phone], &link);
    let other = router(&hub_in(test.folder(), 1));
    test.client().to(other).send("nobody hints at it").await;
    assert!(link.woken().now_or_never().is_none(), "there is no hint");
    hints::look_once(&test.hub).await.expect("it is looked");
    let woken = link.woken().now_or_never();
    woken.is_some_and(|woken| woken.queued)
}

#[tokio::test]
async fn a_message_whose_hint_is_lost_is_found_by_the_look_at_the_queues() {
    assert!(is_found().await);
}

#[tokio::test]
async fn a_message_to_a_test_route_whose_hint_is_lost_is_found_by_the_same_look() {
    let test = hub().await;
    let route = test.test_phone().await.id;
    let other = router(&hub_in(test.folder(), 1));
    let wanted = json!({"to_number": "+15005550177", "content": "played", "route_id": route});
    let client = test.client().to(other);
    client.post("messages/send", wanted).await;
    let woken = || test.hub.bus.simulated_woken().now_or_never();
    assert!(woken().is_none(), "there is no hint");
    hints::look_once(&test.hub).await.expect("it is looked");
    assert!(woken().is_some());
}

#[cfg(debug_assertions)]
#[test]
fn hints_alone_are_caught() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let found = postrider_link::mistake::with("hints_alone", || runtime.block_on(is_found()));
    assert!(!found);
}
