//! How many durable writes a second this disk can do right now, to compare the figures with.

use crate::clock::now;
use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::Path,
    time::Duration,
};

/// How long the disk is measured.
const SPAN: Duration = Duration::from_millis(700);
/// Pages of the file that is overwritten again and again, as a database overwrites its log.
const PAGES: u32 = 1024;

/// Returns how often a second 4 KiB can be written and made durable in `folder`, one after another.
pub(crate) fn fsyncs_per_s(folder: &Path) -> std::io::Result<f64> {
    let path = folder.join("fsync-probe");
    let mut file = File::create(&path)?;
    let page = [0x5a; 4096];
    for _ in 0..PAGES {
        file.write_all(&page)?;
    }
    file.sync_all()?;
    let began = now();
    let mut count = 0;
    while began.elapsed() < SPAN {
        if count % PAGES == 0 {
            file.seek(SeekFrom::Start(0))?;
        }
        file.write_all(&page)?;
        file.sync_data()?;
        count += 1;
    }
    let rate = f64::from(count) / began.elapsed().as_secs_f64();
    drop(file);
    std::fs::remove_file(path)?;
    Ok(rate)
}
