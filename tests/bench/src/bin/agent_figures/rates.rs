//! How long the results and reports of a day's messages take.

use crate::{
    Failure, clock,
    phone::{Disk, Phone},
};
use postrider_machine::Snapshot;
use postrider_store::Journal;
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

/// Reports of one turn, as after a while without service.
const GROUP: usize = 64;
/// Messages at a time, so that the machine holds what a busy phone does.
const ROUND: i64 = 448;

/// Measures facts through machine and journal; without fsync where `folder` is in memory.
pub(crate) fn facts(folder: &Path, count: u64) -> Result<Value, Failure> {
    let (journal, snapshot) = Journal::open(&folder.join("journal.db"))?;
    let mut phone = Phone::new(Disk::Journal(journal), snapshot)?;
    let spent = live(&mut phone, count)?;
    Ok(json!({
        "report_us": spent.reports.as_secs_f64() * 1e6 / count as f64,
        "result_us": spent.results.as_secs_f64() * 1e6 / count as f64,
    }))
}

/// Measures facts through the machine alone: rows and frames are made and dropped.
pub(crate) fn machine(count: u64) -> Result<Value, Failure> {
    let mut phone = Phone::new(Disk::None, Snapshot::default())?;
    let spent = live(&mut phone, count)?;
    let rate = |spent: Duration| count as f64 / spent.as_secs_f64();
    Ok(json!({
        "reports_per_s": rate(spent.reports),
        "results_per_s": rate(spent.results),
    }))
}

struct Spent {
    results: Duration,
    reports: Duration,
}

/// Sends `count` messages. Times the sent results, each in its own turn because the next message
/// waits for it, and the reports in groups.
fn live(phone: &mut Phone, count: u64) -> Result<Spent, Failure> {
    let mut spent = Spent {
        results: Duration::ZERO,
        reports: Duration::ZERO,
    };
    let (mut next, end) = (1, i64::try_from(count)?);
    while next <= end {
        let last = (next + ROUND - 1).min(end);
        for n in next..=last {
            phone.send(n)?;
        }
        phone.end_turn()?;
        let mut sent = Vec::new();
        let began = clock::now();
        while let Some(token) = phone.flying.pop() {
            phone.part_sent(token);
            phone.end_turn()?;
            sent.push(token);
        }
        spent.results += began.elapsed();
        if sent.len() as i64 != last - next + 1 {
            return Err(format!("{} of {} were sent", sent.len(), last - next + 1).into());
        }
        let began = clock::now();
        for group in sent.chunks(GROUP) {
            for token in group {
                phone.report_arrived(*token);
            }
            phone.end_turn()?;
        }
        spent.reports += began.elapsed();
        next = last + 1;
    }
    Ok(spent)
}
