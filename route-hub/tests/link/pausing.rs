//! What holds messages back.

use super::support::{hub, sim};
use hub_store::projects;
use postrider_link::ownership::hub::HubState;

#[tokio::test]
async fn pausing_sends_config_and_holds() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    assert!(!line.pause().await);
    hub.change(&phone, |row| row.set_paused(true)).await;
    assert!(line.pause().await);
    let id = hub.queue(&phone, "wait").await;
    assert!(line.idle().await.is_empty());
    assert_eq!(hub.state(id).await, HubState::Waiting);
    hub.change(&phone, |row| row.set_paused(false)).await;
    assert!(!line.pause().await);
    assert_eq!(line.send().await.id, id);
}

#[tokio::test]
async fn another_sim_pauses_until_confirmed() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    assert!(!line.pause().await);
    line.health(vec![sim(0, "another")]).await;
    assert!(
        line.pause().await,
        "what the phone holds must not leave either"
    );
    assert_eq!(hub.alerts().await, ["sim_changed"]);
    let id = hub.queue(&phone, "from whom?").await;
    assert!(line.idle().await.is_empty());
    let confirm = |row: &mut hub_domain::Phone| {
        (row.sim_changed, row.sim_fingerprint) = (false, None);
    };
    hub.change(&phone, confirm).await;
    assert_eq!(line.send().await.id, id);
    line.health(vec![sim(0, "another")]).await;
    line.settle().await;
    assert!(!hub.phone(&phone).await.sim_changed);
}

#[tokio::test]
async fn the_known_sim_put_back_sends_again_and_ends_the_alert() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let line = phone.connect().await;
    phone.cut(line);
    phone.sims = vec![sim(0, "another")];
    let mut line = phone.connect().await;
    assert!(line.pause().await);
    line.health(vec![sim(0, "first")]).await;
    assert!(!line.pause().await);
    assert!(hub.alerts().await.is_empty());
}

#[tokio::test]
async fn a_stopped_project_pauses_its_phones() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    assert!(!line.pause().await);
    let mut project = hub.project.clone();
    project.stopped = true;
    hub.write(move |tx| projects::update(tx, &project)).await;
    hub.hub.rows_changed();
    assert!(line.pause().await);
    hub.queue(&phone, "stopped").await;
    assert!(line.idle().await.is_empty());
}
