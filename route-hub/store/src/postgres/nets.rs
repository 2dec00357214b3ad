//! Nets for a database that went backwards: one that was brought back from a dump or to an earlier
//! moment, or a standby that was promoted before it had everything.
//!
//! The beat row of each process says on which server and timeline it has found all that it was answered:
//! its writers' rows hold the numbers that it knows. Before a row says so of a new timeline, messages are
//! not given to phones and nothing is posted, on any process. Who finds less notes a loss, and so does
//! who takes over from a process that never came to the new timeline, unless its last beat had seen that
//! commits wait for a standby. A loss stays noted until every project is frozen.
//!
//! Where no process lived through the change, nobody is left who could find out: a start is refused.

use super::connect::{PostgresSettings, Since};
use super::process::{Answered, Process, STILL_MAX, begin_alone};
use super::servers::{Lead, Standing, left_behind, refused};
use super::session::PostgresSession;
use crate::stop::Stop;
use crate::tx::{Access, Session, Sql};
use crate::{StoreError, meta, values};

/// Whether commits wait for a standby, as a beat sees it.
pub(crate) const WAITS_FOR_STANDBY: &str = "CASE WHEN current_setting('synchronous_standby_names') <> '' \
    AND current_setting('synchronous_commit') IN ('on', 'remote_apply') THEN 1 ELSE 0 END";

/// Where processes that serve have worked, and whether one of them may live.
const WORKED: &str = "SELECT count(timeline), \
    count(timeline) FILTER (WHERE server = $1 AND timeline = $2), \
    COALESCE(max(timeline) FILTER (WHERE server = $1), 0), \
    count(*) FILTER (WHERE ended = 0) FROM processes WHERE serves = 1";
/// Processes that have not ended, with their beats.
const BEATS: &str = "SELECT count(*), COALESCE(sum(beats), 0)::int8 FROM processes \
    WHERE ended = 0 AND (serves = 1 OR $1::int8 = 1)";

/// Under which name a database keeps which tables hubs have worked on: whoever loads a dump makes new ones.
pub(crate) const TABLES: &str = "tables";
/// The number that the server gave the table of what a hub knows of itself.
const TABLES_NOW: &str = "SELECT to_regclass('hub_meta')::oid::int8::text";
/// Whether hubs worked on other tables.
const OTHER_TABLES: &str = "SELECT count(*) FROM hub_meta WHERE name = $1 \
    AND value <> to_regclass('hub_meta')::oid::int8::text";

const NO_HUB_LIVED: &str = "it is not where a hub last worked, and no hub lived when that changed. If it \
    was brought back from a dump or to an earlier moment, run `route-hub restored` first. If it holds all \
    that was ever committed (a planned change of servers, pg_upgrade), start once with `serve \
    --nothing-lost`. See docs/postgresql.md";
const IN_USE: &str = "a hub or a command works on it: first stop all of them";

/// What becomes of a process that wants to join.
enum Entry {
    Open,
    /// First the others that may live have to be known to be dead, or to have found all.
    Waits,
}

/// Begins the transaction in which a process joins, once it may.
///
/// # Errors
/// [`StoreError::Refused`] where the database changed while no process lived.
pub(crate) fn begin_to_join(
    session: &mut PostgresSession,
    settings: &PostgresSettings,
) -> Result<(), StoreError> {
    let (mut before, mut still) = (None, 0);
    loop {
        begin_alone(session)?;
        let beats = beats(session, settings.since == Since::Restored)?;
        still = if before == Some(beats) { still + 1 } else { 0 };
        let are_dead = beats.0 == 0 || still > STILL_MAX;
        let is_alive = before.is_some_and(|before| before != beats);
        let entry = enter(session, settings, are_dead, is_alive);
        match entry.inspect_err(|_| session.rollback())? {
            Entry::Open => return Ok(()),
            Entry::Waits => session.rollback(),
        }
        before = Some(beats);
        Stop::default().wait(settings.beat);
    }
}

fn beats(session: &mut PostgresSession, of_all: bool) -> Result<(i64, i64), StoreError> {
    let mut found = (0, 0);
    session.query(Sql::Fixed(BEATS), &values![of_all], &mut |row| {
        found = (row.int(0)?, row.int(1)?);
        Ok(false)
    })?;
    Ok(found)
}

fn enter(
    session: &mut PostgresSession,
    settings: &PostgresSettings,
    are_dead: bool,
    is_alive: bool,
) -> Result<Entry, StoreError> {
    let Lead { server, timeline } = session.lead()?;
    let Seen {
        is_known,
        newest,
        living,
    } = look(session, &server, timeline)?;
    match settings.since {
        Since::Restored if is_alive => Err(refused(IN_USE)),
        Since::Restored if !are_dead => Ok(Entry::Waits),
        Since::Restored => {
            take_as_it_is(session, &server, timeline)?;
            note_loss(session)?;
            Ok(Entry::Open)
        }
        _ if is_known => Ok(Entry::Open),
        Since::Unknown if newest > timeline => Err(left_behind()),
        // A command looks, and changes what it is told to; nothing goes out by it.
        _ if !settings.serves => Ok(Entry::Open),
        _ if living > 0 && !are_dead => Ok(Entry::Waits),
        Since::NothingLost => {
            take_as_it_is(session, &server, timeline)?;
            Ok(Entry::Open)
        }
        Since::Unknown => Err(refused(NO_HUB_LIVED)),
    }
}

/// Where processes that serve have worked.
struct Seen {
    /// Nowhere, or here last.
    is_known: bool,
    /// The newest timeline of this server that one has seen.
    newest: i64,
    /// How many may live.
    living: i64,
}

fn look(session: &mut dyn Session, server: &str, timeline: i64) -> Result<Seen, StoreError> {
    let (mut worked, mut here, mut newest, mut living) = (0, 0, 0, 0);
    session.query(Sql::Fixed(WORKED), &values![server, timeline], &mut |row| {
        (worked, here, newest) = (row.int(0)?, row.int(1)?, row.int(2)?);
        living = row.int(3)?;
        Ok(false)
    })?;
    let mut elsewhere = 0;
    session.query(Sql::Fixed(OTHER_TABLES), &values![TABLES], &mut |row| {
        elsewhere = row.int(0)?;
        Ok(false)
    })?;
    Ok(Seen {
        is_known: elsewhere == 0 && (worked == 0 || here > 0 && newest == timeline),
        newest,
        living,
    })
}

/// Refuses to take data from a database that changed while no hub lived: under another name nobody would
/// notice any more.
///
/// # Errors
/// [`StoreError::Refused`] with what to do.
pub(crate) fn refuse_unknown(session: &mut PostgresSession) -> Result<(), StoreError> {
    session.begin(Access::Read)?;
    let seen = session
        .lead()
        .and_then(|Lead { server, timeline }| look(session, &server, timeline));
    session.rollback();
    if seen?.is_known {
        Ok(())
    } else {
        Err(refused(NO_HUB_LIVED))
    }
}

/// Keeps on which tables a hub works, the first time.
pub(crate) fn keep_tables(session: &mut dyn Session) -> Result<(), StoreError> {
    let keep = format!(
        "INSERT INTO hub_meta (name, value) VALUES ($1, ({TABLES_NOW})) ON CONFLICT (name) DO NOTHING"
    );
    session.run(Sql::Built(&keep), &values![TABLES])
}

/// Ends all processes that were, and notes that this is where they have worked.
fn take_as_it_is(
    session: &mut PostgresSession,
    server: &str,
    timeline: i64,
) -> Result<(), StoreError> {
    let take = "UPDATE processes SET ended = 1, server = $1, timeline = $2";
    session.run(Sql::Fixed(take), &values![server, timeline])?;
    session.run(Sql::Fixed("DELETE FROM writers"), &[])?;
    // The numbers of changes are those of another server's transactions; nobody has anything in memory.
    session.run(Sql::Fixed("DELETE FROM change_versions"), &[])?;
    let old = "DELETE FROM hub_meta WHERE name IN ($1, $2)";
    session.run(Sql::Fixed(old), &values![meta::LOSS, TABLES])
}

/// Notes in an open transaction that something which was answered is gone, or may be.
pub(crate) fn note_loss(session: &mut dyn Session) -> Result<(), StoreError> {
    // It belongs to the hub, as its gate says.
    session.run(Sql::Fixed("SELECT pg_advisory_xact_lock(0)"), &[])?;
    session.run(
        Sql::Fixed(
            "INSERT INTO hub_meta (name, value) VALUES ($1, '') ON CONFLICT (name) DO NOTHING",
        ),
        &values![meta::LOSS],
    )
}

/// As [`note_loss`], in a transaction of its own; until then nothing goes out.
///
/// # Errors
/// What the server says.
pub(crate) fn tell_of_loss(session: &mut PostgresSession) -> Result<(), StoreError> {
    session.servers().stands(0, Standing::Unsure);
    session.begin(Access::Write)?;
    let noted = note_loss(session).and_then(|()| session.commit());
    noted.inspect_err(|_| session.rollback())
}

/// Says whether a process finds fewer commits than it was answered, or not even itself.
pub(crate) fn finds_less(
    session: &mut PostgresSession,
    process: Process,
    answered: &Answered,
) -> Result<bool, StoreError> {
    let own = values![i64::from(process.number), process.incarnation];
    let mut found = Answered::default();
    let look = "SELECT writer, max(commits) FROM writers WHERE process = $1 AND incarnation = $2 \
        GROUP BY writer";
    session.query(Sql::Fixed(look), &own, &mut |row| {
        let place = usize::try_from(row.int(0)?).unwrap_or(usize::MAX);
        if let Some(commits) = found.get_mut(place) {
            *commits = row.int(1)?;
        }
        Ok(true)
    })?;
    Ok(found
        .iter()
        .zip(answered)
        .any(|(found, known)| found < known))
}

/// Says whether a process that is gone may have been answered what nobody finds any more: it never came
/// to this timeline, and its commits waited for no standby.
pub(crate) fn may_have_lost(
    session: &mut dyn Session,
    dead: Process,
    timeline: i64,
) -> Result<bool, StoreError> {
    let look = "SELECT 1 FROM processes WHERE number = $1 AND incarnation = $2 AND timeline < $3 \
        AND synchronous = 0";
    let of = values![i64::from(dead.number), dead.incarnation, timeline];
    let mut found = false;
    session.query(Sql::Fixed(look), &of, &mut |_| {
        found = true;
        Ok(false)
    })?;
    Ok(found)
}

/// Says how it stands on the timeline of a transaction.
pub(crate) fn standing(session: &mut PostgresSession) -> Result<Standing, StoreError> {
    let Lead { server, timeline } = session.lead()?;
    let look = "SELECT (SELECT count(*) FROM processes WHERE ended = 0 AND timeline < $2), \
        (SELECT count(*) FROM hub_meta WHERE name = $3), \
        (SELECT COALESCE(max(timeline), 0) FROM processes WHERE server = $1)";
    let (mut unsure, mut losses, mut newest) = (0, 0, 0);
    let with = values![&server, timeline, meta::LOSS];
    session.query(Sql::Fixed(look), &with, &mut |row| {
        (unsure, losses, newest) = (row.int(0)?, row.int(1)?, row.int(2)?);
        Ok(false)
    })?;
    session.servers().saw(newest);
    Ok(match (unsure, losses) {
        (0, 0) => Standing::Sure,
        (0, _) => Standing::WentBack,
        _ => Standing::Unsure,
    })
}
