//! Groups of jobs on one writing connection: one transaction, one COMMIT, then the answers.
//!
//! A group first takes its connection's own row and raises the number of its commits from n-1 to n. When
//! COMMIT has no answer, that row tells whether it happened: the connection is made anew, waits for the
//! lock that the old transaction holds as long as it lives, and reads the number. So nobody is told a
//! guess, and no group is written twice.
//!
//! Before COMMIT goes out a caller waits for a few seconds only, for a server may stand still. It then gives
//! its job up, and the group goes on without it.
//!
//! Then it takes the gates of its jobs: advisory locks, one for each project, organization and the hub
//! itself. A group of the writer's only tries them, and gives back the jobs whose gates others hold; a
//! group of a waiting connection waits for them, in one order, so that no two wait for each other.

use super::cluster::Cluster;
use super::gates::{self, Claim, Gates, Wanted};
use super::nets;
use super::process::CommitRow;
use super::session::PostgresSession;
use crate::counts::Counts;
use crate::job::Job;
use crate::parts::Parts;
use crate::stopwatch::Stopwatch;
use crate::turns::Party;
use crate::tx::{Session as _, Tx};
use crate::{Health, StoreError};
use postrider_link::mistake;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long an unanswered COMMIT is asked after.
const ASK_FOR: Duration = Duration::from_secs(60);
/// The pause before a server that cannot be reached is asked again.
const ASK_PAUSE: Duration = Duration::from_millis(100);
/// A job that takes longer goes on a connection of its own with what else its party has.
const SLOW: Duration = Duration::from_millis(50);
/// How long a group goes on with its jobs. Far below what callers wait for a COMMIT: one that is given up
/// takes its whole group back, and a longer group would never come to its end on a server far away.
const SPAN_MAX: Duration = Duration::from_millis(500);
/// How often jobs run again that the server gave up for another transaction.
const RERUNS_MAX: u32 = 3;

/// A job and whose it is.
pub(crate) struct Queued {
    pub(crate) party: Party,
    pub(crate) job: Box<dyn Job>,
    /// Whether it was not run, since it was prepared on another version.
    is_stale: bool,
}

impl Queued {
    pub(crate) fn new(party: Party, job: Box<dyn Job>) -> Self {
        Self {
            party,
            job,
            is_stale: false,
        }
    }

    /// Says whether it is to run (again): not once its caller was told that nothing was stored.
    fn is_awaited(&self) -> bool {
        self.job.reopen()
    }

    fn answer(self) {
        if self.is_stale {
            self.job.fail(StoreError::Stale);
        } else {
            self.job.answer();
        }
    }
}

/// What is left over when a group has run.
#[derive(Default)]
pub(crate) struct Ran {
    /// The jobs whose gates others hold, in their order.
    pub(crate) parked: Vec<Queued>,
    /// Who took long.
    pub(crate) slow: Vec<Party>,
    /// What each job was charged.
    pub(crate) steps: Vec<(Party, u64)>,
}

/// One writing connection and the groups on it.
pub(crate) struct Groups {
    session: PostgresSession,
    row: CommitRow,
    /// Whether the number of its commits may have risen unseen.
    is_unsure: bool,
    /// Where its counters stand.
    parts: Parts,
    hub: Arc<Cluster>,
}

impl Groups {
    pub(crate) fn new(session: PostgresSession, row: CommitRow, hub: Arc<Cluster>) -> Self {
        Self {
            session,
            row,
            is_unsure: false,
            parts: Parts::many(),
            hub,
        }
    }

    /// Runs jobs in one transaction, and answers all but those that it gives back.
    pub(crate) fn run(&mut self, jobs: Vec<Queued>, claim: Claim) -> Ran {
        let mut ran = Ran::default();
        self.run_into(&mut ran, jobs, claim, 0);
        ran
    }

    /// As [`run`](Self::run), but waits for the gates. What `more` brings until they are there goes along,
    /// up to the first job that needs others: that one is given back.
    pub(crate) fn run_when_open(
        &mut self,
        mut jobs: Vec<Queued>,
        more: impl Iterator<Item = Queued>,
    ) -> Ran {
        let mut ran = Ran::default();
        jobs.retain(Queued::is_awaited);
        if jobs.is_empty() {
            return ran;
        }
        match self.open(&jobs, Claim::Wait) {
            Ok(gates) => {
                ran.parked.extend(fill(&mut jobs, &gates, more));
                self.run_open(&mut ran, jobs, gates, Claim::Wait, 0);
            }
            Err(error) => self.fail(jobs, &error),
        }
        ran
    }

    fn run_into(&mut self, ran: &mut Ran, mut jobs: Vec<Queued>, claim: Claim, reruns: u32) {
        jobs.retain(Queued::is_awaited);
        if jobs.is_empty() {
            return;
        }
        match self.open(&jobs, claim) {
            Ok(gates) => self.run_open(ran, jobs, gates, claim, reruns),
            Err(error) => self.fail(jobs, &error),
        }
    }

    fn run_open(
        &mut self,
        ran: &mut Ran,
        jobs: Vec<Queued>,
        mut gates: Gates,
        claim: Claim,
        reruns: u32,
    ) {
        let mut jobs = part(jobs, &gates, &mut ran.parked);
        if jobs.is_empty() {
            return self.session.rollback();
        }
        let mut later = Vec::new();
        let worked = self.work(&mut jobs, &mut later, &mut gates, ran);
        let done = worked.and_then(|counts| self.commit(&jobs, &mut gates, counts));
        match done {
            Ok(()) => answer(jobs, &self.hub),
            Err(Undone::Unsure) => self.ask(ran, jobs),
            Err(Undone::GivenUp) => self.run_into(ran, jobs, claim, reruns),
            Err(Undone::Lost(error)) if reruns < RERUNS_MAX => {
                drop(error);
                self.run_into(ran, jobs, claim, reruns + 1);
            }
            Err(Undone::Lost(error)) => self.fail(jobs, &error),
            Err(Undone::Failed(failure)) if jobs.len() == 1 => {
                self.finish(ran, jobs, claim, failure, reruns);
            }
            Err(Undone::Failed(failure)) => {
                let failed = jobs.remove(failure.place);
                self.run_into(ran, jobs, claim, reruns);
                if failure.is_too_large {
                    failed.answer();
                } else {
                    self.run_into(ran, vec![failed], claim, reruns);
                }
            }
        }
        self.run_into(ran, later, claim, 0);
    }

    /// Begins a transaction with as many gates as there are to have.
    fn open(&mut self, jobs: &[Queued], claim: Claim) -> Result<Gates, StoreError> {
        let wanted = Wanted::by(jobs.iter().map(|queued| &*queued.job));
        let waited = Stopwatch::start();
        let opened = match self.try_open(&wanted, claim) {
            // A connection that was cut while nobody used it shows it now.
            Err(StoreError::Unreachable(_)) => {
                self.hub.versions.lose();
                self.try_open(&wanted, claim)
            }
            opened => opened,
        };
        if claim == Claim::Wait {
            let us = u64::try_from(waited.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.hub.counters.gate_wait_us.add(us);
        }
        let opened = opened?;
        let Some(gates) = opened else {
            self.session.rollback();
            self.hub.fence.end();
            return Err(StoreError::Closed);
        };
        if let Some(key) = gates.last_key()
            && !mistake::is("keys_by_clock")
        {
            self.hub.keys.rise_above(key);
        }
        gates.tell(&self.hub.versions);
        Ok(gates)
    }

    fn try_open(&mut self, wanted: &Wanted, claim: Claim) -> Result<Option<Gates>, StoreError> {
        let claim = if mistake::is("no_gate") {
            Claim::None
        } else {
            claim
        };
        if self.is_unsure {
            let Some(commits) = gates::commits(&mut self.session, &self.row)? else {
                return Ok(None);
            };
            self.take(commits)?;
            self.is_unsure = false;
        }
        if mistake::is("number_unseen") {
            return gates::open_unseen(&mut self.session, &self.row, wanted).map(Some);
        }
        let opened = gates::open(&mut self.session, &self.row, wanted, claim);
        let opened = opened.inspect_err(|_| self.session.rollback())?;
        if opened.is_some() || !self.went_back()? {
            return Ok(opened);
        }
        let opened = gates::open(&mut self.session, &self.row, wanted, claim);
        opened.inspect_err(|_| self.session.rollback())
    }

    /// Says whether the server has forgotten commits that were answered: then that is noted, and the
    /// writer goes on from what there is.
    fn went_back(&mut self) -> Result<bool, StoreError> {
        self.session.rollback();
        match gates::commits(&mut self.session, &self.row)? {
            Some(commits) if commits < self.row.commits => self.take(commits).map(|()| true),
            _ => Ok(false),
        }
    }

    /// Takes the number of commits that was found.
    fn take(&mut self, commits: i64) -> Result<(), StoreError> {
        if commits < self.row.commits {
            nets::tell_of_loss(&mut self.session)?;
        }
        self.row.commits = commits;
        Ok(())
    }

    /// Runs the jobs, one after the other, and returns what they counted. Those that it does not come to
    /// within [`SPAN_MAX`] go to `later`.
    fn work(
        &mut self,
        jobs: &mut Vec<Queued>,
        later: &mut Vec<Queued>,
        gates: &mut Gates,
        ran: &mut Ran,
    ) -> Result<Counts, Undone> {
        let mut counts = Counts::default();
        let began = Stopwatch::start();
        for place in 0..jobs.len() {
            if place > 0 && began.elapsed() > SPAN_MAX {
                *later = jobs.split_off(place);
                break;
            }
            let queued = &mut jobs[place];
            queued.is_stale = self.is_stale(&*queued.job, gates);
            if queued.is_stale {
                self.hub.counters.stale.inc();
                continue;
            }
            let took = Stopwatch::start();
            self.session.begin_job_at(place, queued.job.steps_max());
            let mut tx = Tx::after(&mut self.session, &self.hub.keys, counts);
            let committable = queued.job.run(&mut tx);
            let is_too_large = tx.is_over_budget();
            counts = std::mem::take(tx.counts());
            self.hub.health.worsen(tx.told());
            let raises = tx.changes_version() && !mistake::is("version_not_raised");
            gates.ran(&*queued.job, tx.last_key(), raises);
            ran.steps.push((queued.party, self.session.steps()));
            if took.elapsed() > SLOW && !ran.slow.contains(&queued.party) {
                ran.slow.push(queued.party);
            }
            if !committable {
                let undone = self.undone(Failure {
                    place,
                    error: None,
                    at_commit: false,
                    is_too_large,
                });
                self.session.rollback();
                return Err(undone);
            }
        }
        Ok(counts)
    }

    /// Says whether a job was prepared on another version than its gates have by now.
    fn is_stale(&self, job: &dyn Job, gates: &Gates) -> bool {
        gates.are_past(job, &self.hub.versions) && !mistake::is("stale_version")
    }

    /// Says what a failure means for the group. A statement that nobody waited for may be of a job
    /// before.
    fn undone(&mut self, mut failure: Failure) -> Undone {
        if let Some((place, error)) = self.session.take_failure() {
            (failure.place, failure.error) = (place, Some(error));
            failure.is_too_large = false;
        }
        match failure.error {
            Some(error @ StoreError::Unreachable(_)) => Undone::Lost(error),
            _ => Undone::Failed(failure),
        }
    }

    fn commit(&mut self, jobs: &[Queued], gates: &mut Gates, counts: Counts) -> Result<(), Undone> {
        let at_commit = |error| Failure {
            place: 0,
            error: Some(error),
            at_commit: true,
            is_too_large: false,
        };
        let mut tx = Tx::new(&mut self.session, &self.hub.keys);
        let counted = counts.write(&mut tx, &mut self.parts);
        if let Err(error) = counted.and_then(|()| gates.save(&mut self.session)) {
            let undone = self.undone(at_commit(error));
            self.session.rollback();
            return Err(undone);
        }
        if !jobs.iter().all(|queued| queued.job.begin_commit()) {
            self.session.rollback();
            return Err(Undone::GivenUp);
        }
        let warnings = self.session.warnings();
        match self.session.commit() {
            Ok(()) if self.session.warnings() == warnings => {
                self.hub.counters.waits.add(self.session.take_waits());
                self.row.commits += 1;
                gates.tell_raised(&self.hub.versions);
                self.hub.answers(&self.row);
                Ok(())
            }
            Ok(()) | Err(StoreError::Unreachable(_)) => Err(Undone::Unsure),
            Err(error) => Err(self.undone(at_commit(error))),
        }
    }

    /// Ends a job that failed alone; one that the server gave up for another transaction runs again.
    fn finish(
        &mut self,
        ran: &mut Ran,
        jobs: Vec<Queued>,
        claim: Claim,
        failure: Failure,
        reruns: u32,
    ) {
        match failure.error {
            Some(StoreError::Busy) if reruns < RERUNS_MAX => {
                self.hub.counters.reruns.inc();
                self.run_into(ran, jobs, claim, reruns + 1);
            }
            Some(error) if failure.at_commit => self.fail(jobs, &error),
            _ => jobs.into_iter().for_each(Queued::answer),
        }
    }

    /// Finds out what became of a COMMIT that has no answer; until then nobody is answered.
    fn ask(&mut self, ran: &mut Ran, jobs: Vec<Queued>) {
        self.hub.counters.lost_commits.inc();
        self.hub.versions.lose();
        let asked = Stopwatch::start();
        while asked.elapsed() < ASK_FOR && !self.hub.fence.has_ended() {
            match gates::commits(&mut self.session, &self.row) {
                Ok(Some(commits)) => {
                    let is_done = commits > self.row.commits;
                    if self.take(commits).is_err() {
                        continue;
                    }
                    self.hub.answers(&self.row);
                    let is_done = (is_done && !mistake::is("lost_answer_is_no"))
                        || mistake::is("lost_answer_is_yes");
                    if is_done {
                        return answer(jobs, &self.hub);
                    }
                    return self.run_into(ran, jobs, Claim::Wait, 0);
                }
                Ok(None) => self.hub.fence.end(),
                Err(_) => {
                    self.session.rollback();
                    thread::sleep(ASK_PAUSE);
                }
            }
        }
        self.is_unsure = true;
        for queued in jobs {
            queued.job.fail(StoreError::Unsure);
        }
    }

    fn fail(&self, jobs: Vec<Queued>, error: &StoreError) {
        self.hub.health.worsen(Health::told_by(error));
        for queued in jobs {
            queued.job.fail(error.clone());
        }
    }
}

/// Why a group did not come to its end.
enum Undone {
    /// The connection was lost before COMMIT was sent.
    Lost(StoreError),
    /// COMMIT has no answer.
    Unsure,
    /// Before COMMIT was sent, the caller of a job was told that nothing was stored.
    GivenUp,
    /// One job failed.
    Failed(Failure),
}

/// A job that failed, by an error of a statement or of its own.
struct Failure {
    place: usize,
    error: Option<StoreError>,
    /// Whether the job itself knows nothing of it.
    at_commit: bool,
    /// Whether it did more than one job may do: it would again.
    is_too_large: bool,
}

/// Adds jobs that need no more than the gates of a group; returns the first that does.
fn fill(
    jobs: &mut Vec<Queued>,
    gates: &Gates,
    more: impl Iterator<Item = Queued>,
) -> Option<Queued> {
    for queued in more.filter(Queued::is_awaited) {
        if !gates.cover(&*queued.job) {
            return Some(queued);
        }
        jobs.push(queued);
    }
    None
}

/// Keeps the jobs whose gates are held. Once a job of a party goes, its later ones go with it.
fn part(jobs: Vec<Queued>, gates: &Gates, parked: &mut Vec<Queued>) -> Vec<Queued> {
    let mut kept = Vec::with_capacity(jobs.len());
    let mut away: Vec<Party> = Vec::new();
    for queued in jobs {
        if !away.contains(&queued.party) && gates.hold(&*queued.job) {
            kept.push(queued);
        } else {
            away.push(queued.party);
            parked.push(queued);
        }
    }
    kept
}

fn answer(jobs: Vec<Queued>, hub: &Cluster) {
    hub.commits.count(jobs.len());
    jobs.into_iter().for_each(Queued::answer);
}
