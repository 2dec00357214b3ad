//! A start on an existing journal: until the first turn is over and a message could be accepted.

use crate::{
    Failure, clock,
    phone::{Disk, Phone},
};
use postrider_store::Journal;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Starts once and returns how long it took and the memory of the process.
pub(crate) fn start(folder: &Path) -> Result<Value, Failure> {
    let began = clock::now();
    let (journal, snapshot) = Journal::open(&folder.join("journal.db"))?;
    let phone = Phone::new(Disk::Journal(journal), snapshot)?;
    let took = began.elapsed();
    let resident = resident_kib()?;
    Ok(json!({
        "ms": took.as_secs_f64() * 1e3,
        "mib": resident / 1024.0,
        "waiting": phone.waiting(),
    }))
}

/// The most memory that was resident so far.
fn resident_kib() -> Result<f64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib
        .ok_or("the system does not say what is resident")?
        .parse()?)
}
