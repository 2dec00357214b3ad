//! The processes on one database: their numbers, and who of them lives.
//!
//! Each counts a beat a second, and looks at the others' beats. No clocks are compared: who stands still
//! through ten beats of another is taken over by it. That one waits for the locks of the other's
//! writing connections, removes the rows without which these commit nothing, and so knows that
//! nothing of the other comes after. An outage of the database stops all beats and takes over nobody.

use super::cluster::Cluster;
use super::connect::{Connector, PostgresSettings};
use super::nets::{self, WAITS_FOR_STANDBY};
use super::place::Place;
use super::process::{Answered, Process, STILL_MAX, WAITING, WRITERS, begin_alone};
use super::servers::Lead;
use super::session::PostgresSession;
use crate::stop::Stop;
use crate::stopwatch::boot_ms;
use crate::tx::{Access, Session, Sql};
use crate::{StoreError, mark, values};
use postrider_link::mistake;
use postrider_model::UnixMs;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Most processes: their number is part of their keys.
const NUMBERS: i64 = 256;

/// Takes over from processes of this machine that have ended without a word, such as a hub that was killed
/// and is started again: nobody has to wait until they have stood still for long.
///
/// # Errors
/// What the server says; nothing of the one that it met with was changed.
pub(crate) fn end_gone(session: &mut PostgresSession, own: &Place) -> Result<(), StoreError> {
    let mut gone = Vec::new();
    let living = "SELECT number, incarnation, beats, place FROM processes \
        WHERE ended = 0 AND place IS NOT NULL";
    session.begin(Access::Write)?;
    session.query(Sql::Fixed(living), &[], &mut |row| {
        let (number, incarnation) = (number_of(row.int(0)?)?, row.int(1)?);
        let process = Process {
            number,
            incarnation,
        };
        if Place::read(&row.text(3)?).is_some_and(|place| place.has_ended(own)) {
            gone.push((process, row.int(2)?));
        }
        Ok(true)
    })?;
    session.commit()?;
    for (process, beats) in gone {
        if take_over(session, process, beats, true)? {
            tracing::info!(
                process = process.number,
                "a hub process had ended without a word"
            );
        }
    }
    Ok(())
}

/// Takes a number that no living process has.
///
/// # Errors
/// [`StoreError::Refused`] when there is none, for a database that is one end of a move, and as
/// [`nets::begin_to_join`].
pub(crate) fn join(
    session: &mut PostgresSession,
    settings: &PostgresSettings,
    place: Option<&Place>,
) -> Result<Joined, StoreError> {
    nets::begin_to_join(session, settings)?;
    refuse_moved(session)?;
    let serves = settings.serves;
    let Lead { server, timeline } = session.lead()?;
    let mut free = BTreeMap::new();
    let (mut newest, mut serving) = (0, BTreeSet::new());
    let all = "SELECT number, incarnation, ended, serves FROM processes ORDER BY number";
    session.query(Sql::Fixed(all), &[], &mut |row| {
        newest = newest.max(row.int(1)?);
        let (has_ended, served) = (row.flag(2)?, row.flag(3)?);
        // Where a hub worked last stays known: a command does not write over it.
        free.insert(row.int(0)?, has_ended && (serves || !served));
        if served && !has_ended {
            serving.insert(number_of(row.int(0)?)?);
        }
        Ok(true)
    })?;
    let is_free = |number: &i64| free.get(number).copied().unwrap_or(true);
    let free = (0..NUMBERS).find(is_free);
    let Some(number) = free.and_then(|number| u8::try_from(number).ok()) else {
        session.rollback();
        return Err(StoreError::Refused {
            why: "256 processes use the database, and no more may".to_owned(),
        });
    };
    let process = Process {
        number,
        // On another timeline, never one that was given on this one and forgotten.
        incarnation: (newest + 1).max(timeline << 32),
    };
    let take = format!(
        "INSERT INTO processes \
         (number, incarnation, serves, beats, ended, server, timeline, synchronous, place) \
         VALUES ($1, $2, $3, 0, 0, $4, $5, {WAITS_FOR_STANDBY}, $6) ON CONFLICT (number) DO UPDATE \
         SET incarnation = excluded.incarnation, serves = excluded.serves, beats = 0, ended = 0, \
         server = excluded.server, timeline = excluded.timeline, \
         synchronous = excluded.synchronous, place = excluded.place"
    );
    let own = values![
        i64::from(number),
        process.incarnation,
        serves,
        &server,
        timeline,
        place.map(Place::to_text)
    ];
    session.run(Sql::Built(&take), &own)?;
    if serves {
        serving.insert(number);
        nets::keep_tables(session)?;
    }
    for writer in 0..WRITERS + WAITING {
        let row = process.row(writer);
        session.run(
            Sql::Fixed(
                "INSERT INTO writers (process, incarnation, writer, place, commits) \
                 VALUES ($1, $2, $3, 0, 0)",
            ),
            &values![i64::from(row.process), row.incarnation, row.writer],
        )?;
    }
    let standing = nets::standing(session)?;
    session.commit()?;
    session.servers().stands(timeline, standing);
    Ok(Joined {
        process,
        serving,
        timeline,
    })
}

fn refuse_moved(session: &mut dyn Session) -> Result<(), StoreError> {
    let mut kept = None;
    let look = Sql::Fixed("SELECT value FROM hub_meta WHERE name = $1");
    session.query(look, &values![mark::NAME], &mut |row| {
        kept = Some(row.text(0)?);
        Ok(false)
    })?;
    mark::check(kept.as_deref()).inspect_err(|_| session.rollback())
}

/// Begins a transaction in which there is no process, and none comes.
///
/// # Errors
/// [`StoreError::Refused`] while there is one.
pub(crate) fn begin_without_any(session: &mut dyn Session) -> Result<(), StoreError> {
    begin_alone(session)?;
    if living(session)?.is_empty() {
        Ok(())
    } else {
        session.rollback();
        Err(in_use())
    }
}

/// Waits until processes that were killed have stood still through ten beats, and ends them.
///
/// # Errors
/// [`StoreError::Refused`] when one lives.
pub(crate) fn end_the_dead(session: &mut dyn Session, beat: Duration) -> Result<(), StoreError> {
    let mut look = || {
        session.begin(Access::Read)?;
        let living = living(session)?;
        session.commit().map(|()| living)
    };
    let mut left = look()?;
    for _ in 0..=STILL_MAX {
        if left.is_empty() {
            return Ok(());
        }
        Stop::default().wait(beat);
        let now = look()?;
        if now.iter().any(|process| !left.contains(process)) {
            return Err(in_use());
        }
        left = now;
    }
    for (dead, beats) in left {
        if !take_over(session, dead, beats, true)? {
            return Err(in_use());
        }
    }
    Ok(())
}

fn in_use() -> StoreError {
    StoreError::Refused {
        why: "a hub or a command works on it: first stop all of them".to_owned(),
    }
}

/// Returns the processes that have not ended, with their beats.
fn living(session: &mut dyn Session) -> Result<Vec<(Process, i64)>, StoreError> {
    let mut living = Vec::new();
    let look = "SELECT number, incarnation, beats FROM processes WHERE ended = 0";
    session.query(Sql::Fixed(look), &[], &mut |row| {
        let (number, incarnation) = (number_of(row.int(0)?)?, row.int(1)?);
        let process = Process {
            number,
            incarnation,
        };
        living.push((process, row.int(2)?));
        Ok(true)
    })?;
    Ok(living)
}

/// What a process learns when it takes its number.
pub(crate) struct Joined {
    pub(crate) process: Process,
    /// The numbers of those that serve, this one among them.
    pub(crate) serving: BTreeSet<u8>,
    /// Where it joined.
    pub(crate) timeline: i64,
}

fn number_of(column: i64) -> Result<u8, StoreError> {
    u8::try_from(column).map_err(|_| StoreError::BadRow { column: 0 })
}

/// Says that a process has ended, so that nobody has to wait for it.
fn leave(session: &mut PostgresSession, process: Process) -> Result<(), StoreError> {
    let own = values![i64::from(process.number), process.incarnation];
    session.begin(Access::Write)?;
    session.run(
        Sql::Fixed("UPDATE processes SET ended = 1 WHERE number = $1 AND incarnation = $2"),
        &own,
    )?;
    session.run(
        Sql::Fixed("DELETE FROM writers WHERE process = $1 AND incarnation = $2"),
        &own,
    )?;
    session.commit()
}

/// What a process saw of the others at its last beat.
#[derive(Debug, Default)]
pub(crate) struct Seen(BTreeMap<Process, Sight>);

#[derive(Debug, Clone, Copy)]
struct Sight {
    beats: i64,
    /// Beats of ours since that number changed.
    still: u32,
}

impl Seen {
    /// Takes the others' beats at a beat of our own, and returns those that stood still for too long.
    pub(crate) fn look(&mut self, beats: &[(Process, i64)]) -> Vec<(Process, i64)> {
        let before = std::mem::take(&mut self.0);
        let mut dead = Vec::new();
        for (process, beats) in beats.iter().copied() {
            let still = match before.get(&process) {
                Some(sight) if sight.beats == beats => sight.still + 1,
                _ => 0,
            };
            self.0.insert(process, Sight { beats, still });
            if still >= STILL_MAX {
                dead.push((process, beats));
            }
        }
        dead
    }
}

/// Beats until it is told to stop; then says that the process has ended.
pub(crate) struct Heart {
    session: PostgresSession,
    process: Process,
    hub: Arc<Cluster>,
    beat: Duration,
    clock: fn() -> UnixMs,
    seen: Seen,
    /// The timeline on which all that was answered was found.
    found_on: i64,
}

impl Heart {
    pub(crate) fn new(
        connector: Connector,
        (process, found_on): (Process, i64),
        hub: Arc<Cluster>,
        beat: Duration,
        clock: fn() -> UnixMs,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            session: PostgresSession::open(connector)?,
            process,
            hub,
            beat,
            clock,
            seen: Seen::default(),
            found_on,
        })
    }

    pub(crate) fn run(mut self, stop: &Stop) {
        while !stop.wait(self.beat) && !self.hub.fence.has_ended() {
            // A beat that fails is no beat: nobody is judged by it.
            if self.beat().is_err() {
                self.session.rollback();
            }
        }
        if !self.hub.fence.has_ended() {
            drop(leave(&mut self.session, self.process));
        }
    }

    fn beat(&mut self) -> Result<(), StoreError> {
        if mistake::is("no_beat") {
            return Ok(());
        }
        let sent_ms = boot_ms();
        // Before it is looked for.
        let answered = self.hub.answered();
        self.session.begin(Access::Write)?;
        let timeline = self.session.lead()?.timeline;
        let counted = self.count(timeline)?;
        if timeline > self.found_on && (counted == 0 || self.finds_less(&answered)?) {
            tracing::error!("the database has forgotten what this process was answered");
            nets::note_loss(&mut self.session)?;
        }
        let standing = nets::standing(&mut self.session)?;
        let (mut others, mut serving) = (Vec::new(), BTreeSet::new());
        let living = "SELECT number, incarnation, beats, serves, \
            CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) \
            FROM processes WHERE ended = 0";
        let (asked, mut database) = ((self.clock)(), None);
        self.session.query(Sql::Fixed(living), &[], &mut |row| {
            database = Some(UnixMs(row.int(4)?));
            let (number, incarnation) = (number_of(row.int(0)?)?, row.int(1)?);
            let process = Process {
                number,
                incarnation,
            };
            if row.flag(3)? {
                serving.insert(number);
            }
            if process != self.process {
                others.push((process, row.int(2)?));
            }
            Ok(true)
        })?;
        if let Some(database) = database {
            self.hub.clock_off.saw(asked, database, (self.clock)());
        }
        self.session.commit()?;
        if counted == 0 {
            self.hub.fence.end();
            return Ok(());
        }
        self.found_on = timeline;
        self.session.servers().stands(timeline, standing);
        self.hub.fence.beat(sent_ms);
        if mistake::is("two_owners") {
            serving.retain(|number| *number == self.process.number);
        }
        self.hub.serving.send_if_modified(|before| {
            let is_new = *before != serving;
            *before = serving;
            is_new
        });
        for (dead, beats) in self.seen.look(&others) {
            let fences = !mistake::is("no_fence");
            if take_over(&mut self.session, dead, beats, fences)? {
                self.hub.counters.takeovers.inc();
                tracing::warn!(
                    process = dead.number,
                    "a hub process stood still and was taken over"
                );
            }
        }
        Ok(())
    }

    /// Counts a beat, and says where it was; returns how many rows that concerns.
    fn count(&mut self, timeline: i64) -> Result<usize, StoreError> {
        let server = self.session.lead()?.server;
        let beat = format!(
            "UPDATE processes SET beats = beats + 1, server = $3, timeline = $4, \
             synchronous = {WAITS_FOR_STANDBY} WHERE number = $1 AND incarnation = $2 AND ended = 0"
        );
        let own = values![
            i64::from(self.process.number),
            self.process.incarnation,
            &server,
            timeline
        ];
        self.session.execute(Sql::Built(&beat), &own)
    }

    fn finds_less(&mut self, answered: &Answered) -> Result<bool, StoreError> {
        nets::finds_less(&mut self.session, self.process, answered)
    }
}

/// Ends a process that stood still: waits until nothing of it is under way, and leaves it no row to
/// commit with, if it `fences`. One that beats again meanwhile lives.
fn take_over(
    session: &mut dyn Session,
    dead: Process,
    beats: i64,
    fences: bool,
) -> Result<bool, StoreError> {
    session.begin(Access::Write)?;
    for writer in 0..WRITERS + WAITING {
        let (one, two) = dead.row(writer).lock();
        session.run(
            Sql::Fixed("SELECT pg_advisory_xact_lock($1::int, $2::int)"),
            &values![one, two],
        )?;
    }
    let timeline = session.timeline();
    if nets::may_have_lost(session, dead, timeline)? {
        nets::note_loss(session)?;
    }
    let ended = session.execute(
        Sql::Fixed(
            "UPDATE processes SET ended = 1 WHERE number = $1 AND incarnation = $2 \
             AND beats = $3 AND ended = 0",
        ),
        &values![i64::from(dead.number), dead.incarnation, beats],
    )?;
    if ended == 0 {
        session.rollback();
        return Ok(false);
    }
    if fences {
        session.run(
            Sql::Fixed("DELETE FROM writers WHERE process = $1 AND incarnation = $2"),
            &values![i64::from(dead.number), dead.incarnation],
        )?;
    }
    session.commit()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Process = Process {
        number: 1,
        incarnation: 7,
    };
    const B: Process = Process {
        number: 2,
        incarnation: 8,
    };

    #[test]
    fn who_stands_still_through_ten_beats_is_dead_and_who_beats_is_not() {
        let mut seen = Seen::default();
        for beat in 0..10 {
            assert_eq!(seen.look(&[(A, 5), (B, beat)]), []);
        }
        assert_eq!(seen.look(&[(A, 5), (B, 10)]), [(A, 5)]);
        assert_eq!(seen.look(&[(A, 6), (B, 11)]), [], "it beats again");
    }

    #[test]
    fn a_new_process_of_the_same_number_is_another() {
        let mut seen = Seen::default();
        for _ in 0..10 {
            assert_eq!(seen.look(&[(A, 5)]), []);
        }
        let next = Process {
            incarnation: 9,
            ..A
        };
        assert_eq!(seen.look(&[(next, 5)]), []);
    }
}
