//! Database threads: one that writes in groups, some that read.
//!
//! A write is answered only after the COMMIT that holds it. The writer takes what queued up while
//! the last commit ran and never waits for company. When one job of a group fails after a write, the
//! whole group is rolled back: the jobs before it run again together, and it runs alone after them,
//! so that each gets its own result. There are no savepoints: they copy every touched page. A job
//! that returns an error before its first write leaves nothing to roll back: the group goes on.
//!
//! A job has a budget of steps of the engine ([`JOB_STEPS_MAX`]): steps, not time, so that a slow
//! disk refuses nobody. The party whose jobs took the fewest goes first (see `turns.rs`), and large
//! jobs delay nobody else's group (see `large.rs`).
//!
//! The writer keeps what errors tell of the database ([`crate::Health`]). It tries a full or
//! read-only database again once a second, and never writes to a damaged one.

use crate::counts::Counts;
use crate::health::HealthBoard;
use crate::job::Job;
use crate::keys::Keys;
use crate::large::{Group, LargeJobs};
use crate::load::Commits;
use crate::parts::Parts;
use crate::queue::{ReadQueue, Reader, Taken, WriteQueue};
use crate::stopwatch::Stopwatch;
use crate::turns::Party;
use crate::tx::{Access, Session, Tx};
use crate::{Health, StoreError, meta, statistics};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Most steps of the engine that one job may take: about 20 ms of work. More is rolled back and
/// answered [`StoreError::OverBudget`]; larger work is done in several jobs.
pub const JOB_STEPS_MAX: u64 = 1_000_000;
/// Most steps of a job that cannot be cut, such as one turn of a phone's link.
pub(crate) const WHOLE_STEPS_MAX: u64 = 8 * JOB_STEPS_MAX;
/// What each job is charged on top of its steps.
const STEPS_OF_A_JOB: u64 = 1_000;
/// Most jobs of one transaction.
pub(crate) const GROUP_MAX: usize = 512;
/// How long a group may work before it is committed.
const GROUP_WORK_MAX: Duration = Duration::from_millis(20);
/// How often the writer looks for commits of other processes.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long the writer looks for the next job after a group of one before it sleeps: who sends one
/// message after the other comes back within this, and waking a thread costs as much as the work.
const LOOK: Duration = Duration::from_micros(100);
/// How long a reader sleeps before it looks whether the store was closed.
const READER_WAIT: Duration = Duration::from_secs(60);

/// How often a database that takes no writes is tried.
const TRY_EVERY: Duration = Duration::from_secs(1);
/// What is written to try it: more than an old row leaves free.
const TRIED_BYTES: usize = 16 * 1024;
/// The name under which that is written.
const TRIED_AS: &str = "room";

/// How long a job that was answered too early stays off the disk.
const FAULT_WINDOW: Duration = Duration::from_millis(150);

/// Writes until the queue is closed and empty.
pub(crate) struct Writer<'q> {
    session: Box<dyn Session>,
    queue: &'q WriteQueue,
    keys: Arc<Keys>,
    changes: watch::Sender<u64>,
    commits: Arc<Commits>,
    health: Arc<HealthBoard>,
    started: Stopwatch,
    large: LargeJobs,
    last_try: Stopwatch,
    change_mark: Option<i64>,
    /// Whether others may have stored keys that ours do not lie above yet.
    keys_are_old: bool,
    last_look: Stopwatch,
    /// Whether the last group was of one job.
    one_by_one: bool,
}

impl<'q> Writer<'q> {
    pub(crate) fn new(
        session: Box<dyn Session>,
        queue: &'q WriteQueue,
        keys: Arc<Keys>,
        changes: watch::Sender<u64>,
        commits: Arc<Commits>,
        health: Arc<HealthBoard>,
    ) -> Self {
        Self {
            session,
            queue,
            keys,
            changes,
            commits,
            health,
            started: Stopwatch::start(),
            large: LargeJobs::default(),
            last_try: Stopwatch::start(),
            change_mark: None,
            keys_are_old: true,
            last_look: Stopwatch::start(),
            one_by_one: false,
        }
    }

    pub(crate) fn run(mut self) {
        self.look_for_changes();
        loop {
            let now = self.started.elapsed();
            let rest = self.large.next_end(now).map(|end| end - now);
            match self.first_job(rest) {
                Taken::Some(party, job) => self.run_group(party, job),
                Taken::TimedOut => {}
                Taken::Closed => return,
            }
            if self.last_look.elapsed() >= LOOK_EVERY {
                self.look_for_changes();
                self.try_again();
            }
        }
    }

    /// Takes the first job of a group; a party that rests has its turn when its rest is over.
    fn first_job(&mut self, rest: Option<Duration>) -> Taken {
        if std::mem::take(&mut self.one_by_one) {
            self.queue.look(LOOK);
        }
        match rest {
            None => self.queue.take(LOOK_EVERY),
            Some(rest) => {
                let may = |party, _| !self.large.rests(party);
                self.queue.take_of(LOOK_EVERY.min(rest), may)
            }
        }
    }

    fn look_for_changes(&mut self) {
        self.last_look = Stopwatch::start();
        if let Ok(mark) = self.session.change_mark() {
            self.saw(mark);
        }
    }

    /// Notes the number that changes when another process has committed.
    fn saw(&mut self, mark: i64) {
        let before = self.change_mark.replace(mark);
        if before.is_some_and(|before| before != mark) {
            self.keys_are_old = true;
            self.changes.send_modify(|changes| *changes += 1);
        }
    }

    /// Begins a transaction that writes, in which new keys lie above all that is stored.
    fn begin(&mut self) -> Result<(), StoreError> {
        self.session.begin(Access::Write)?;
        let raised = self.raise_keys();
        if raised.is_err() {
            self.session.rollback();
        }
        raised
    }

    fn raise_keys(&mut self) -> Result<(), StoreError> {
        let mark = self.session.change_mark()?;
        self.saw(mark);
        if self.keys_are_old {
            self.session.begin_job(u64::MAX);
            let mut tx = Tx::new(&mut *self.session, &self.keys);
            if let Some(highest) = meta::highest_key(&mut tx)? {
                self.keys.rise_above(highest);
            }
            self.keys.count_above(statistics::uncounted_until(&mut tx)?);
            self.keys_are_old = false;
        }
        Ok(())
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
        let written = begun.and_then(|()| work(&mut Tx::new(&mut *self.session, &self.keys)));
        let committed = written.and_then(|()| self.session.commit());
        if let Err(error) = &committed {
            self.session.rollback();
            self.health.worsen(Health::told_by(error));
        }
        committed.is_ok()
    }

    /// Runs a job, and those that wait, in one transaction until the group is full or there are
    /// none.
    fn run_group(&mut self, party: Party, job: Box<dyn Job>) {
        let begun = match self.health.now() {
            Health::Damaged => Err(takes_no_writes()),
            Health::Ok | Health::Full | Health::NotWritable => self.begin(),
        };
        if let Err(error) = begun {
            self.health.worsen(Health::told_by(&error));
            return self.fail_waiting(job, &error);
        }
        let began = self.started.elapsed();
        let mut done = Vec::new();
        let mut failed = None;
        let mut group_steps = 0;
        let mut counts = Counts::default();
        let mut group = Group::of(party);
        let mut now = began;
        let mut next = Some((party, job));
        let mut early = false;
        while let Some((party, mut job)) = next.take() {
            self.session.begin_job(job.steps_max());
            let mut tx = Tx::after(&mut *self.session, &self.keys, counts);
            let committable = job.run(&mut tx);
            let (told, is_over_budget) = (tx.told(), tx.is_over_budget());
            let answer_now = committable && tx.is_answered_early();
            counts = std::mem::take(tx.counts());
            let steps = STEPS_OF_A_JOB + self.session.steps();
            group_steps += steps;
            self.health.worsen(told);
            self.queue.charge(party, steps);
            let before = std::mem::replace(&mut now, self.started.elapsed());
            group.joined(party);
            self.large.ran(party, steps, now - before, now);
            if answer_now {
                job.answer();
                early = true;
                next = self.next_job(&group, now);
                continue;
            }
            if !committable {
                // The other jobs of its group run again.
                self.queue.charge(party, group_steps);
                failed = Some((job, is_over_budget));
                break;
            }
            done.push(job);
            if done.len() < GROUP_MAX && now - began < GROUP_WORK_MAX {
                next = self.next_job(&group, now);
            }
        }
        if early {
            std::thread::sleep(FAULT_WINDOW);
        }
        self.one_by_one = done.len() == 1;
        match failed {
            None => self.commit(done, counts),
            Some((failed, is_over_budget)) => self.without(failed, is_over_budget, done),
        }
    }

    /// Fails a job whose group could not begin, and all that waited behind it: each would wait as long.
    fn fail_waiting(&mut self, job: Box<dyn Job>, error: &StoreError) {
        let mut waiting = vec![job];
        // All are taken before the first is told: what it writes then is a job of its own.
        while let Taken::Some(_, job) = self.queue.take(Duration::ZERO) {
            waiting.push(job);
        }
        fail_all(waiting, error);
    }

    /// Commits a group and answers its jobs.
    fn commit(&mut self, done: Vec<Box<dyn Job>>, counts: Counts) {
        match commit(&mut *self.session, &self.keys, counts) {
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

    /// Rolls a group back in which a job failed, and runs that one alone after the others, unless
    /// it was too large: it would be again.
    fn without(&mut self, failed: Box<dyn Job>, is_too_large: bool, done: Vec<Box<dyn Job>>) {
        self.session.rollback();
        let was_alone = done.is_empty();
        if !was_alone {
            self.together(done);
        }
        if was_alone || is_too_large {
            failed.answer();
        } else {
            self.each_alone([failed]);
        }
    }

    /// Runs jobs again that have run well in a group that was rolled back.
    fn together(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let begun = self.begin().is_ok();
        let mut counts = Counts::default();
        let all_ran = begun
            && jobs.iter_mut().all(|job| {
                self.session.begin_job(job.steps_max());
                let earlier = std::mem::take(&mut counts);
                let mut tx = Tx::after(&mut *self.session, &self.keys, earlier);
                let ran = job.run(&mut tx);
                counts = std::mem::take(tx.counts());
                ran
            });
        if all_ran {
            self.commit(jobs, counts);
        } else {
            self.session.rollback();
            self.each_alone(jobs);
        }
    }

    fn each_alone(&mut self, jobs: impl IntoIterator<Item = Box<dyn Job>>) {
        for job in jobs {
            let begun = self.begin();
            let tell = |told| self.health.worsen(told);
            run_alone(&mut *self.session, begun, &self.keys, job, tell);
        }
    }

    fn next_job(&mut self, group: &Group, now: Duration) -> Option<(Party, Box<dyn Job>)> {
        let taken = if self.large.is_shared(now) {
            self.large.next_end(now);
            let may = |party, cost| self.large.may_join(group, party, cost);
            self.queue.take_of(Duration::ZERO, may)
        } else {
            self.queue.take(Duration::ZERO)
        };
        match taken {
            Taken::Some(party, job) => Some((party, job)),
            Taken::TimedOut | Taken::Closed => None,
        }
    }
}

/// Reads until the queue is closed and empty.
pub(crate) fn run_reader(
    mut session: Box<dyn Session>,
    queue: &ReadQueue,
    reader: Reader,
    keys: &Keys,
    health: &HealthBoard,
) {
    loop {
        match queue.take(reader, READER_WAIT) {
            Taken::Closed => return,
            Taken::TimedOut => {}
            Taken::Some(party, job) => {
                // A reader may only tell of damage: it never writes, so it knows nothing else.
                let tell = |told| {
                    if told == Health::Damaged {
                        health.worsen(told);
                    }
                };
                if !job.is_unwanted() {
                    let begun = session.begin(Access::Read);
                    run_alone(&mut *session, begun, keys, job, tell);
                }
                queue.done(party);
            }
        }
    }
}

/// Runs one job in a transaction of its own, which was begun for it. `tell` hears what errors say of the database before the
/// caller has its answer: what the caller does next meets it.
fn run_alone(
    session: &mut dyn Session,
    begun: Result<(), StoreError>,
    keys: &Keys,
    mut job: Box<dyn Job>,
    tell: impl Fn(Health),
) {
    if let Err(error) = begun {
        tell(Health::told_by(&error));
        return job.fail(error);
    }
    let mut counted = run_once(session, keys, &mut *job, &tell);
    if counted.is_none() {
        session.rollback();
        // A reader's connection may have been cut while nobody used it.
        if session.is_cut() && session.begin(Access::Read).is_ok() {
            counted = run_once(session, keys, &mut *job, &tell);
        }
    }
    let Some(counts) = counted else {
        session.rollback();
        return job.answer();
    };
    match commit(session, keys, counts) {
        Ok(()) => job.answer(),
        Err(error) => {
            session.rollback();
            tell(Health::told_by(&error));
            job.fail(error);
        }
    }
}

/// Runs a job and returns what it counted; `None` where it must not be committed.
fn run_once(
    session: &mut dyn Session,
    keys: &Keys,
    job: &mut dyn Job,
    tell: impl Fn(Health),
) -> Option<Counts> {
    session.begin_job(job.steps_max());
    let mut tx = Tx::new(session, keys);
    let committable = job.run(&mut tx);
    tell(tx.told());
    committable.then(|| std::mem::take(tx.counts()))
}

/// Writes what the jobs of a transaction counted, and commits.
fn commit(session: &mut dyn Session, keys: &Keys, counts: Counts) -> Result<(), StoreError> {
    if !counts.is_empty() {
        session.begin_job(u64::MAX);
        counts.write(&mut Tx::new(session, keys), &mut Parts::one())?;
    }
    session.commit()
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
