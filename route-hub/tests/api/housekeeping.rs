//! Old rows are deleted, however many there are.

use crate::support::{TestHub, hub};
use hub_app::housekeeping;
use hub_domain::{WebhookEvent, WebhookLogEntry};
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::{purge, webhook_log};

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
            let attempt = WebhookLogEntry {
                id: tx.key(now.unix).get(),
                outbox_id: 1,
                project_id: project,
                message_id: None,
                event: WebhookEvent::SendStatus,
                url_origin: "http://127.0.0.1:9".to_owned(),
                attempt: 1,
                outcome: "refused".to_owned(),
                http_status: Some(500),
                time: now.unix,
            };
            webhook_log::insert(tx, &attempt)?;
        }
        Ok::<_, hub_store::StoreError>(())
    });
    writing.await.unwrap();
    let both = [
        "SELECT count(*) FROM idempotency",
        "SELECT count(*) FROM webhook_log",
    ];
    for (days, left) in [(29, i64::from(MANY)), (31, 0)] {
        let then = now.unix.plus_ms(days * DAY_MS);
        housekeeping::tidy(&test.hub, then).await.unwrap();
        for sql in both {
            assert_eq!(count(&test, sql).await, left, "{sql} after {days} days");
        }
    }
}
