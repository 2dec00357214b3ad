//! Reads the platform's logs to find what a broadcast has missed.
//!
//! ```text
//!  start, 15 minutes, a change -- ReadLog from the mark, 24 h less --> page, page, ... --> mark
//! ```
//!
//! The mark says up to where everything was read; it is on disk. Each reading begins 24 h
//! before it, because rows come late and numbers are used again; fingerprints identify what was
//! seen before. The floor says which rows are never reported: those from before this agent's first
//! start, which are private, and those as old as what is no longer remembered.
//!
//! Setting the wall clock neither hides rows nor reports earlier ones: a mark that lies
//! ahead is replaced by the present moment, and while the floor lies ahead, rows count from the
//! moment at which the clock went back.

use crate::{
    change::{Change, ScanRow},
    effect::Effect,
    log::{Log, ScanMark},
    timers::{Subject, Timer, Timers},
};
use postrider_model::{BootMs, Now, UnixMs};
use std::collections::BTreeMap;

/// The time between two readings of an unchanged log, in milliseconds.
pub const SCAN_MS: u64 = 900_000;
/// The least time between two readings caused by changes, in milliseconds, so that a busy phone's
/// changes are read together.
pub const SCAN_MS_MIN: u64 = 30_000;
/// How far before the mark a reading begins, in milliseconds.
pub(crate) const SCAN_OVERLAP_MS: i64 = 86_400_000;
/// How long the platform may take for a page, in milliseconds; then the log is asked again.
const PAGE_MS_MAX: u64 = 60_000;

/// A reading in progress.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// When it began, by the wall clock; once complete, the log is read up to here.
    began: UnixMs,
    asked_at: BootMs,
    from: ScanMark,
}

#[derive(Debug)]
struct Scan {
    row: ScanRow,
    /// Replaces the floor while that lies ahead.
    lowered: Option<UnixMs>,
    reading: Option<Reading>,
    began_at: Option<BootMs>,
    /// Something changed during the reading.
    again: bool,
}

/// Where each log is read from, and whether it is being read.
#[derive(Debug)]
pub(crate) struct Scans(BTreeMap<Log, Scan>);

impl Scans {
    /// Restores from the journal. A log that was never read begins now: what it holds already
    /// is never reported.
    pub(crate) fn new(rows: &[ScanRow], timers: &mut Timers, now: Now) -> (Self, Vec<Change>) {
        let mut begun = Vec::new();
        let scans = Log::ALL.map(|log| {
            let known = rows.iter().find(|row| row.log == log).copied();
            let row = known.unwrap_or_else(|| {
                let row = begins(log, now);
                begun.push(Change::ScanMoved(row));
                row
            });
            timers.set(Timer::Scan, Subject::Log(log), now.boot);
            let scan = Scan {
                row,
                lowered: None,
                reading: None,
                began_at: None,
                again: false,
            };
            (log, scan)
        });
        (Self(scans.into()), begun)
    }

    /// Notes that a log changed, so that it is read soon.
    pub(crate) fn changed(&mut self, log: Log, timers: &mut Timers, now: Now) {
        let Some(scan) = self.0.get_mut(&log) else {
            return;
        };
        scan.again = true;
        let earliest = scan.began_at.map(|at| at.plus_ms(SCAN_MS_MIN));
        let at = earliest.map_or(now.boot, |at| at.max(now.boot));
        timers.set(Timer::Scan, Subject::Log(log), at);
    }

    /// Begins to read a log, or marks it to be read again if it is being read.
    pub(crate) fn read(&mut self, log: Log, timers: &mut Timers, now: Now) -> Option<Effect> {
        let scan = self.0.get_mut(&log)?;
        timers.set(Timer::Scan, Subject::Log(log), now.boot.plus_ms(SCAN_MS));
        let waits = |reading: &Reading| now.boot.since_ms(reading.asked_at) < PAGE_MS_MAX;
        if scan.reading.as_ref().is_some_and(waits) {
            scan.again = true;
            return None;
        }
        let from = scan.begins(now.unix);
        scan.reading = Some(Reading {
            began: now.unix,
            asked_at: now.boot,
            from,
        });
        (scan.began_at, scan.again) = (Some(now.boot), false);
        Some(Effect::ReadLog { log, from })
    }

    /// Tells whether a log has changed since it was read.
    pub(crate) fn is_changed(&self, log: Log) -> bool {
        self.0.get(&log).is_some_and(|scan| scan.again)
    }

    /// Returns the date up to which no row of a log is reported.
    pub(crate) fn floor(&mut self, log: Log, now: UnixMs) -> UnixMs {
        let scan = self.0.get_mut(&log);
        scan.map_or(now, |scan| scan.floor(now))
    }

    /// Notes that the wall clock was set.
    pub(crate) fn wall_moved(&mut self, now: UnixMs) {
        for scan in self.0.values_mut() {
            scan.lowered = None;
            scan.floor(now);
        }
    }

    /// Notes that a page up to `last` was handled: asks for the next, or ends the reading.
    pub(crate) fn heard(
        &mut self,
        log: Log,
        last: Option<ScanMark>,
        complete: bool,
        timers: &mut Timers,
        now: Now,
    ) -> (Option<Change>, Option<Effect>) {
        let Some(scan) = self.0.get_mut(&log) else {
            return (None, None);
        };
        let Some(reading) = scan.reading.take() else {
            return (None, None);
        };
        if complete {
            scan.row.mark = ScanMark {
                date: reading.began,
                row: 0,
            };
            if std::mem::take(&mut scan.again) {
                self.changed(log, timers, now);
            }
            return (self.row(log), None);
        }
        // A page without progress would be asked for again for ever.
        let Some(from) = last.filter(|last| *last > reading.from) else {
            return (None, None);
        };
        scan.reading = Some(Reading {
            asked_at: now.boot,
            from,
            ..reading
        });
        let moved = from > scan.row.mark;
        scan.row.mark = scan.row.mark.max(from);
        let change = moved.then(|| self.row(log)).flatten();
        (change, Some(Effect::ReadLog { log, from }))
    }

    /// No rows of this date, or older, are reported from now on.
    pub(crate) fn raise_floor(&mut self, log: Log, floor: UnixMs) -> Option<Change> {
        let scan = self.0.get_mut(&log)?;
        if floor <= scan.row.floor {
            return None;
        }
        scan.row.floor = floor;
        self.row(log)
    }

    fn row(&self, log: Log) -> Option<Change> {
        self.0.get(&log).map(|scan| Change::ScanMoved(scan.row))
    }
}

impl Scan {
    fn floor(&mut self, now: UnixMs) -> UnixMs {
        if self.row.floor < now {
            self.lowered = None;
            return self.row.floor;
        }
        *self.lowered.get_or_insert(now)
    }

    /// Returns where a reading begins.
    fn begins(&mut self, now: UnixMs) -> ScanMark {
        let overlap = self.row.mark.date.min(now).plus_ms(-SCAN_OVERLAP_MS);
        let above_floor = self.floor(now).plus_ms(1);
        ScanMark {
            date: overlap.max(above_floor),
            row: 0,
        }
    }
}

fn begins(log: Log, now: Now) -> ScanRow {
    ScanRow {
        log,
        mark: ScanMark {
            date: now.unix,
            row: 0,
        },
        floor: now.unix.plus_ms(-1),
    }
}
