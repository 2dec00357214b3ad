//! What is told, and what is there.

use crate::proxy::{self, Orders};
use hub_domain::{Day, ProjectShares};
use hub_store::testing::{PostgresDatabase, server};
use hub_store::{Gate, PostgresSettings, Store, StoreError, meta, usage};
use postrider_link::mistake;
use postrider_model::{Id, Key, ProjectId, UnixMs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// A database, and the stores of some processes on it.
struct World {
    stores: Vec<Store>,
    /// Goes after the stores.
    database: PostgresDatabase,
}

impl World {
    fn new(processes: usize) -> Self {
        let database = fresh();
        let stores = (0..processes).map(|_| open(&database.url(), ""));
        Self {
            stores: stores.collect(),
            database,
        }
    }
}

pub(crate) fn fresh() -> PostgresDatabase {
    PostgresDatabase::fresh(&server().expect("a server: see the file's first lines"))
}

pub(crate) fn open(url: &str, mistake: &'static str) -> Store {
    open_beating(url, mistake, Duration::from_millis(20))
}

fn open_beating(url: &str, mistake: &'static str, beat: Duration) -> Store {
    let settings = PostgresSettings {
        readers: 1,
        beat,
        ..PostgresSettings::new(url)
    };
    let open = || Store::open_postgres(&settings);
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| mistake::with(mistake, open));
        opening.join().unwrap().unwrap()
    })
}

pub(crate) fn project(number: i64) -> ProjectId {
    Id::new(Key::new(number).unwrap())
}

/// Adds one to a number that belongs to a project; returns the number, and a key made with it.
async fn add(store: &Store, project: ProjectId) -> Result<(u64, Key), StoreError> {
    let name = format!("number of {project}");
    let job = store.of(project).write(move |tx| {
        let number = meta::get(tx, &name)?.map_or(0, |text| text.parse::<u64>().unwrap());
        meta::put(tx, &name, &(number + 1).to_string())?;
        Ok::<_, StoreError>((number + 1, tx.key(UnixMs(1))))
    });
    job.await
}

async fn number(store: &Store, project: ProjectId) -> u64 {
    let name = format!("number of {project}");
    let read = store.read::<_, StoreError, _>(move |tx| meta::get(tx, &name));
    read.await.unwrap().map_or(0, |text| text.parse().unwrap())
}

/// Adds from each store at once, `times` each; returns what came of it.
async fn add_from_all(
    stores: &[Store],
    projects: i64,
    times: i64,
) -> Vec<Result<(u64, Key), StoreError>> {
    let adding = stores.iter().flat_map(|store| {
        (0..times).map(|time| {
            let store = store.clone();
            tokio::spawn(async move { add(&store, project(1 + time % projects)).await })
        })
    });
    let adding: Vec<_> = adding.collect();
    let mut done = Vec::new();
    for one in adding {
        done.push(one.await.unwrap());
    }
    done
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn no_change_of_two_processes_is_lost_and_keys_rise_with_them() {
    let world = World::new(2);
    let done = add_from_all(&world.stores, 1, 100).await;
    let mut done: Vec<_> = done.into_iter().map(Result::unwrap).collect();
    done.sort_unstable();
    let numbers = done.iter().map(|(number, _)| *number);
    assert!(numbers.eq(1..=200), "each adds to what the one before left");
    assert!(done.is_sorted_by(|a, b| a.1 < b.1), "keys rise with them");
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn projects_of_one_process_wait_for_another_only_where_they_meet() {
    let world = World::new(2);
    let done = add_from_all(&world.stores, 40, 400).await;
    assert!(done.iter().all(Result::is_ok));
    let mut all = 0;
    for number_of in 1..=40 {
        all += number(&world.stores[0], project(number_of)).await;
    }
    assert_eq!(all, 800);
    for store in &world.stores {
        assert_eq!(store.cluster_load().unwrap().reruns, 0, "no deadlock");
    }
}

/// A store whose connections go through a proxy.
fn behind_proxy(database: &PostgresDatabase, mistake: &'static str) -> (Store, Arc<Orders>) {
    let url = database.url();
    let (before, rest) = url.split_once('@').unwrap();
    let (host, name) = rest.split_once('/').unwrap();
    let (port, orders) = proxy::start(host.to_owned());
    let url = format!("{before}@127.0.0.1:{port}/{name}");
    // No beat's COMMIT takes what is meant for a group's.
    let store = open_beating(&url, mistake, Duration::from_secs(3_600));
    (store, orders)
}

/// Adds while COMMITs go wrong, and returns what was told and what is there.
async fn while_commits_go_wrong(mistake: &'static str) -> (u64, u64) {
    let database = fresh();
    let (store, orders) = behind_proxy(&database, mistake);
    let mut told = 0;
    for round in 0..20 {
        let which = if round % 2 == 0 {
            &orders.lose_answers
        } else {
            &orders.lose_commits
        };
        which.fetch_add(1, Ordering::AcqRel);
        while !orders.are_done() {
            let done = add_from_all(std::slice::from_ref(&store), 3, 9).await;
            told += done.iter().filter(|done| done.is_ok()).count() as u64;
        }
    }
    let mut there = 0;
    for number_of in 1..=3 {
        there += number(&store, project(number_of)).await;
    }
    assert!(store.cluster_load().unwrap().lost_commits >= 20);
    (told, there)
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_commit_without_an_answer_is_found_out_and_never_done_twice() {
    let (told, there) = while_commits_go_wrong("").await;
    assert_eq!(told, there);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_job_whose_connection_is_cut_leaves_nothing_outside_its_transaction() {
    let database = fresh();
    let (store, orders) = behind_proxy(&database, "");
    let mut runs = 0;
    let job = store.of(project(1)).write(move |tx| {
        runs += 1;
        if runs == 1 {
            orders.cut();
            // The job does not even look at what it is told.
            assert!(meta::get(tx, "before").is_err());
        }
        let name = format!("run {runs}");
        let put = meta::put(tx, &name, "");
        put.and(meta::get(tx, &name)).map(|_| runs)
    });
    assert_eq!(job.await.unwrap(), 2);
    let names = ["run 1", "run 2"];
    let kept = store.read::<_, StoreError, _>(move |tx| {
        let kept = names.map(|name| meta::get(tx, name));
        Ok(kept.map(|value| value.unwrap().is_some()))
    });
    assert_eq!(kept.await.unwrap(), [false, true]);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn connections_that_are_cut_while_nobody_uses_them_cost_nobody_an_answer() {
    let database = fresh();
    let (store, orders) = behind_proxy(&database, "");
    for round in 1..=5 {
        let done = add_from_all(std::slice::from_ref(&store), 8, 8).await;
        assert!(done.iter().all(Result::is_ok), "{done:?}");
        assert_eq!(number(&store, project(1)).await, round);
        orders.cut();
    }
}

/// Adds as a thread does that waits however long it takes.
fn add_patiently(store: &Store, project: ProjectId) -> JoinHandle<Result<(), StoreError>> {
    let store = store.clone();
    tokio::task::spawn_blocking(move || {
        let name = format!("number of {project}");
        let share = store.of(project);
        share.write_blocking(move |tx| meta::put(tx, &name, "100"))
    })
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn callers_do_not_wait_for_a_server_that_stands_still_and_what_they_gave_up_is_not_done() {
    let database = fresh();
    let (store, orders) = behind_proxy(&database, "");
    add(&store, project(1)).await.unwrap();
    add(&store, project(2)).await.unwrap();
    orders.stall(true);
    let patient = add_patiently(&store, project(3));
    let reading = store.read::<_, StoreError, _>(|tx| meta::get(tx, "nothing"));
    let (first, second, read) =
        tokio::join!(add(&store, project(1)), add(&store, project(2)), reading);
    for error in [first.err(), second.err(), read.err()] {
        let told = matches!(error, Some(StoreError::Unreachable(_)));
        assert!(told, "{error:?}");
    }
    assert!(!patient.is_finished(), "the connections still wait");
    orders.stall(false);
    drop(patient.await.unwrap());
    while add(&store, project(1)).await.is_err() {}
    assert_eq!(number(&store, project(1)).await, 2);
    assert_eq!(number(&store, project(2)).await, 1);
}

/// Adds by a job that takes a fifth of a second, as one does with a few statements on a server far away.
fn add_slowly(store: &Store, project: ProjectId) -> JoinHandle<Result<(), StoreError>> {
    let name = format!("number of {project}");
    let share = store.of(project);
    tokio::spawn(share.write(move |tx| {
        tx.query_one("SELECT 1 FROM pg_sleep(0.2)", &[], |_| Ok(()))?;
        let number = meta::get(tx, &name)?.map_or(0, |text| text.parse::<u64>().unwrap());
        meta::put(tx, &name, &(number + 1).to_string())
    }))
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn slow_jobs_share_no_transaction_that_lasts_longer_than_their_callers_wait() {
    let database = fresh();
    let store = open(&database.url(), "");
    let adding: Vec<_> = (0..40).map(|_| add_slowly(&store, project(1))).collect();
    let mut added = 0;
    for one in adding {
        added += u64::from(one.await.unwrap().is_ok());
    }
    assert!(
        added > 5,
        "{added} of 40 in the time that their callers wait"
    );
    assert_eq!(number(&store, project(1)).await, added);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn nobody_is_answered_while_a_commit_is_out_to_a_server_that_stands_still() {
    let database = fresh();
    let (store, orders) = behind_proxy(&database, "");
    add(&store, project(1)).await.unwrap();
    orders.stall_at_commit.store(true, Ordering::Release);
    let adding = {
        let store = store.clone();
        tokio::spawn(async move { add(&store, project(1)).await })
    };
    while !orders.is_stalled() {
        tokio::task::yield_now().await;
    }
    let later = store.read::<_, StoreError, _>(|tx| meta::get(tx, "nothing"));
    assert!(matches!(later.await, Err(StoreError::Unreachable(_))));
    assert!(!adding.is_finished());
    orders.stall(false);
    assert_eq!(adding.await.unwrap().unwrap().0, 2);
    assert_eq!(number(&store, project(1)).await, 2);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_job_that_is_rolled_back_gives_its_gate_back_at_once() {
    let world = World::new(2);
    let refused = world.stores[0].of(project(1)).write(|tx| {
        meta::put(tx, "refused", "")?;
        meta::get(tx, "refused")?;
        Err::<(), _>(StoreError::TooSlow)
    });
    assert!(matches!(refused.await, Err(StoreError::TooSlow)));
    add(&world.stores[1], project(1)).await.unwrap();
    assert_eq!(world.stores[1].cluster_load().unwrap().gates_waited, 0);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_process_that_ends_leaves_its_number_and_is_not_taken_over() {
    let mut world = World::new(2);
    let left = world.stores.remove(0);
    add(&left, project(1)).await.unwrap();
    tokio::task::spawn_blocking(move || drop(left))
        .await
        .unwrap();
    let stays = &world.stores[0];
    let before = stays.load().commits;
    while stays.load().commits < before + 30 {
        add(stays, project(1)).await.unwrap();
    }
    assert_eq!(stays.cluster_load().unwrap().takeovers, 0);
    assert_eq!(number(stays, project(1)).await, 31);
}

fn day() -> Day {
    "2026-01-31".parse().unwrap()
}

/// Counts a request of an organization without a look at the count.
async fn count_blindly(store: &Store) {
    let organization = Id::new(Key::new(1_000).unwrap());
    let share = store.of_organization(organization).and(Gate::Hub);
    let counting =
        share.write::<_, StoreError, _>(move |tx| usage::add_requests(tx, organization, day(), 1));
    counting.await.unwrap();
}

/// Has a group be held up on its way until it has run again, and returns how often it counts: `end` is how
/// far it is held up.
async fn counted_by_a_group_that_is_late(mistake: &'static str, end: &'static [u8]) -> u64 {
    let database = fresh();
    let (store, orders) = behind_proxy(&database, mistake);
    // All statements are prepared from now on.
    count_blindly(&store).await;
    *orders.hold_up_to.lock().unwrap() = Some(end);
    count_blindly(&store).await;
    tokio::task::spawn_blocking(move || orders.let_arrive())
        .await
        .unwrap();
    let organization = Id::new(Key::new(1_000).unwrap());
    let read =
        store.read::<_, StoreError, _>(move |tx| usage::requests_of(tx, organization, day()));
    read.await.unwrap() - 1
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_group_that_arrives_after_it_ran_again_does_nothing() {
    assert_eq!(counted_by_a_group_that_is_late("", b"").await, 1);
}

/// Holds a project's gate until what is returned is dropped; also returns what the job comes to.
async fn hold_gate(
    store: &Store,
    project: ProjectId,
) -> (
    std::sync::mpsc::Sender<()>,
    JoinHandle<Result<(), StoreError>>,
) {
    let (started, mut has_started) = tokio::sync::mpsc::channel(1);
    let (release, released) = std::sync::mpsc::channel::<()>();
    let holding = store.of(project).write(move |_| {
        let _ = started.try_send(());
        let _ = released.recv();
        Ok::<_, StoreError>(())
    });
    let holding = tokio::spawn(holding);
    has_started.recv().await.unwrap();
    (release, holding)
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn what_comes_while_a_gate_is_waited_for_goes_along() {
    let world = World::new(2);
    let (holds, waits) = (&world.stores[0], &world.stores[1]);
    let (release, holding) = hold_gate(holds, project(1)).await;
    let add_once = || {
        let store = waits.clone();
        tokio::spawn(async move { add(&store, project(1)).await })
    };
    let mut adding = vec![add_once()];
    while waits.cluster_load().unwrap().gates_waited == 0 {
        tokio::task::yield_now().await;
    }
    adding.extend((0..50).map(|_| add_once()));
    while waits.load().writes_waiting < 50 {
        tokio::task::yield_now().await;
    }
    let before = waits.load().commits;
    drop(release);
    for one in adding {
        one.await.unwrap().unwrap();
    }
    holding.await.unwrap().unwrap();
    assert_eq!(waits.load().commits, before + 1);
    assert_eq!(number(holds, project(1)).await, 51);
}

/// Adds again and again to a project whose gate another process held at first.
async fn add_steadily(
    holds: &Store,
    waits: &Store,
    number: i64,
    ends: &Arc<AtomicBool>,
) -> Vec<JoinHandle<()>> {
    let (release, holding) = hold_gate(holds, project(number)).await;
    let moved = waits.cluster_load().unwrap().moved;
    let add = |_| {
        let (store, ends) = (waits.clone(), Arc::clone(ends));
        tokio::spawn(async move {
            while !ends.load(Ordering::Acquire) {
                drop(add(&store, project(number)).await);
            }
        })
    };
    // More than go in one group: something is always left.
    let adding = (0..500).map(add).collect();
    while waits.cluster_load().unwrap().moved == moved {
        tokio::task::yield_now().await;
    }
    drop(release);
    drop(holding.await.unwrap());
    adding
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL"]
async fn projects_that_always_have_something_left_do_not_keep_others_from_waiting_for_their_gate() {
    let world = World::new(2);
    let (holds, waits) = (&world.stores[0], &world.stores[1]);
    let ends = Arc::new(AtomicBool::new(false));
    let mut steady = Vec::new();
    for number in 1..=4 {
        steady.extend(add_steadily(holds, waits, number, &ends).await);
    }
    let (release, holding) = hold_gate(holds, project(5)).await;
    let moved = waits.cluster_load().unwrap().moved;
    let fifth = {
        let store = waits.clone();
        tokio::spawn(async move { add(&store, project(5)).await })
    };
    while waits.cluster_load().unwrap().moved == moved {
        tokio::task::yield_now().await;
    }
    drop(release);
    let added = fifth.await.unwrap();
    ends.store(true, Ordering::Release);
    assert!(added.is_ok(), "{added:?}");
    drop(holding.await.unwrap());
    for one in steady {
        one.await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_job_that_is_too_large_runs_once() {
    let world = World::new(1);
    let store = &world.stores[0];
    let (release, holding) = hold_gate(store, project(1)).await;
    let small = add(store, project(1));
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let large = store.of(project(1)).write(move |tx| {
        counted.fetch_add(1, Ordering::Relaxed);
        while meta::get(tx, "nothing")?.is_none() {}
        Ok::<_, StoreError>(())
    });
    drop(release);
    let (held, small, large) = tokio::join!(holding, small, large);
    held.unwrap().unwrap();
    small.unwrap();
    assert!(
        matches!(large, Err(StoreError::OverBudget { .. })),
        "{large:?}"
    );
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn rows_that_change_often_go_on_in_a_new_row() {
    let world = World::new(1);
    for _ in 0..=501 {
        add(&world.stores[0], project(1)).await.unwrap();
    }
    let rows = |what: &str| {
        let check = format!(
            "DO $$ BEGIN IF (SELECT array_agg(place) FROM {what}) <> ARRAY[1]::bigint[] THEN \
             RAISE EXCEPTION 'not one row at place 1'; END IF; END $$"
        );
        world.database.run(&[&check])
    };
    rows("gates WHERE gate = 1").unwrap();
    rows("writers WHERE commits > 0").unwrap();
    assert_eq!(number(&world.stores[0], project(1)).await, 502);
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_clock_that_is_off_is_seen_at_a_beat() {
    fn behind() -> UnixMs {
        UnixMs(1_000_000)
    }
    let database = fresh();
    let settings = PostgresSettings {
        beat: Duration::from_millis(20),
        clock: behind,
        ..PostgresSettings::new(database.url())
    };
    let opening = tokio::task::spawn_blocking(move || Store::open_postgres(&settings));
    let (off, right) = (opening.await.unwrap().unwrap(), open(&database.url(), ""));
    let takes_over = || right.cluster_load().unwrap().takeovers;
    while off.cluster_load().unwrap().clock_off_ms == 0 {
        assert_eq!(takes_over(), 0, "no clocks are compared");
        tokio::task::yield_now().await;
    }
    assert!(off.cluster_load().unwrap().clock_off_ms < -60_000);
}

/// Returns how many of two processes own each project, once both know who serves.
async fn owners(mistake: &'static str) -> Vec<usize> {
    let database = fresh();
    let stores = [0, 1].map(|_| open(&database.url(), mistake));
    let mut owned = Vec::new();
    for store in &stores {
        let (number, mut serving) = store.processes().unwrap();
        // One that counts itself alone is told so at its first beat.
        let heard = serving.wait_for(|all| (all.len() == 2) == mistake.is_empty());
        owned.push(ProjectShares::of_process(number, &heard.await.unwrap()));
    }
    let count = |number| owned.iter().filter(|own| own.has(project(number))).count();
    (1..=500).map(count).collect()
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn each_project_has_one_owner() {
    assert!(owners("").await.iter().all(|owners| *owners == 1));
}

/// Returns who serves as a new process sees it that starts while another one's row says this process number
/// of the operating system.
#[cfg(debug_assertions)]
async fn serving_beside(pid: u32) -> usize {
    let database = fresh();
    let before = open(&database.url(), "no_beat");
    let gate = "SELECT pg_advisory_xact_lock(0)";
    let moved = format!("UPDATE processes SET place = regexp_replace(place, '[0-9]+$', '{pid}')");
    database.run(&["BEGIN", gate, &moved, "COMMIT"]).unwrap();
    let after = open(&database.url(), "");
    let (_, serving) = after.processes().unwrap();
    let count = serving.borrow().len();
    assert_eq!(add(&before, project(1)).await.is_ok(), count == 2);
    count
}

#[cfg(debug_assertions)]
#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn a_process_that_starts_waits_for_none_of_its_machine_that_has_ended() {
    let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
    child.wait().unwrap();
    assert_eq!(serving_beside(child.id()).await, 1);
    assert_eq!(serving_beside(std::process::id()).await, 2);
}

#[cfg(debug_assertions)]
mod mistakes {
    use super::*;

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn a_share_with_two_owners_is_caught() {
        assert!(owners("two_owners").await.contains(&2));
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn a_group_that_commits_without_a_look_at_its_number_is_caught() {
        let counted = counted_by_a_group_that_is_late("number_unseen", proxy::COMMIT);
        assert_eq!(counted.await, 2);
    }

    /// Has a process stand still until another takes over, and writes with it then.
    async fn write_after_takeover(heir: &'static str) -> Result<(u64, Key), StoreError> {
        let database = fresh();
        let still = open(&database.url(), "no_beat");
        let heir = open(&database.url(), heir);
        add(&still, project(1)).await.unwrap();
        while heir.cluster_load().unwrap().takeovers == 0 {
            tokio::task::yield_now().await;
            add(&heir, project(2)).await.unwrap();
        }
        let late = add(&still, project(1)).await;
        assert_eq!(*still.taken_over().unwrap().borrow(), late.is_err());
        late
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn who_stood_still_and_was_taken_over_writes_nothing_more() {
        let late = write_after_takeover("").await;
        assert!(matches!(late, Err(StoreError::Closed)), "{late:?}");
    }

    /// Says whether a process that has stood still until it was taken over may post.
    async fn may_post_after_takeover(mistake: &'static str) -> bool {
        let database = fresh();
        let still = open(&database.url(), "no_beat");
        let heir = open_beating(&database.url(), "no_fence", Duration::from_millis(350));
        while heir.cluster_load().unwrap().takeovers == 0 {
            add(&heir, project(2)).await.unwrap();
        }
        assert!(heir.may_post());
        mistake::with(mistake, || still.may_post())
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn who_has_not_shown_for_long_that_it_lives_posts_nothing() {
        assert!(!may_post_after_takeover("").await);
        assert!(may_post_after_takeover("late_posts").await);
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn a_takeover_without_a_fence_is_caught() {
        assert!(write_after_takeover("no_fence").await.is_ok());
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn a_lost_answer_taken_as_a_no_is_caught() {
        let (told, there) = while_commits_go_wrong("lost_answer_is_no").await;
        assert!(told < there, "something was done twice");
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn a_lost_answer_taken_as_a_yes_is_caught() {
        let (told, there) = while_commits_go_wrong("lost_answer_is_yes").await;
        assert!(told > there, "something was told and not done");
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn a_group_without_gates_is_caught() {
        let database = fresh();
        let stores = [0, 1].map(|_| open(&database.url(), "no_gate"));
        // The gate has its row.
        add(&stores[0], project(1)).await.unwrap();
        let done = add_from_all(&stores, 1, 100).await;
        let told = done.iter().filter(|done| done.is_ok()).count() as u64;
        assert!(number(&stores[0], project(1)).await < told + 1);
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn keys_that_do_not_rise_above_the_gates_are_caught() {
        let database = fresh();
        let stores = [0, 1].map(|_| open(&database.url(), "keys_by_clock"));
        let mut keys = Vec::new();
        for store in [&stores[1], &stores[0]] {
            keys.push(add(store, project(1)).await.unwrap().1);
        }
        assert!(!keys.is_sorted());
    }
}
