//! What dispatch asks and changes: queues, exposures, lives.

use super::ownership::OwnershipRow;
use super::{found_in, read};
use crate::damaged::{Found, Place};
use crate::row::Cursor;
use crate::{StoreError, Tx, Value, values};
use hub_domain::{Message, status_code};
use postrider_link::ownership::hub::HubState;
use postrider_model::{BroadcastId, CustomRouteId, DeviceId, Id, PhoneId, ProjectId, UnixMs};

const CLAIM: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE phone_id = $1 AND state = ",
    code!(state Waiting),
    " AND simulated = 0 AND priority = $2 AND id > $3 ORDER BY id LIMIT $4"
);

const WAITING: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE phone_id = $1 AND state = ",
    code!(state Waiting),
    " AND simulated = 0 AND (id + 0) <= $2 ORDER BY priority DESC, id"
);

/// What may have a next step of its sequence, as the index says it.
macro_rules! simulated {
    () => {
        concat!(
            "simulated = 1 AND direction = ",
            code!(direction Outgoing),
            " AND (state IN (",
            code!(state Waiting),
            ", ",
            code!(state Retrying),
            ") OR (state = ",
            code!(state Sent),
            " AND to_number IN ('+15005550012', '+15005550013')))"
        )
    };
}

const SIMULATED: &str = concat!(
    "SELECT id FROM messages WHERE ",
    simulated!(),
    " AND phone_id = $1 AND state = $2 ORDER BY id LIMIT $3"
);

const SIMULATED_ON: &str = concat!(
    "SELECT phone_id, project_id FROM messages WHERE ",
    simulated!(),
    " AND phone_id > $1 ORDER BY phone_id LIMIT 1"
);

/// A phone holds it, as the index says it.
macro_rules! held {
    () => {
        concat!(
            "state >= ",
            code!(state Exposed),
            " AND state < ",
            code!(state Sent)
        )
    };
}

/// A phone holds it, and it may still get its first result.
macro_rules! open {
    () => {
        concat!(held!(), " AND state < ", code!(state Unknown))
    };
}

const ON_DEVICE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE device_id = $1 AND down_s > $2 AND ",
    held!(),
    " ORDER BY down_s NULLS FIRST"
);

const HELD: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE device_id = $1 AND ",
    open!(),
    " ORDER BY id"
);

const ASKED_BACK: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE device_id = $1 AND (flags & ",
    code!(flag REVOKE_ASKED),
    ") <> 0 ORDER BY id"
);

const LIFE_ENDED: &str = concat!(
    "SELECT life_end, id, project_id FROM messages \
     WHERE life_end <= $1 AND (life_end, id) > ($3, $4) AND state < ",
    code!(state Unknown),
    " AND direction = ",
    code!(direction Outgoing),
    " AND (state = ",
    code!(state Waiting),
    " OR life_end <= $2) ORDER BY life_end NULLS FIRST, id LIMIT $5"
);

const ROUTED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE phone_id = $1 AND route_id = $2 AND state = ",
    code!(state Waiting),
    " AND id > $3 ORDER BY id LIMIT $4"
);

const OPEN_OF_BROADCAST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM messages WHERE broadcast_id = $1 AND id > $2 AND (status + 0) IN (",
    queued!(),
    ") ORDER BY id LIMIT $3"
);

const QUEUED: &str = concat!(
    "SELECT count(*) FROM (SELECT 1 FROM messages WHERE phone_id = $1 AND state = ",
    code!(state Waiting),
    " LIMIT $2) AS queued"
);

const OPEN_EXPOSURES: &str = concat!(
    "SELECT phone_id, priority, count(*), count(route_id) FROM messages WHERE device_id = $1 AND ",
    open!(),
    " GROUP BY phone_id, priority ORDER BY phone_id, priority"
);

/// Returns those of some phones for which messages wait.
pub fn with_queue(tx: &mut Tx<'_>, phones: &[PhoneId]) -> Result<Vec<PhoneId>, StoreError> {
    let waiting = concat!(
        "SELECT 1 FROM messages WHERE phone_id = column1 AND simulated = 0 AND state = ",
        code!(state Waiting)
    );
    those_with(tx, phones, waiting)
}

/// Returns those of some devices that are asked something about their messages.
pub fn with_requests(tx: &mut Tx<'_>, devices: &[DeviceId]) -> Result<Vec<DeviceId>, StoreError> {
    let asked = concat!(
        "SELECT 1 FROM messages WHERE device_id = column1 AND (flags & ",
        code!(flag REVOKE_ASKED),
        ") <> 0"
    );
    those_with(tx, devices, asked)
}

/// Returns those of some ids for which `what` has a row.
fn those_with<K>(tx: &mut Tx<'_>, ids: &[Id<K>], what: &str) -> Result<Vec<Id<K>>, StoreError> {
    let values: Vec<_> = ids.iter().map(|id| Value::from(*id)).collect();
    let rows = (1..=ids.len()).map(|number| format!("(CAST(${number} AS BIGINT))"));
    let rows = rows.collect::<Vec<_>>().join(", ");
    let sql = format!("SELECT column1 FROM (VALUES {rows}) AS ids WHERE EXISTS ({what})");
    tx.query_built(&sql, &values, |row| row.id(0))
}

/// Stores everything that dispatch changes: route, status, errors, times and ownership.
pub fn update_ownership(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    let ownership = OwnershipRow::of(message);
    tx.run(
        "UPDATE messages SET status = $2, state = $3, ep = $4, device_id = $5, install = $6, \
         down_s = $7, flags = $8, send_attempts = $9, error_message = $10, error_code = $11, \
         time_sent = $12, time_updated = $13, life_end = $14, parts_done = $15, num_parts = $16, \
         network_code = $17, price = $18, price_currency = $19 WHERE id = $1",
        &values![
            message.id,
            status_code(message.status),
            ownership.state,
            ownership.ep,
            ownership.device_id,
            ownership.install,
            ownership.down_s,
            ownership.flags,
            ownership.send_attempts,
            &message.error_message,
            &message.error_code,
            message.time_sent,
            message.time_updated,
            message.life_end,
            &message.parts_done,
            message.num_parts,
            &message.network_code,
            message.price.map(|price| price.millionths),
            message.price.as_ref().map(|price| price.currency.as_str()),
        ],
    )?;
    Ok(())
}

/// Stores how long a call lasted and rang.
pub fn update_call(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    tx.run(
        "UPDATE messages SET duration = $2, ring_time = $3 WHERE id = $1",
        &values![message.id, message.duration_sec, message.ring_time_sec],
    )?;
    Ok(())
}

/// Stores an exposure and nothing else: the write before a frame, with the fewest pages touched.
///
/// For a message whose status, errors and times stay as they are.
pub fn update_exposure(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    let ownership = OwnershipRow::of(message);
    tx.run(
        "UPDATE messages SET state = $2, ep = $3, device_id = $4, install = $5, down_s = $6, \
         flags = $7, send_attempts = $8 WHERE id = $1",
        &values![
            message.id,
            ownership.state,
            ownership.ep,
            ownership.device_id,
            ownership.install,
            ownership.down_s,
            ownership.flags,
            ownership.send_attempts,
        ],
    )?;
    Ok(())
}

/// Gives a message to another phone; only for one that no phone holds.
pub fn update_route(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    tx.run(
        "UPDATE messages SET phone_id = $2, from_number = $3, time_updated = $4, simulated = $5, \
         route_id = $6 WHERE id = $1",
        &values![
            message.id,
            message.phone_id,
            &message.from_number,
            message.time_updated,
            message.simulated,
            message.route_id,
        ],
    )?;
    Ok(())
}

/// Returns the oldest messages of one priority in a phone's queue.
///
/// Whoever exposes them does so in the same job.
pub fn claim_queued(
    tx: &mut Tx<'_>,
    phone_id: PhoneId,
    priority: u8,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    tx.query(CLAIM, &values![phone_id, priority, 0_i64, limit], read)
}

/// As [`claim_queued`], of the messages that were made after the key `above`; one of them may be
/// damaged.
pub fn claim_queued_above(
    tx: &mut Tx<'_>,
    phone_id: PhoneId,
    priority: u8,
    above: i64,
    limit: u32,
) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(CLAIM, &values![phone_id, priority, above, limit], found_in)
}

/// Returns a phone's queue as far as it was made up to the key `up_to`.
pub fn waiting_up_to(
    tx: &mut Tx<'_>,
    phone_id: PhoneId,
    up_to: i64,
) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(WAITING, &values![phone_id, up_to], found_in)
}

/// The states in which a simulated message may have a next step: it waits, it is to be tried
/// again, it was sent and a report follows.
#[cfg(test)]
pub(crate) const SIMULATED_STATES: [HubState; 3] =
    [HubState::Waiting, HubState::Retrying, HubState::Sent];

/// Returns the first route above `above`, with its project, that has simulated messages whose
/// sequence may have a next step; `None` for a project that cannot be read.
pub fn simulated_on(
    tx: &mut Tx<'_>,
    above: i64,
) -> Result<Option<(i64, Option<ProjectId>)>, StoreError> {
    tx.query_one(SIMULATED_ON, &values![above], |row| {
        Ok((row.int(0)?, row.id(1).ok()))
    })
}

/// Returns the keys of a route's simulated messages that are in a state and may have a next step,
/// oldest first.
pub fn simulated(
    tx: &mut Tx<'_>,
    phone: i64,
    state: HubState,
    limit: u32,
) -> Result<Vec<i64>, StoreError> {
    tx.query(SIMULATED, &values![phone, state.code(), limit], |row| {
        row.int(0)
    })
}

/// Returns the exposures that a device holds without a sent result, unknown ones too, and whose
/// frames are numbered above `above_s`, in that order. Those without a number (it started over, or
/// was forgotten) are in [`held`] alone.
pub fn on_device(
    tx: &mut Tx<'_>,
    device_id: DeviceId,
    above_s: u64,
) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(ON_DEVICE, &values![device_id, above_s], found_in)
}

/// Returns every exposure of a device that may still get its first result, numbered or not.
pub fn held(tx: &mut Tx<'_>, device_id: DeviceId) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(HELD, &values![device_id], found_in)
}

/// The exposures of one phone and priority that have no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenExposures {
    /// The phone.
    pub phone_id: PhoneId,
    /// The priority.
    pub priority: u8,
    /// How many there are.
    pub count: u64,
    /// How many of them a custom route gave to the phone.
    pub routed: u64,
}

/// Counts the exposures without a result of each phone of a device, by priority.
pub fn open_exposures(
    tx: &mut Tx<'_>,
    device_id: DeviceId,
) -> Result<Vec<OpenExposures>, StoreError> {
    tx.query(OPEN_EXPOSURES, &values![device_id], |row| {
        let mut columns = Cursor::new(row);
        Ok(OpenExposures {
            phone_id: columns.id()?,
            priority: columns.count()?,
            count: columns.count()?,
            routed: columns.count()?,
        })
    })
}

/// Returns the messages that a custom route has queued for a phone, oldest first, above the key
/// `above`.
pub fn routed_waiting(
    tx: &mut Tx<'_>,
    phone_id: PhoneId,
    route_id: CustomRouteId,
    above: i64,
    limit: u32,
) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(ROUTED, &values![phone_id, route_id, above, limit], found_in)
}

/// Returns the messages of a broadcast that wait at the hub or on a phone, oldest first, above the
/// key `above`.
pub fn open_of_broadcast(
    tx: &mut Tx<'_>,
    id: BroadcastId,
    above: i64,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    tx.query(OPEN_OF_BROADCAST, &values![id, above, limit], read)
}

/// Counts what waits at the hub for a phone, up to `most`.
pub fn queued_for(tx: &mut Tx<'_>, phone_id: PhoneId, most: i64) -> Result<u64, StoreError> {
    let counted = tx.query_one(QUEUED, &values![phone_id, most], |row| row.int(0))?;
    Ok(counted.map_or(0, i64::unsigned_abs))
}

/// Returns exposures of a device that must be taken back and were not answered yet.
pub fn asked_back(tx: &mut Tx<'_>, device_id: DeviceId) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(ASKED_BACK, &values![device_id], found_in)
}

/// Returns where outgoing messages stand that are to end, the longest due first, after a place that
/// was seen before: those in the queue whose life ended at or before `waiting_end`, and those
/// without a result on a phone whose life ended at or before `held_end`.
pub fn life_ended(
    tx: &mut Tx<'_>,
    waiting_end: UnixMs,
    held_end: UnixMs,
    after: (UnixMs, i64),
    limit: u32,
) -> Result<Vec<Place>, StoreError> {
    let values = values![waiting_end, held_end, after.0, after.1, limit];
    tx.query(LIFE_ENDED, &values, Place::read)
}

/// Counts each project's messages that wait at the hub or on a phone.
///
/// Walks every such message: for the start, when counters are made.
pub fn queued_by_project(tx: &mut Tx<'_>) -> Result<Vec<(ProjectId, u64)>, StoreError> {
    tx.query(
        concat!(
            "SELECT id, (SELECT count(*) FROM messages WHERE project_id = projects.id \
             AND status IN (",
            queued!(),
            ")) FROM projects ORDER BY id"
        ),
        &[],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.id()?, columns.count()?))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::plans::Way;
    use crate::testing::TestDatabase;

    #[test]
    fn the_dispatcher_s_questions_each_have_an_index() {
        let database = TestDatabase::fresh();
        let store = database.open();
        for (sql, values, index) in [
            (CLAIM, 4, "messages_queue"),
            (WAITING, 2, "messages_queue"),
            (SIMULATED, 3, "messages_simulated (phone_id=? AND state=?)"),
            (SIMULATED_ON, 1, "messages_simulated (phone_id>?)"),
            (ON_DEVICE, 2, "messages_on_link"),
            (HELD, 1, "messages_on_link"),
            (ASKED_BACK, 1, "messages_asked_back"),
            (LIFE_ENDED, 5, "messages_life"),
            (OPEN_EXPOSURES, 1, "messages_on_link"),
            (ROUTED, 4, "messages_routed"),
            (OPEN_OF_BROADCAST, 3, "messages_by_broadcast"),
            (QUEUED, 2, "messages_queue"),
        ] {
            let none = vec![Value::Null; values];
            let plan = store.read_blocking(move |tx| Way::of(tx, sql, &none));
            let plan = plan.unwrap();
            assert!(plan.takes(index), "{plan:?}");
        }
    }
}
