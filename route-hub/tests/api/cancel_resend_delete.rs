//! Cancel, resend, delete.

use crate::support::{INSTALL, TestHub, device_of, hub, id, message_id};
use hub_app::dispatch::transitions::Detail;
use hub_app::unit_of_work::UnitOfWork;
use hub_store::messages;
use postrider_link::ownership::hub::{Fact, Holder, Report};
use postrider_model::{MessageId, PhoneId, WireState};
use serde_json::{Value, json};

fn holder(test: &TestHub) -> Holder {
    Holder {
        device: device_of(&test.phone),
        install: INSTALL.parse().expect("an installation"),
    }
}

/// Does what the link would: applies a fact to a message and wakes who waits for it.
async fn apply(test: &TestHub, id: MessageId, fact: impl Fn(&Holder) -> Fact<'_> + Send + 'static) {
    let (hub, project, holder) = (test.hub.clone(), test.project.clone(), holder(test));
    let job = test.hub.store.write(move |tx| {
        let mut message = messages::by_key(tx, id)?.expect("the message");
        let mut work = UnitOfWork::new(&hub, tx, &project, hub.now());
        let applied = work.apply(&mut message, fact(&holder), &Detail::default())?;
        applied.expect("a fact that fits");
        work.finish()
    });
    job.await.expect("applied").perform(&test.hub);
}

async fn expose(test: &TestHub, id: MessageId) {
    apply(test, id, |holder| Fact::Exposed {
        holder: holder.clone(),
        s: 1,
    })
    .await;
}

async fn report(test: &TestHub, id: MessageId, state: WireState) {
    let report = Report {
        state,
        partial: false,
        unsent: state == WireState::Failed,
    };
    apply(test, id, move |by| Fact::Reported { ep: 1, by, report }).await;
}

async fn cancel(test: &TestHub, message: &Value) -> crate::support::Reply {
    let path = format!("messages/{}/cancel", id(message));
    test.client().call("POST", &path, None).await
}

#[tokio::test]
async fn what_waits_is_cancelled_at_once_and_again() {
    let test = hub().await;
    let sent = test.client().send("x").await;
    let cancelled = cancel(&test, &sent).await.ok();
    assert_eq!(
        (&cancelled["id"], &cancelled["status"]),
        (&sent["id"], &json!("cancelled"))
    );
    assert!(cancelled.get("waiting_for").is_none());
    assert_eq!(cancel(&test, &sent).await.ok()["status"], "cancelled");
}

#[tokio::test]
async fn what_a_phone_holds_is_cancelled_by_its_word() {
    let test = hub().await;
    let sent = test.client().send("x").await;
    expose(&test, message_id(&sent)).await;
    let (answer, ()) = tokio::join!(cancel(&test, &sent), async {
        asked(&test, message_id(&sent)).await;
        report(&test, message_id(&sent), WireState::Cancelled).await;
    });
    assert_eq!(answer.ok()["status"], "cancelled");
}

#[tokio::test]
async fn what_is_on_its_way_cannot_be_cancelled() {
    let test = hub().await;
    let sent = test.client().send("x").await;
    expose(&test, message_id(&sent)).await;
    let (answer, ()) = tokio::join!(cancel(&test, &sent), async {
        asked(&test, message_id(&sent)).await;
        report(&test, message_id(&sent), WireState::Sent).await;
    });
    assert_eq!(answer.refused(400).0, "not_cancellable");
    assert_eq!(cancel(&test, &sent).await.refused(400).0, "not_cancellable");
}

#[tokio::test]
async fn without_an_answer_the_message_is_shown_as_it_is() {
    let test = hub().await;
    let sent = test.client().send("x").await;
    expose(&test, message_id(&sent)).await;
    assert_eq!(cancel(&test, &sent).await.ok()["status"], "queued");
    report(&test, message_id(&sent), WireState::Cancelled).await;
    let later = test.client().get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(later["status"], "cancelled");
}

/// Waits until the request to cancel is stored.
async fn asked(test: &TestHub, id: MessageId) {
    use postrider_link::ownership::hub::Flags;
    loop {
        let changed = test.hub.bus.watch_message(id);
        let message = test
            .hub
            .store
            .read(move |tx| messages::by_key(tx, id))
            .await
            .expect("a read");
        let flags = Flags::from_code(message.expect("the message").ownership.flags);
        if flags.has(Flags::CANCEL_ASKED) {
            return;
        }
        let _ = changed.await;
    }
}

#[tokio::test]
async fn an_incoming_message_cannot_be_cancelled_or_sent_again() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "from_number": "+15005550101", "content": "in", "phone_id": test.phone.id });
    let incoming = client.post("messages/receive", body).await;
    assert_eq!(
        cancel(&test, &incoming).await.refused(400).0,
        "not_cancellable"
    );
    let path = format!("messages/{}/resend", id(&incoming));
    assert_eq!(
        client.call("POST", &path, None).await.refused(400).0,
        "invalid_param"
    );
}

async fn other_phone(test: &TestHub) -> PhoneId {
    let (hub, project) = (&test.hub, test.project.id);
    let android = hub_domain::PhoneType::Android;
    crate::support::add_phone(hub, project, android, "+15005550109")
        .await
        .id
}

#[tokio::test]
async fn resending_what_waits_only_changes_its_route() {
    let test = hub().await;
    let client = test.client();
    let other = other_phone(&test).await;
    let sent = client.send("x").await;
    let path = format!("messages/{}/resend", id(&sent));
    let resent = client.post(&path, json!({ "route_id": other })).await;
    assert_eq!(resent["id"], sent["id"]);
    assert_eq!(resent["phone_id"], other.to_string());
    assert_eq!(resent["from_number"], "+15005550109");
    assert_eq!(client.get("messages?count=1").await["count"], 1);
}

#[tokio::test]
async fn resending_what_a_phone_holds_asks_it_back_and_then_moves_it() {
    let test = hub().await;
    let client = test.client();
    let other = other_phone(&test).await;
    let sent = client.send("x").await;
    expose(&test, message_id(&sent)).await;
    let path = format!("messages/{}/resend", id(&sent));
    let resent = client.post(&path, json!({ "route_id": other })).await;
    assert_eq!(
        (&resent["id"], &resent["phone_id"]),
        (&sent["id"], &sent["phone_id"])
    );
    report(&test, message_id(&sent), WireState::Revoked).await;
    let moved = client.get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(moved["phone_id"], other.to_string());
    assert_eq!(moved["from_number"], "+15005550109");
    assert_eq!(moved["status"], "queued");
    let queue = test
        .hub
        .store
        .read(move |tx| messages::claim_queued(tx, other, 1, 9));
    assert_eq!(queue.await.unwrap().len(), 1);
}

#[tokio::test]
async fn resending_what_was_cancelled_queues_it_again() {
    let test = hub().await;
    let client = test.client();
    let other = other_phone(&test).await;
    let sent = client.send("x").await;
    cancel(&test, &sent).await.ok();
    let path = format!("messages/{}/resend", id(&sent));
    let resent = client.post(&path, json!({ "route_id": other })).await;
    assert_eq!(
        (&resent["id"], &resent["status"]),
        (&sent["id"], &json!("queued"))
    );
    assert_eq!(resent["phone_id"], other.to_string());
}

#[tokio::test]
async fn resending_what_went_out_makes_a_new_message() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("x").await;
    expose(&test, message_id(&sent)).await;
    report(&test, message_id(&sent), WireState::Sent).await;
    let path = format!("messages/{}/resend", id(&sent));
    let resent = client.post(&path, Value::Null).await;
    assert_ne!(resent["id"], sent["id"]);
    assert_eq!(resent["content"], "x");
    assert_eq!(resent["status"], "queued");
    assert_eq!(resent["time_sent"], Value::Null);
    let contact = client
        .get(&format!(
            "contacts/{}",
            sent["contact_id"].as_str().unwrap()
        ))
        .await;
    assert_eq!(contact["outgoing_message_count"], 2);
}

#[tokio::test]
async fn a_deleted_message_is_gone_and_never_sent() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("x").await;
    let path = format!("messages/{}", id(&sent));
    assert_eq!(client.call("DELETE", &path, None).await.ok(), json!({}));
    for (method, path) in [
        ("GET", path.clone()),
        ("POST", path.clone()),
        ("DELETE", path.clone()),
        ("POST", format!("{path}/cancel")),
        ("POST", format!("{path}/resend")),
    ] {
        assert_eq!(
            client.call(method, &path, None).await.refused(404).0,
            "not_found"
        );
    }
    assert_eq!(client.get("messages?count=1").await["count"], 0);
    let contact = client
        .get(&format!(
            "contacts/{}",
            sent["contact_id"].as_str().unwrap()
        ))
        .await;
    assert_eq!(contact["message_count"], 0);
    let phone = test.phone.id;
    let queue = test
        .hub
        .store
        .read(move |tx| messages::claim_queued(tx, phone, 1, 9));
    assert!(queue.await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_sent_again_over_a_test_route_is_simulated() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let sent = client.send("not to anybody").await;
    let path = format!("messages/{}", id(&sent));
    assert_eq!(sent["simulated"], false);
    let moved = client
        .post(&format!("{path}/resend"), json!({ "route_id": route }))
        .await;
    assert_eq!(moved["simulated"], true);
    assert_eq!(moved["waiting_for"], "queue");
    while hub_app::test_routes::play_once(&test.hub).await.unwrap() {}
    let shown = client.get(&path).await;
    assert_eq!(shown["status"], "sent");
    assert_eq!(shown["phone_id"], route.to_string());
}
