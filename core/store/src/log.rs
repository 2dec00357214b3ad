//! The log beside the file: checked before SQLite reads it, and emptied when it should be.
//!
//! SQLite reads a log up to its first bad frame. After a power loss that is right: at most the
//! unconfirmed transaction is torn. But a frame that turned bad later, in the middle,
//! would silently drop every confirmed commit after it. So this code follows the log past such a
//! frame; if more than one commit comes after it, the log is damaged.
//!
//! Source: sqlite.org/fileformat2.html, section 4.

use crate::{JournalError, mark::Mark};
use rusqlite::Connection;
use std::{fs, io, path::Path};

const HEADER: usize = 32;
const FRAME: usize = 24;
/// At least so many bytes are written by a disk completely or not at all.
const SECTOR: usize = 512;
/// The first four bytes, without the bit for the byte order of the sums.
const MAGIC: u32 = 0x377f_0682;

/// Returns what is wrong with a log that must be there; `None` if it is sound.
pub(crate) fn damage(path: &Path) -> io::Result<Option<&'static str>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Some("its log is missing"));
        }
        Err(error) => return Err(error),
    };
    Ok(match Log::of(&bytes) {
        None => Some("its log has no valid header"),
        Some(log) if log.commits_from_damage() > 1 => Some("its log is damaged"),
        Some(_) => None,
    })
}

/// Restarts the log from its beginning, so that erased content is gone from it.
pub(crate) fn renew(connection: &Connection) -> Result<(), JournalError> {
    rest(connection)?;
    begin(connection)
}

/// Moves everything into the file, whose mark then says that no log is needed.
pub(crate) fn rest(connection: &Connection) -> Result<(), JournalError> {
    Mark::read(connection)?.at_rest().write(connection)?;
    checkpoint(connection, "TRUNCATE")
}

/// Begins a log; from here on the file's mark says that there is one.
pub(crate) fn begin(connection: &Connection) -> Result<(), JournalError> {
    let mark = Mark::read(connection)?;
    // A write that changes nothing shows whether there is a log to write to.
    mark.at_rest().write(connection)?;
    checkpoint(connection, "PASSIVE")?;
    mark.live().write(connection)?;
    checkpoint(connection, "PASSIVE")
}

/// Moves the log's content into the file.
fn checkpoint(connection: &Connection, how: &str) -> Result<(), JournalError> {
    let sql = format!("PRAGMA wal_checkpoint({how})");
    let is_done = connection.query_row(&sql, [], |row| {
        let (busy, pages, moved): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && pages >= 0 && pages == moved)
    })?;
    if is_done {
        return Ok(());
    }
    let failure = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR);
    let message = "the log cannot be moved into the file".to_owned();
    Err(rusqlite::Error::SqliteFailure(failure, Some(message)).into())
}

struct Log<'a> {
    bytes: &'a [u8],
    page: usize,
    is_big_endian: bool,
    salt: &'a [u8],
    sum: Sum,
}

impl<'a> Log<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let header = bytes.get(..HEADER)?;
        let magic = word(header, 0);
        let is_big_endian = magic & 1 == 1;
        let sum = Sum::default().with(&header[..24], is_big_endian);
        let page = word(header, 8) as usize;
        let is_sound = magic & !1 == MAGIC
            && sum == Sum::stored(header, 24)
            && (512..=65_536).contains(&page)
            && page.is_power_of_two();
        is_sound.then_some(Self {
            bytes,
            page,
            is_big_endian,
            salt: &header[16..24],
            sum,
        })
    }

    /// Counts commits from the first bad frame on.
    ///
    /// A frame counts if its sum follows from the frame before it. A frame whose sum does not
    /// follow counts, too, if its header lies in one sector, which a disk writes completely.
    fn commits_from_damage(&self) -> usize {
        let frames = self.bytes[HEADER..].chunks_exact(FRAME + self.page);
        let (mut before, mut is_damaged, mut commits) = (self.sum, false, 0);
        for (place, frame) in frames.enumerate() {
            let sum = before.with(&frame[..8], self.is_big_endian);
            let sum = sum.with(&frame[FRAME..], self.is_big_endian);
            before = Sum::stored(frame, 16);
            let is_of_log = frame[8..16] == *self.salt;
            let is_sound = is_of_log && sum == before;
            is_damaged |= !is_sound;
            let at = HEADER + place * (FRAME + self.page);
            let is_whole = at / SECTOR == (at + FRAME - 1) / SECTOR;
            let is_commit = is_of_log && word(frame, 4) != 0;
            commits += usize::from(is_damaged && is_commit && (is_sound || is_whole));
        }
        commits
    }
}

/// The running sum of a log: two words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum(u32, u32);

impl Sum {
    fn stored(bytes: &[u8], at: usize) -> Self {
        Self(word(bytes, at), word(bytes, at + 4))
    }

    fn with(self, bytes: &[u8], is_big_endian: bool) -> Self {
        bytes
            .chunks_exact(8)
            .fold(self, |Self(first, second), pair| {
                let [left, right] = [0, 4].map(|at| {
                    let word = word(pair, at);
                    if is_big_endian {
                        word
                    } else {
                        word.swap_bytes()
                    }
                });
                let first = first.wrapping_add(left).wrapping_add(second);
                Self(first, second.wrapping_add(right).wrapping_add(first))
            })
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_be_bytes(word)
}
