//! Schedules that a restored hub may have sent already, and forgot.

use crate::commands::stored_message::StoredMessage;
use hub_store::damaged::Found;
use hub_store::{StoreError, Tx, schedules};
use postrider_model::UnixMs;

/// Most schedules that are read at once.
const BATCH: u32 = 256;
/// Why a moment was passed over.
const FORGOTTEN: &str = "the hub was restored from a backup: whether it was sent at its last time \
    is not known";

/// Passes over every moment that has come, since nobody knows whether the hub sent at it after the
/// backup; returns how many schedules that concerns.
///
/// What is to be sent again when nobody knows (`on_unknown` `resend`) stays due.
pub fn pass_over(tx: &mut Tx<'_>, now: UnixMs) -> Result<usize, StoreError> {
    let mut after = (UnixMs(i64::MIN), 0);
    let mut passed_over = 0;
    loop {
        let due = schedules::due(tx, now, after, BATCH)?;
        let Some(last) = due.last() else {
            return Ok(passed_over);
        };
        after = (last.at, last.id);
        for place in due {
            // One that cannot be read is set aside when its moment is looked at.
            let Some(Found::Row(mut schedule)) =
                schedules::found(tx, place.id, StoredMessage::is_readable)?
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
    }
}
