//! Database threads: one that writes in groups, some that read.
//!
//! A write is answered only after the COMMIT that holds it. The writer takes what queued up while
//! the last commit ran and never waits for company. When one job of a group fails, the whole group
//! is rolled back: the jobs before it run again together, and it runs alone after them, so that
//! each gets its own result. There are no savepoints: they copy every touched page.
//!
//! What an error tells of the database is kept ([`crate::Health`]). While it is full or cannot be
//! written, the writer tries once a second whether it can be again; a damaged one is written to no
//! more.

use crate::health::HealthBoard;
use crate::job::{Job, JobQueue, Taken};
use crate::load::Commits;
use crate::stopwatch::Stopwatch;
use crate::tx::{Access, Session, Tx};
use crate::{Health, StoreError, meta};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Most jobs of one transaction.
pub(crate) const GROUP_MAX: usize = 512;
/// How long a group may work before it is committed.
const GROUP_WORK_MAX: Duration = Duration::from_millis(20);
/// How often the writer looks for commits of other processes.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long nothing must come before the writer tidies up after [`MUCH_TO_TIDY`] groups.
const PAUSE: Duration = Duration::from_millis(5);
/// How long nothing must come before it tidies up after fewer: the first commit after a tidying
/// costs a second sync, which a caller would wait for.
const REST: Duration = Duration::from_secs(1);
/// Groups after which any pause is used: about ten thousand pages, before the engine itself
/// would make a caller wait.
const MUCH_TO_TIDY: u32 = 2_048;
/// How long a reader sleeps before it looks whether the store was shut.
const READER_WAIT: Duration = Duration::from_secs(60);

/// How often a database that takes no writes is tried.
const TRY_EVERY: Duration = Duration::from_secs(1);
/// What is written to try it: more than what little an old row leaves free.
const TRIED_BYTES: usize = 16 * 1024;
/// The name under which that is written.
const TRIED_AS: &str = "room";

/// How long what was answered too early stays off the disk.
#[cfg(feature = "fault-order")]
const FAULT_WINDOW: Duration = Duration::from_millis(150);

/// Writes until the queue is closed and empty.
pub(crate) struct Writer<'q> {
    session: Box<dyn Session>,
    queue: &'q JobQueue,
    pending: VecDeque<Box<dyn Job>>,
    changes: watch::Sender<u64>,
    commits: Arc<Commits>,
    health: Arc<HealthBoard>,
    last_try: Stopwatch,
    change_mark: Option<i64>,
    last_look: Stopwatch,
    groups_untidy: u32,
    idle_for: Duration,
}

impl<'q> Writer<'q> {
    pub(crate) fn new(
        session: Box<dyn Session>,
        queue: &'q JobQueue,
        changes: watch::Sender<u64>,
        commits: Arc<Commits>,
        health: Arc<HealthBoard>,
    ) -> Self {
        Self {
            session,
            queue,
            pending: VecDeque::new(),
            changes,
            commits,
            health,
            last_try: Stopwatch::start(),
            change_mark: None,
            last_look: Stopwatch::start(),
            groups_untidy: 0,
            idle_for: Duration::ZERO,
        }
    }

    pub(crate) fn run(mut self) {
        self.look_for_changes();
        loop {
            if self.pending.is_empty() {
                let much = self.groups_untidy >= MUCH_TO_TIDY;
                let wait = if much { PAUSE } else { LOOK_EVERY };
                match self.queue.take(&mut self.pending, GROUP_MAX, wait) {
                    Taken::Some => self.idle_for = Duration::ZERO,
                    Taken::TimedOut => self.idle(wait),
                    Taken::Closed => break,
                }
            }
            if !self.pending.is_empty() {
                self.run_group();
                self.groups_untidy = self.groups_untidy.saturating_add(1);
            }
            if self.last_look.elapsed() >= LOOK_EVERY {
                self.look_for_changes();
                self.try_again();
            }
        }
        self.session.tidy();
    }

    /// Uses the time in which nobody waits.
    fn idle(&mut self, waited: Duration) {
        self.idle_for = self.idle_for.saturating_add(waited);
        let rested = self.groups_untidy > 0 && self.idle_for >= REST;
        if rested || self.groups_untidy >= MUCH_TO_TIDY {
            self.session.tidy();
            self.groups_untidy = 0;
        }
    }

    fn look_for_changes(&mut self) {
        self.last_look = Stopwatch::start();
        let Ok(mark) = self.session.change_mark() else {
            return;
        };
        if self
            .change_mark
            .replace(mark)
            .is_some_and(|old| old != mark)
        {
            self.changes.send_modify(|changes| *changes += 1);
        }
    }

    /// Tries whether a database that took no writes takes them again.
    fn try_again(&mut self) {
        let takes_none = matches!(self.health.now(), Health::Full | Health::NotWritable);
        if !takes_none || self.last_try.elapsed() < TRY_EVERY {
            return;
        }
        self.last_try = Stopwatch::start();
        if self.wrote(|tx| meta::put(tx, TRIED_AS, &"-".repeat(TRIED_BYTES))) {
            self.wrote(|tx| meta::remove(tx, TRIED_AS));
            self.health.recover();
        }
    }

    /// Says whether a write of the writer's own was committed.
    fn wrote(&mut self, work: impl FnOnce(&mut Tx<'_>) -> Result<(), StoreError>) -> bool {
        let begun = self.session.begin(Access::Write);
        let written = begun.and_then(|()| work(&mut Tx::new(&mut *self.session)));
        let committed = written.and_then(|()| self.session.commit());
        if let Err(error) = &committed {
            self.session.rollback();
            self.health.worsen(Health::told_by(error));
        }
        committed.is_ok()
    }

    /// Runs pending jobs in one transaction until the group is full or there are none.
    fn run_group(&mut self) {
        let begun = match self.health.now() {
            Health::Damaged => Err(takes_no_writes()),
            Health::Ok | Health::Full | Health::NotWritable => self.session.begin(Access::Write),
        };
        if let Err(error) = begun {
            self.health.worsen(Health::told_by(&error));
            fail_all(self.pending.drain(..), &error);
            return;
        }
        let work = Stopwatch::start();
        let mut done = Vec::with_capacity(self.pending.len());
        let mut failed = None;
        #[cfg(feature = "fault-order")]
        let mut early = false;
        while done.len() < GROUP_MAX && work.elapsed() < GROUP_WORK_MAX {
            let Some(mut job) = self.next_job() else {
                break;
            };
            let mut tx = Tx::new(&mut *self.session);
            let committable = job.run(&mut tx);
            self.health.worsen(tx.told());
            #[cfg(feature = "fault-order")]
            if committable && tx.is_answered_early() {
                job.answer();
                early = true;
                continue;
            }
            if !committable {
                failed = Some(job);
                break;
            }
            done.push(job);
        }
        #[cfg(feature = "fault-order")]
        if early {
            std::thread::sleep(FAULT_WINDOW);
        }
        match failed {
            None => self.commit(done),
            Some(failed) => self.without(failed, done),
        }
    }

    /// Commits a group and answers its jobs.
    fn commit(&mut self, done: Vec<Box<dyn Job>>) {
        match self.session.commit() {
            Ok(()) => {
                self.commits.count(done.len());
                done.into_iter().for_each(Job::answer);
            }
            Err(error) => {
                self.session.rollback();
                let told = Health::told_by(&error);
                if told == Health::Ok {
                    self.each_alone(done);
                } else {
                    self.health.worsen(told);
                    fail_all(done, &error);
                }
            }
        }
    }

    /// Rolls a group back in which a job failed, and runs that one alone after the others.
    fn without(&mut self, failed: Box<dyn Job>, done: Vec<Box<dyn Job>>) {
        self.session.rollback();
        if done.is_empty() {
            failed.answer();
            return;
        }
        self.together(done);
        self.each_alone([failed]);
    }

    /// Runs jobs again that have run well in a group that was rolled back.
    fn together(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let begun = self.session.begin(Access::Write).is_ok();
        let all_ran = begun
            && jobs
                .iter_mut()
                .all(|job| job.run(&mut Tx::new(&mut *self.session)));
        if all_ran {
            self.commit(jobs);
        } else {
            self.session.rollback();
            self.each_alone(jobs);
        }
    }

    fn each_alone(&mut self, jobs: impl IntoIterator<Item = Box<dyn Job>>) {
        for job in jobs {
            let told = run_alone(&mut *self.session, Access::Write, job);
            self.health.worsen(told);
        }
    }

    fn next_job(&mut self) -> Option<Box<dyn Job>> {
        if self.pending.is_empty() {
            self.queue
                .take(&mut self.pending, GROUP_MAX, Duration::ZERO);
        }
        self.pending.pop_front()
    }
}

/// Reads until the queue is closed and empty.
pub(crate) fn run_reader(mut session: Box<dyn Session>, queue: &JobQueue, health: &HealthBoard) {
    let mut taken = VecDeque::with_capacity(1);
    loop {
        match queue.take(&mut taken, 1, READER_WAIT) {
            Taken::Closed => return,
            Taken::TimedOut => {}
            Taken::Some => {
                for job in taken.drain(..) {
                    // Damage alone is a reader's to tell: it may not write at all.
                    if run_alone(&mut *session, Access::Read, job) == Health::Damaged {
                        health.worsen(Health::Damaged);
                    }
                }
            }
        }
    }
}

/// Runs one job in a transaction of its own and tells its caller; returns what was told of the
/// database.
fn run_alone(session: &mut dyn Session, access: Access, mut job: Box<dyn Job>) -> Health {
    if let Err(error) = session.begin(access) {
        let told = Health::told_by(&error);
        job.fail(error);
        return told;
    }
    let mut tx = Tx::new(session);
    let committable = job.run(&mut tx);
    let told = tx.told();
    if !committable {
        session.rollback();
        job.answer();
        return told;
    }
    match session.commit() {
        Ok(()) => {
            job.answer();
            told
        }
        Err(error) => {
            session.rollback();
            let told = told.max(Health::told_by(&error));
            job.fail(error);
            told
        }
    }
}

fn fail_all(jobs: impl IntoIterator<Item = Box<dyn Job>>, error: &StoreError) {
    for job in jobs {
        job.fail(error.clone());
    }
}

fn takes_no_writes() -> StoreError {
    StoreError::Damaged(Arc::new(TakesNoWrites))
}

/// Why a job was not even begun.
#[derive(Debug)]
struct TakesNoWrites;

impl std::fmt::Display for TakesNoWrites {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no more is written to it")
    }
}

impl std::error::Error for TakesNoWrites {}
