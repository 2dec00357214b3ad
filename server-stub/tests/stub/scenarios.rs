//! The worked scenarios of the README, played by a phone that keeps the rules.

use crate::support::{Run, radio_log};
use server_stub::scenario::Scenario;
use std::path::Path;
use virtual_phone::Incoming;

async fn run(name: &str) -> Run {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    Run::of(Scenario::read(&folder.join(name)).unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_lines_lose_nothing() {
    let run = run("cut-lines.toml").await;
    let phone = run.phone().await;
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
    let delivered = verdict
        .messages
        .iter()
        .filter(|it| it.view.status == "delivered");
    assert_eq!(delivered.count(), 6, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_hub_sends_nothing_twice() {
    let run = run("restored-hub.toml").await;
    let phone = run.phone().await;
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.messages.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emulators_first_run_goes_through_with_a_virtual_phone_too() {
    let run = run("emulator.toml").await;
    let phone = run.phone().await;
    run.until(r#"{"state": {"is": "sent", "label": "short", "count": 2}}"#)
        .await;
    let message = Incoming {
        sim: postrider_model::SimSlot::default(),
        from: "+15005550123".parse().unwrap(),
        text: postrider_model::MessageText::new("hello"),
    };
    assert!(phone.receive(message));
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert!(verdict.held, "{verdict}");
    assert_eq!((verdict.inbound, verdict.connected), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_the_radio_had_twice_breaks_the_verdict() {
    let run = Run::start("[end]\nwhen = \"told\"\n[[step]]\nwait.connected = 1\nsend = {}\n").await;
    let phone = run.phone().await;
    run.until(r#"{"state": {"is": "delivered"}}"#).await;
    let log = radio_log(run.folder.path());
    let hand_overs = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, hand_overs.repeat(2)).unwrap();
    run.stub.stop();
    let verdict = run.finish().await;
    phone.stop().await.unwrap();
    assert_eq!(verdict.broken(), ["radio"], "{verdict}");
}

#[test]
fn every_scenario_of_the_folder_is_sound() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        Scenario::read(&file.unwrap().path()).unwrap();
        count += 1;
    }
    assert_eq!(count, 3);
}
