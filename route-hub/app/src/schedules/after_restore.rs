//! Schedules that a restored hub may have sent already, and forgot.

use crate::commands::stored_message::StoredMessage;
use hub_store::damaged::Found;
use hub_store::{StoreError, Tx, schedules};
use postrider_model::{ProjectId, UnixMs};
use std::collections::BTreeMap;

/// Most schedules that are read at once.
const BATCH: u32 = 256;
/// Why a moment was passed over.
const FORGOTTEN: &str = "the hub was restored from a backup: whether it was sent at its last time \
    is not known";

/// The schedules whose moments have come, by project.
#[derive(Debug, Default)]
pub struct Passed(BTreeMap<ProjectId, Vec<i64>>);

impl Passed {
    /// Returns those of a project.
    pub fn of(&self, project: ProjectId) -> Vec<i64> {
        self.0.get(&project).cloned().unwrap_or_default()
    }
}

/// Finds every schedule whose moment has come.
pub fn passed(tx: &mut Tx<'_>, now: UnixMs) -> Result<Passed, StoreError> {
    let mut after = (UnixMs(i64::MIN), 0);
    let mut passed = Passed::default();
    loop {
        let due = schedules::due(tx, now, after, BATCH)?;
        let Some(last) = due.last() else {
            return Ok(passed);
        };
        after = (last.at, last.id);
        for place in due {
            if let Some(project) = place.project_id {
                passed.0.entry(project).or_default().push(place.id);
            }
        }
    }
}

/// Passes over the moments of these schedules, since nobody knows whether the hub sent at them after the
/// backup; returns how many that concerns.
///
/// What is to be sent again when nobody knows (`on_unknown` `resend`) stays due.
pub fn pass_over(tx: &mut Tx<'_>, ids: &[i64], now: UnixMs) -> Result<usize, StoreError> {
    let mut passed_over = 0;
    for id in ids {
        // One that cannot be read is set aside when its moment is looked at.
        let Some(Found::Row(mut schedule)) = schedules::found(tx, *id, StoredMessage::is_readable)?
        else {
            continue;
        };
        let message = StoredMessage::read(&schedule.message);
        if message.is_ok_and(|message| message.is_sent_again()) {
            continue;
        }
        schedule.pass(now);
        schedule.problem = Some(FORGOTTEN.to_owned());
        schedules::pass(tx, &schedule)?;
        passed_over += 1;
    }
    Ok(passed_over)
}
