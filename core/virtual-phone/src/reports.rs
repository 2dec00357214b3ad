//! The delivery reports that the simulated network still has to deliver, as a file in the phone's
//! folder: a network keeps a report until the phone can be reached again.
//!
//! A hand-over's reports are written before the first of them is delivered, and marked as done once
//! the agent has reported, after its commit, the message's outcome. If the phone dies in between,
//! they are delivered again at its next start; the agent ignores what it knows already.

use crate::{
    radio_log::write_line,
    table::{appending, end_torn_line, replace},
};
use postrider_machine::{Event, MessageRef, SendToken};
use postrider_model::{MessageId, UnixMs, WireState};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The name of the file in a phone's folder.
const REPORTS_FILE: &str = "reports.jsonl";
/// Lines that the file may grow by, beside what was waiting, before it is tidied up.
const LINES_MAX: usize = 4_096;
/// After so long a delivered report counts as taken, in milliseconds: if the message still waits
/// then, there is no report for one of its parts.
const TAKEN_MS: i64 = 60_000;
/// How soon after the start overdue reports are delivered, in milliseconds.
const AFTER_START_MS: i64 = 100;
/// How long a network keeps a report for a phone that it cannot reach, in milliseconds: as long as
/// the phone waits for one.
const KEPT_MS: i64 = 72 * 60 * 60 * 1_000;
/// The longest delay of a report, in milliseconds: a clock that was set back must not
/// delay one for ever.
const DUE_MS_MAX: i64 = 30_000;

/// A delivery report to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExpectedReport {
    /// When, in Unix milliseconds.
    pub(crate) due_ms: i64,
    /// When it is delivered now: soon after a restart.
    #[serde(skip)]
    pub(crate) told_ms: i64,
    /// Of which part, from 0.
    pub(crate) part: u8,
    /// What it says.
    pub(crate) tp_status: u8,
}

/// Which attempt of which exposure was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct HandedOver {
    pub(crate) message_id: MessageId,
    pub(crate) exposure: u32,
    pub(crate) attempt: u32,
}

impl HandedOver {
    /// Returns what a token names.
    pub(crate) fn of(token: SendToken) -> Self {
        Self {
            message_id: token.message.id,
            exposure: token.message.ep,
            attempt: token.attempt,
        }
    }

    /// Returns its token.
    pub(crate) fn token(self) -> SendToken {
        SendToken {
            message: MessageRef {
                id: self.message_id,
                ep: self.exposure,
            },
            attempt: self.attempt,
        }
    }
}

/// The reports to come, by hand-over.
type Waiting = BTreeMap<HandedOver, Vec<ExpectedReport>>;

/// One line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Kept {
        of: HandedOver,
        reports: Vec<ExpectedReport>,
    },
    Settled(HandedOver),
}

/// The reports of one phone that may not have been taken yet.
#[derive(Debug)]
pub(crate) struct Reports {
    folder: PathBuf,
    report_file: Mutex<ReportFile>,
}

#[derive(Debug)]
struct ReportFile {
    file: File,
    waiting: Waiting,
    lines: usize,
    lines_max: usize,
}

impl Reports {
    /// Opens the reports of a folder, or creates them; nothing is read or rewritten before
    /// [`Reports::restart`], because another process may still run the phone.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let mut file = appending().read(true).open(folder.join(REPORTS_FILE))?;
        end_torn_line(&mut file)?;
        let report_file = ReportFile {
            file,
            waiting: Waiting::new(),
            lines: 0,
            lines_max: usize::MAX,
        };
        Ok(Self {
            folder: folder.to_owned(),
            report_file: Mutex::new(report_file),
        })
    }

    /// Erases what was kept for an earlier pairing.
    pub(crate) fn erase(folder: &Path) -> io::Result<()> {
        match fs::remove_file(folder.join(REPORTS_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes done reports from the file, and returns those to deliver now that the phone can
    /// be reached again: none at once, and none later than a network takes.
    ///
    /// Only the one process that runs the phone may call it. Reports added since the opening
    /// stay, and are delivered twice.
    pub(crate) fn restart(&self, now: UnixMs) -> io::Result<Waiting> {
        let mut report_file = self.report_file.lock().map_err(|_| io::ErrorKind::Other)?;
        report_file.waiting = read(&self.folder.join(REPORTS_FILE))?;
        let is_recent = |report: &ExpectedReport| report.due_ms > now.0 - KEPT_MS;
        report_file
            .waiting
            .retain(|_, reports| reports.iter().any(is_recent));
        for report in report_file.waiting.values_mut().flatten() {
            let wait_ms = report.due_ms.saturating_sub(now.0);
            report.told_ms = now.0 + wait_ms.clamp(AFTER_START_MS, DUE_MS_MAX);
        }
        report_file.tidy_up(&self.folder)?;
        Ok(report_file.waiting.clone())
    }

    /// Keeps the reports of a hand-over; on return they survive the death of the process.
    pub(crate) fn keep(
        &self,
        of: HandedOver,
        reports: Vec<ExpectedReport>,
        now: UnixMs,
    ) -> io::Result<()> {
        let mut report_file = self.report_file.lock().map_err(|_| io::ErrorKind::Other)?;
        let line = Line::Kept { of, reports };
        report_file.append(&line)?;
        if let Line::Kept { of, reports } = line {
            report_file.waiting.insert(of, reports);
        }
        if report_file.lines > report_file.lines_max {
            report_file.drop_taken(now);
            report_file.tidy_up(&self.folder)?;
        }
        Ok(())
    }

    /// Learns from the agent's events, which follow its commits, which reports are done.
    pub(crate) fn watch(&self, event: &Event) {
        let settled = match event {
            Event::MessageMoved {
                message,
                state: WireState::Delivered | WireState::NotDelivered,
                ..
            } => self.mark_done(every_attempt(*message)),
            Event::StrayResult { token } => {
                let of = HandedOver::of(*token);
                self.mark_done(of..=of)
            }
            _ => Ok(()),
        };
        if settled.is_err() {
            tracing::warn!("a delivered report cannot be marked as done");
        }
    }

    fn mark_done(&self, which: std::ops::RangeInclusive<HandedOver>) -> io::Result<()> {
        let mut report_file = self.report_file.lock().map_err(|_| io::ErrorKind::Other)?;
        while let Some((&of, _)) = report_file.waiting.range(which.clone()).next() {
            report_file.waiting.remove(&of);
            report_file.append(&Line::Settled(of))?;
        }
        Ok(())
    }
}

impl ReportFile {
    fn append(&mut self, line: &Line) -> io::Result<()> {
        self.lines += 1;
        write_line(&mut self.file, line)
    }

    /// Drops reports that were delivered so long ago that they count as taken.
    fn drop_taken(&mut self, now: UnixMs) {
        let is_open = |report: &ExpectedReport| report.told_ms > now.0 - TAKEN_MS;
        self.waiting
            .retain(|_, reports| reports.iter().any(is_open));
    }

    /// Replaces the file by one with the waiting reports.
    fn tidy_up(&mut self, folder: &Path) -> io::Result<()> {
        // If the file cannot be replaced, it is not tried again with every line.
        self.lines_max = self.lines + LINES_MAX;
        self.file = replace(&folder.join(REPORTS_FILE), &self.as_lines()?)?;
        self.lines = self.waiting.len();
        self.lines_max = 2 * self.lines + LINES_MAX;
        Ok(())
    }

    fn as_lines(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for (of, reports) in &self.waiting {
            let (of, reports) = (*of, reports.clone());
            write_line(&mut bytes, &Line::Kept { of, reports })?;
        }
        Ok(bytes)
    }
}

/// Reads what is not done; a line that a killed process left incomplete does not count.
fn read(path: &Path) -> io::Result<Waiting> {
    let mut waiting = Waiting::new();
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        match serde_json::from_slice(&line?) {
            Ok(Line::Kept { of, reports }) => {
                waiting.insert(of, reports);
            }
            Ok(Line::Settled(of)) => {
                waiting.remove(&of);
            }
            Err(_) => {}
        }
    }
    Ok(waiting)
}

fn every_attempt(message: MessageRef) -> std::ops::RangeInclusive<HandedOver> {
    let attempt = |attempt| HandedOver {
        message_id: message.id,
        exposure: message.ep,
        attempt,
    };
    attempt(0)..=attempt(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMs = UnixMs(1_000_000);

    fn row(exposure: u32, attempt: u32) -> HandedOver {
        HandedOver {
            message_id: "SM0000000000000002".parse().unwrap(),
            exposure,
            attempt,
        }
    }

    fn message(exposure: u32) -> MessageRef {
        MessageRef {
            id: row(exposure, 1).message_id,
            ep: exposure,
        }
    }

    fn moved(exposure: u32, state: WireState) -> Event {
        Event::MessageMoved {
            message: message(exposure),
            state,
            code: None,
        }
    }

    fn report(due_ms: i64) -> Vec<ExpectedReport> {
        vec![ExpectedReport {
            due_ms,
            told_ms: due_ms,
            part: 0,
            tp_status: 0,
        }]
    }

    fn left(folder: &Path) -> Vec<HandedOver> {
        let reports = Reports::open(folder).unwrap();
        reports.restart(NOW).unwrap().into_keys().collect()
    }

    #[test]
    fn what_is_not_settled_is_told_again_after_every_restart() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        for exposure in 1..=5 {
            reports.keep(row(exposure, 1), report(NOW.0), NOW).unwrap();
        }
        reports.watch(&moved(1, WireState::Delivered));
        reports.watch(&moved(2, WireState::NotDelivered));
        reports.watch(&moved(3, WireState::Sent));
        reports.watch(&Event::StrayResult {
            token: SendToken {
                message: message(4),
                attempt: 1,
            },
        });
        for _ in 0..2 {
            assert_eq!(left(folder.path()), [row(3, 1), row(5, 1)]);
        }
    }

    #[test]
    fn a_message_settles_all_its_attempts_and_no_other_exposure() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        for of in [row(1, 1), row(2, 1), row(2, 2), row(3, 1)] {
            reports.keep(of, report(NOW.0), NOW).unwrap();
        }
        reports.watch(&moved(2, WireState::Delivered));
        assert_eq!(left(folder.path()), [row(1, 1), row(3, 1)]);
    }

    #[test]
    fn what_is_overdue_comes_soon_and_nothing_comes_too_late() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        for (exposure, due_ms) in [(1, 0), (2, NOW.0 + 5_000), (3, i64::MAX)] {
            reports.keep(row(exposure, 1), report(due_ms), NOW).unwrap();
        }
        let told = Reports::open(folder.path()).unwrap().restart(NOW).unwrap();
        let after: Vec<_> = told.values().map(|it| it[0].told_ms - NOW.0).collect();
        assert_eq!(after, [AFTER_START_MS, 5_000, DUE_MS_MAX]);
    }

    #[test]
    fn a_report_that_nobody_took_is_forgotten_after_three_days_of_restarts() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        reports.keep(row(1, 1), report(NOW.0), NOW).unwrap();
        let left_at = |now| {
            let reports = Reports::open(folder.path()).unwrap();
            reports.restart(UnixMs(now)).unwrap().len()
        };
        assert_eq!(left_at(NOW.0 + KEPT_MS - 1), 1);
        assert_eq!(left_at(NOW.0 + KEPT_MS), 0);
    }

    #[test]
    fn a_torn_line_hides_no_other_one() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        reports.keep(row(1, 1), report(NOW.0), NOW).unwrap();
        let path = folder.path().join(REPORTS_FILE);
        let mut file = appending().open(&path).unwrap();
        io::Write::write_all(&mut file, b"{\"settled\":{\"message_id\":\"SM00").unwrap();
        let again = Reports::open(folder.path()).unwrap();
        again.keep(row(2, 1), report(NOW.0), NOW).unwrap();
        assert_eq!(left(folder.path()), [row(1, 1), row(2, 1)]);
    }

    #[test]
    fn the_file_stays_small_while_messages_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        reports.restart(NOW).unwrap();
        let path = folder.path().join(REPORTS_FILE);
        let mut longest = 0;
        for exposure in 1..=20_000 {
            reports.keep(row(exposure, 1), report(NOW.0), NOW).unwrap();
            reports.watch(&moved(exposure, WireState::Delivered));
            longest = longest.max(path.metadata().unwrap().len());
        }
        assert!(longest < 2 * 1024 * 1024, "{longest} bytes");
        assert_eq!(left(folder.path()), []);
        assert_eq!(path.metadata().unwrap().len(), 0);
    }

    #[test]
    fn what_was_told_long_ago_is_not_kept_for_a_part_that_gets_no_report() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::open(folder.path()).unwrap();
        reports.restart(NOW).unwrap();
        let later = UnixMs(NOW.0 + TAKEN_MS + 1);
        for exposure in 0..=u32::try_from(LINES_MAX).unwrap() {
            let due_ms = if exposure == 7 { later.0 } else { NOW.0 };
            reports
                .keep(row(exposure, 1), report(due_ms), later)
                .unwrap();
        }
        assert_eq!(left(folder.path()), [row(7, 1)]);
    }
}
