//! Who may come in, and who has to go.

use super::support::hub;
use hub_app::alerts::offline;
use hub_domain::DeviceState;
use postrider_link::frame::{Bye, HubFrame, PhoneFrame};
use postrider_link::ownership::hub::HubState;
use postrider_model::WireState;

#[tokio::test]
async fn a_revoked_device_is_closed() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    hub.change_device(&phone, |device| device.state = DeviceState::Revoked)
        .await;
    assert_eq!(line.close_code().await, 4403);
    assert_eq!(phone.greet(|_| {}).await.close_code().await, 4403);
}

#[tokio::test]
async fn a_device_that_must_pair_again_is_closed() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    hub.change_device(&phone, |device| device.state = DeviceState::NeedsPairing)
        .await;
    assert_eq!(line.close_code().await, 4410);
}

#[tokio::test]
async fn garbage_closes_4400() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let deep = "[".repeat(20_000);
    for garbage in [
        "garbage",
        "",
        "null",
        "[]",
        "{}",
        r#"{"t":17}"#,
        r#"{"t":"ack","a":1}"#,
        r#"{"t":"ack","a":-1,"limit":1,"mono":1}"#,
        r#"{"t":"ack","a":1e3,"limit":1,"mono":1}"#,
        r#"{"t":"ack","a":9007199254740992,"limit":1,"mono":1}"#,
        r#"{"t":"event","s":1}"#,
        r#"{"t":"x","t":"x"}"#,
        &deep,
    ] {
        let (mut line, _) = phone.open().await;
        line.write_text(garbage).await;
        assert_eq!(line.close_code().await, 4400, "{garbage}");
        let mut line = phone.connect().await;
        line.write_text(garbage).await;
        assert_eq!(line.close_code().await, 4400, "{garbage}");
        phone.down = hub.device(&phone).await.down_sent;
    }
}

#[tokio::test]
async fn a_frame_that_must_be_understood_closes_4406() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.write_text(r#"{"t":"hologram","s":1,"crit":true}"#)
        .await;
    assert_eq!(line.close_code().await, 4406);
}

#[tokio::test]
async fn a_hello_signed_with_another_key_or_for_another_nonce_is_not_known() {
    let hub = hub().await;
    let (mut phone, stranger) = (hub.pair().await, hub.pair().await);
    let mut line = phone.greet(|hello| hello.phone = stranger.device).await;
    assert_eq!(line.close_code().await, 4401);
    let (_, challenge) = phone.open().await;
    let (mut line, _) = phone.open().await;
    let replayed = phone.hello(&challenge, |_| {});
    line.write(PhoneFrame::Hello(replayed)).await;
    assert_eq!(line.close_code().await, 4401);
    assert_eq!(hub.device(&stranger).await.conn, 0);
}

#[tokio::test]
async fn a_device_that_the_hub_has_no_row_of_is_not_known() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    hub.remove_device(&phone).await;
    assert_eq!(phone.greet(|_| {}).await.close_code().await, 4401);
}

#[tokio::test]
async fn a_hello_for_a_name_that_the_hub_does_not_have_is_not_known_and_told_so_after_it_has() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    phone.host = "hub.example".to_owned();
    assert_eq!(phone.greet(|_| {}).await.close_code().await, 4401);
    assert_eq!(hub.device(&phone).await.conn, 0);
    phone.host = "localhost".to_owned();
    phone.connect().await;
}

#[tokio::test]
async fn a_phone_that_was_replaced_is_told_so_when_it_shows_its_former_key() {
    let hub = hub().await;
    let (mut replaced, newer) = (hub.pair().await, hub.pair().await);
    replaced.connect().await;
    hub.replace(&replaced, &newer).await;
    assert_eq!(replaced.greet(|_| {}).await.close_code().await, 4403);
    let mut stranger = hub.pair().await;
    let (id, install) = (replaced.device, replaced.install.clone());
    let mut line = stranger
        .greet(|hello| {
            hello.phone = id;
            hello.install = install.parse().unwrap();
        })
        .await;
    assert_eq!(line.close_code().await, 4401, "it cannot show that key");
}

#[tokio::test]
async fn a_welcome_tells_the_hubs_own_id() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.greet(|_| {}).await;
    assert_eq!(line.welcome().await.hub, Some(hub.hub.hub_id));
}

#[tokio::test]
async fn the_older_connection_is_closed_4409() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut older = phone.connect().await;
    let mut newer = phone.connect().await;
    assert_eq!(older.close_code().await, 4409);
    let id = hub.queue(&phone, "to the newer").await;
    assert_eq!(newer.send().await.id, id);
}

#[tokio::test]
async fn a_hello_that_was_overtaken_harms_nobody_even_when_the_newer_has_left() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let (mut slow, challenge) = phone.open().await;
    let late = phone.hello(&challenge, |_| {});
    let line = phone.connect().await;
    phone.cut(line);
    hub.until_connected(0).await;
    slow.write(PhoneFrame::Hello(late)).await;
    assert_eq!(slow.close_code().await, 4409);
    assert_eq!(hub.device(&phone).await.state, DeviceState::Active);
    phone.connect().await;
}

#[tokio::test]
async fn a_journal_that_went_back_is_4410_and_its_exposures_are_unknown() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "gone").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    line.event(&frame, WireState::OnPhone).await;
    line.ack().await;
    line.settle().await;
    phone.cut(line);
    hub.until_connected(0).await;
    // Its acks are stored with its leaving.
    while hub.device(&phone).await.down_acked < phone.down {
        tokio::task::yield_now().await;
    }
    let mut line = phone.greet(|hello| hello.down = 0).await;
    assert_eq!(line.close_code().await, 4410);
    assert_eq!(hub.state(id).await, HubState::Unknown);
    assert_eq!(hub.alerts().await, ["phone_cloned"]);
    assert_eq!(
        phone.greet(|_| {}).await.close_code().await,
        4410,
        "it must pair again"
    );
}

#[tokio::test]
async fn a_phone_that_its_owner_unpaired_is_out_of_service_with_its_last_facts_counted() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let started = hub.hub.now().unix;
    let (held, given_back) = (hub.queue(&phone, "1").await, hub.queue(&phone, "2").await);
    let mut line = phone.connect().await;
    let (first, second) = (line.send().await, line.send().await);
    line.event(&first, WireState::OnPhone).await;
    line.ack().await;
    line.settle().await;
    line.inbound(1, "a last word").await;
    line.event(&second, WireState::Revoked).await;
    let bye = Bye {
        code: 4403,
        retry_ms: 0,
    };
    line.write(PhoneFrame::Bye(bye)).await;
    assert_eq!(line.close_code().await, 4403);
    let device = hub.device(&phone).await;
    assert_eq!((device.state, device.up), (DeviceState::Revoked, 3));
    assert_eq!(hub.state(held).await, HubState::Unknown);
    assert_eq!(hub.state(given_back).await, HubState::Waiting);
    assert!(hub.alerts().await.is_empty());
    assert_eq!(phone.greet(|_| {}).await.close_code().await, 4403);
    let later = hub.hub.now().plus_ms(3_600_000);
    assert_eq!(offline::look(&hub.hub, started, later).await.unwrap(), 0);
}

#[tokio::test]
async fn a_phone_that_only_goes_away_stays_in_service() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "held").await;
    let mut line = phone.connect().await;
    line.send().await;
    let bye = Bye {
        code: 1001,
        retry_ms: 0,
    };
    line.write(PhoneFrame::Bye(bye)).await;
    assert_eq!(line.close_code().await, 1001);
    assert_eq!(hub.device(&phone).await.state, DeviceState::Active);
    assert_eq!(hub.state(id).await, HubState::Exposed);
    phone.connect().await;
}

#[tokio::test]
async fn a_copy_of_a_phone_ends_both() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let mut copy = phone.greet(|hello| hello.conn = 1).await;
    assert_eq!(copy.close_code().await, 4410);
    assert_eq!(line.close_code().await, 4410);
}

#[tokio::test]
async fn a_copy_that_lacks_what_the_hub_has_seen_acked_is_refused_before_that_is_stored() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.idle().await;
    let id = hub.queue(&phone, "once").await;
    let sent = line.send().await;
    line.ack().await;
    line.pong().await;
    phone.down = sent.s - 1;
    let mut copy = phone.greet(|_| {}).await;
    assert_eq!(copy.close_code().await, 4410);
    assert_eq!(hub.state(id).await, HubState::Unknown);
}

#[tokio::test]
async fn a_phone_that_stays_away_is_told_of_and_its_return_ends_that() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let started = hub.hub.now().unix;
    let line = phone.connect().await;
    let later = hub.hub.now().plus_ms(3_600_000);
    assert_eq!(offline::look(&hub.hub, started, later).await.unwrap(), 0);
    phone.cut(line);
    hub.until_connected(0).await;
    hub.until_gone(&phone).await;
    assert_eq!(offline::look(&hub.hub, started, later).await.unwrap(), 1);
    assert_eq!(hub.alerts().await, ["phone_offline"]);
    phone.connect().await;
    assert!(hub.alerts().await.is_empty());
}

#[tokio::test]
async fn a_drained_phone_is_told_when_to_come_back_and_says_its_last_facts() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.pause().await;
    hub.hub.links.drain();
    let bye = |frame| match frame {
        HubFrame::Bye(bye) => Some(bye),
        _ => None,
    };
    let bye = line.wait(bye).await;
    assert_eq!(bye.code, 1001);
    assert!(bye.retry_ms < 2, "nobody else comes back");
    let id = hub.queue(&phone, "too late").await;
    line.inbound(1, "in time").await;
    assert!(line.settle().await.is_empty());
    assert_eq!(hub.device(&phone).await.up, 1);
    assert_eq!(hub.state(id).await, HubState::Waiting);
    phone.cut(line);
    hub.hub.links.all_ended().await;
}
