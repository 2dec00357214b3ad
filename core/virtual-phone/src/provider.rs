//! The platform's store of sent messages, as a file in the phone's folder.

use crate::radio_log::append_line;
use postrider_machine::{MessageRef, SendToken};
use postrider_model::MessageId;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The name of the file in a phone's folder.
const PROVIDER_FILE: &str = "provider.jsonl";

/// One sent message: which attempt of which exposure went.
///
/// A real provider knows neither and is searched by recipient, text and time; this one stands for
/// a search that always finds the right row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SentRow {
    pub(crate) message_id: MessageId,
    pub(crate) exposure: u32,
    pub(crate) attempt: u32,
}

impl SentRow {
    /// Returns the row of a hand-over.
    pub(crate) fn of(token: SendToken) -> Self {
        Self {
            message_id: token.message.id,
            exposure: token.message.ep,
            attempt: token.attempt,
        }
    }

    /// Returns the hand-over of a row.
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

/// The sent messages of one phone. A row is written once the radio took its message, never before.
#[derive(Debug)]
pub(crate) struct Provider {
    path: PathBuf,
    writer: Mutex<File>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    rows: BTreeSet<SentRow>,
    read_to: u64,
}

impl Provider {
    /// Opens the provider of a folder, or makes it.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(PROVIDER_FILE);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(&path)?;
        end_torn_line(&mut file)?;
        Ok(Self {
            path,
            writer: Mutex::new(file),
            known: Mutex::default(),
        })
    }

    /// Adds a row; when this returns it survives the death of the process.
    pub(crate) fn append(&self, row: SentRow) -> io::Result<()> {
        append_line(&self.writer, &row)
    }

    /// Tells whether a message is among the sent ones.
    ///
    /// Only what was added since the last look is read: looks are rare, after a restart or a long
    /// silence.
    pub(crate) fn has(&self, row: SentRow) -> io::Result<bool> {
        let mut known = self.known.lock().map_err(|_| io::ErrorKind::Other)?;
        known.read_on(&self.path)?;
        Ok(known.rows.contains(&row))
    }
}

/// Ends what a killed process may have left without its line end, so that it spoils no other row.
pub(crate) fn end_torn_line(file: &mut File) -> io::Result<()> {
    let mut last = [0];
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    match last {
        [b'\n'] => Ok(()),
        _ => file.write_all(b"\n"),
    }
}

impl Known {
    fn read_on(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut reader = BufReader::new(file);
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 && line.ends_with('\n') {
            self.read_to += u64::try_from(line.len()).unwrap_or(0);
            // A torn line of a killed process is no row.
            self.rows
                .extend(serde_json::from_str::<SentRow>(&line).ok());
            line.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(exposure: u32) -> SentRow {
        SentRow {
            message_id: "SM0000000000000002".parse().unwrap(),
            exposure,
            attempt: 1,
        }
    }

    #[test]
    fn a_row_is_found_again_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let provider = Provider::open(folder.path()).unwrap();
        assert!(!provider.has(row(1)).unwrap());
        provider.append(row(1)).unwrap();
        assert!(provider.has(row(1)).unwrap());
        drop(provider);
        let provider = Provider::open(folder.path()).unwrap();
        provider.append(row(2)).unwrap();
        assert!(provider.has(row(1)).unwrap());
        assert!(provider.has(row(2)).unwrap());
        assert!(!provider.has(row(3)).unwrap());
    }

    #[test]
    fn a_torn_line_hides_no_other_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PROVIDER_FILE);
        std::fs::write(&path, b"{\"message_id\":\"SM00").unwrap();
        let provider = Provider::open(folder.path()).unwrap();
        provider.append(row(1)).unwrap();
        assert!(provider.has(row(1)).unwrap());
    }
}
