//! Removing old messages, a few at a time.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{
    StoreError, Tx, contacts, files, labels, statistics, usage, values, webhook_deliveries,
};
use hub_domain::{Direction, FileHolder, UsageType};
use postrider_link::ownership::hub::HubState;
use postrider_model::{ContactId, Key, MessageId, ProjectId, UnixMs};
use std::collections::BTreeMap;

const OLD: &str = "SELECT id, contact_id, direction, state, life_end FROM messages \
     WHERE project_id = $1 AND hidden = 0 AND id > $2 AND id < $3 ORDER BY id LIMIT $4";

/// What one step of removing came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// How many messages went.
    pub count: usize,
    /// The last message that was looked at, where the next step goes on; `None` at the end.
    pub last: Option<i64>,
}

/// What is removed, and how much of it is looked at in one step.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// Messages made before this go.
    pub before: UnixMs,
    /// What nobody knows the end of goes when its life was over before this.
    pub unknown_before: UnixMs,
    /// When they go.
    pub now: UnixMs,
    /// Most messages looked at.
    pub step: u32,
}

struct Old {
    id: MessageId,
    contact_id: Option<ContactId>,
    direction: Direction,
    state: i64,
    life_end: Option<UnixMs>,
}

impl Old {
    /// Says whether nothing can become of the message any more: it came in, or it was sent or
    /// ended, or nobody heard of it for long.
    fn is_over(&self, retention: &Retention) -> bool {
        let is_unknown = self.state >= HubState::Unknown.code();
        let is_forgotten = self
            .life_end
            .is_some_and(|end| end < retention.unknown_before);
        self.direction == Direction::Incoming
            || self.state >= HubState::Sent.code()
            || (is_unknown && is_forgotten)
    }
}

/// Removes what is over among the next of a project's old messages above the key `above`, and
/// takes it out of its contacts' counts. Before all of the project are counted in its statistics, none
/// goes.
pub fn remove_old(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    retention: &Retention,
    above: i64,
) -> Result<Removed, StoreError> {
    if statistics::is_uncounted(tx, project_id)? {
        return Ok(Removed::default());
    }
    let before = Key::first_of_ms(retention.before.0).get();
    let looked_at = tx.query(
        OLD,
        &values![project_id, above, before, retention.step],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(Old {
                id: columns.id()?,
                contact_id: columns.opt_id()?,
                direction: columns.coded(Direction::from_code)?,
                state: columns.int()?,
                life_end: columns.opt_time()?,
            })
        },
    )?;
    let mut counts: BTreeMap<ContactId, (i64, i64)> = BTreeMap::new();
    let (mut count, mut last) = (0, None);
    for message in &looked_at {
        if tx.steps() >= purge::STEPS_MAX {
            break;
        }
        last = Some(message.id.get());
        if !message.is_over(retention) {
            continue;
        }
        erase(tx, message.id, retention.now)?;
        usage::count(tx, project_id, UsageType::StoredMessages, -1, retention.now)?;
        count += 1;
        if let Some(contact_id) = message.contact_id {
            let (incoming, outgoing) = counts.entry(contact_id).or_default();
            match message.direction {
                Direction::Incoming => *incoming += 1,
                Direction::Outgoing => *outgoing += 1,
            }
        }
    }
    for (contact_id, (incoming, outgoing)) in counts {
        contacts::forget_messages(tx, contact_id, incoming, outgoing)?;
    }
    Ok(Removed { count, last })
}

/// Says whether there are old messages above the key `above`.
pub fn any_old(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    retention: &Retention,
    above: i64,
) -> Result<bool, StoreError> {
    if statistics::is_uncounted(tx, project_id)? {
        return Ok(false);
    }
    let before = Key::first_of_ms(retention.before.0).get();
    let found = tx.query_one(OLD, &values![project_id, above, before, 1_u32], |_| Ok(()))?;
    Ok(found.is_some())
}

/// Removes deleted messages that are final and were last changed before `before`, one step of
/// them. Before all of the project are counted in its statistics, none goes.
pub fn purge_hidden(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    before: UnixMs,
) -> Result<Purged, StoreError> {
    if statistics::is_uncounted(tx, project_id)? {
        return Ok(Purged::default());
    }
    purge::step(tx, |tx, limit| {
        let ids = tx.query(
            concat!(
                "SELECT id FROM messages WHERE project_id = $1 AND hidden = 1 AND time_updated < $2 \
                 AND (direction = ",
                code!(direction Incoming),
                " OR state >= ",
                code!(state Sent),
                ") ORDER BY time_updated LIMIT $3"
            ),
            &values![project_id, before, limit],
            |row| row.id(0),
        )?;
        for id in &ids {
            // It named no file any more since it was deleted.
            erase(tx, *id, before)?;
        }
        Ok(ids.len())
    })
}

/// Removes a message with all that is its own; one without a key that could be anybody's is left.
pub(crate) fn erase_by_key(tx: &mut Tx<'_>, id: i64, now: UnixMs) -> Result<(), StoreError> {
    match Key::new(id) {
        Some(key) => erase(tx, MessageId::new(key), now),
        None => Ok(()),
    }
}

/// Removes a message with what belongs to it.
pub(crate) fn erase(tx: &mut Tx<'_>, id: MessageId, now: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM past_exposures WHERE message_id = $1",
        &values![id],
    )?;
    labels::forget(tx, id)?;
    statistics::forget(tx, id)?;
    webhook_deliveries::forget(tx, id)?;
    files::let_go(tx, FileHolder::Message, id.get(), now)?;
    tx.run("DELETE FROM messages WHERE id = $1", &values![id])?;
    Ok(())
}
