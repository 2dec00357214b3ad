//! Cancel, resend, delete.

use crate::support::{INSTALL, TestHub, device_of, hub, id, message_id};
use hub_app::dispatch::transitions::Detail;
use hub_app::unit_of_work::UnitOfWork;
use hub_store::messages;
use postrider_link::ownership::hub::{Fact, Holder, Report};
use postrider_model::{MessageId, WireState};
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
        unsent: false,
    };
    apply(test, id, move |by| Fact::Reported { ep: 1, by, report }).await;
}

async fn cancel(test: &TestHub, message: &Value) -> crate::support::Reply {
    let path = format!("messages/{}/cancel", id(message));
    test.client().call("POST", &path, None).await
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
    client.call("POST", &path, None).await.invalid("message_id");
    let path = format!("messages/{}/send_read_receipt", id(&incoming));
    client.call("POST", &path, None).await.invalid("message_id");
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
