//! How many durable writes a second this disk does just now, to hold the figures against.

use crate::clock::now;
use std::{fs::File, io::Write, path::Path, time::Duration};

/// How long the disk is asked.
const SPAN: Duration = Duration::from_millis(700);

/// Returns how often a second 4 KiB can be appended and made durable in `folder`, one after another.
pub(crate) fn fsyncs_per_s(folder: &Path) -> std::io::Result<f64> {
    let path = folder.join("fsync-probe");
    let mut file = File::create(&path)?;
    let page = [0x5a; 4096];
    let began = now();
    let mut count = 0;
    while began.elapsed() < SPAN {
        file.write_all(&page)?;
        file.sync_data()?;
        count += 1;
    }
    let rate = f64::from(count) / began.elapsed().as_secs_f64();
    drop(file);
    std::fs::remove_file(path)?;
    Ok(rate)
}
