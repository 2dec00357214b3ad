//! What a power loss leaves of a run, at any moment.
//!
//! A disk keeps what was synced. Of later writes it keeps any sectors, in any order, so a
//! page of eight sectors may be torn. A file that was never synced may be missing. Where
//! a file grew, sectors that were not kept hold zeros or garbage. A single sector is old or new.

use crate::{seeded::Seeded, vfs::Op};
use std::{collections::BTreeMap, fs, io, path::Path};

/// The bytes that a disk writes whole or not at all.
pub const SECTOR: u64 = 512;

/// Which of the unsynced writes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// All: only the process died.
    Nothing,
    /// None.
    Everything,
    /// Some sectors, by a seed.
    Some(u64),
}

#[derive(Debug, Clone)]
enum Pending {
    Write { at: u64, bytes: Vec<u8> },
    Truncate { len: u64 },
}

/// A file with its durable content and what waits for a sync.
#[derive(Debug, Clone, Default)]
struct Image {
    /// `None` until the file's own name is durable.
    durable: Option<Vec<u8>>,
    current: Vec<u8>,
    pending: Vec<Pending>,
}

impl Image {
    fn write(&mut self, at: u64, bytes: &[u8]) {
        put(&mut self.current, at, bytes, 0);
        let bytes = bytes.to_vec();
        self.pending.push(Pending::Write { at, bytes });
    }

    fn truncate(&mut self, len: u64) {
        self.current.resize(len as usize, 0);
        self.pending.push(Pending::Truncate { len });
    }

    fn sync(&mut self) {
        self.durable = Some(self.current.clone());
        self.pending.clear();
    }

    fn after(&self, loss: Loss) -> Option<Vec<u8>> {
        match loss {
            Loss::Nothing => Some(self.current.clone()),
            Loss::Everything => self.durable.clone(),
            Loss::Some(seed) => self.torn(&mut Seeded::new(seed)),
        }
    }

    fn torn(&self, seeded: &mut Seeded) -> Option<Vec<u8>> {
        let kept_percent = [10, 50, 90][seeded.below(3) as usize];
        let rubbish = [0, 0xa5][seeded.below(2) as usize];
        if self.durable.is_none() && !seeded.chance(kept_percent) {
            return None;
        }
        let mut bytes = self.durable.clone().unwrap_or_default();
        for pending in &self.pending {
            match pending {
                Pending::Truncate { len } if seeded.chance(kept_percent) => {
                    bytes.resize(*len as usize, rubbish);
                }
                Pending::Truncate { .. } => {}
                Pending::Write { at, bytes: written } => {
                    for (at, piece) in sectors(*at, written) {
                        if seeded.chance(kept_percent) {
                            put(&mut bytes, at, piece, rubbish);
                        }
                    }
                }
            }
        }
        Some(bytes)
    }
}

/// Splits a write at sector boundaries.
fn sectors(at: u64, bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let mut pieces = Vec::new();
    let (mut at, mut rest) = (at, bytes);
    while !rest.is_empty() {
        let len = (SECTOR - at % SECTOR).min(rest.len() as u64);
        let (piece, later) = rest.split_at(len as usize);
        pieces.push((at, piece));
        (at, rest) = (at + len, later);
    }
    pieces
}

fn put(to: &mut Vec<u8>, at: u64, bytes: &[u8], filler: u8) {
    let end = at as usize + bytes.len();
    if to.len() < end {
        to.resize(end, filler);
    }
    to[at as usize..end].copy_from_slice(bytes);
}

/// A disk, one step of a run after another.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    files: BTreeMap<String, Image>,
    /// Deleted files whose deletion may be undone, with their durable contents.
    ghosts: BTreeMap<String, Vec<u8>>,
    confirmed: usize,
}

impl Disk {
    /// Returns how many commits were confirmed so far.
    pub fn confirmed(&self) -> usize {
        self.confirmed
    }

    /// Applies one step. Returns whether the disk has changed.
    pub fn step(&mut self, op: &Op) -> bool {
        match op {
            Op::Open { file } => return self.open(file),
            Op::Write { file, at, bytes } => self.file(file).write(*at, bytes),
            Op::Truncate { file, len } => self.file(file).truncate(*len),
            Op::Sync { file } => self.sync(file),
            Op::Delete { file, durable } => self.delete(file, *durable),
            Op::Confirmed => {
                self.confirmed += 1;
                return false;
            }
        }
        true
    }

    fn file(&mut self, name: &str) -> &mut Image {
        self.files.entry(name.to_owned()).or_default()
    }

    /// A new journal is made beside its place and moved there, which makes it durable.
    fn open(&mut self, name: &str) -> bool {
        let draft = format!("{name}.new");
        if self.files.contains_key(name) {
            return false;
        }
        let image = match self.files.remove(&draft) {
            Some(image) => {
                self.ghosts.clear();
                image
            }
            None => Image::default(),
        };
        self.files.insert(name.to_owned(), image);
        true
    }

    /// The first sync of a log makes its folder durable, too, as SQLite does it.
    fn sync(&mut self, name: &str) {
        let is_log = name.ends_with("-wal") || name.ends_with("-journal");
        if is_log && self.file(name).durable.is_none() {
            self.ghosts.clear();
        }
        self.file(name).sync();
    }

    fn delete(&mut self, name: &str, durable: bool) {
        let image = self.files.remove(name);
        let content = image.and_then(|image| image.durable);
        match content.filter(|_| !durable) {
            Some(content) => drop(self.ghosts.insert(name.to_owned(), content)),
            None => drop(self.ghosts.remove(name)),
        }
    }

    /// Writes the files that a power loss leaves into a folder.
    pub fn lose_power(&self, loss: Loss, folder: &Path) -> io::Result<()> {
        let mut left: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        if let Loss::Some(seed) = loss {
            let mut seeded = Seeded::new(seed ^ 0x60_57);
            let back = self.ghosts.iter().filter(|_| seeded.chance(50));
            left.extend(back.map(|(name, bytes)| (name.as_str(), bytes.clone())));
        }
        for (place, (name, image)) in self.files.iter().enumerate() {
            let loss = match loss {
                Loss::Some(seed) => Loss::Some(seed.wrapping_add(place as u64)),
                Loss::Nothing | Loss::Everything => loss,
            };
            match image.after(loss) {
                Some(bytes) => drop(left.insert(name, bytes)),
                None => drop(left.remove(name.as_str())),
            }
        }
        for (name, bytes) in left {
            fs::write(folder.join(name), bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(at: u64, bytes: &[u8]) -> Op {
        Op::Write {
            file: "a".to_owned(),
            at,
            bytes: bytes.to_vec(),
        }
    }

    fn left(disk: &Disk, loss: Loss) -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        disk.lose_power(loss, folder.path()).unwrap();
        fs::read(folder.path().join("a")).ok()
    }

    #[test]
    fn what_was_synced_stays_and_the_rest_may_go() {
        let mut disk = Disk::default();
        disk.step(&write(0, &[1; 1024]));
        assert_eq!(left(&disk, Loss::Everything), None);
        disk.step(&Op::Sync {
            file: "a".to_owned(),
        });
        disk.step(&write(512, &[2; 1024]));
        assert_eq!(left(&disk, Loss::Everything), Some(vec![1; 1024]));
        let all = [vec![1; 512], vec![2; 1024]].concat();
        assert_eq!(left(&disk, Loss::Nothing), Some(all));
    }

    #[test]
    fn a_write_is_torn_between_sectors_and_only_there() {
        let mut disk = Disk::default();
        disk.step(&write(0, &[1; 1024]));
        disk.step(&Op::Sync {
            file: "a".to_owned(),
        });
        disk.step(&write(0, &[2; 1024]));
        let mut seen = [false; 4];
        for seed in 0..100 {
            let bytes = left(&disk, Loss::Some(seed)).unwrap();
            let halves = [&bytes[..512], &bytes[512..]];
            let new = halves.map(|half| half.iter().all(|byte| *byte == 2));
            let old = halves.map(|half| half.iter().all(|byte| *byte == 1));
            assert!((new[0] || old[0]) && (new[1] || old[1]));
            seen[usize::from(new[0]) * 2 + usize::from(new[1])] = true;
        }
        assert_eq!(seen, [true; 4]);
    }

    #[test]
    fn a_deletion_that_is_not_durable_may_be_undone() {
        let mut disk = Disk::default();
        disk.step(&write(0, &[1; 10]));
        disk.step(&Op::Sync {
            file: "a".to_owned(),
        });
        disk.step(&Op::Delete {
            file: "a".to_owned(),
            durable: false,
        });
        let back = (0..50).filter(|seed| left(&disk, Loss::Some(*seed)).is_some());
        assert!((5..45).contains(&back.count()));
    }
}
