//! A table that the platform keeps, as a file in the phone's folder: each row is on disk before
//! it is reported.

use crate::radio_log::write_line;
use postrider_model::UnixMs;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

/// How long the platform keeps a row, in milliseconds: 30 days.
pub(crate) const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1_000;

/// One row of a table.
pub(crate) trait Row: Serialize + DeserializeOwned + Clone {
    /// Returns when it was written, in Unix milliseconds.
    fn at_ms(&self) -> i64;
    /// Returns its number.
    fn number(&self) -> i64;
}

/// The rows of one table, by their date and number.
#[derive(Debug)]
pub(crate) struct Table<R> {
    path: PathBuf,
    inside: Mutex<Inside<R>>,
}

#[derive(Debug)]
struct Inside<R> {
    file: File,
    rows: BTreeMap<(i64, i64), R>,
    last_number: i64,
}

impl<R: Row> Table<R> {
    /// Opens or creates a table. Nothing is rewritten before [`Table::tidy_up`], because another
    /// process may still run the phone.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let mut file = appending().read(true).open(&path)?;
        end_torn_line(&mut file)?;
        let rows = read(&path)?;
        let last_number = rows.keys().map(|(_, number)| *number).max().unwrap_or(0);
        Ok(Self {
            path,
            inside: Mutex::new(Inside {
                file,
                rows,
                last_number,
            }),
        })
    }

    /// Adds the row that `make` returns for the next number; on return it survives the death
    /// of the process.
    pub(crate) fn add(&self, make: impl FnOnce(i64) -> R) -> io::Result<R> {
        let mut inside = self.lock()?;
        let row = make(inside.last_number + 1);
        write_line(&mut inside.file, &row)?;
        inside.last_number = row.number();
        let place = (row.at_ms(), row.number());
        inside.rows.insert(place, row.clone());
        Ok(row)
    }

    /// Writes a row again, its date and number unchanged.
    pub(crate) fn replace(&self, row: R) -> io::Result<()> {
        let mut inside = self.lock()?;
        write_line(&mut inside.file, &row)?;
        inside.rows.insert((row.at_ms(), row.number()), row);
        Ok(())
    }

    /// Returns the rows after a place that `wanted` takes, at most `count`, and whether there are
    /// no more.
    pub(crate) fn page(
        &self,
        after: (i64, i64),
        count: usize,
        wanted: impl Fn(&R) -> bool,
    ) -> io::Result<(Vec<R>, bool)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let inside = self.lock()?;
        let rows = inside.rows.range((Excluded(after), Unbounded));
        let mut rows = rows.map(|(_, row)| row).filter(|row| wanted(row));
        let page = rows.by_ref().take(count).cloned().collect();
        Ok((page, rows.next().is_none()))
    }

    /// Returns every row that `wanted` takes.
    pub(crate) fn all(&self, wanted: impl Fn(&R) -> bool) -> io::Result<Vec<R>> {
        let inside = self.lock()?;
        let rows = inside.rows.values().filter(|row| wanted(row));
        Ok(rows.cloned().collect())
    }

    /// Deletes what is older than the platform keeps; only the one process that runs the phone may
    /// call it. After a crash in between, the file is the old one or the new one.
    pub(crate) fn tidy_up(&self, now: UnixMs) -> io::Result<()> {
        let mut inside = self.lock()?;
        let oldest = (now.0.saturating_sub(KEPT_MS), i64::MIN);
        if inside.rows.range(..oldest).next().is_none() {
            return Ok(());
        }
        inside.rows = inside.rows.split_off(&oldest);
        let mut bytes = Vec::new();
        for row in inside.rows.values() {
            write_line(&mut bytes, row)?;
        }
        inside.file = replace(&self.path, &bytes)?;
        Ok(())
    }

    fn lock(&self) -> io::Result<MutexGuard<'_, Inside<R>>> {
        self.inside.lock().map_err(|_| io::ErrorKind::Other.into())
    }
}

/// Replaces a file by one with these bytes, and returns it open for appending.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    fs::write(&beside, bytes)?;
    let file = appending().open(&beside)?;
    fs::rename(&beside, path)?;
    Ok(file)
}

pub(crate) fn appending() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    options
}

/// Ends an incomplete line of a killed process, so that it spoils no other row.
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

/// Reads every row; a line that a killed process left incomplete does not count.
fn read<R: Row>(path: &Path) -> io::Result<BTreeMap<(i64, i64), R>> {
    let mut rows = BTreeMap::new();
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        if let Ok(row) = serde_json::from_slice::<R>(&line?) {
            rows.insert((row.at_ms(), row.number()), row);
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    struct Word {
        row: i64,
        at_ms: i64,
        word: String,
    }

    impl Row for Word {
        fn at_ms(&self) -> i64 {
            self.at_ms
        }
        fn number(&self) -> i64 {
            self.row
        }
    }

    fn add(table: &Table<Word>, at_ms: i64, word: &str) {
        let word = word.to_owned();
        table.add(|row| Word { row, at_ms, word }).unwrap();
    }

    fn words(table: &Table<Word>) -> String {
        let rows = table.all(|_| true).unwrap();
        rows.into_iter().map(|row| row.word).collect()
    }

    #[test]
    fn rows_come_in_the_order_of_their_dates_page_by_page() {
        let folder = tempfile::tempdir().unwrap();
        let table = Table::open(folder.path().join("words")).unwrap();
        for (at_ms, word) in [(20, "b"), (10, "a"), (20, "c"), (30, "d")] {
            add(&table, at_ms, word);
        }
        let (page, is_last) = table.page((10, 2), 2, |_| true).unwrap();
        let page: String = page.into_iter().map(|row| row.word).collect();
        assert_eq!((page.as_str(), is_last), ("bc", false));
        let (page, is_last) = table.page((20, 3), 2, |_| true).unwrap();
        assert_eq!((page.len(), is_last), (1, true));
    }

    #[test]
    fn a_restart_finds_every_row_but_a_torn_one_and_goes_on_counting() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        add(&Table::open(path.clone()).unwrap(), 1, "a");
        let mut file = appending().open(&path).unwrap();
        file.write_all(b"{\"row\":2,\"at_").unwrap();
        add(&Table::open(path.clone()).unwrap(), 2, "b");
        let table = Table::<Word>::open(path).unwrap();
        assert_eq!(words(&table), "ab");
        let last = table.all(|_| true).unwrap().pop().unwrap();
        assert_eq!(last.row, 2);
    }

    #[test]
    fn what_is_older_than_the_platform_keeps_goes_from_the_file_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        let table = Table::open(path.clone()).unwrap();
        add(&table, 1, "old");
        add(&table, 2, "new");
        table.tidy_up(UnixMs(KEPT_MS + 2)).unwrap();
        add(&table, 3, "er");
        assert_eq!(words(&table), "newer");
        assert_eq!(words(&Table::open(path).unwrap()), "newer");
    }
}
