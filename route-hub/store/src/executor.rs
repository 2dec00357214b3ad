//! Database threads: one that writes in groups, some that read.
//!
//! A write is answered only after the COMMIT that holds it. The writer takes what queued up while
//! the last commit ran and never waits for company. When one job of a group fails, the whole group
//! is rolled back and its jobs run again, each in a transaction of its own, so that each gets its
//! own result. There are no savepoints: they copy every touched page.

use crate::job::{Job, JobQueue, Taken};
use crate::load::Commits;
use crate::stopwatch::Stopwatch;
use crate::tx::{Access, Session, Tx};
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
    ) -> Self {
        Self {
            session,
            queue,
            pending: VecDeque::new(),
            changes,
            commits,
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

    /// Runs pending jobs in one transaction until the group is full or there are none.
    fn run_group(&mut self) {
        if let Err(error) = self.session.begin(Access::Write) {
            for job in self.pending.drain(..) {
                job.fail(error.clone());
            }
            return;
        }
        let work = Stopwatch::start();
        let mut done = Vec::with_capacity(self.pending.len());
        let mut committable = true;
        #[cfg(feature = "fault-order")]
        let mut early = false;
        while done.len() < GROUP_MAX && work.elapsed() < GROUP_WORK_MAX {
            let Some(mut job) = self.next_job() else {
                break;
            };
            let mut tx = Tx::new(&mut *self.session);
            committable = job.run(&mut tx);
            #[cfg(feature = "fault-order")]
            if committable && tx.is_answered_early() {
                job.answer();
                early = true;
                continue;
            }
            done.push(job);
            if !committable {
                break;
            }
        }
        #[cfg(feature = "fault-order")]
        if early {
            std::thread::sleep(FAULT_WINDOW);
        }
        if committable && self.session.commit().is_ok() {
            self.commits.count(done.len());
            for job in done {
                job.answer();
            }
            return;
        }
        self.session.rollback();
        if !committable && done.len() == 1 {
            done.into_iter().for_each(Job::answer);
            return;
        }
        for job in done {
            run_alone(&mut *self.session, Access::Write, job);
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
pub(crate) fn run_reader(mut session: Box<dyn Session>, queue: &JobQueue) {
    let mut taken = VecDeque::with_capacity(1);
    loop {
        match queue.take(&mut taken, 1, READER_WAIT) {
            Taken::Closed => return,
            Taken::TimedOut => {}
            Taken::Some => {
                for job in taken.drain(..) {
                    run_alone(&mut *session, Access::Read, job);
                }
            }
        }
    }
}

/// Runs one job in a transaction of its own and tells its caller.
fn run_alone(session: &mut dyn Session, access: Access, mut job: Box<dyn Job>) {
    if let Err(error) = session.begin(access) {
        job.fail(error);
        return;
    }
    if !job.run(&mut Tx::new(session)) {
        session.rollback();
        job.answer();
        return;
    }
    match session.commit() {
        Ok(()) => job.answer(),
        Err(error) => {
            session.rollback();
            job.fail(error);
        }
    }
}
