//! What a message and a link cost here: processor time, WAL, commits and rows of a small cell.

use super::cell::{Costs, Work};
use crate::{
    Failure,
    clock::now,
    figures::{Scale, fresh_numbers, postgres_hub, recipient},
    fleet::{self, Fleet, Way},
    hub::{Hub, resume},
    load::{Numbers, Request, closed_loop},
    process::{cpu_s, cpu_with_children_s, memory_mib},
};
use hub_store::{Store, StoreError, Tx};
use serde_json::{Value, json};
use std::{io::Write, path::Path, time::Duration};

/// Phones that send.
const PHONES: usize = 20;
/// Connections of the programs.
const CONNECTIONS: usize = 64;
/// How long the phones may take.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Reports come a little after the radio.
const SETTLE: Duration = Duration::from_secs(3);
/// The process of the database server, from those who started it.
const DATABASE_PID: &str = "POSTRIDER_TEST_DATABASE_PID";

/// What one message or link costs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Cost {
    pub(crate) work: Work,
    pub(crate) wal_bytes: f64,
    pub(crate) commits: f64,
    pub(crate) stored_bytes: f64,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub(crate) accept: Cost,
    /// With the virtual phones' own work, which runs in the hub's process.
    pub(crate) deliver: Cost,
    pub(crate) link: Cost,
    pub(crate) kib_of_phone: f64,
}

impl Measured {
    pub(crate) fn costs(&self) -> Costs {
        Costs {
            accept: self.accept.work,
            deliver: self.deliver.work,
            link: self.link.work,
        }
    }

    /// Returns the rows of the table: of a message accepted, one delivered, and a link.
    pub(crate) fn rows(&self) -> Vec<(&'static str, [f64; 3])> {
        let all = [self.accept, self.deliver, self.link];
        vec![
            ("hub, us", all.map(|cost| cost.work.hub_us)),
            ("database, us", all.map(|cost| cost.work.database_us)),
            ("WAL, bytes", all.map(|cost| cost.wal_bytes)),
            ("commits", all.map(|cost| cost.commits)),
            ("rows and indexes, bytes", all.map(|cost| cost.stored_bytes)),
            ("memory, KiB", [0.0, 0.0, self.kib_of_phone]),
        ]
    }

    pub(crate) fn to_json(self) -> Value {
        let rows = self.rows().into_iter().map(|(name, [accept, deliver, link])| {
            json!({"name": name, "accept": accept, "deliver": deliver, "link": link})
        });
        rows.collect()
    }
}

/// A hub with its database, and a look at both.
pub(crate) struct Site {
    pub(crate) hub: Hub,
    pub(crate) numbers: Numbers,
    store: Store,
    database_pid: u32,
}

/// What has been used so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    hub_s: f64,
    database_s: f64,
    wal: f64,
    commits: f64,
    stored: f64,
}

impl Used {
    /// Returns what each of so many cost since.
    pub(crate) fn each_of(self, count: f64, before: Self) -> Cost {
        Cost {
            work: Work {
                hub_us: (self.hub_s - before.hub_s) * 1e6 / count,
                database_us: (self.database_s - before.database_s) * 1e6 / count,
            },
            wal_bytes: (self.wal - before.wal) / count,
            commits: (self.commits - before.commits) / count,
            stored_bytes: (self.stored - before.stored) / count,
        }
    }
}

impl Site {
    pub(crate) async fn start() -> Result<Self, Failure> {
        let pid = std::env::var(DATABASE_PID);
        let pid = pid.map_err(|_| format!("{DATABASE_PID} does not name the server's process"))?;
        let hub = postgres_hub(PHONES).await?;
        let store = hub.operator().store(0)?;
        Ok(Self {
            hub,
            store,
            numbers: fresh_numbers(),
            database_pid: pid.parse()?,
        })
    }

    pub(crate) async fn used(&self) -> Result<Used, Failure> {
        const READ: &str = "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT), \
             CAST(pg_database_size(current_database()) AS BIGINT)";
        let read = |tx: &mut Tx<'_>| tx.query_one(READ, &[], |row| Ok((row.int(0)?, row.int(1)?)));
        let read: Result<_, StoreError> = self.store.read(read).await;
        let (wal, stored) = read?.ok_or("the server says nothing of itself")?;
        Ok(Used {
            hub_s: cpu_s(self.hub.pid())?,
            database_s: cpu_with_children_s(self.database_pid)?,
            wal: wal as f64,
            commits: self.hub.metric("route_hub_store_commits_total").await?,
            stored: stored as f64,
        })
    }

    /// Returns the request that sends a message by one of the phones.
    pub(crate) fn sends(&self) -> Request {
        let phones = self.hub.phones.clone();
        let path = format!("{}/messages/send", self.hub.project);
        Request::post(path, move |number, body| {
            let (phone, to) = (&phones[number as usize % phones.len()], recipient(number));
            let text = write!(
                body,
                r#"{{"to_number":"+{to}","content":"message {number}","route_id":"{phone}"}}"#
            );
            debug_assert!(text.is_ok(), "a vector takes everything");
        })
    }

    /// Waits until the phones have handed over so many messages.
    pub(crate) async fn handed_over(&self, count: u64) -> Result<(), Failure> {
        let until = now() + PATIENCE;
        while lines(&self.hub.radio_log)? < count {
            if now() > until {
                return Err("not every message reached the radio".into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        tokio::time::sleep(SETTLE).await;
        Ok(())
    }

    /// Accepts messages on paused phones, lets these go on, and then connects idle ones.
    pub(crate) async fn measure(&self, scale: Scale) -> Result<Measured, Failure> {
        let sends = self.sends();
        // Makes the contacts, and has the statements prepared.
        closed_loop(
            &self.hub.caller,
            CONNECTIONS,
            scale.span,
            &self.numbers,
            &sends,
        )
        .await?;
        let (before, first) = (self.used().await?, self.numbers.so_far());
        let span = scale.span * 2;
        closed_loop(&self.hub.caller, CONNECTIONS, span, &self.numbers, &sends).await?;
        let (accepted, sent) = (self.used().await?, self.numbers.so_far());
        for phone in &self.hub.phones {
            resume(&self.hub.caller, &self.hub.project, phone).await?;
        }
        self.handed_over(sent).await?;
        let delivered = self.used().await?;
        let phones = scale.many / 500;
        let (before_links, held) = (self.used().await?, memory_mib(self.hub.pid())?);
        let devices = fleet::make(&self.hub, usize::try_from(phones)?).await?;
        let _fleet = Fleet::hold(&devices, Way::once(self.hub.caller.address, None)).await?;
        let linked = self.used().await?;
        tokio::time::sleep(SETTLE).await;
        let held = memory_mib(self.hub.pid())? - held;
        Ok(Measured {
            accept: accepted.each_of((sent - first) as f64, before),
            deliver: delivered.each_of(sent as f64, accepted),
            link: linked.each_of(phones as f64, before_links),
            kib_of_phone: held * 1024.0 / phones as f64,
        })
    }
}

fn lines(file: &Path) -> Result<u64, Failure> {
    let log = std::fs::read(file).unwrap_or_default();
    Ok(log.iter().filter(|byte| **byte == b'\n').count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_what_was_used_since_by_each() {
        let before = Used {
            hub_s: 1.0,
            database_s: 2.0,
            wal: 100.0,
            commits: 10.0,
            stored: 8192.0,
        };
        let after = Used {
            hub_s: 1.5,
            database_s: 3.0,
            wal: 5_100.0,
            commits: 35.0,
            stored: 8192.0,
        };
        let cost = after.each_of(50.0, before);
        assert_eq!(
            (cost.work.hub_us, cost.work.database_us),
            (10_000.0, 20_000.0)
        );
        assert_eq!(
            (cost.wal_bytes, cost.commits, cost.stored_bytes),
            (100.0, 0.5, 0.0)
        );
    }
}
