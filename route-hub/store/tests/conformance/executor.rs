//! What the executor promises, whatever the engine.

use crate::Backend;
use hub_store::testing::server;
use hub_store::{Store, StoreError, Tx, meta, values};
use postrider_model::{Key, ProjectId};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A test that waits longer than this for anything has failed.
const PATIENCE: Duration = Duration::from_secs(60);

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

/// Keeps the writer busy until told, so that what follows waits and becomes one group.
fn hold_writer(store: &Store) -> Sender<()> {
    hold(|job| drop(store.write(job)))
}

type Holding = Box<dyn FnMut(&mut Tx<'_>) -> Result<(), StoreError> + Send>;

/// As [`hold_writer`], with a job that `submit` hands to a writer.
fn hold(submit: impl FnOnce(Holding)) -> Sender<()> {
    let (release, held): (Sender<()>, Receiver<()>) = channel();
    let (begun, has_begun) = channel();
    let mut once = Some(held);
    submit(Box::new(move |_| {
        if let Some(held) = once.take() {
            begun.send(()).unwrap();
            held.recv_timeout(PATIENCE).unwrap();
        }
        Ok(())
    }));
    has_begun.recv_timeout(PATIENCE).unwrap();
    release
}

fn project(key: i64) -> ProjectId {
    ProjectId::new(Key::new(key).unwrap())
}

fn put(tx: &mut Tx<'_>, name: &str) -> Result<(), StoreError> {
    meta::put(tx, name, "there")
}

fn is_there(store: &Store, name: &'static str) -> bool {
    let found = store.read_blocking(move |tx| meta::get(tx, name));
    found.unwrap().is_some()
}

/// SQLite counts `$2` before `$1` as its first parameter, unless the executor rewrites it.
pub(crate) fn parameters_keep_their_numbers<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let read = |tx: &mut Tx<'_>| {
        tx.query_one(
            "SELECT $2, $1, $2, '$1', \"value\" FROM (SELECT $3 AS \"value\") AS one",
            &values!["first", "second", "third"],
            |row| {
                (0..5)
                    .map(|column| row.text(column))
                    .collect::<Result<Vec<_>, _>>()
            },
        )
    };
    for _ in 0..2 {
        let row = store.read_blocking(read).unwrap().unwrap();
        assert_eq!(row, ["second", "first", "second", "$1", "third"]);
    }
}

/// Gone a while after it was dropped: whoever looks too early sees it.
struct SlowToGo(Option<Arc<()>>);

impl Drop for SlowToGo {
    fn drop(&mut self) {
        for _ in 0..1_000 {
            std::thread::yield_now();
        }
        self.0 = None;
    }
}

/// A caller that closes the store after its last job has it closed then, not some time later.
pub(crate) fn what_a_job_holds_is_gone_when_it_is_answered<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let held = Arc::new(());
    let holder = SlowToGo(Some(Arc::clone(&held)));
    let write = store.write_blocking(move |tx| {
        let _ = &holder;
        put(tx, "written")
    });
    write.unwrap();
    assert_eq!(Arc::strong_count(&held), 1);
    let holder = SlowToGo(Some(Arc::clone(&held)));
    let failing: Result<(), _> = store.read_blocking(move |_| {
        let _ = &holder;
        Err(StoreError::Busy)
    });
    failing.unwrap_err();
    assert_eq!(Arc::strong_count(&held), 1);
}

pub(crate) fn a_job_that_fails_takes_nobody_with_it<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let runs = Arc::new(AtomicU32::new(0));
    let release = hold_writer(&store);
    let counted = Arc::clone(&runs);
    let before = store.write(move |tx| {
        counted.fetch_add(1, Ordering::SeqCst);
        put(tx, "before")
    });
    let failing = store.write(|tx| {
        put(tx, "failing")?;
        tx.execute(
            "INSERT INTO hub_meta (name, value) VALUES ($1, 'x')",
            &values!["failing"],
        )
    });
    let refused = store.write(|tx| {
        put(tx, "refused")?;
        Err::<(), _>(StoreError::BadRow { column: 3 })
    });
    let after = store.write(|tx| put(tx, "after"));
    release.send(()).unwrap();
    block_on(async {
        before.await.unwrap();
        assert!(matches!(failing.await, Err(StoreError::Conflict(_))));
        assert!(matches!(
            refused.await,
            Err(StoreError::BadRow { column: 3 })
        ));
        after.await.unwrap();
    });
    let there = ["before", "failing", "refused", "after"].map(|name| is_there(&store, name));
    assert_eq!(there, [true, false, false, true]);
    let runs = runs.load(Ordering::SeqCst);
    // What a server is sent without a wait may fail a group twice.
    let most = if server().is_some() { 3 } else { 2 };
    assert!(
        (2..=most).contains(&runs),
        "the group of the failed job was rolled back and run again: {runs}"
    );
}

pub(crate) fn a_job_that_fails_costs_its_group_one_commit_more<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let release = hold_writer(&store);
    let good = || (0..20).map(|_| store.write(|tx| put(tx, "good"))).collect();
    let before: Vec<_> = good();
    let failing = store.write(|tx| {
        put(tx, "failing")?;
        Err::<(), _>(StoreError::BadRow { column: 3 })
    });
    let after: Vec<_> = good();
    release.send(()).unwrap();
    block_on(async {
        assert!(failing.await.is_err());
        for job in before.into_iter().chain(after) {
            job.await.unwrap();
        }
    });
    let load = store.load();
    assert_eq!(load.jobs_committed, 41, "the one that held the writer too");
    assert!(load.commits <= 3, "{} commits", load.commits);
}

/// Why a use case of these tests comes to nothing.
#[derive(Debug)]
enum Refused {
    NameTaken,
    Store(StoreError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Runs a job that is refused between two others; returns how often the first of them ran, and who
/// is there.
fn beside_refused<B: Backend>(refused: fn(&mut Tx<'_>) -> Result<(), Refused>) -> (u32, [bool; 3]) {
    let backend = B::fresh();
    let store = backend.open();
    let runs = Arc::new(AtomicU32::new(0));
    let release = hold_writer(&store);
    let counted = Arc::clone(&runs);
    let before = store.write(move |tx| {
        counted.fetch_add(1, Ordering::SeqCst);
        put(tx, "before")
    });
    let refused = store.write(refused);
    let after = store.write(|tx| put(tx, "after"));
    release.send(()).unwrap();
    block_on(async {
        before.await.unwrap();
        match refused.await {
            Err(Refused::NameTaken) => {}
            Err(Refused::Store(error)) => panic!("{error}"),
            Ok(()) => panic!("it was not refused"),
        }
        after.await.unwrap();
    });
    let there = ["before", "refused", "after"].map(|name| is_there(&store, name));
    (runs.load(Ordering::SeqCst), there)
}

pub(crate) fn an_error_before_the_first_write_is_an_answer<B: Backend>() {
    let (runs, there) = beside_refused::<B>(|tx| {
        tx.execute("DELETE FROM hub_meta WHERE name = 'nobody'", &[])?;
        match meta::get(tx, "before")? {
            Some(_) => Err(Refused::NameTaken),
            None => Ok(()),
        }
    });
    assert_eq!(there, [true, false, true]);
    assert_eq!(runs, 1, "its group goes on");
}

pub(crate) fn an_error_after_a_write_is_rolled_back_alone<B: Backend>() {
    let (runs, there) = beside_refused::<B>(|tx| {
        put(tx, "refused")?;
        Err(Refused::NameTaken)
    });
    assert_eq!(there, [true, false, true]);
    assert_eq!(runs, 2, "its group was rolled back and run again");
}

pub(crate) fn a_write_that_returns_rows_is_rolled_back_too<B: Backend>() {
    let insert = "INSERT INTO hub_meta (name, value) VALUES ('refused', 'x') RETURNING name";
    let backend = B::fresh();
    let store = backend.open();
    let refused = store.write_blocking(move |tx| {
        tx.query_one(insert, &[], |row| row.text(0))?;
        Err::<(), _>(Refused::NameTaken)
    });
    assert!(matches!(refused, Err(Refused::NameTaken)));
    assert!(!is_there(&store, "refused"));
}

pub(crate) fn an_error_that_hides_a_failed_statement_is_rolled_back<B: Backend>() {
    let (runs, there) = beside_refused::<B>(|tx| {
        let taken = tx.execute(
            "INSERT INTO hub_meta (name, value) VALUES ($1, 'x')",
            &values!["before"],
        );
        taken.map(drop).map_err(|error| match error {
            StoreError::Conflict(_) => Refused::NameTaken,
            error => error.into(),
        })
    });
    assert_eq!(there, [true, false, true]);
    assert_eq!(runs, 2, "its group was rolled back and run again");
}

pub(crate) fn a_job_that_panics_takes_nobody_with_it<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let release = hold_writer(&store);
    let before = store.write(|tx| put(tx, "before"));
    let panicking = store.write(|tx| -> Result<(), StoreError> {
        put(tx, "panicking")?;
        std::panic::panic_any("broken off by the test");
    });
    let after = store.write(|tx| put(tx, "after"));
    release.send(()).unwrap();
    block_on(async {
        before.await.unwrap();
        assert!(matches!(panicking.await, Err(StoreError::Panicked)));
        after.await.unwrap();
    });
    let there = ["before", "panicking", "after"].map(|name| is_there(&store, name));
    assert_eq!(there, [true, false, true]);
}

pub(crate) fn a_job_that_goes_on_after_an_error_is_undone<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let ignoring = store.write_blocking(|tx| {
        put(tx, "first")?;
        let again = tx.execute(
            "INSERT INTO hub_meta (name, value) VALUES ('first', 'x')",
            &[],
        );
        assert!(again.is_err());
        Ok(())
    });
    assert!(matches!(ignoring, Err(StoreError::ErrorIgnored)));
    assert!(!is_there(&store, "first"));
}

pub(crate) fn a_full_share_says_so_at_once_and_others_have_room<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let one = store.of(project(1));
    // A server has a writer for each of some projects.
    let release = hold(|job| drop(one.write(job)));
    let waiting: Vec<_> = (0..4_096)
        .map(|_| one.write(|_| Ok::<_, StoreError>(())))
        .collect();
    let refused = block_on(one.write(|_| Ok::<_, StoreError>(())));
    assert!(matches!(refused, Err(StoreError::Busy)));
    let other = store.of(project(2)).write(|_| Ok::<_, StoreError>(()));
    release.send(()).unwrap();
    block_on(async {
        other.await.unwrap();
        for job in waiting {
            job.await.unwrap();
        }
        one.write(|_| Ok::<_, StoreError>(())).await.unwrap();
    });
}

/// A recursion of so many rows, whatever the disk does.
const COUNT_UP: &str = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL \
     SELECT i + 1 FROM n WHERE i < $1) SELECT count(*) FROM n";

fn count_up(tx: &mut Tx<'_>, rows: i64) -> Result<(), StoreError> {
    tx.query_one(COUNT_UP, &values![rows], |_| Ok(())).map(drop)
}

/// So many statements: each costs a job something, whatever the engine.
fn work(tx: &mut Tx<'_>, statements: u64) -> Result<(), StoreError> {
    (0..statements).try_for_each(|_| count_up(tx, 200))
}

pub(crate) fn a_job_that_does_too_much_is_undone_and_its_company_is_not<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let runs = Arc::new(AtomicU32::new(0));
    let release = hold_writer(&store);
    let before = store.write(|tx| put(tx, "before"));
    let counted = Arc::clone(&runs);
    let endless = store.of(project(1)).write(move |tx| {
        counted.fetch_add(1, Ordering::SeqCst);
        put(tx, "endless")?;
        work(tx, u64::MAX)
    });
    let ignoring = store.of(project(1)).write(move |tx| {
        put(tx, "ignoring")?;
        drop(work(tx, u64::MAX));
        Ok(())
    });
    let after = store.write(|tx| put(tx, "after"));
    release.send(()).unwrap();
    block_on(async {
        before.await.unwrap();
        let Err(StoreError::OverBudget { job }) = endless.await else {
            panic!("it was not broken off");
        };
        assert!(job.contains("a_job_that_does_too_much"), "{job}");
        let ignored = ignoring.await;
        assert!(matches!(ignored, Err(StoreError::OverBudget { .. })));
        after.await.unwrap();
    });
    let there = ["before", "endless", "ignoring", "after"].map(|name| is_there(&store, name));
    assert_eq!(there, [true, false, false, true]);
    // On a server the whole group may run again, each job alone.
    let most = if server().is_some() { 2 } else { 1 };
    assert!(runs.load(Ordering::SeqCst) <= most, "it is not tried again");
}

pub(crate) fn large_jobs_of_one_project_let_many_small_ones_of_another_go_first<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    // On a server the two projects have different writers: small jobs need not wait for the large ones at all.
    let have_own_writers = server().is_some();
    let release = hold(|job| {
        if have_own_writers {
            drop(store.of(project(1)).write(job));
        } else {
            drop(store.write(job));
        }
    });
    let order = Arc::new(Mutex::new(Vec::new()));
    let job = |project: i64, statements: u64| {
        let order = Arc::clone(&order);
        store.of(self::project(project)).write(move |tx| {
            work(tx, statements)?;
            order.lock().unwrap().push(project);
            Ok::<_, StoreError>(())
        })
    };
    let large: Vec<_> = (0..10).map(|_| job(1, 200)).collect();
    let small: Vec<_> = (0..100).map(|_| job(2, 1)).collect();
    if !have_own_writers {
        release.send(()).unwrap();
    }
    block_on(async {
        for done in small {
            done.await.unwrap();
        }
    });
    let before: Vec<_> = order.lock().unwrap().clone();
    if have_own_writers {
        release.send(()).unwrap();
    }
    block_on(async {
        for done in large {
            done.await.unwrap();
        }
    });
    let last_small = before.iter().rposition(|project| *project == 2).unwrap();
    let large = before[..last_small].iter().filter(|project| **project == 1);
    let most = if have_own_writers { 0 } else { 2 };
    assert!(large.count() <= most, "{before:?}");
}

/// Keeps a reader busy until told; tells when it is.
fn hold_reader(share: hub_store::Share<'_>) -> (Sender<()>, Receiver<()>) {
    let (release, held): (Sender<()>, Receiver<()>) = channel();
    let (begun, has_begun) = channel();
    let read = share.read(move |_| {
        begun.send(()).unwrap();
        held.recv_timeout(PATIENCE).unwrap();
        Ok::<_, StoreError>(())
    });
    // Somebody waits for it: what nobody waits for is not even begun.
    std::thread::spawn(move || block_on(read));
    (release, has_begun)
}

pub(crate) fn one_project_s_readings_leave_a_reader_for_others_and_one_for_the_hub<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let held: Vec<_> = (0..4).map(|_| hold_reader(store.of(project(1)))).collect();
    for (_, has_begun) in &held[..2] {
        has_begun.recv_timeout(PATIENCE).unwrap();
    }
    let other = block_on(store.of(project(2)).read(|_| Ok::<_, StoreError>("read")));
    assert_eq!(other.unwrap(), "read");
    let (other, other_has_begun) = hold_reader(store.of(project(2)));
    other_has_begun.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        store
            .read_blocking(|_| Ok::<_, StoreError>("kept"))
            .unwrap(),
        "kept"
    );
    for (_, has_begun) in &held[2..] {
        assert!(
            has_begun.try_recv().is_err(),
            "three readers of one project"
        );
    }
    other.send(()).unwrap();
    for (release, _) in &held {
        release.send(()).unwrap();
    }
    for (_, has_begun) in &held[2..] {
        has_begun.recv_timeout(PATIENCE).unwrap();
    }
}

pub(crate) fn of_projects_that_wait_each_has_one_reader_and_a_third_finds_one<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let hold = |number| hold_reader(store.of(project(number)));
    let first: Vec<_> = (1..=3).map(hold).collect();
    for (_, has_begun) in &first {
        has_begun.recv_timeout(PATIENCE).unwrap();
    }
    let more: Vec<_> = (1..=2).map(hold).collect();
    first[2].0.send(()).unwrap();
    let (third, third_has_begun) = hold(3);
    third_has_begun.recv_timeout(PATIENCE).unwrap();
    for (_, has_begun) in &more {
        assert!(has_begun.try_recv().is_err(), "two readers of one project");
    }
    third.send(()).unwrap();
    for (release, _) in first[..2].iter().chain(&more) {
        release.send(()).unwrap();
    }
    for (_, has_begun) in &more {
        has_begun.recv_timeout(PATIENCE).unwrap();
    }
}

pub(crate) fn a_limit_within_another_ends_with_the_earlier_one<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let read = store.read_blocking(|tx| {
        tx.within(Duration::from_millis(5), |tx| {
            tx.within(PATIENCE, |_| Ok(()))?;
            tx.within(PATIENCE, |tx| count_up(tx, i64::MAX))
        })
    });
    assert!(matches!(read, Err(StoreError::TooSlow)));
}

pub(crate) fn the_readings_of_a_request_have_one_limit_together<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let of = || store.of(project(1));
    let limit = Duration::from_millis(5);
    block_on(hub_store::within_request(limit, async {
        of().read(|_| Ok::<_, StoreError>(())).await.unwrap();
        let long = of().read(|tx| count_up(tx, i64::MAX)).await;
        assert!(matches!(long, Err(StoreError::TooSlow)));
        let after = of().read(|_| Ok::<_, StoreError>(())).await;
        assert!(matches!(after, Err(StoreError::TooSlow)));
    }));
    block_on(of().read(|_| Ok::<_, StoreError>(()))).unwrap();
}

pub(crate) fn a_reading_that_nobody_waits_for_is_not_begun<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let runs = Arc::new(AtomicU32::new(0));
    let held: Vec<_> = (0..2).map(|_| hold_reader(store.of(project(1)))).collect();
    for (_, has_begun) in &held {
        has_begun.recv_timeout(PATIENCE).unwrap();
    }
    let counted = Arc::clone(&runs);
    drop(store.of(project(1)).read(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok::<_, StoreError>(())
    }));
    for (release, _) in &held {
        release.send(()).unwrap();
    }
    block_on(store.of(project(1)).read(|_| Ok::<_, StoreError>(()))).unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

pub(crate) fn a_read_sees_one_state_and_writes_nothing<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let writer = store.clone();
    let seen: Result<_, StoreError> = store.read_blocking(move |tx| {
        let before = meta::get(tx, "new")?;
        let writer = writer.clone();
        std::thread::spawn(move || writer.write_blocking(|tx| put(tx, "new")))
            .join()
            .unwrap()?;
        Ok((before, meta::get(tx, "new")?))
    });
    assert_eq!(seen.unwrap(), (None, None));
    assert!(is_there(&store, "new"));
    let wrote = store.read_blocking(|tx| put(tx, "by a reader"));
    assert!(wrote.is_err());
    assert!(!is_there(&store, "by a reader"));
}

pub(crate) fn dropping_the_store_does_what_waits<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let release = hold_writer(&store);
    let waiting = store.write(|tx| put(tx, "waiting"));
    let dropping = std::thread::spawn(move || drop(store));
    release.send(()).unwrap();
    block_on(waiting).unwrap();
    dropping.join().unwrap();
    assert!(is_there(&backend.open(), "waiting"));
}

pub(crate) fn another_process_is_noticed_and_our_own_writes_are_not<B: Backend>() {
    if server().is_some() {
        // A server's hubs go by the versions of the gates.
        return;
    }
    let backend = B::fresh();
    let store = backend.open();
    let other = backend.open();
    let mut changes = store.changed_elsewhere();
    for _ in 0..10 {
        store.write_blocking(|tx| put(tx, "ours")).unwrap();
    }
    other.write_blocking(|tx| put(tx, "theirs")).unwrap();
    block_on(changes.changed()).unwrap();
    assert_eq!(*changes.borrow_and_update(), 1);
    assert!(is_there(&store, "theirs"));
}

pub(crate) fn a_statement_past_its_time_is_broken_off<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT CAST(i AS BIGINT) FROM n WHERE i < 0 LIMIT 1";
    let limited = move |tx: &mut Tx<'_>| {
        tx.within(Duration::from_millis(5), |tx| {
            tx.query(endless, &[], |row| row.int(0))
        })
    };
    assert!(matches!(
        store.read_blocking(limited),
        Err(StoreError::TooSlow)
    ));
    assert!(matches!(
        store.write_blocking(limited),
        Err(StoreError::TooSlow)
    ));
    store.write_blocking(|tx| put(tx, "after")).unwrap();
    assert!(is_there(&store, "after"));
}

const KINDS: &str = "SELECT CAST($1 AS BIGINT), CAST($2 AS DOUBLE PRECISION), CAST($3 AS TEXT), \
    CAST($4 AS BIGINT), CAST($5 AS BIGINT)";

pub(crate) fn values_of_every_kind_read_back<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let read: Result<_, StoreError> = store.read_blocking(move |tx| {
        let values = values![i64::MIN, 1.5, "é\u{10ffff}", None::<i64>, true];
        tx.query_one(KINDS, &values, |row| {
            assert!(matches!(row.int(3), Err(StoreError::BadRow { column: 3 })));
            assert!(matches!(row.text(0), Err(StoreError::BadRow { column: 0 })));
            assert!(matches!(row.int(2), Err(StoreError::BadRow { column: 2 })));
            Ok((
                row.int(0)?,
                row.real(1)?,
                row.text(2)?,
                row.opt_int(3)?,
                row.flag(4)?,
            ))
        })
    });
    let text = "é\u{10ffff}".to_owned();
    assert_eq!(read.unwrap(), Some((i64::MIN, 1.5, text, None, true)));
}

pub(crate) fn threads_of_many_callers_lose_nothing<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let add = |tx: &mut Tx<'_>| {
        let raised = meta::generation(tx)? + 1;
        meta::put_generation(tx, raised)
    };
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            std::thread::spawn(move || {
                for _ in 0..50 {
                    store.write_blocking(add).unwrap();
                }
            })
        })
        .collect();
    for caller in callers {
        caller.join().unwrap();
    }
    assert_eq!(store.read_blocking(meta::generation).unwrap(), 1 + 8 * 50);
}
