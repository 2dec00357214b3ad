//! Scheduled messages of a hub that was restored from a backup.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

use crate::support::{Client, TO, TestHub, hub, hub_in, id, router};
use hub_app::schedules::fire;
use hub_store::{backup, campaigns, schedules};
use postrider_model::UnixMs;
use route_hub::commands::{RestoreArgs, restore};
use route_hub::config_file::ConfigFile;
use route_hub::database::DatabaseSettings;
use serde_json::{Value, json};
use std::fs::File;
use tempfile::TempDir;

const HOUR_MS: i64 = 3_600_000;

/// Takes a backup of a hub's database and restores it into a folder of its own.
async fn restored(test: &TestHub, send_missed: bool) -> (TempDir, TestHubAgain) {
    let dir = tempfile::tempdir().unwrap();
    let (from, copy) = (test.folder().join("hub.db"), dir.path().join("copy.db"));
    let args = RestoreArgs {
        file: ConfigFile::default(),
        database: DatabaseSettings::default(),
        from: copy.clone(),
        dir: dir.path().join("new"),
        files: None,
        replace: false,
        send_missed,
        json: true,
    };
    let folder = args.dir.clone();
    let working = tokio::task::spawn_blocking(move || {
        File::create_new(&copy).unwrap();
        backup::copy(&from, &copy, &mut |_| ()).unwrap();
        restore(&args).unwrap();
    });
    working.await.unwrap();
    let again = TestHubAgain(hub_in(&folder, 1));
    (dir, again)
}

struct TestHubAgain(hub_app::hub::Hub);

impl TestHubAgain {
    fn client(&self, before: &TestHub) -> Client {
        let router = router(&self.0);
        before.client().to(router)
    }

    async fn tick(&self) -> usize {
        fire::all_due(&self.0, self.0.now()).await.unwrap()
    }
}

/// Makes schedules that came due an hour ago and were not sent when the backup was taken: one that
/// happens once, one that recurs, one with `on_unknown` `resend`; and one in the future.
async fn schedules_of(test: &TestHub) -> Vec<String> {
    let client = test.client();
    let past = test.hub.now().unix.plus_ms(-HOUR_MS);
    let mut made = Vec::new();
    for change in [
        json!({ "start_time": past.seconds() }),
        json!({ "start_time": past.seconds(), "rrule": "FREQ=DAILY" }),
        json!({ "start_time": past.seconds(), "on_unknown": "resend" }),
        json!({ "start_time_offset": 3_600 }),
    ] {
        let mut body = json!({ "to_number": TO, "content": "x" });
        body.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        made.push(id(&client.post("scheduled", body).await));
    }
    let (project, daily) = (test.project.id, made[1].parse().unwrap());
    let make_due = test.hub.store.write(move |tx| {
        let mut daily = schedules::get(tx, project, daily)?.unwrap();
        daily.next_time = Some(UnixMs(past.seconds() * 1_000));
        schedules::update(tx, &daily)
    });
    assert!(make_due.await.unwrap());
    made
}

async fn shown(client: &Client, id: &str) -> Value {
    client.get(&format!("scheduled/{id}")).await
}

#[tokio::test]
async fn what_may_have_been_sent_since_the_backup_is_passed_over_and_says_so() {
    let test = hub().await;
    let made = schedules_of(&test).await;
    let (_dir, again) = restored(&test, false).await;
    let client = again.client(&test);
    assert_eq!(again.tick().await, 1);
    let sent = client.get("messages").await;
    assert_eq!(sent["data"][0]["scheduled_id"], made[2]);
    assert_eq!(sent["data"].as_array().unwrap().len(), 1);
    let (once, daily) = (
        shown(&client, &made[0]).await,
        shown(&client, &made[1]).await,
    );
    for one in [&once, &daily] {
        assert!(
            one["error_message"].as_str().unwrap().contains("restored"),
            "{one}"
        );
        assert_eq!(one["prev_time"], one["start_time"]);
    }
    assert_eq!(once["next_time"], Value::Null);
    let next = once["start_time"].as_i64().unwrap() + 86_400;
    assert_eq!(daily["next_time"], next);
    let to_come = shown(&client, &made[3]).await;
    assert_eq!(to_come["next_time"], to_come["start_time"]);
    assert!(to_come.get("error_message").is_none());
}

#[tokio::test]
async fn what_was_missed_is_sent_where_the_operator_says_that_no_hub_ran() {
    let test = hub().await;
    let made = schedules_of(&test).await;
    let (_dir, again) = restored(&test, true).await;
    assert_eq!(again.tick().await, 3);
    let client = again.client(&test);
    let sent = client.get("messages").await;
    let by: Vec<_> = sent["data"].as_array().unwrap().iter().collect();
    let by: Vec<_> = by
        .iter()
        .map(|it| it["scheduled_id"].as_str().unwrap())
        .collect();
    assert_eq!(by, [&made[0], &made[1], &made[2]]);
}

/// Makes a campaign that came due an hour ago and was not sent when the backup was taken.
async fn campaign_of(test: &TestHub) -> String {
    let client = test.client();
    let group = id(&client.post("groups", json!({ "name": "News" })).await);
    let body = json!({
        "campaign_type": "broadcast_text", "group_id": group, "content": "x",
        "schedule_time": test.hub.now().unix.plus_ms(HOUR_MS).seconds(),
    });
    let made = id(&client.post("campaigns", body).await);
    client
        .post(&format!("campaigns/{made}/send"), json!({}))
        .await;
    let (project, key) = (test.project.id, made.parse().unwrap());
    let past = test.hub.now().unix.plus_ms(-HOUR_MS);
    let make_due = test.hub.store.write(move |tx| {
        let mut campaign = campaigns::get(tx, project, key)?.unwrap();
        campaign.schedule_time = Some(past);
        campaigns::update(tx, &campaign)
    });
    assert!(make_due.await.unwrap());
    made
}

#[tokio::test]
async fn a_campaign_that_may_have_been_sent_since_the_backup_is_a_draft_and_says_so() {
    for (send_missed, status) in [(false, "draft"), (true, "scheduled")] {
        let test = hub().await;
        let made = campaign_of(&test).await;
        let (_dir, again) = restored(&test, send_missed).await;
        let shown = again.client(&test).get(&format!("campaigns/{made}")).await;
        assert_eq!(shown["status"], status);
        let problem = shown["error_message"].as_str().unwrap_or_default();
        assert_eq!(problem.contains("restored"), !send_missed, "{problem}");
    }
}
