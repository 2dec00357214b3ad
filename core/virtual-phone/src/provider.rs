//! The platform's store of sent messages, as a file in the phone's folder.

use crate::{
    radio_log::write_line,
    table::{KEPT_MS, appending, end_torn_line},
};
use postrider_agent::{SENT_ROWS_MAX, SentRow, SentRowAsked};
use postrider_link::frame::Address;
use postrider_model::{MessageText, SimSlot, UnixMs};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The name of the file in a phone's folder.
const PROVIDER_FILE: &str = "provider.jsonl";
/// The name of the file that replaces it when it is tidied up.
const TIDY_FILE: &str = "provider.jsonl.new";
/// How much of the file's end is read for its last row, at first.
const TAIL_BYTES: u64 = 4 * 1_024;
/// The file is tidied up when its oldest row is older than this, in milliseconds: a day more
/// than a row is kept, so that it is not rewritten at every start.
const TIDY_MS: i64 = KEPT_MS + 24 * 60 * 60 * 1_000;

/// A sent message: what a search by SIM, recipient, text and time may find.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    row: i64,
    /// When it was sent, in Unix milliseconds.
    at_ms: i64,
    sim: SimSlot,
    to: Address,
    text: MessageText,
}

/// The sent messages of one phone. A row is written once the radio took its message, never before.
///
/// None is kept in memory: look-ups are rare, after a restart or a long silence, and each reads the
/// file.
#[derive(Debug)]
pub(crate) struct Provider {
    folder: PathBuf,
    writer: Mutex<Writer>,
}

#[derive(Debug)]
struct Writer {
    file: File,
    last_row: i64,
}

impl Provider {
    /// Opens the provider of a folder, or creates it.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(PROVIDER_FILE);
        let mut file = appending().read(true).open(&path)?;
        end_torn_line(&mut file)?;
        let last_row = last_row(&mut file)?;
        Ok(Self {
            folder: folder.to_owned(),
            writer: Mutex::new(Writer { file, last_row }),
        })
    }

    /// Adds a sent message; on return it survives the death of the process.
    pub(crate) fn append(
        &self,
        now: UnixMs,
        sim: SimSlot,
        to: &Address,
        text: &MessageText,
    ) -> io::Result<()> {
        let mut writer = self.writer();
        let line = Line {
            row: writer.last_row + 1,
            at_ms: now.0,
            sim,
            to: to.clone(),
            text: text.clone(),
        };
        write_line(&mut writer.file, &line)?;
        writer.last_row = line.row;
        Ok(())
    }

    /// Returns the rows that may belong to a hand-over, oldest first.
    pub(crate) fn find(&self, asked: &SentRowAsked) -> io::Result<Vec<SentRow>> {
        let mut reader = BufReader::new(File::open(self.path())?);
        let (mut found, mut line) = (Vec::new(), String::new());
        while found.len() < SENT_ROWS_MAX && reader.read_line(&mut line)? > 0 {
            // A line that a killed process left incomplete is not a row.
            if line.contains(asked.to.as_str())
                && let Ok(row) = serde_json::from_str::<Line>(&line)
            {
                found.extend(row.answer(asked));
            }
            line.clear();
        }
        Ok(found)
    }

    /// Deletes the rows that are older than the platform keeps, if there are any; only the one
    /// process that runs the phone may call it.
    ///
    /// It takes long for a large file, but sending goes on meanwhile. After a crash in
    /// between, the file is the old one or the new one.
    pub(crate) fn tidy_up(&self, now: UnixMs) -> io::Result<()> {
        if !self.has_outdated(now)? {
            return Ok(());
        }
        let tidy = self.folder.join(TIDY_FILE);
        let mut to = BufWriter::new(File::create(&tidy)?);
        let read_to = self.copy_recent(0, now, &mut to)?;
        // Only what was added meanwhile blocks sending, which is little.
        let mut writer = self.writer();
        self.copy_recent(read_to, now, &mut to)?;
        to.flush()?;
        let file = appending().open(&tidy)?;
        fs::rename(&tidy, self.path())?;
        writer.file = file;
        Ok(())
    }

    fn has_outdated(&self, now: UnixMs) -> io::Result<bool> {
        let file = File::open(self.path())?;
        let mut lines = BufReader::new(file.take(1_024)).split(b'\n');
        let first = lines.find_map(|line| serde_json::from_slice::<Line>(&line.ok()?).ok());
        Ok(first.is_some_and(|first| first.at_ms < now.0 - TIDY_MS))
    }

    /// Copies the rows from a place on that are young enough, and returns where it ended.
    fn copy_recent(&self, from: u64, now: UnixMs, to: &mut impl Write) -> io::Result<u64> {
        let mut file = File::open(self.path())?;
        file.seek(SeekFrom::Start(from))?;
        let mut reader = BufReader::new(file);
        let (mut read_to, mut line) = (from, Vec::new());
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            read_to += u64::try_from(line.len()).unwrap_or(0);
            let row = serde_json::from_slice::<Line>(&line);
            if row.is_ok_and(|row| row.at_ms >= now.0 - KEPT_MS) {
                to.write_all(&line)?;
            }
            line.clear();
        }
        Ok(read_to)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(PROVIDER_FILE)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn answer(self, asked: &SentRowAsked) -> Option<SentRow> {
        let is_it = self.sim == asked.sim
            && self.to == asked.to
            && self.text == asked.text
            && self.at_ms >= asked.since.0;
        is_it.then_some(SentRow {
            row: self.row,
            at: UnixMs(self.at_ms),
        })
    }
}

/// Returns the number of the last row, from the file's end.
fn last_row(file: &mut File) -> io::Result<i64> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = TAIL_BYTES.min(length);
    loop {
        file.seek(SeekFrom::Start(length - tail))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut lines = bytes.rsplit(|byte| *byte == b'\n');
        let last = lines.find_map(|line| serde_json::from_slice::<Line>(line).ok());
        match last {
            Some(line) => return Ok(line.row),
            None if tail == length => return Ok(0),
            None => tail = (tail * 4).min(length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_machine::{MessageRef, SendToken};

    const NOW: UnixMs = UnixMs(1_000);

    fn to() -> Address {
        Address::new("+15005550123")
    }

    fn asked(text: &str, since: i64) -> SentRowAsked {
        let message = MessageRef {
            id: "SM0000000000000002".parse().unwrap(),
            ep: 1,
        };
        SentRowAsked {
            token: SendToken {
                message,
                attempt: 1,
            },
            sim: SimSlot::default(),
            to: to(),
            text: MessageText::new(text),
            since: UnixMs(since),
        }
    }

    fn append(provider: &Provider, text: &str, now: UnixMs) {
        let text = MessageText::new(text);
        let sim = SimSlot::default();
        provider.append(now, sim, &to(), &text).unwrap();
    }

    fn rows(provider: &Provider, text: &str, since: i64) -> Vec<i64> {
        let found = provider.find(&asked(text, since)).unwrap();
        found.iter().map(|found| found.row).collect()
    }

    #[test]
    fn a_row_is_found_again_after_a_restart_and_numbers_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let provider = Provider::open(folder.path()).unwrap();
        assert!(rows(&provider, "yes", 0).is_empty());
        append(&provider, "yes", NOW);
        drop(provider);
        let provider = Provider::open(folder.path()).unwrap();
        append(&provider, "no", NOW);
        append(&provider, &"long ".repeat(3_000), NOW);
        append(&Provider::open(folder.path()).unwrap(), "yes", NOW);
        assert_eq!(rows(&provider, "yes", 0), [1, 4]);
        assert_eq!(rows(&provider, "no", 0), [2]);
        assert!(rows(&provider, "maybe", 0).is_empty());
    }

    #[test]
    fn a_row_that_is_older_than_the_hand_over_is_another_ones() {
        let folder = tempfile::tempdir().unwrap();
        let provider = Provider::open(folder.path()).unwrap();
        append(&provider, "yes", NOW);
        append(&provider, "yes", UnixMs(NOW.0 + 5));
        assert_eq!(rows(&provider, "yes", NOW.0 + 1), [2]);
    }

    #[test]
    fn a_torn_line_hides_no_other_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PROVIDER_FILE);
        fs::write(&path, b"{\"row\":1,\"at_ms\":00").unwrap();
        let provider = Provider::open(folder.path()).unwrap();
        append(&provider, "yes", NOW);
        assert_eq!(rows(&provider, "yes", 0), [1]);
    }

    #[test]
    fn rows_that_the_platform_would_have_deleted_go_and_younger_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let provider = Provider::open(folder.path()).unwrap();
        let later = UnixMs(NOW.0 + TIDY_MS + 1);
        append(&provider, "old", NOW);
        provider.tidy_up(NOW).unwrap();
        assert_eq!(rows(&provider, "old", 0), [1]);
        append(&provider, "young", later);
        provider.tidy_up(later).unwrap();
        append(&provider, "new", later);
        assert!(rows(&provider, "old", 0).is_empty());
        assert_eq!(rows(&provider, "young", 0), [2]);
        assert_eq!(rows(&provider, "new", 0), [3]);
    }
}
