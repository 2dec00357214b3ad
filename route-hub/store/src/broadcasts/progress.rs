//! How broadcasts go through their recipients, and how they are called off.

use super::read;
use crate::{StoreError, Tx, values};
use hub_domain::{Broadcast, BroadcastStage};
use postrider_model::{BroadcastId, MessageId, ProjectId, ScheduledId};

const NEXT: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM broadcasts WHERE stage < ",
    code!(stage Queued),
    " AND project_id = $1 AND id > $2 ORDER BY project_id, id LIMIT 1"
);

const NEXT_PROJECT: &str = concat!(
    "SELECT project_id FROM broadcasts WHERE stage < ",
    code!(stage Queued),
    " AND project_id > $1 ORDER BY project_id, id LIMIT 1"
);

/// Returns the broadcast under way whose turn it is in the next project above a key: the one after
/// that which had the project's last turn, as `last` knows it, else its oldest.
pub fn next_after(
    tx: &mut Tx<'_>,
    project_above: i64,
    last: impl Fn(ProjectId) -> i64,
) -> Result<Option<Broadcast>, StoreError> {
    let project = tx.query_one(NEXT_PROJECT, &values![project_above], |row| row.id(0))?;
    let Some(project) = project else {
        return Ok(None);
    };
    match tx.query_one(NEXT, &values![project, last(project)], read)? {
        Some(broadcast) => Ok(Some(broadcast)),
        None => tx.query_one(NEXT, &values![project, 0], read),
    }
}

/// Stores that a broadcast has dealt with so many more recipients, up to a place, and whether they
/// were the last; says whether it was where it is thought to be.
pub fn advance(
    tx: &mut Tx<'_>,
    broadcast: &Broadcast,
    done_up_to: i64,
    reached: i64,
    is_end: bool,
) -> Result<bool, StoreError> {
    let stage = if is_end {
        BroadcastStage::Queued
    } else {
        BroadcastStage::Queuing
    };
    let changed = tx.execute(
        concat!(
            "UPDATE broadcasts SET done_up_to = $3, reached = reached + $4, stage = $5, \
             estimated_count = CASE WHEN CAST($5 AS BIGINT) = ",
            code!(stage Queued),
            " OR estimated_count < reached + $4 THEN reached + $4 ELSE estimated_count END \
             WHERE id = $1 AND done_up_to = $2 AND stage = ",
            code!(stage Queuing)
        ),
        &values![
            broadcast.id,
            broadcast.done_up_to,
            done_up_to,
            reached,
            stage.code(),
        ],
    )?;
    Ok(changed == 1)
}

/// Ends a broadcast that cannot go on, for a reason.
pub fn end(tx: &mut Tx<'_>, id: BroadcastId, problem: &str) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "UPDATE broadcasts SET stage = ",
            code!(stage Queued),
            ", problem = $2 WHERE id = $1 AND stage = ",
            code!(stage Queuing)
        ),
        &values![id, problem],
    )?;
    Ok(())
}

/// Notes why recipients of a broadcast were left out.
pub fn note_problem(tx: &mut Tx<'_>, id: BroadcastId, problem: &str) -> Result<(), StoreError> {
    tx.run(
        "UPDATE broadcasts SET problem = $2 WHERE id = $1",
        &values![id, problem],
    )
}

/// Ends those of a schedule that is deleted; whom they have reached keep their messages.
pub fn end_of_schedule(
    tx: &mut Tx<'_>,
    scheduled_id: ScheduledId,
    problem: &str,
) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "UPDATE broadcasts SET stage = ",
            code!(stage Queued),
            ", problem = $2 WHERE scheduled_id = $1 AND stage = ",
            code!(stage Queuing)
        ),
        &values![scheduled_id, problem],
    )?;
    Ok(())
}

/// Ends all of a project whose messages are being made, for a reason.
pub fn end_of_project(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    problem: &str,
) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "UPDATE broadcasts SET stage = ",
            code!(stage Queued),
            ", problem = $2 WHERE project_id = $1 AND stage = ",
            code!(stage Queuing)
        ),
        &values![project_id, problem],
    )?;
    Ok(())
}

/// Cancels a project's broadcast, unless all that it had to send is sent; says whether it was
/// cancelled by this.
pub fn cancel(tx: &mut Tx<'_>, project_id: ProjectId, id: BroadcastId) -> Result<bool, StoreError> {
    let changed = tx.execute(
        concat!(
            "UPDATE broadcasts SET stage = ",
            code!(stage Cancelling),
            ", done_up_to = 0 WHERE id = $1 AND project_id = $2 AND (stage = ",
            code!(stage Queuing),
            " OR (stage = ",
            code!(stage Queued),
            " AND queued_count + failed_queued_count > 0))"
        ),
        &values![id, project_id],
    )?;
    Ok(changed == 1)
}

/// Stores up to which message a cancelled broadcast has been walked through, `None` at the end;
/// says whether the walk was where it is thought to be.
pub fn walked(
    tx: &mut Tx<'_>,
    broadcast: &Broadcast,
    up_to: Option<MessageId>,
) -> Result<bool, StoreError> {
    let stage = match up_to {
        Some(_) => BroadcastStage::Cancelling,
        None => BroadcastStage::Cancelled,
    };
    let changed = tx.execute(
        concat!(
            "UPDATE broadcasts SET stage = $3, done_up_to = $4 WHERE id = $1 AND done_up_to = $2 \
             AND stage = ",
            code!(stage Cancelling)
        ),
        &values![
            broadcast.id,
            broadcast.done_up_to,
            stage.code(),
            up_to.map_or(broadcast.done_up_to, |id| id.get()),
        ],
    )?;
    Ok(changed == 1)
}

/// Returns the key of the message up to which a cancelled broadcast was walked through, while that
/// goes on: what is above it is not to be sent.
pub fn called_off(tx: &mut Tx<'_>, id: BroadcastId) -> Result<Option<i64>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT done_up_to FROM broadcasts WHERE id = $1 AND stage = ",
            code!(stage Cancelling)
        ),
        &values![id],
        |row| row.int(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::plans::Way;
    use crate::testing::TestDatabase;

    #[test]
    fn turns_are_found_along_what_is_under_way() {
        let database = TestDatabase::fresh();
        let store = database.open();
        for (sql, values) in [(NEXT, 2), (NEXT_PROJECT, 1)] {
            let plan = store.read_blocking(move |tx| {
                let none = vec![Value::Null; values];
                Way::of(tx, sql, &none)
            });
            let plan = plan.unwrap();
            assert!(plan.takes("broadcasts_under_way"), "{plan:?}");
            assert!(!plan.sorts(), "{plan:?}");
        }
    }
}
