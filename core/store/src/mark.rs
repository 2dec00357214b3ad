//! The journal's mark: four bytes in the file's own header that say which log belongs to it.
//!
//! The mark is SQLite's `user_version`. Its lowest bit says that the log beside the file is in use
//! and must be there; the others are the journal's key, drawn when it is made. Both are read from
//! the file itself, before SQLite reads its log: so a log that is missing, damaged in its
//! middle or from another journal is found, not silently ignored.
//!
//! 0 means an older version's journal, or one whose schema is being changed.

use crate::JournalError;
use rusqlite::Connection;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The offset of `user_version` in the file.
const PLACE: usize = 60;

/// A journal's key, and whether its log is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(i32);

impl Mark {
    pub(crate) const NONE: Self = Self(0);

    /// Draws a key for a journal whose log is not in use.
    pub(crate) fn draw(connection: &Connection) -> Result<Self, JournalError> {
        let sql = "SELECT ((random() & 0x1fffffff) | 0x20000000) << 1";
        Ok(Self(connection.query_row(sql, [], |row| row.get(0))?))
    }

    /// Reads the mark from the file itself, without its log; a file that is too short has none.
    pub(crate) fn in_file(path: &Path) -> io::Result<Self> {
        let mut header = [0; PLACE + 4];
        match File::open(path)?.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Self::NONE),
            Err(error) => return Err(error),
        }
        let mut mark = [0; 4];
        mark.copy_from_slice(&header[PLACE..]);
        Ok(Self(i32::from_be_bytes(mark)))
    }

    /// Reads the mark as SQLite sees it, with the log.
    pub(crate) fn read(connection: &Connection) -> Result<Self, JournalError> {
        let mark = connection.pragma_query_value(None, "user_version", |row| row.get(0));
        Ok(Self(mark?))
    }

    pub(crate) fn write(self, connection: &Connection) -> Result<(), JournalError> {
        Ok(connection.pragma_update(None, "user_version", self.0)?)
    }

    pub(crate) fn key(self) -> u64 {
        u64::from(self.0.cast_unsigned() >> 1)
    }

    pub(crate) fn has_key(self) -> bool {
        self.key() != 0
    }

    pub(crate) fn is_live(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn live(self) -> Self {
        Self(self.0 | 1)
    }

    pub(crate) fn at_rest(self) -> Self {
        Self(self.0 & !1)
    }
}
