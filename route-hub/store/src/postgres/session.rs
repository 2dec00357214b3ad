//! One connection to PostgreSQL, used from a thread that may wait.
//!
//! Writes whose count nobody reads are sent without a wait: what became of them is known at the next
//! wait, COMMIT's at the latest. A statement that comes after a failed one fails as well, so the first
//! error is the one that counts.

use super::connect::{Connector, NoAnswer};
use super::failure::failure;
use super::servers::{Lead, Servers};
use super::values::{Encoded, encode};
use crate::row::Row;
use crate::stopwatch::Stopwatch;
use crate::tx::{Access, EachRow, Engine, Limit, Session, Sql};
use crate::{StoreError, Value};
use futures_util::{FutureExt as _, TryStreamExt as _};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::{AsyncMessage, Client, Error, Statement};

/// What a statement is charged, in the steps of [`crate::JOB_STEPS_MAX`].
const STEPS_OF_A_STATEMENT: u64 = 200;
/// What a row that is read or changed is charged.
const STEPS_OF_A_ROW: u64 = 20;
/// Statements with a text of their own that are kept prepared.
const BUILT_MAX: usize = 256;
/// The longest that one wait lasts: a little longer than the server gives a statement.
const STATEMENT_MAX: Duration = Duration::from_secs(6);
/// How long a server has to hear that it is to end a statement, and to end it.
const CANCEL_WAIT: Duration = Duration::from_secs(2);

type Sent = Pin<Box<dyn Future<Output = Result<u64, Error>> + Send>>;

/// One connection; made anew at the next transaction when it was lost.
pub(crate) struct PostgresSession {
    connector: Connector,
    runtime: Runtime,
    client: Option<Arc<Client>>,
    /// Where the connection leads to, or led to last.
    lead: Option<Lead>,
    /// By the address and length of the constant that each was made from.
    prepared: HashMap<(usize, usize), Statement>,
    built: HashMap<Box<str>, Statement>,
    /// Writes that were sent and not waited for, with the number of the job of each.
    sent: VecDeque<(usize, Sent)>,
    job: usize,
    /// The first statement that failed in this transaction, and whose it was.
    failure: Option<(usize, StoreError)>,
    /// How many warnings the server gave on this connection.
    warnings: Arc<AtomicU64>,
    /// How often the thread waited for the server.
    waits: u64,
    is_open: bool,
    clock: Stopwatch,
    end_ms: u64,
    steps: u64,
    steps_max: u64,
    has_written: bool,
}

impl PostgresSession {
    /// Opens a connection.
    ///
    /// # Errors
    /// What [`Connector::connect`] refuses, and [`StoreError::Unreachable`].
    pub(crate) fn open(connector: Connector) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Engine(Arc::new(error)))?;
        let mut session = Self {
            connector,
            runtime,
            client: None,
            lead: None,
            prepared: HashMap::new(),
            built: HashMap::new(),
            sent: VecDeque::new(),
            job: 0,
            failure: None,
            warnings: Arc::default(),
            waits: 0,
            is_open: false,
            clock: Stopwatch::start(),
            end_ms: Limit::NONE.0,
            steps: 0,
            steps_max: u64::MAX,
            has_written: false,
        };
        session.client()?;
        Ok(session)
    }

    /// Returns the connection, a new one where it was lost; never within a transaction, which was lost
    /// with it.
    pub(super) fn client(&mut self) -> Result<Arc<Client>, StoreError> {
        let is_left_behind = self.connector.servers.is_left_behind(self.timeline());
        if let Some(client) = &self.client
            && !client.is_closed()
            && !is_left_behind
        {
            return Ok(Arc::clone(client));
        }
        self.forget();
        if self.is_open {
            let lost = StoreError::Unreachable(Arc::new(Lost));
            self.failure.get_or_insert((self.job, lost.clone()));
            return Err(lost);
        }
        let warnings = Arc::<AtomicU64>::default();
        self.warnings = Arc::clone(&warnings);
        let hear = move |message| {
            if matches!(message, AsyncMessage::Notice(notice) if is_warning(&notice)) {
                warnings.fetch_add(1, Ordering::Release);
            }
        };
        let connected = self.runtime.block_on(self.connector.connect_hearing(hear));
        let (client, lead) = match (connected, &self.lead) {
            (Ok(connected), _) => connected,
            // The operator mends that while the process waits.
            (Err(StoreError::Refused { why }), Some(_)) => {
                self.servers().tell(&why);
                return Err(StoreError::Unreachable(Arc::new(NoneToTake)));
            }
            (Err(error), _) => return Err(error),
        };
        self.lead = Some(lead);
        Ok(Arc::clone(self.client.insert(Arc::new(client))))
    }

    /// Returns what all connections of the process know of servers.
    pub(super) fn servers(&self) -> Arc<Servers> {
        Arc::clone(&self.connector.servers)
    }

    /// Returns where the connection leads to.
    ///
    /// # Errors
    /// When there is none to be had.
    pub(super) fn lead(&mut self) -> Result<Lead, StoreError> {
        self.client()?;
        self.lead.clone().ok_or(StoreError::Closed)
    }

    /// Asks for the server's process at the other end of the connection.
    ///
    /// # Errors
    /// What the server says.
    pub(super) fn backend(&mut self) -> Result<i32, StoreError> {
        let ask = async |client: &Client| {
            let row = client.query_one("SELECT pg_backend_pid()", &[]).await;
            row.map(|row| row.get(0)).map_err(failure)
        };
        self.block_on(ask)
    }

    fn timeline(&self) -> i64 {
        self.lead.as_ref().map_or(0, |lead| lead.timeline)
    }

    /// Does something that is asynchronous on the connection.
    pub(super) fn block_on<T>(
        &mut self,
        work: impl AsyncFnOnce(&Client) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let client = self.client()?;
        let done = self
            .runtime
            .block_on(async { timeout(STATEMENT_MAX, work(&client)).await });
        done.unwrap_or_else(|_| {
            self.forget();
            Err(StoreError::Unreachable(Arc::new(NoAnswer)))
        })
    }

    /// Lets go of a connection, and of what was made on it.
    fn forget(&mut self) {
        self.sent.clear();
        self.prepared.clear();
        self.built.clear();
        self.client = None;
    }

    /// Sends something without a wait.
    fn send(&mut self, work: impl Future<Output = Result<u64, Error>> + Send + 'static) {
        let mut work: Sent = Box::pin(work);
        // The first poll puts it on its way.
        match (&mut work).now_or_never() {
            None => self.sent.push_back((self.job, work)),
            Some(early) => {
                let early = Box::pin(std::future::ready(early));
                self.sent.push_back((self.job, early));
            }
        }
    }

    /// Sends something and waits until it is done, and all that was sent before it.
    pub(super) fn wait<T>(
        &mut self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let client = self.client()?;
        self.waits += 1;
        let limit = self.time_left();
        let (sent, job) = (&mut self.sent, self.job);
        let mut whose = job;
        let connector = &self.connector;
        let waited = self.runtime.block_on(async {
            let mut work = pin!(work);
            let early = work.as_mut().now_or_never();
            let mut all = pin!(async {
                while let Some((job, earlier)) = sent.front_mut() {
                    let (job, done) = (*job, earlier.await);
                    sent.pop_front();
                    whose = job;
                    done?;
                }
                whose = job;
                match early {
                    Some(done) => done,
                    None => work.await,
                }
            });
            if let Ok(done) = timeout(limit, all.as_mut()).await {
                return Some(done.map_err(failure));
            }
            let ended = timeout(CANCEL_WAIT, async {
                connector.cancel(&client).await;
                all.await
            });
            ended.await.ok().map(|done| done.map_err(failure))
        });
        let done = waited.unwrap_or_else(|| {
            self.forget();
            Err(StoreError::Unreachable(Arc::new(NoAnswer)))
        });
        if matches!(done, Err(StoreError::Unreachable(_))) {
            self.forget();
        }
        if let Err(error) = &done {
            self.sent.clear();
            self.failure.get_or_insert((whose, error.clone()));
        }
        done
    }

    /// Returns how long a statement may still take.
    fn time_left(&self) -> Duration {
        let left_ms = self.end_ms.saturating_sub(self.now_ms());
        Duration::from_millis(left_ms).min(STATEMENT_MAX)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(Limit::NONE.0)
    }

    pub(super) fn statement(&mut self, sql: Sql<'_>) -> Result<Statement, StoreError> {
        let (known, text) = match sql {
            Sql::Fixed(text) => (self.prepared.get(&place(text)), text),
            Sql::Built(text) => (self.built.get(text), text),
        };
        if let Some(statement) = known {
            return Ok(statement.clone());
        }
        let client = self.client()?;
        let statement = self.wait(async { client.prepare(text).await })?;
        match sql {
            Sql::Fixed(text) => {
                self.prepared.insert(place(text), statement.clone());
            }
            Sql::Built(text) => {
                if self.built.len() >= BUILT_MAX {
                    self.built.clear();
                }
                self.built.insert(text.into(), statement.clone());
            }
        }
        Ok(statement)
    }

    /// Prepares a statement and encodes its values.
    fn bound(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
    ) -> Result<(Arc<Client>, Statement, Vec<Encoded>), StoreError> {
        self.charge(STEPS_OF_A_STATEMENT)?;
        let statement = self.statement(sql)?;
        let encoded = encode(values, statement.params())
            .map_err(|error| StoreError::Engine(Arc::new(error)))?;
        Ok((self.client()?, statement, encoded))
    }

    fn charge(&mut self, steps: u64) -> Result<(), StoreError> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.steps_max {
            return Err(StoreError::OverBudget { job: "" });
        }
        Ok(())
    }

    /// As [`Session::begin_job`] for the job at a place of its group.
    pub(super) fn begin_job_at(&mut self, place: usize, steps_max: u64) {
        self.job = place;
        self.begin_job(steps_max);
    }

    /// Returns the first failure of a statement in this transaction, and the place of its job.
    pub(super) fn take_failure(&mut self) -> Option<(usize, StoreError)> {
        self.failure.take()
    }

    /// Returns how often the thread waited for the server since this was asked.
    pub(super) fn take_waits(&mut self) -> u64 {
        std::mem::take(&mut self.waits)
    }

    /// Returns how many warnings the server gave on this connection.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Acquire)
    }

    /// Sends a statement that has no values.
    fn command(&mut self, text: &'static str) -> Result<(), StoreError> {
        let client = self.client()?;
        self.send(async move { client.batch_execute(text).await.map(|()| 0) });
        Ok(())
    }
}

/// Says whether a notice is a warning, in whatever language the server speaks.
fn is_warning(notice: &DbError) -> bool {
    let has_code_of_one = || notice.code().code().starts_with("01");
    let severity = notice.parsed_severity();
    severity.map_or_else(has_code_of_one, |severity| severity == Severity::Warning)
}

fn place(text: &'static str) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}

impl Session for PostgresSession {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        let begin = match access {
            Access::Write => "BEGIN ISOLATION LEVEL READ COMMITTED",
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        (self.failure, self.job, self.is_open) = (None, 0, false);
        self.command(begin)?;
        self.is_open = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        // The server would take the COMMIT of a failed transaction for a ROLLBACK, and call that well.
        if let Some((_, error)) = self.failure.clone() {
            self.rollback();
            return Err(error);
        }
        let client = self.client()?;
        let committed = self.wait(async { client.batch_execute("COMMIT").await });
        self.is_open = false;
        committed
    }

    fn rollback(&mut self) {
        // What is sent without a wait goes out at the next wait only: until then the transaction would
        // keep its locks.
        if self.is_open
            && let Some(client) = self.client.clone()
        {
            self.sent.clear();
            drop(self.wait(async { client.batch_execute("ROLLBACK").await }));
        }
        self.is_open = false;
    }

    fn execute(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<usize, StoreError> {
        let (client, statement, encoded) = self.bound(sql, values)?;
        let changed = self.wait(async { client.execute_raw(&statement, encoded).await })?;
        self.has_written |= changed > 0;
        self.charge(changed.saturating_mul(STEPS_OF_A_ROW))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn run(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
        let (client, statement, encoded) = self.bound(sql, values)?;
        self.has_written = true;
        self.send(async move { client.execute_raw(&statement, encoded).await });
        Ok(())
    }

    fn query(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
        each: EachRow<'_>,
    ) -> Result<(), StoreError> {
        let (Sql::Fixed(text) | Sql::Built(text)) = sql;
        let (client, statement, encoded) = self.bound(sql, values)?;
        // What returns rows may write them, too.
        self.has_written |= !text.starts_with("SELECT");
        let mut rows_read = 0;
        let read = self.wait(async {
            let mut rows = pin!(client.query_raw(&statement, encoded).await?);
            let mut told = Ok(true);
            // Up to the end, whoever has enough: a statement may fail after its first rows.
            while let Some(row) = rows.try_next().await? {
                rows_read += 1;
                if let Ok(true) = told {
                    told = each(&Row::new(&row));
                }
            }
            Ok(told.map(drop))
        })?;
        self.charge(STEPS_OF_A_ROW * rows_read)?;
        read
    }

    fn limit_time(&mut self, limit: Duration) -> Limit {
        let length_ms = u64::try_from(limit.as_millis()).unwrap_or(Limit::NONE.0);
        let end_ms = self.now_ms().saturating_add(length_ms);
        let before = Limit(self.end_ms);
        self.end_ms = self.end_ms.min(end_ms);
        before
    }

    fn restore_limit(&mut self, limit: Limit) {
        self.end_ms = limit.0;
    }

    fn begin_job(&mut self, steps_max: u64) {
        self.steps = 0;
        self.steps_max = steps_max;
        self.has_written = false;
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn has_written(&self) -> bool {
        self.has_written
    }

    fn is_cut(&self) -> bool {
        matches!(self.failure, Some((_, StoreError::Unreachable(_))))
    }

    fn change_mark(&mut self) -> Result<i64, StoreError> {
        Ok(0)
    }

    fn timeline(&self) -> i64 {
        self.timeline()
    }

    fn may_expose(&self) -> bool {
        self.connector.servers.is_sure(self.timeline())
    }
}

/// There are servers, and none that may be worked on.
#[derive(Debug, thiserror::Error)]
#[error("no server is one to work on")]
struct NoneToTake;

/// The connection was lost within a transaction.
#[derive(Debug, thiserror::Error)]
#[error("the connection was lost")]
struct Lost;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PostgresSettings;
    use crate::testing::server;

    fn session(server: &str) -> PostgresSession {
        let connector = Connector::new(&PostgresSettings::new(server)).unwrap();
        PostgresSession::open(connector).unwrap()
    }

    /// Tests' servers speak German where that is installed, and the session wants it.
    #[test]
    fn a_warning_is_heard_in_any_language() {
        let Some(server) = server() else {
            return;
        };
        let mut session = session(&server);
        for (language, warnings) in [("C", 1), ("C.UTF-8", 2)] {
            let warn = format!(
                "SET lc_messages = '{language}'; DO $$ BEGIN RAISE WARNING 'x'; END $$; \
                 DO $$ BEGIN RAISE NOTICE 'x'; END $$"
            );
            let warned =
                session.block_on(async |client| client.batch_execute(&warn).await.map_err(failure));
            warned.unwrap();
            assert_eq!(session.warnings(), warnings, "{language}");
        }
    }

    #[test]
    fn a_statement_that_fails_after_its_first_row_is_not_taken_for_done() {
        let Some(server) = server() else {
            return;
        };
        let mut session = session(&server);
        // Enough rows that the first come before the last is made.
        let text = "SELECT 1 / (100000 - n) FROM generate_series(1, 100000) AS n";
        session.begin(Access::Write).unwrap();
        session.begin_job(u64::MAX);
        let read = session.query(Sql::Fixed(text), &[], &mut |_| Ok(false));
        assert!(read.is_err(), "{read:?}");
        assert!(session.commit().is_err(), "nothing would be stored");
        session.begin(Access::Write).unwrap();
        session.commit().unwrap();
    }
}
