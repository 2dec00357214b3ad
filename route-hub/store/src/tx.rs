//! A job's view of the database: one transaction.

use crate::counts::Counts;
use crate::keys::Keys;
use crate::row::Row;
use crate::uses::Limited;
use crate::{Health, StoreError, Value};
use postrider_model::{Id, Key, UnixMs};
use std::time::Duration;

/// A statement's text, with parameters written `$1`, `$2`, ….
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sql<'s> {
    /// Written in the program: engines may remember what they made of it by its address.
    Fixed(&'static str),
    /// Built at run time, as lists are.
    Built(&'s str),
}

/// Told of each row; `false` ends the reading.
pub(crate) type EachRow<'f> = &'f mut dyn FnMut(&Row<'_>) -> Result<bool, StoreError>;

/// A moment on an engine's own clock, in milliseconds; the highest is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Limit(pub(crate) u64);

impl Limit {
    /// No limit.
    pub(crate) const NONE: Self = Self(u64::MAX);
}

/// Whose database it is, for the few texts that cannot be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// What a transaction may do to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read one unchanging state.
    Read,
    /// Read and write.
    Write,
}

/// One connection of an engine: everything that engines do differently lies behind it.
///
/// SQLite's is in `sqlite.rs`, PostgreSQL's in `postgres/`; the executor, the repositories and the
/// conformance tests know only this.
pub(crate) trait Session: Send {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }
    fn begin(&mut self, access: Access) -> Result<(), StoreError>;
    fn commit(&mut self) -> Result<(), StoreError>;
    /// Ends the transaction if one is open; there is nothing to be done about a failure.
    fn rollback(&mut self);
    fn execute(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<usize, StoreError>;
    /// As [`Self::execute`] for a statement whose count nobody reads: its error may come later, at
    /// the next statement that is waited for or at the commit.
    fn run(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
        self.execute(sql, values).map(drop)
    }
    fn query(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
        each: EachRow<'_>,
    ) -> Result<(), StoreError>;
    /// Ends statements that run longer than this from now on, unless an earlier limit ends them
    /// before; returns what stood before, for [`Self::restore_limit`].
    fn limit_time(&mut self, limit: Duration) -> Limit;
    /// Puts a limit back.
    fn restore_limit(&mut self, limit: Limit);
    /// Begins to count steps and changes for one job, and ends its statements after so many steps.
    fn begin_job(&mut self, steps_max: u64);
    /// Returns the steps that the job took so far.
    fn steps(&self) -> u64;
    /// Says whether the last transaction ended because the connection was lost.
    fn is_cut(&self) -> bool {
        false
    }
    /// Says whether the job changed a row so far.
    fn has_written(&self) -> bool;
    /// Returns a number that changes when another process has committed.
    fn change_mark(&mut self) -> Result<i64, StoreError>;
    /// Returns a number that rises when another server takes the place of this one.
    fn timeline(&self) -> i64 {
        0
    }
    /// Says whether all that was ever answered is known to be there.
    fn may_expose(&self) -> bool {
        true
    }
}

/// A job's transaction.
///
/// Texts are constants, with parameters written `$1`; each is prepared once per connection.
pub struct Tx<'c> {
    session: &'c mut dyn Session,
    keys: &'c Keys,
    last_key: Option<Key>,
    counts: Counts,
    pub(crate) limited: Option<Limited>,
    changes_version: bool,
    failed: bool,
    told: Health,
    over_budget: bool,
    too_slow: bool,
    answered_early: bool,
}

impl<'c> Tx<'c> {
    pub(crate) fn new(session: &'c mut dyn Session, keys: &'c Keys) -> Self {
        Self::after(session, keys, Counts::default())
    }

    /// Begins a job that comes after others of its group, which have counted this.
    pub(crate) fn after(session: &'c mut dyn Session, keys: &'c Keys, counts: Counts) -> Self {
        Self {
            session,
            keys,
            last_key: None,
            counts,
            limited: None,
            changes_version: false,
            failed: false,
            told: Health::Ok,
            over_budget: false,
            too_slow: false,
            answered_early: false,
        }
    }

    /// Makes a key at `now`, above every stored one. A job that runs again draws another.
    pub fn key(&mut self, now: UnixMs) -> Key {
        let key = self.keys.next(now);
        self.last_key = Some(key);
        key
    }

    /// Says whether other hubs may work on the database, too.
    pub fn is_shared(&self) -> bool {
        self.engine() == Engine::Postgres
    }

    /// Says whether messages may be given to phones: not while the database may have forgotten what was
    /// answered, until those who know have looked.
    pub fn may_expose(&self) -> bool {
        self.session.may_expose()
    }

    /// Returns a number that rises when another server takes the place of this one.
    pub(crate) fn timeline(&self) -> i64 {
        self.session.timeline()
    }

    /// Returns whose database it is.
    pub(crate) fn engine(&self) -> Engine {
        self.session.engine()
    }

    /// Notes that the job changes what others keep in memory of what lies behind its gates.
    pub(crate) fn change_version(&mut self) {
        self.changes_version = true;
    }

    /// Says whether [`Self::change_version`] was called.
    pub(crate) fn changes_version(&self) -> bool {
        self.changes_version
    }

    /// Returns the highest key that the job made.
    pub(crate) fn last_key(&self) -> Option<Key> {
        self.last_key
    }

    /// Returns what the jobs of the group have counted so far, this one too: the group writes it before
    /// the commit.
    pub(crate) fn counts(&mut self) -> &mut Counts {
        &mut self.counts
    }

    /// Returns the key up to which messages may not be counted yet.
    pub(crate) fn uncounted_until(&self) -> i64 {
        self.keys.uncounted_until()
    }

    /// Makes the id of a new row at `now`, as [`Self::key`].
    pub fn id<K>(&mut self, now: UnixMs) -> Id<K> {
        Id::new(self.key(now))
    }

    /// Has the job's caller told its result before the commit: a planted mistake, which builds without
    /// debug assertions do not make.
    pub fn answer_early(&mut self) {
        self.answered_early = true;
    }

    pub(crate) const fn is_answered_early(&self) -> bool {
        cfg!(debug_assertions) && self.answered_early
    }

    /// Says whether a statement failed: the transaction must not be committed then.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Says whether the job did more than one job may do.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.over_budget
    }

    /// Says whether a statement ran past its time limit.
    pub(crate) fn is_too_slow(&self) -> bool {
        self.too_slow
    }

    /// Says whether there is something to roll back.
    pub(crate) fn has_written(&self) -> bool {
        self.session.has_written()
    }

    /// Returns the steps of the engine that this job took so far: what it is charged with, and
    /// what ends it ([`crate::JOB_STEPS_MAX`]). Work that can be cut looks at it.
    pub fn steps(&self) -> u64 {
        self.session.steps()
    }

    /// Returns the worst that an error of a statement told of the database.
    pub(crate) fn told(&self) -> Health {
        self.told
    }

    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] and what else the engine says; the job must then end with it.
    pub fn execute(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<usize, StoreError> {
        let result = self.session.execute(Sql::Fixed(sql), values);
        self.note(&result);
        result
    }

    /// Runs a statement whose count nobody reads. On a server nobody waits for it: what it comes
    /// to is known before the job is answered.
    ///
    /// # Errors
    /// As [`Self::execute`]; of this statement or one before it.
    pub fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), StoreError> {
        let result = self.session.run(Sql::Fixed(sql), values);
        self.note(&result);
        result
    }

    /// Runs a statement and returns its first row.
    ///
    /// # Errors
    /// What the engine says, and what `read` returns.
    pub fn query_one<T>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut found = None;
        self.read(Sql::Fixed(sql), values, &mut |row| {
            found = Some(read(row)?);
            Ok(false)
        })?;
        Ok(found)
    }

    /// Runs a statement and returns its rows.
    ///
    /// # Errors
    /// What the engine says, and what `read` returns.
    pub fn query<T>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.collect(Sql::Fixed(sql), values, read)
    }

    /// Runs a statement whose text was built at run time and returns its rows.
    ///
    /// # Errors
    /// What the engine says, and what `read` returns.
    pub(crate) fn query_built<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.collect(Sql::Built(sql), values, read)
    }

    /// Runs `work` with a limit on the time its statements may take; within another limit the
    /// earlier end counts.
    ///
    /// # Errors
    /// [`StoreError::TooSlow`] past the limit, and what `work` returns.
    pub fn within<T, E>(
        &mut self,
        limit: Duration,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let before = self.session.limit_time(limit);
        let result = work(self);
        self.session.restore_limit(before);
        result
    }

    fn collect<T>(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.read(sql, values, &mut |row| {
            rows.push(read(row)?);
            Ok(true)
        })?;
        Ok(rows)
    }

    fn read(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
        each: EachRow<'_>,
    ) -> Result<(), StoreError> {
        let result = self.session.query(sql, values, each);
        self.note(&result);
        result
    }

    fn note<T>(&mut self, result: &Result<T, StoreError>) {
        if let Err(error) = result {
            self.failed = true;
            self.over_budget |= matches!(error, StoreError::OverBudget { .. });
            self.too_slow |= matches!(error, StoreError::TooSlow);
            self.told = self.told.max(Health::told_by(error));
        }
    }
}
