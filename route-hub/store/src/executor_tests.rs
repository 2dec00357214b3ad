//! What the executor makes of a database that fails: an engine whose disk the test holds.

use crate::list::TIME_MAX;
use crate::row::Row;
use crate::tx::{Access, EachRow, Limit, Session, Sql};
use crate::{Health, Store, StoreError, Tx, Value, meta};
use postrider_model::{Key, ProjectId};
use std::sync::{Arc, Mutex, mpsc};
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
    /// The limits of time that were set.
    limits: Vec<Duration>,
    /// Steps that the present job says it took.
    steps: u64,
    /// Whether it wrote.
    has_written: bool,
    /// Jobs in the order in which they ran, and the commits between them.
    log: Vec<&'static str>,
    /// Another process holds the database until it says so; then it is busy.
    holder: Option<mpsc::Receiver<()>>,
}

/// An engine that keeps nothing, on such a disk.
#[derive(Clone, Default)]
struct OnDisk(Arc<Mutex<Disk>>);

impl OnDisk {
    fn store(&self) -> Store {
        Store::start(
            Box::new(self.clone()),
            vec![Box::new(self.clone())],
            None,
            0,
        )
        .unwrap()
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
        let mut disk = self.0.lock().unwrap();
        disk.begun += 1;
        let Some(holder) = disk.holder.take() else {
            return Ok(());
        };
        drop(disk);
        let _ = holder.recv();
        Err(StoreError::Busy)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let mut disk = self.0.lock().unwrap();
        if disk.is_full {
            return Err(StoreError::Full(cause()));
        }
        disk.commits += 1;
        disk.log.push("commit");
        Ok(())
    }

    fn rollback(&mut self) {}

    fn execute(&mut self, _: Sql<'_>, _: &[Value<'_>]) -> Result<usize, StoreError> {
        let mut disk = self.0.lock().unwrap();
        disk.has_written = true;
        if disk.is_damaged {
            Err(StoreError::Damaged(cause()))
        } else {
            Ok(1)
        }
    }

    fn query(&mut self, _: Sql<'_>, _: &[Value<'_>], _: EachRow<'_>) -> Result<(), StoreError> {
        if self.0.lock().unwrap().is_damaged {
            Err(StoreError::Damaged(cause()))
        } else {
            Ok(())
        }
    }

    fn limit_time(&mut self, limit: Duration) -> Limit {
        self.0.lock().unwrap().limits.push(limit);
        Limit::NONE
    }

    fn restore_limit(&mut self, _: Limit) {}

    fn begin_job(&mut self, _: u64) {
        let mut disk = self.0.lock().unwrap();
        disk.steps = 0;
        disk.has_written = false;
    }

    fn steps(&self) -> u64 {
        self.0.lock().unwrap().steps
    }

    fn has_written(&self) -> bool {
        self.0.lock().unwrap().has_written
    }

    fn change_mark(&mut self) -> Result<i64, StoreError> {
        Ok(1)
    }
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
    assert_eq!(store.health(), Health::Damaged, "known with the answer");
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
    assert_eq!(store.health(), Health::Damaged, "known with the answer");
    assert!(matches!(
        store.write_blocking(put),
        Err(StoreError::Damaged(_))
    ));
}

/// Whatever a request reads, count and page and all, shares one limit; the hub's own work has none.
#[test]
fn all_that_a_project_reads_at_once_has_one_limit() {
    let disk = OnDisk::default();
    let store = disk.store();
    let job = |tx: &mut Tx<'_>| {
        meta::get(tx, "count")?;
        meta::get(tx, "page")
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let project = store.of(ProjectId::new(Key::new(1).unwrap()));
    runtime.unwrap().block_on(project.read(job)).unwrap();
    disk.set(|disk| assert_eq!(std::mem::take(&mut disk.limits), [TIME_MAX]));
    store.read_blocking(job).unwrap();
    disk.set(|disk| assert!(disk.limits.is_empty()));
}

/// Steps of a job that keeps others waiting, and of one that does not.
const LARGE: u64 = 100_000;
const SMALL: u64 = 250;

/// A job that says that it ran, and took so many steps.
fn job(
    disk: &OnDisk,
    name: &'static str,
    steps: u64,
) -> impl FnMut(&mut Tx<'_>) -> Result<(), StoreError> + Send + 'static {
    let disk = disk.clone();
    move |_| {
        disk.set(|disk| {
            disk.steps = steps;
            disk.log.push(name);
        });
        Ok(())
    }
}

#[test]
fn a_large_job_waits_for_the_commit_of_those_that_were_there_before_it() {
    let disk = OnDisk::default();
    let store = disk.store();
    let project = |n| ProjectId::new(Key::new(n).unwrap());
    let (theirs, ours) = (store.of(project(1)), store.of(project(2)));
    let (go, gone) = mpsc::channel::<()>();
    let mut first = job(&disk, "large", LARGE);
    let jobs = [
        Box::pin(theirs.write(move |tx| {
            let _ = gone.recv();
            first(tx)
        })) as std::pin::Pin<Box<dyn Future<Output = Result<(), StoreError>>>>,
        Box::pin(ours.write(job(&disk, "small", SMALL))),
        Box::pin(ours.write(job(&disk, "small", SMALL))),
        Box::pin(theirs.write(job(&disk, "large", LARGE))),
        Box::pin(ours.write(job(&disk, "small", SMALL))),
    ];
    go.send(()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        for answer in jobs {
            answer.await.unwrap();
        }
    });
    let log = disk.0.lock().unwrap().log.clone();
    let last = log.iter().rposition(|one| *one == "large").unwrap();
    assert_eq!(log[last - 1], "commit", "{log:?}");
    assert_eq!(log.iter().filter(|one| **one == "small").count(), 3);
}

#[tokio::test]
async fn all_who_waited_for_a_database_that_another_process_holds_are_told_at_once() {
    let (disk, (release, holder)) = (OnDisk::default(), mpsc::channel());
    disk.set(|disk| disk.holder = Some(holder));
    let store = disk.store();
    let jobs = [1, 2, 3].map(|_| store.write(|_| Ok::<_, StoreError>(())));
    drop(release);
    for job in jobs {
        assert!(matches!(job.await, Err(StoreError::Busy)));
    }
    assert_eq!(disk.begun(), 1);
    store.write(|_| Ok::<_, StoreError>(())).await.unwrap();
}
