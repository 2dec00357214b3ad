//! The last events and the counts of the day, as lines of a file: only times, ids and words.

use crate::moment::Day;
use crate::what::What;
use postrider_model::{MessageId, SimSlot, UnixMs};
use std::{collections::VecDeque, mem};

/// Most lines that are kept and shown.
pub const ENTRIES_MAX: usize = 500;

/// A file with more lines is rewritten.
const LINES_MAX: usize = 2 * ENTRIES_MAX;

const COUNTS: &str = "counts";
const NONE: &str = "-";
/// Ends each line; a line that was cut off lacks it.
const END: &str = ".";

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: UnixMs,
    /// What happened.
    pub what: What,
    /// The message that it happened to.
    pub message: Option<MessageId>,
    /// The SIM.
    pub sim: Option<SimSlot>,
    /// The result code.
    pub code: Option<i32>,
}

/// What happened since midnight, by the phone's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TodayCounts {
    /// Messages that were sent.
    pub sent: u32,
    /// Messages that failed or were not delivered.
    pub failed: u32,
    /// Messages that came in.
    pub received: u32,
    /// Messages with an unknown outcome.
    pub unknown: u32,
}

/// What to do with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Write {
    /// Add this to its end.
    Append(String),
    /// Put this in its place.
    Anew(String),
}

/// The lines that are kept, and the counts of the day.
///
/// Lines are appended to the file. When it is twice as long as what is kept, it is rewritten, with
/// the counts of the day.
#[derive(Debug)]
pub(crate) struct Log {
    kept: VecDeque<Entry>,
    counts: TodayCounts,
    day: Day,
    lines: usize,
    is_cut: bool,
}

impl Log {
    /// Reads the file; a line that was cut off, or comes from another version, is left out.
    pub(crate) fn read(text: &str, today: Day) -> Self {
        let mut log = Self {
            kept: VecDeque::new(),
            counts: TodayCounts::default(),
            day: today,
            lines: 0,
            is_cut: !text.is_empty() && !text.ends_with('\n'),
        };
        for line in text.lines().filter(|line| !line.is_empty()) {
            log.lines += 1;
            if let Some(entry) = read_entry(line) {
                log.take(entry);
            } else if let Some((day, counts)) = read_counts(line)
                && day == today.number
            {
                log.counts = counts;
            }
        }
        log
    }

    /// Returns what is kept, newest first.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.kept.iter().rev().cloned().collect()
    }

    /// Returns what happened today.
    pub(crate) fn counts(&self, today: Day) -> TodayCounts {
        if today == self.day {
            self.counts
        } else {
            TodayCounts::default()
        }
    }

    /// Adds an entry, and returns what to write.
    pub(crate) fn add(&mut self, entry: Entry, today: Day) -> Write {
        if today != self.day {
            self.day = today;
            self.counts = TodayCounts::default();
        }
        let line = write_entry(&entry);
        self.take(entry);
        self.lines += 1;
        if self.lines > LINES_MAX {
            return Write::Anew(self.write_anew());
        }
        let end_of_cut = if mem::take(&mut self.is_cut) {
            "\n"
        } else {
            ""
        };
        Write::Append(format!("{end_of_cut}{line}"))
    }

    fn write_anew(&mut self) -> String {
        self.lines = self.kept.len() + 1;
        self.is_cut = false;
        let mut text: String = self.kept.iter().map(write_entry).collect();
        text.push_str(&write_counts(self.day, self.counts));
        text
    }

    fn take(&mut self, entry: Entry) {
        if entry.at >= self.day.began {
            self.count(&entry);
        }
        self.kept.push_back(entry);
        if self.kept.len() > ENTRIES_MAX {
            self.kept.pop_front();
        }
    }

    fn count(&mut self, entry: &Entry) {
        if self.corrects_unknown(entry) {
            self.counts.unknown = self.counts.unknown.saturating_sub(1);
        }
        match entry.what {
            What::Sent => self.counts.sent += 1,
            What::Failed | What::NotDelivered => self.counts.failed += 1,
            What::Unknown => self.counts.unknown += 1,
            What::SmsReceived | What::DataReceived | What::MmsReceived => self.counts.received += 1,
            _ => {}
        }
    }

    /// A late result of a message that became unknown today: now its outcome is known.
    fn corrects_unknown(&self, entry: &Entry) -> bool {
        let ended = |entry: &Entry| entry.what.is_known_end() || entry.what == What::Unknown;
        let same = |before: &&Entry| before.message == entry.message && ended(before);
        entry.message.is_some()
            && entry.what.is_known_end()
            && self
                .kept
                .iter()
                .rev()
                .find(same)
                .is_some_and(|before| before.what == What::Unknown && before.at >= self.day.began)
    }
}

fn write_entry(entry: &Entry) -> String {
    let or_none = |word: Option<String>| word.unwrap_or_else(|| NONE.to_owned());
    line(&[
        entry.at.0.to_string(),
        entry.what.name().to_owned(),
        or_none(entry.message.map(|id| id.to_string())),
        or_none(entry.sim.map(|sim| sim.get().to_string())),
        or_none(entry.code.map(|code| code.to_string())),
    ])
}

fn read_entry(line: &str) -> Option<Entry> {
    let [at, what, message, sim, code] = words_of(line)?;
    Some(Entry {
        at: UnixMs(at.parse().ok()?),
        what: What::of(what)?,
        message: message.parse().ok(),
        sim: sim.parse().ok().and_then(SimSlot::new),
        code: code.parse().ok(),
    })
}

fn write_counts(day: Day, counts: TodayCounts) -> String {
    let numbers = [
        day.number,
        counts.sent,
        counts.failed,
        counts.received,
        counts.unknown,
    ];
    let mut words = vec![COUNTS.to_owned()];
    words.extend(numbers.map(|number| number.to_string()));
    line(&words)
}

fn read_counts(line: &str) -> Option<(u32, TodayCounts)> {
    let [COUNTS, day, sent, failed, received, unknown] = words_of(line)? else {
        return None;
    };
    let counts = TodayCounts {
        sent: sent.parse().ok()?,
        failed: failed.parse().ok()?,
        received: received.parse().ok()?,
        unknown: unknown.parse().ok()?,
    };
    Some((day.parse().ok()?, counts))
}

fn line(words: &[String]) -> String {
    format!("{}\t{END}\n", words.join("\t"))
}

fn words_of<const COUNT: usize>(line: &str) -> Option<[&str; COUNT]> {
    let words = line.strip_suffix(END)?.strip_suffix('\t')?;
    words.split('\t').collect::<Vec<_>>().try_into().ok()
}
