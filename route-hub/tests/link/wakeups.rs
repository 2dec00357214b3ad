//! Who is woken by a change, and what a full store does to the links.

use super::support::{Line, TestHub, hub};
use hub_app::elsewhere;
use hub_domain::DeviceState;
use hub_store::StoreError;
use hub_store::changes::{self, Scope};
use hub_store::devices;
use serde_json::json;
use std::sync::mpsc;

/// Connects so many phones of the present project, each told its settings.
async fn lines(hub: &TestHub, count: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for _ in 0..count {
        let mut line = hub.pair().await.connect().await;
        line.config().await;
        line.settle().await;
        lines.push(line);
    }
    lines
}

#[tokio::test]
async fn a_change_wakes_the_phones_of_its_project_and_no_others() {
    let mut hub = hub().await;
    let mut ours = lines(&hub, 3).await;
    let rest = hub.rest().await;
    hub.turn_to_another_project().await;
    let mut theirs = lines(&hub, 3).await;

    let before = hub.hub.bus.looks();
    for n in 0..100 {
        let zone = ["Africa/Nairobi", "Asia/Kolkata"][n % 2];
        rest.post("", json!({ "timezone_id": zone })).await;
    }
    assert_eq!(hub.hub.bus.looks() - before, 300);
    for line in ours.iter_mut().chain(&mut theirs) {
        line.pong().await;
    }
    assert_eq!(hub.hub.links.connected(), 6);
}

#[tokio::test]
async fn a_phone_that_looks_for_nothing_is_no_work_for_the_writer() {
    let hub = hub().await;
    let mut lines = lines(&hub, 3).await;
    for line in &mut lines {
        line.pong().await;
    }
    let before = hub.hub.store.load().jobs_committed;
    for _ in 0..50 {
        hub.hub.project_changed(hub.project.id);
        for line in &mut lines {
            line.pong().await;
        }
    }
    assert_eq!(hub.hub.store.load().jobs_committed, before);
}

#[tokio::test]
async fn another_process_closes_a_revoked_phone_and_wakes_nobody_else() {
    let mut hub = hub().await;
    let mut others = lines(&hub, 3).await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.config().await;
    hub.turn_to_another_project().await;
    let mut theirs = lines(&hub, 3).await;
    let seen = hub.write(changes::newest).await;
    tokio::spawn(elsewhere::watch(
        hub.hub.clone(),
        hub.hub.store.changed_elsewhere(),
        seen,
        elsewhere::LOOK_EVERY,
    ));

    let (before, device) = (hub.hub.bus.looks(), phone.device);
    let revoking = hub.beside().write(move |tx| {
        devices::set_state(tx, device, DeviceState::Revoked)?;
        changes::raise(tx, Scope::Device(device))
    });
    revoking.await.expect("a commit");
    assert!((4_400..4_500).contains(&line.close_code().await));
    assert_eq!(hub.hub.bus.looks() - before, 1);
    for line in others.iter_mut().chain(&mut theirs) {
        line.pong().await;
    }
}

#[tokio::test]
async fn a_change_of_another_process_wakes_its_project_alone() {
    let mut hub = hub().await;
    let _ours = lines(&hub, 3).await;
    hub.turn_to_another_project().await;
    let mut theirs = lines(&hub, 2).await;
    let seen = hub.write(changes::newest).await;
    tokio::spawn(elsewhere::watch(
        hub.hub.clone(),
        hub.hub.store.changed_elsewhere(),
        seen,
        elsewhere::LOOK_EVERY,
    ));

    let before = hub.hub.bus.looks();
    let (beside, mut stopped) = (hub.beside(), hub.project.clone());
    stopped.stopped = true;
    let stopping = beside.write(move |tx| {
        hub_store::projects::update(tx, &stopped)?;
        changes::raise(tx, Scope::Project(stopped.id))
    });
    stopping.await.expect("a commit");
    for line in &mut theirs {
        assert!(line.pause().await);
    }
    assert_eq!(hub.hub.bus.looks() - before, 2);
}

#[tokio::test]
async fn a_full_store_closes_no_link_and_loses_no_fact() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.config().await;
    line.settle().await;
    // One job holds the writer, and as many wait as may wait.
    let (release, held) = mpsc::channel::<()>();
    let mut held = Some(held);
    let holding = hub.hub.store.write(move |_| {
        held.take().map(|held| held.recv());
        Ok::<_, StoreError>(())
    });
    let is_full = || {
        let taken = std::pin::pin!(hub.hub.store.write(|_| Ok(())));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let answer = Future::poll(taken, &mut context);
        matches!(answer, std::task::Poll::Ready(Err(StoreError::Busy)))
    };
    while !is_full() {}

    line.inbound(1, "kept").await;
    line.pong().await;
    drop(release);
    holding.await.expect("the writer goes on");
    // The first job that is taken ends behind all those that waited.
    while hub
        .hub
        .store
        .write(|_| Ok::<_, StoreError>(()))
        .await
        .is_err()
    {
        tokio::task::yield_now().await;
    }
    line.settle().await;
    assert_eq!(hub.device(&phone).await.up, 1);
    line.pong().await;
}
