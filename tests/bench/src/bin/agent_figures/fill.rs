//! A journal of a month: messages that wait, as many that await reports as are allowed, and many
//! that are over.

use crate::{
    Failure,
    phone::{Disk, Phone},
};
use postrider_link::frame::Address;
use postrider_machine::{
    Change, MessageRef, REPORTS_AWAITED_MAX,
    change::{MessageRow, Progress},
};
use postrider_model::{Key, MessageId, UnixMs, WireState};
use postrider_store::Journal;
use serde_json::{Value, json};
use std::path::Path;

/// Messages that wait.
const WAITING: i64 = 500;
/// Rows of one commit.
const GROUP: usize = 10_000;
/// When the newest of them ended.
const ENDED: i64 = 1_799_900_000_000;

/// Fills the journal of a folder with `rows` messages that are over, 500 that wait, and as many that
/// await their reports as fit into memory.
pub(crate) fn fill(folder: &Path, rows: u64) -> Result<Value, Failure> {
    let path = folder.join("journal.db");
    let pattern = pattern(folder)?;
    let (mut journal, _) = Journal::open(&path)?;
    let mut group = Vec::new();
    let over = i64::try_from(rows)?;
    let awaiting = i64::try_from(REPORTS_AWAITED_MAX)?;
    for n in 2..over + awaiting + WAITING + 2 {
        let mut row = pattern.clone();
        row.message.id = MessageId::new(Key::new(n).ok_or("a key")?);
        row.arrived = n.unsigned_abs();
        row.s = n.unsigned_abs();
        if n < over + 2 {
            end(&mut row, UnixMs(ENDED - (over - n) * 2_500));
        } else if n < over + awaiting + 2 {
            await_report(&mut row);
        }
        group.push(Change::MessageAdded(Box::new(row)));
        if group.len() == GROUP {
            journal.commit(&group)?;
            group.clear();
        }
    }
    journal.commit(&group)?;
    drop(journal);
    let bytes = std::fs::metadata(&path)?.len();
    Ok(json!({"mib": bytes as f64 / 1_048_576.0}))
}

/// A row as the machine makes it; its own message is over with the first commit.
fn pattern(folder: &Path) -> Result<MessageRow, Failure> {
    let (journal, snapshot) = Journal::open(&folder.join("journal.db"))?;
    let mut phone = Phone::new(Disk::Journal(journal), snapshot)?;
    phone.changes = Some(Vec::new());
    phone.send(1)?;
    phone.end_turn()?;
    let made = phone.changes.take().unwrap_or_default();
    let added = made.into_iter().find_map(|change| match change {
        Change::MessageAdded(row) => Some(*row),
        _ => None,
    });
    let row = added.ok_or("the machine stored no message")?;
    let MessageRow {
        message, progress, ..
    } = row.clone();
    if let Disk::Journal(journal) = &mut phone.disk {
        journal.commit(&[Change::MessageMoved {
            message: MessageRef { ..message },
            progress: over(progress, UnixMs(ENDED)),
        }])?;
    }
    Ok(row)
}

/// A message that the network accepted and has not reported on; the hub knows that.
fn await_report(row: &mut MessageRow) {
    hand_over(row);
    row.progress.state = WireState::Sent;
}

fn hand_over(row: &mut MessageRow) {
    row.progress.submitted = Some(row.received.clone());
    row.progress.attempt = 1;
}

fn end(row: &mut MessageRow, at: UnixMs) {
    row.text = None;
    row.to = Address::new("");
    hand_over(row);
    row.progress = over(row.progress.clone(), at);
}

fn over(progress: Progress, at: UnixMs) -> Progress {
    Progress {
        state: WireState::Delivered,
        fact: 1,
        ended: Some(at),
        ..progress
    }
}
