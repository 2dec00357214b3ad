//! What the executor makes of a database that fails: an engine whose disk the test holds.

use crate::row::Row;
use crate::tx::{Access, EachRow, Limit, Session, Sql};
use crate::{Health, Store, StoreError, Tx, Value, meta};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A test that waits longer than this for anything has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a disk of the test's own is like, and what was done to it.
#[derive(Debug, Default)]
struct Disk {
    is_full: bool,
    is_damaged: bool,
    begun: u32,
    commits: u32,
}

/// An engine that keeps nothing, on such a disk.
#[derive(Clone, Default)]
struct OnDisk(Arc<Mutex<Disk>>);

impl OnDisk {
    fn store(&self) -> Store {
        Store::start(Box::new(self.clone()), vec![Box::new(self.clone())]).unwrap()
    }

    fn set(&self, change: impl FnOnce(&mut Disk)) {
        change(&mut self.0.lock().unwrap());
    }

    fn begun(&self) -> u32 {
        self.0.lock().unwrap().begun
    }
}

fn cause() -> crate::Cause {
    Arc::new(std::fmt::Error)
}

impl Session for OnDisk {
    fn begin(&mut self, _: Access) -> Result<(), StoreError> {
        self.0.lock().unwrap().begun += 1;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let mut disk = self.0.lock().unwrap();
        if disk.is_full {
            return Err(StoreError::Full(cause()));
        }
        disk.commits += 1;
        Ok(())
    }

    fn rollback(&mut self) {}

    fn execute(&mut self, _: Sql<'_>, _: &[Value<'_>]) -> Result<usize, StoreError> {
        match self.0.lock().unwrap().is_damaged {
            true => Err(StoreError::Damaged(cause())),
            false => Ok(1),
        }
    }

    fn query(&mut self, _: Sql<'_>, _: &[Value<'_>], _: EachRow<'_>) -> Result<(), StoreError> {
        match self.0.lock().unwrap().is_damaged {
            true => Err(StoreError::Damaged(cause())),
            false => Ok(()),
        }
    }

    fn limit_time(&mut self, _: Duration) -> Limit {
        Limit::NONE
    }

    fn restore_limit(&mut self, _: Limit) {}

    fn begin_job(&mut self, _: u64) {}

    fn steps(&self) -> u64 {
        0
    }

    fn change_mark(&mut self) -> Result<i64, StoreError> {
        Ok(1)
    }

    fn tidy(&mut self) {}
}

fn put(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    meta::put(tx, "name", "value")
}

fn wait_for(store: &Store, wanted: Health) {
    let mut changes = store.health_changes();
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().build().unwrap();
    runtime.block_on(async {
        let reached = changes.wait_for(|health| *health == wanted);
        let reached = tokio::time::timeout(PATIENCE, reached).await;
        assert_eq!(*reached.unwrap().unwrap(), wanted);
    });
}

#[test]
fn a_full_disk_is_told_and_left_behind_by_itself() {
    let disk = OnDisk::default();
    let store = disk.store();
    assert_eq!(store.health(), Health::Ok);
    disk.set(|disk| disk.is_full = true);
    assert!(matches!(
        store.write_blocking(put),
        Err(StoreError::Full(_))
    ));
    assert_eq!(store.health(), Health::Full);
    disk.set(|disk| disk.is_full = false);
    wait_for(&store, Health::Ok);
    store.write_blocking(put).unwrap();
}

#[test]
fn a_damaged_database_is_written_to_no_more_and_is_read_on() {
    let disk = OnDisk::default();
    let store = disk.store();
    disk.set(|disk| disk.is_damaged = true);
    let damaged = store.write_blocking(put);
    assert!(matches!(damaged, Err(StoreError::Damaged(_))));
    wait_for(&store, Health::Damaged);
    disk.set(|disk| disk.is_damaged = false);
    let begun = disk.begun();
    let refused = store.write_blocking(put);
    assert!(matches!(refused, Err(StoreError::Damaged(_))));
    assert_eq!(disk.begun(), begun, "not even a transaction was begun");
    store.read_blocking(|tx| meta::get(tx, "name")).unwrap();
}

#[test]
fn a_reader_that_meets_damage_stops_the_writer() {
    let disk = OnDisk::default();
    let store = disk.store();
    disk.set(|disk| disk.is_damaged = true);
    let read = store.read_blocking(|tx| {
        tx.query_one("SELECT 1", &[], |row: &Row<'_>| row.int(0))
            .map(drop)
    });
    assert!(matches!(read, Err(StoreError::Damaged(_))));
    wait_for(&store, Health::Damaged);
    assert!(matches!(
        store.write_blocking(put),
        Err(StoreError::Damaged(_))
    ));
}
