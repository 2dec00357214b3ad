//! Each change as its statement.

use crate::{
    JournalError,
    columns::{int, invalid},
};
use postrider_link::frame::Config;
use postrider_machine::{
    Change, ENDED_FOLLOWS_MS, MessageRef, Stamp,
    change::{MessageRow, PaceRow, Progress, ScanRow, SeenRow, SimRow, SpentRow},
};
use postrider_model::UnixMs;
use rusqlite::{Connection, ToSql, params};

/// Writes one change.
pub(crate) fn change(connection: &Connection, change: &Change) -> Result<(), JournalError> {
    let to = Writer(connection);
    match change {
        Change::MessageAdded(row) => to.message_added(row),
        Change::MessageMoved { message, progress } => to.message_moved(*message, progress),
        Change::TextsErased { ended_before } => to.texts_erased(*ended_before),
        Change::MessagesForgotten { ended_before } => to.run(
            "DELETE FROM message WHERE ended < ?1",
            params![ended_before.0],
        ),
        Change::SpentAdded(row) => to.spent_added(row),
        Change::SpentMoved {
            no,
            parts,
            guard_parts,
        } => to.run(
            "UPDATE spent SET parts = ?2, guard_parts = ?3 WHERE no = ?1",
            params![int(*no), parts, guard_parts],
        ),
        Change::SpentForgotten { below } => {
            // The highest row stays, so that no number is used twice.
            let sql = "DELETE FROM spent WHERE no < ?1 AND no < (SELECT MAX(no) FROM spent)";
            to.run(sql, params![int(*below)])
        }
        Change::PaceSet(row) => to.pace_set(row),
        Change::WallMoved { by_ms } => to.wall_moved(*by_ms),
        Change::SentRowClaimed(claim) => to.run(
            "INSERT INTO claim (row, at_wall) VALUES (?1, ?2)
             ON CONFLICT (row) DO UPDATE SET at_wall = excluded.at_wall",
            params![claim.row, claim.at.0],
        ),
        Change::ClaimsForgotten { before } => {
            to.run("DELETE FROM claim WHERE at_wall < ?1", params![before.0])
        }
        Change::SeenAdded(row) => to.seen_added(row),
        Change::SeenBound { no, row } => to.run(
            "UPDATE seen SET provider_row = ?2 WHERE no = ?1",
            params![int(*no), row],
        ),
        Change::SeenForgotten { below } => {
            let sql = "DELETE FROM seen WHERE no < ?1 AND no < (SELECT MAX(no) FROM seen)";
            to.run(sql, params![int(*below)])
        }
        Change::ScanMoved(row) => to.scan_moved(row),
        Change::SimSeen(row) => to.sim_seen(row),
        Change::UssdCodesAllowed(allowed) => to.run(
            "INSERT INTO owner (one, paused, ussd_codes) VALUES (1, 0, ?1)
             ON CONFLICT (one) DO UPDATE SET ussd_codes = excluded.ussd_codes",
            params![allowed],
        ),
        Change::ConfigSet(config) => to.config_set(config),
        Change::PausedSet(paused) => to.run(
            "INSERT INTO owner (one, paused) VALUES (1, ?1)
             ON CONFLICT (one) DO UPDATE SET paused = excluded.paused",
            params![paused],
        ),
        Change::InstallSet(install) => to.install_set(install),
        Change::Link { change, at } => to.link_change(change, *at),
    }
}

/// Writes to one transaction.
pub(crate) struct Writer<'a>(&'a Connection);

impl Writer<'_> {
    pub(crate) fn run(&self, sql: &str, values: &[&dyn ToSql]) -> Result<(), JournalError> {
        self.0.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn message_added(&self, row: &MessageRow) -> Result<(), JournalError> {
        self.run(
            "INSERT INTO message (arrived, id, ep, s, sim, recipient, text, parts_expected,
                 report, priority, movable, ttl_ms, received_boot, received_mono, received_wall,
                 kind, data_port, data, proof, state, attempt, tries, parts, partial, unsent,
                 fact)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                 ?18, ?19, 'on_phone', 0, 0, '', 0, 0, 0)",
            params![
                int(row.arrived),
                row.message.id.get(),
                row.message.ep,
                int(row.s),
                row.sim.get(),
                row.to.as_str(),
                row.text.as_ref().map(|text| text.as_str()),
                row.parts,
                row.report,
                row.priority,
                row.movable,
                int(row.ttl_ms),
                row.received.boot_id.as_str(),
                int(row.received.boot.0),
                row.received.unix.0,
                row.kind.as_str(),
                row.data.as_ref().map(|data| data.port),
                row.data.as_ref().map(|data| &data.base64.0),
                row.proof.as_ref().map(|proof| &proof.0[..]),
            ],
        )?;
        self.message_moved(row.message, &row.progress)
    }

    fn message_moved(&self, message: MessageRef, progress: &Progress) -> Result<(), JournalError> {
        let submitted = Moment::of(progress.submitted.as_ref());
        let retry = Moment::of(progress.retry.as_ref().map(|(since, _)| since));
        let mut moved = self.0.prepare_cached(
            "UPDATE message SET state = ?3, attempt = ?4, tries = ?5, submitted_boot = ?6,
                 submitted_mono = ?7, submitted_wall = ?8, retry_boot = ?9, retry_mono = ?10,
                 retry_wall = ?11, retry_delay_ms = ?12, spent = ?13, parts = ?14, code = ?15,
                 partial = ?16, unsent = ?17, fact = ?18, ended = ?19, call_duration_s = ?20,
                 call_ring_s = ?21
             WHERE id = ?1 AND ep = ?2",
        )?;
        let rows = moved.execute(params![
            message.id.get(),
            message.ep,
            progress.state.as_str(),
            progress.attempt,
            progress.tries,
            submitted.boot,
            submitted.mono,
            submitted.wall,
            retry.boot,
            retry.mono,
            retry.wall,
            progress.retry.as_ref().map(|(_, delay_ms)| int(*delay_ms)),
            progress.spent.map(int),
            progress.parts.to_string(),
            progress.code,
            progress.partial,
            progress.unsent,
            int(progress.fact),
            progress.ended.map(|at| at.0),
            progress.call.map(|call| call.duration_s),
            progress.call.map(|call| call.ring_s),
        ])?;
        // If the row is not found, an index has lost it.
        if rows == 1 {
            Ok(())
        } else {
            Err(invalid("message", "id"))
        }
    }

    fn texts_erased(&self, before: UnixMs) -> Result<(), JournalError> {
        self.run(
            "UPDATE message SET text = NULL, data = NULL, data_port = NULL, recipient = ''
             WHERE ended < ?1 AND recipient <> ''",
            params![before.0],
        )?;
        self.run("DELETE FROM inbound WHERE acked < ?1", params![before.0])
    }

    fn spent_added(&self, row: &SpentRow) -> Result<(), JournalError> {
        let at = Moment::of(Some(&row.at));
        self.run(
            "INSERT INTO spent (no, sim, parts, guard_parts, at_boot, at_mono, at_wall)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (no) DO UPDATE SET at_boot = excluded.at_boot,
                 at_mono = excluded.at_mono, at_wall = excluded.at_wall",
            params![
                int(row.no),
                row.sim.get(),
                row.parts,
                row.guard_parts,
                at.boot,
                at.mono,
                at.wall,
            ],
        )
    }

    fn wall_moved(&self, by_ms: i64) -> Result<(), JournalError> {
        for sql in [
            "UPDATE spent SET at_wall = at_wall + ?1",
            "UPDATE pace SET since_wall = since_wall + ?1",
            "UPDATE message SET received_wall = received_wall + ?1, retry_wall = retry_wall + ?1
             WHERE ended IS NULL",
        ] {
            self.run(sql, params![by_ms])?;
        }
        if by_ms.unsigned_abs() >= ENDED_FOLLOWS_MS {
            let sql = "UPDATE message SET ended = ended + ?1 WHERE ended IS NOT NULL";
            self.run(sql, params![by_ms])?;
        }
        Ok(())
    }

    fn pace_set(&self, row: &PaceRow) -> Result<(), JournalError> {
        let since = Moment::of(Some(&row.since));
        self.run(
            "INSERT INTO pace (one, halvings, since_boot, since_mono, since_wall)
             VALUES (1, ?1, ?2, ?3, ?4)
             ON CONFLICT (one) DO UPDATE SET halvings = excluded.halvings,
                 since_boot = excluded.since_boot, since_mono = excluded.since_mono,
                 since_wall = excluded.since_wall",
            params![row.halvings, since.boot, since.mono, since.wall],
        )
    }

    fn seen_added(&self, row: &SeenRow) -> Result<(), JournalError> {
        self.run(
            "INSERT INTO seen (no, fingerprint, provider_row, at_wall, source, dated_wall)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                int(row.no),
                row.fingerprint.0.to_be_bytes(),
                row.provider_row,
                row.at.0,
                row.source.as_str(),
                row.dated.0,
            ],
        )
    }

    fn scan_moved(&self, row: &ScanRow) -> Result<(), JournalError> {
        self.run(
            "INSERT INTO scan (log, mark_wall, mark_row, floor_wall) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (log) DO UPDATE SET mark_wall = excluded.mark_wall,
                 mark_row = excluded.mark_row, floor_wall = excluded.floor_wall",
            params![row.log.as_str(), row.mark.date.0, row.mark.row, row.floor.0],
        )
    }

    fn sim_seen(&self, row: &SimRow) -> Result<(), JournalError> {
        self.run(
            "INSERT INTO sim (slot, known, other) VALUES (?1, ?2, ?3)
             ON CONFLICT (slot) DO UPDATE SET known = excluded.known, other = excluded.other",
            params![row.slot.get(), row.known, row.other],
        )
    }

    /// A setting for all SIMs replaces those of single SIMs.
    fn config_set(&self, config: &Config) -> Result<(), JournalError> {
        let sim = config.sim.map_or(-1, |sim| i64::from(sim.get()));
        if config.sim.is_none() {
            self.run("DELETE FROM config", params![])?;
        }
        let frame = serde_json::to_string(config)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        self.run(
            "INSERT INTO config (sim, frame) VALUES (?1, ?2)
             ON CONFLICT (sim) DO UPDATE SET frame = excluded.frame",
            params![sim, frame],
        )
    }
}

/// The three columns of a moment.
struct Moment<'a> {
    boot: Option<&'a str>,
    mono: Option<i64>,
    wall: Option<i64>,
}

impl<'a> Moment<'a> {
    fn of(stamp: Option<&'a Stamp>) -> Self {
        Self {
            boot: stamp.map(|stamp| stamp.boot_id.as_str()),
            mono: stamp.map(|stamp| int(stamp.boot.0)),
            wall: stamp.map(|stamp| stamp.unix.0),
        }
    }
}
