//! Old rows are deleted, however many there are.

use crate::support::{TestHub, hub};
use hub_app::housekeeping;
use hub_domain::{DeliveryStatus, OutboxRow, WebhookEvent};
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::webhook_deliveries::{self, Noted};
use hub_store::{outbox, purge};
use postrider_model::{ProjectId, UnixMs};

const DAY_MS: i64 = 86_400_000;
/// More than two steps of a purge.
const MANY: u32 = 2 * purge::ROWS_MAX + 200;

async fn count(test: &TestHub, sql: &'static str) -> i64 {
    let counting = test
        .hub
        .store
        .read(move |tx| tx.query_one(sql, &[], |row| row.int(0)));
    counting.await.expect("the rows").unwrap_or(-1)
}

fn event(id: i64, project_id: ProjectId, now: UnixMs) -> OutboxRow {
    OutboxRow {
        id,
        project_id,
        webhook_id: None,
        message_id: None,
        origin: "http://127.0.0.1:9".to_owned(),
        url: "http://127.0.0.1:9/".to_owned(),
        secret: None,
        basic_password: None,
        event: WebhookEvent::SendStatus,
        body: String::new(),
        attempts: 0,
        due_at: now,
        time_created: now,
    }
}

#[tokio::test]
async fn all_that_is_old_goes_in_steps_and_what_is_new_stays() {
    let test = hub().await;
    let (project, now) = (test.project.id, test.hub.now());
    let writing = test.hub.store.write(move |tx| {
        for n in 0..MANY {
            let kept = KeptAnswer {
                body_hash: String::new(),
                answer: String::new(),
            };
            idempotency::put(tx, project, &n.to_string(), &kept, now.unix)?;
            let row = event(tx.key(now.unix).get(), project, now.unix);
            outbox::insert(tx, &row)?;
            let noted = Noted {
                row: &row,
                status: DeliveryStatus::GivenUp,
                attempt: None,
            };
            webhook_deliveries::note(tx, project, [noted], u64::MAX)?;
        }
        Ok::<_, hub_store::StoreError>(())
    });
    writing.await.unwrap();
    let answers = "SELECT count(*) FROM idempotency";
    let deliveries = "SELECT count(*) FROM webhook_deliveries";
    let counted = "SELECT kept FROM webhook_deliveries_kept";
    let all = i64::from(MANY);
    for (days, left) in [(6, [all, all]), (8, [all, 0]), (29, [all, 0]), (31, [0, 0])] {
        let then = now.unix.plus_ms(days * DAY_MS);
        housekeeping::tidy(&test.hub, then).await.unwrap();
        for (sql, left) in [
            (answers, left[0]),
            (deliveries, left[1]),
            (counted, left[1]),
        ] {
            assert_eq!(count(&test, sql).await, left, "{sql} after {days} days");
        }
    }
}
