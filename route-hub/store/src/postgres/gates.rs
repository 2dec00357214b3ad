//! Gates: who may write what belongs to a project, an organization or the hub.
//!
//! A gate is a lock that ends with its transaction, under the number of what it guards. The server
//! hands it on in the order in which it was asked for. Its row in `gates` has the highest key that
//! was made under it, and the version of what hubs keep in memory.

use super::process::{CHANGES_MAX, CommitRow};
use super::session::PostgresSession;
use super::versions::Versions;
use crate::job::Job;
use crate::tx::{Access, Session as _, Sql};
use crate::{Gate, StoreError, values};
use futures_util::future::try_join4;
use postrider_model::Key;
use std::collections::BTreeSet;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

const LOCK_WRITER: &str = "SELECT pg_advisory_xact_lock($1::int, $2::int)";
const RAISE: &str = "UPDATE writers SET commits = commits + 1 WHERE process = $1 \
    AND incarnation = $2 AND writer = $3 AND place = $4 AND commits = $5";
const RAISE_IN_NEW_ROW: &str = "WITH old AS (DELETE FROM writers WHERE process = $1 \
    AND incarnation = $2 AND writer = $3 AND place = $4 AND commits = $5 \
    RETURNING process, incarnation, writer, place, commits) \
    INSERT INTO writers (process, incarnation, writer, place, commits) \
    SELECT process, incarnation, writer, place + 1, commits + 1 FROM old";
const COMMITS: &str = "SELECT commits FROM writers WHERE process = $1 AND incarnation = $2 \
    AND writer = $3 ORDER BY place DESC LIMIT 1";
const TOUCH: &str = "UPDATE writers SET commits = commits WHERE process = $1 AND incarnation = $2 \
    AND writer = $3 AND commits = $4";
const TRY: &str =
    "SELECT pg_try_advisory_xact_lock(gate) FROM unnest($1::bigint[]) AS wanted (gate)";
const WAIT: &str = "SELECT pg_advisory_xact_lock(gate) IS NOT NULL \
    FROM unnest($1::bigint[]) AS wanted (gate)";
const NONE: &str = "SELECT gate IS NOT NULL FROM unnest($1::bigint[]) AS wanted (gate)";
const READ: &str = "SELECT newest.gate, newest.place, newest.changes, newest.version, \
    newest.last_key FROM unnest($1::bigint[]) AS wanted (gate) CROSS JOIN LATERAL \
    (SELECT * FROM gates WHERE gates.gate = wanted.gate ORDER BY place DESC LIMIT 1) AS newest";

/// How a group comes by its gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It goes without those that others hold.
    Try,
    /// It waits for them.
    Wait,
    /// It goes without any: a mistake that tests plant.
    None,
}

/// What a group asks for.
pub(crate) struct Wanted {
    /// The gates that its jobs need, in the order in which all ask for them: the hub's, those of
    /// organizations, those of projects.
    gates: BTreeSet<Gate>,
    /// Those and the organizations whose version counts for its jobs.
    read: BTreeSet<Gate>,
}

impl Wanted {
    pub(crate) fn by<'j>(jobs: impl Iterator<Item = &'j dyn Job>) -> Self {
        let (mut gates, mut organizations) = (BTreeSet::new(), BTreeSet::new());
        for job in jobs {
            gates.extend(of(job));
            let prepared = job.gates().and_then(|gates| gates.prepared());
            organizations.extend(prepared.map(|prepared| prepared.organization));
        }
        let read = gates.union(&organizations).copied().collect();
        Self { gates, read }
    }
}

fn numbers(gates: &BTreeSet<Gate>) -> Vec<i64> {
    gates.iter().copied().map(Gate::number).collect()
}

/// The gates of a group.
pub(crate) struct Gates {
    rows: Vec<GateRow>,
}

/// What is kept of one gate.
#[derive(Debug, Clone, Copy)]
struct GateRow {
    gate: Gate,
    is_held: bool,
    /// Where its row is, and how often that was changed; `None` before the first change.
    at: Option<(i64, i64)>,
    /// The version that it had when it was read, and how often this group raises it.
    version: i64,
    raised: i64,
    last_key: i64,
    is_changed: bool,
}

impl Gates {
    fn held(&self) -> impl Iterator<Item = &GateRow> {
        self.rows.iter().filter(|row| row.is_held)
    }

    /// Says whether all gates of a job are held.
    pub(crate) fn hold(&self, job: &dyn Job) -> bool {
        of(job).all(|gate| self.held().any(|row| row.gate == gate))
    }

    /// Says whether all gates of a job are held, and every version that counts for it was read.
    pub(crate) fn cover(&self, job: &dyn Job) -> bool {
        let prepared = job.gates().and_then(|gates| gates.prepared());
        let was_read = |gate| self.rows.iter().any(|row| row.gate == gate);
        self.hold(job) && prepared.is_none_or(|prepared| was_read(prepared.organization))
    }

    /// Returns the highest key that was made under any of them.
    pub(crate) fn last_key(&self) -> Option<Key> {
        let highest = self.held().map(|row| row.last_key).max();
        highest.and_then(Key::new)
    }

    /// Has the process forget what it keeps in memory of another version.
    pub(crate) fn tell(&self, versions: &Versions) {
        for row in &self.rows {
            versions.saw(row.gate, row.version);
        }
    }

    /// Tells of the versions that this group has raised.
    pub(crate) fn tell_raised(&self, versions: &Versions) {
        for row in self.held().filter(|row| row.raised > 0) {
            versions.made(row.gate, row.version + row.raised);
        }
    }

    /// Says whether a job was prepared on another version than its gates have.
    pub(crate) fn are_past(&self, job: &dyn Job, versions: &Versions) -> bool {
        let Some(prepared) = job.gates().and_then(|gates| gates.prepared()) else {
            return false;
        };
        let counts = |gate| gate == prepared.organization || of(job).any(|own| own == gate);
        let mut rows = self.rows.iter().filter(|row| counts(row.gate));
        rows.any(|row| versions.is_other(row.gate, row.version, prepared.moment))
    }

    /// Notes what a job did: the highest key that it made, and whether others must read again what they
    /// keep in memory.
    pub(crate) fn ran(&mut self, job: &dyn Job, key: Option<Key>, changes_version: bool) {
        let key = key.map_or(0, Key::get);
        for row in self.rows.iter_mut().filter(|row| row.is_held) {
            if of(job).all(|gate| gate != row.gate) {
                continue;
            }
            row.is_changed |= changes_version || row.last_key < key;
            row.last_key = row.last_key.max(key);
            row.raised += i64::from(changes_version);
        }
    }

    /// Writes what has changed, without a wait.
    ///
    /// # Errors
    /// Those of statements before.
    pub(crate) fn save(&mut self, session: &mut PostgresSession) -> Result<(), StoreError> {
        let mut changed = self.held().filter(|row| row.is_changed);
        changed.try_for_each(|row| row.save(session))
    }
}

fn of(job: &dyn Job) -> impl Iterator<Item = Gate> {
    job.gates()
        .into_iter()
        .flat_map(|gates| gates.iter().collect::<Vec<_>>())
}

impl GateRow {
    fn save(&self, session: &mut PostgresSession) -> Result<(), StoreError> {
        let Self { gate, last_key, .. } = *self;
        let (gate, version) = (gate.number(), self.version + self.raised);
        let insert = Sql::Fixed(
            "INSERT INTO gates (gate, place, changes, version, last_key) VALUES ($1, $2, 0, $3, $4)",
        );
        match self.at {
            None => session.run(insert, &values![gate, 0, version, last_key]),
            Some((place, changes)) if changes < CHANGES_MAX => session.run(
                Sql::Fixed(
                    "UPDATE gates SET changes = changes + 1, version = $3, last_key = $4 \
                     WHERE gate = $1 AND place = $2",
                ),
                &values![gate, place, version, last_key],
            ),
            Some((place, _)) => {
                let delete = Sql::Fixed("DELETE FROM gates WHERE gate = $1 AND place = $2");
                session.run(delete, &values![gate, place])?;
                session.run(insert, &values![gate, place + 1, version, last_key])
            }
        }
    }
}

/// Begins a group's transaction: takes the connection's own row and the gates, in one wait. `None`
/// where the row is no longer this process's.
///
/// # Errors
/// [`StoreError::Busy`] when a gate was not to be had in time; what else the server says.
pub(crate) fn open(
    session: &mut PostgresSession,
    row: &CommitRow,
    wanted: &Wanted,
    claim: Claim,
) -> Result<Option<Gates>, StoreError> {
    let is_full = (row.commits + 1) % CHANGES_MAX == 0;
    let raise = if is_full { RAISE_IN_NEW_ROW } else { RAISE };
    let take = match claim {
        Claim::Try => TRY,
        Claim::Wait => WAIT,
        Claim::None => NONE,
    };
    // First of all, for it may make the connection anew, with other statements.
    session.begin(Access::Write)?;
    let [lock, raise, take, read] =
        [LOCK_WRITER, raise, take, READ].map(|text| session.statement(Sql::Fixed(text)));
    let (lock, raise, take, read) = (lock?, raise?, take?, read?);
    let client = session.client()?;
    let (one, two) = row.lock();
    let (gates, all) = (numbers(&wanted.gates), numbers(&wanted.read));
    let (raised, taken, rows) = session.wait(async {
        let (process, place) = (i64::from(row.process), row.place());
        let own: [&(dyn ToSql + Sync); 5] = [
            &process,
            &row.incarnation,
            &row.writer,
            &place,
            &row.commits,
        ];
        let (_, raised, taken, rows) = try_join4(
            client.execute(&lock, &[&one, &two]),
            client.execute(&raise, &own),
            client.query(&take, &[&gates]),
            client.query(&read, &[&all]),
        )
        .await?;
        Ok((raised, taken, rows))
    })?;
    if raised != 1 {
        return Ok(None);
    }
    let is_taken = |row: &Row| row.get::<_, bool>(0);
    let held = wanted.gates.iter().zip(&taken);
    let held: BTreeSet<_> = held
        .filter_map(|(gate, row)| is_taken(row).then_some(*gate))
        .collect();
    let row = |gate: &Gate| GateRow::of(*gate, held.contains(gate), &rows);
    let rows = wanted.read.iter().map(row).collect();
    Ok(Some(Gates { rows }))
}

/// As [`open`], without a look whether the number of commits rose: a mistake that tests plant.
pub(crate) fn open_unseen(
    session: &mut PostgresSession,
    row: &CommitRow,
    wanted: &Wanted,
) -> Result<Gates, StoreError> {
    session.begin(Access::Write)?;
    let (one, two) = row.lock();
    let lock = values![i64::from(one), i64::from(two)];
    session.run(Sql::Fixed(LOCK_WRITER), &lock)?;
    let (process, place) = (i64::from(row.process), row.place());
    let own = values![process, row.incarnation, row.writer, place, row.commits];
    session.run(Sql::Fixed(RAISE), &own)?;
    let held = |gate: &Gate| GateRow::of(*gate, true, &[]);
    let rows = wanted.read.iter().map(held).collect();
    Ok(Gates { rows })
}

impl GateRow {
    fn of(gate: Gate, is_held: bool, rows: &[Row]) -> Self {
        let row = rows
            .iter()
            .find(|row| row.get::<_, i64>(0) == gate.number());
        Self {
            gate,
            is_held,
            at: row.map(|row| (row.get(1), row.get(2))),
            version: row.map_or(0, |row| row.get(3)),
            raised: 0,
            last_key: row.map_or(0, |row| row.get(4)),
            is_changed: false,
        }
    }
}

/// Returns how many groups a writing connection has committed: waits for the end of a transaction that
/// it left behind. `None` where the row is no longer this process's.
///
/// The answer counts only after a commit that comes after it: a restarted primary shows what its
/// standby may lack.
///
/// # Errors
/// What the server says; a warning of its commit is [`StoreError::Busy`].
pub(crate) fn commits(
    session: &mut PostgresSession,
    row: &CommitRow,
) -> Result<Option<i64>, StoreError> {
    session.begin(Access::Write)?;
    let (one, two) = row.lock();
    let own = values![i64::from(row.process), row.incarnation, row.writer];
    let lock = session.statement(Sql::Fixed(LOCK_WRITER))?;
    let client = session.client()?;
    session.wait(async { client.execute(&lock, &[&one, &two]).await })?;
    let mut found = None;
    session.query(Sql::Fixed(COMMITS), &own, &mut |read| {
        found = Some(read.int(0)?);
        Ok(false)
    })?;
    if let Some(commits) = found {
        let [process, incarnation, writer] = own;
        let own = [process, incarnation, writer, commits.into()];
        session.run(Sql::Fixed(TOUCH), &own)?;
    }
    let warnings = session.warnings();
    session.commit()?;
    if session.warnings() != warnings {
        return Err(StoreError::Busy);
    }
    Ok(found)
}
