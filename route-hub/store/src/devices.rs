//! Devices and the counters of their links.

use crate::changes::{self, Scope};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Device, DeviceState};
use postrider_model::{DeviceId, ProjectId, UnixMs};

macro_rules! columns {
    () => {
        "id, organization_id, project_id, name, public_key, key_algorithm, install, conn, gen, \
         down_sent, down_acked, up, state, frozen, time_paired, time_last_seen, facts, \
         offline_since, gen_own, connected_to"
    };
}

/// Stores a new device.
pub fn insert(tx: &mut Tx<'_>, device: &Device) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO devices (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
             $18, $19, $20)"
        ),
        &values![
            device.id,
            device.organization_id,
            device.project_id,
            &device.name,
            &device.public_key,
            &device.key_algorithm,
            &device.install,
            device.conn,
            device.gen_seen,
            device.down_sent,
            device.down_acked,
            device.up,
            device.state.code(),
            device.frozen,
            device.time_paired,
            device.time_last_seen,
            &device.facts,
            device.offline_since,
            device.gen_own,
            device.connected_to,
        ],
    )?;
    Ok(())
}

/// Stores all of a device; its owner stays.
pub fn update(tx: &mut Tx<'_>, device: &Device) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE devices SET name = $2, public_key = $3, key_algorithm = $4, install = $5, \
         conn = $6, gen = $7, down_sent = $8, down_acked = $9, up = $10, state = $11, \
         frozen = $12, time_paired = $13, time_last_seen = $14, facts = $15, offline_since = $16, \
         gen_own = $17, connected_to = $18 WHERE id = $1",
        &values![
            device.id,
            &device.name,
            &device.public_key,
            &device.key_algorithm,
            &device.install,
            device.conn,
            device.gen_seen,
            device.down_sent,
            device.down_acked,
            device.up,
            device.state.code(),
            device.frozen,
            device.time_paired,
            device.time_last_seen,
            &device.facts,
            device.offline_since,
            device.gen_own,
            device.connected_to,
        ],
    )?;
    changes::raise(tx, Scope::Device(device.id))?;
    Ok(changed == 1)
}

/// What a link keeps between connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkCounters {
    /// The highest connection number.
    pub conn: u64,
    /// The hub's generation that the device answered to.
    pub gen_seen: u64,
    /// The highest number given to a frame for it.
    pub down_sent: u64,
    /// The highest number it acked.
    pub down_acked: u64,
    /// The highest number of its own that is committed here.
    pub up: u64,
}

/// Stores a link's counters: the one write of every commit on a link.
pub fn update_link(tx: &mut Tx<'_>, id: DeviceId, link: &LinkCounters) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET conn = $2, gen = $3, down_sent = $4, down_acked = $5, up = $6 \
         WHERE id = $1",
        &values![
            id,
            link.conn,
            link.gen_seen,
            link.down_sent,
            link.down_acked,
            link.up
        ],
    )?;
    Ok(())
}

/// Stores an admitted connection: installation, counters and presence.
pub fn admit(
    tx: &mut Tx<'_>,
    device: &Device,
    link: &LinkCounters,
    now: UnixMs,
) -> Result<(), StoreError> {
    update_link(tx, device.id, link)?;
    tx.run(
        "UPDATE devices SET install = $2, time_last_seen = $3, offline_since = NULL, gen_own = $4, \
         connected_to = $5 WHERE id = $1",
        &values![
            device.id,
            &device.install,
            now,
            device.gen_own,
            device.connected_to
        ],
    )?;
    note_presence(tx, device.id)
}

/// Has the other processes on a server learn where a device is connected.
fn note_presence(tx: &mut Tx<'_>, id: DeviceId) -> Result<(), StoreError> {
    if tx.is_shared() {
        changes::note(tx, Scope::Presence(id))
    } else {
        Ok(())
    }
}

/// Notes that a device was heard until `now`, and is offline since.
pub fn left(tx: &mut Tx<'_>, id: DeviceId, now: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET time_last_seen = $2, offline_since = $2, connected_to = NULL \
         WHERE id = $1",
        &values![id, now],
    )?;
    note_presence(tx, id)
}

/// Returns the process that a device is connected to.
pub fn connected_to(tx: &mut Tx<'_>, id: DeviceId) -> Result<Option<u8>, StoreError> {
    let sql = "SELECT connected_to FROM devices WHERE id = $1";
    let found = tx.query_one(sql, &values![id], |row| process(row.opt_int(0)?))?;
    Ok(found.flatten())
}

/// Reads the number of a process.
fn process(stored: Option<i64>) -> Result<Option<u8>, StoreError> {
    let number = stored.map(u8::try_from).transpose();
    number.map_err(|_| StoreError::BadRow { column: 19 })
}

/// Notes that no device is connected to any process: those that were are offline since `now`.
pub(crate) fn all_left(tx: &mut Tx<'_>, now: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET connected_to = NULL, offline_since = $1 WHERE connected_to IS NOT NULL",
        &values![now],
    )
}

/// Returns the projects of the devices that are connected to a process.
pub fn projects_connected_to(tx: &mut Tx<'_>, process: u8) -> Result<Vec<ProjectId>, StoreError> {
    tx.query(
        "SELECT DISTINCT project_id FROM devices WHERE connected_to = $1",
        &values![i64::from(process)],
        |row| row.id(0),
    )
}

/// Notes for up to `step` devices of a project that the process they were connected to has ended:
/// they are offline since `now`. Says how many there were.
pub fn process_ended(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    process: u8,
    now: UnixMs,
    step: u32,
) -> Result<usize, StoreError> {
    let ended = tx.execute(
        "UPDATE devices SET connected_to = NULL, offline_since = $3 WHERE id IN \
         (SELECT id FROM devices WHERE connected_to = $2 AND project_id = $1 LIMIT $4)",
        &values![project_id, i64::from(process), now, i64::from(step)],
    )?;
    if ended > 0 {
        changes::note(tx, Scope::Rows(project_id))?;
    }
    Ok(ended)
}

/// Changes whether a device may connect.
pub fn set_state(tx: &mut Tx<'_>, id: DeviceId, state: DeviceState) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET state = $2 WHERE id = $1",
        &values![id, state.code()],
    )?;
    changes::raise(tx, Scope::Device(id))
}

/// Freezes or frees dispatch to a device.
pub fn set_frozen(tx: &mut Tx<'_>, id: DeviceId, frozen: bool) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET frozen = $2 WHERE id = $1",
        &values![id, frozen],
    )?;
    Ok(())
}

/// Freezes a device until it has answered to a generation of its own.
pub fn freeze(tx: &mut Tx<'_>, id: DeviceId, gen_own: u64) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET frozen = 1, gen_own = $2 WHERE id = $1",
        &values![id, gen_own],
    )?;
    Ok(())
}

/// Stores whether a device is frozen by its own numbers alone.
pub fn set_frozen_alone(tx: &mut Tx<'_>, id: DeviceId, alone: bool) -> Result<(), StoreError> {
    tx.run(
        "UPDATE devices SET frozen_alone = $2 WHERE id = $1",
        &values![id, alone],
    )?;
    Ok(())
}

/// Says whether a device is frozen by its own numbers alone.
pub fn is_frozen_alone(tx: &mut Tx<'_>, id: DeviceId) -> Result<bool, StoreError> {
    let alone = tx.query_one(
        "SELECT frozen_alone FROM devices WHERE id = $1",
        &values![id],
        |row| row.flag(0),
    )?;
    Ok(alone.unwrap_or(false))
}

/// Returns the highest generation that any device is in, or is to agree on.
pub fn highest_generation(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let mut highest = 0;
    for sql in [
        "SELECT max(gen) FROM devices",
        "SELECT max(gen_own) FROM devices",
    ] {
        let found = tx.query_one(sql, &[], |row| row.opt_int(0))?;
        highest = highest.max(found.flatten().unwrap_or(0).unsigned_abs());
    }
    Ok(highest)
}

/// Says whether a project waits for the word of a device that may still come.
pub fn any_frozen(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM devices WHERE project_id = $1 AND frozen = 1 AND state = $2 LIMIT 1",
        &values![project_id, DeviceState::Active.code()],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Says whether any device of a project is frozen, in service or not.
pub fn any_frozen_at_all(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM devices WHERE project_id = $1 AND frozen = 1 LIMIT 1",
        &values![project_id],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Returns a device.
pub fn get(tx: &mut Tx<'_>, id: DeviceId) -> Result<Option<Device>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM devices WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns a project's devices, oldest first.
pub fn of_project(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<Vec<Device>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM devices WHERE project_id = $1 ORDER BY id"
        ),
        &values![project_id],
        read,
    )
}

/// Returns every device, oldest first.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Device>, StoreError> {
    tx.query(
        concat!("SELECT ", columns!(), " FROM devices ORDER BY id"),
        &[],
        read,
    )
}

fn read(row: &Row<'_>) -> Result<Device, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Device {
        id: columns.id()?,
        organization_id: columns.id()?,
        project_id: columns.id()?,
        name: columns.text()?,
        public_key: columns.text()?,
        key_algorithm: columns.text()?,
        install: columns.text()?,
        conn: columns.count()?,
        gen_seen: columns.count()?,
        down_sent: columns.count()?,
        down_acked: columns.count()?,
        up: columns.count()?,
        state: columns.coded(DeviceState::from_code)?,
        frozen: columns.flag()?,
        time_paired: columns.time()?,
        time_last_seen: columns.opt_time()?,
        facts: columns.opt_text()?,
        offline_since: columns.opt_time()?,
        gen_own: columns.count()?,
        connected_to: process(columns.opt_int()?)?,
    })
}
