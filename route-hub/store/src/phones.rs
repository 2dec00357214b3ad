//! Phones (basic routes).

use crate::changes;
use crate::damaged::{self, Found};
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, usage, values};
use hub_domain::{
    KindQueue, Phone, PhoneType, PhoneWaits, QuietMode, Tariff, UsageType, Vars, WaitingFor, fold,
};
use postrider_model::{DeviceId, PhoneId, PhoneNumber, ProjectId, SimSlot, UnixMs};
use std::borrow::Cow;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, device_id, sim, name, phone_number, phone_type, country, send_paused, \
         time_created, last_active_time, vars, battery, charging, internet_type, app_version, \
         android_sdk, mccmnc, manufacturer, model, send_limit, sent_message_limit, \
         sent_message_count, sent_message_epoch, send_delay_ms, timezone_id, quiet_mode, \
         quiet_start, quiet_end, validate_recipient_numbers, allowed_recipient_countries, \
         window_size, sim_fingerprint, sim_changed, waiting_for, next_slot_time, auto_paused, \
         removed, quiet_released_until, send_limit_max, carrier, signal, forwarding, queue, kinds, \
         delivery_reports, device_send_limit_max, silent_after, unknown_after, report_window, \
         shift_tables, tariff"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// The name, without regard to case.
    pub const NAME: Column = Column::new("name_folded", Kind::Folded);
    /// The number.
    pub const PHONE_NUMBER: Column = Column::new("phone_number", Kind::Address);
    /// When it last did something.
    pub const LAST_ACTIVE_TIME: Column = Column::new("last_active_time", Kind::Time);
}

const TABLE: Table<Phone> = Table {
    name: "phones",
    columns: columns!(),
    computed: None,
    read,
    hidden: Some("removed"),
    indexes: &[],
    variables: None,
    searched: &[],
};

/// Stores a new phone.
pub fn insert(tx: &mut Tx<'_>, phone: &Phone) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO phones (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, \
             $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, \
             $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, \
             $47, $48, $49, $50, $51, $52, $53)"
        ),
        &values![
            phone.id,
            phone.project_id,
            phone.device_id,
            phone.sim.map(SimSlot::get),
            &phone.name,
            &phone.phone_number,
            phone.phone_type.code(),
            &phone.country,
            phone.send_paused,
            phone.time_created,
            phone.last_active_time,
            phone.vars.to_json(),
            phone.battery,
            phone.charging,
            &phone.internet_type,
            &phone.app_version,
            phone.android_sdk,
            &phone.mccmnc,
            &phone.manufacturer,
            &phone.model,
            phone.send_limit,
            phone.sent_message_limit,
            phone.sent_message_count,
            phone.sent_message_epoch,
            phone.send_delay_ms,
            &phone.timezone_id,
            phone.quiet_mode.code(),
            &phone.quiet_start,
            &phone.quiet_end,
            phone.validate_recipient_numbers,
            countries_json(phone),
            phone.window_size,
            &phone.sim_fingerprint,
            phone.sim_changed,
            phone.waiting_for.map(WaitingFor::code),
            phone.next_slot_time,
            phone.auto_paused,
            phone.removed,
            phone.quiet_released_until,
            phone.send_limit_max,
            &phone.carrier,
            phone.signal,
            phone.forwarding,
            phone.queue,
            KindQueue::all_to_json(&phone.kinds),
            phone.delivery_reports,
            phone.device_send_limit_max,
            phone.waits.silent_after,
            phone.waits.unknown_after,
            phone.waits.report_window,
            tables_json(phone),
            phone.tariff.as_ref().map(Tariff::to_json),
            fold(&phone.name),
        ],
    )?;
    usage::count_made(tx, phone.project_id, UsageType::Phones, phone.id.key())?;
    changes::raise(tx, changes::Scope::Rows(phone.project_id))
}

/// Stores all of a phone that may change: its id, project, device, slot, kind and creation stay.
pub fn update(tx: &mut Tx<'_>, phone: &Phone) -> Result<bool, StoreError> {
    let changed = update_told(tx, phone)?;
    changes::raise(tx, changes::Scope::Rows(phone.project_id))?;
    Ok(changed)
}

/// As [`update`], for what the phone tells of itself, which may be old in memory.
pub fn update_told(tx: &mut Tx<'_>, phone: &Phone) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE phones SET name = $3, name_folded = $4, phone_number = $5, country = $6, \
         send_paused = $7, last_active_time = $8, vars = $9, battery = $10, charging = $11, \
         internet_type = $12, app_version = $13, android_sdk = $14, mccmnc = $15, \
         manufacturer = $16, model = $17, send_limit = $18, sent_message_limit = $19, \
         sent_message_count = $20, sent_message_epoch = $21, send_delay_ms = $22, \
         timezone_id = $23, quiet_mode = $24, quiet_start = $25, quiet_end = $26, \
         validate_recipient_numbers = $27, allowed_recipient_countries = $28, window_size = $29, \
         sim_fingerprint = $30, sim_changed = $31, waiting_for = $32, next_slot_time = $33, \
         auto_paused = $34, removed = $35, quiet_released_until = $36, send_limit_max = $37, \
         carrier = $38, signal = $39, forwarding = $40, queue = $41, kinds = $42, \
         delivery_reports = $43, device_send_limit_max = $44, silent_after = $45, \
         unknown_after = $46, report_window = $47, shift_tables = $48, tariff = $49 \
         WHERE id = $1 AND project_id = $2",
        &values![
            phone.id,
            phone.project_id,
            &phone.name,
            fold(&phone.name),
            &phone.phone_number,
            &phone.country,
            phone.send_paused,
            phone.last_active_time,
            phone.vars.to_json(),
            phone.battery,
            phone.charging,
            &phone.internet_type,
            &phone.app_version,
            phone.android_sdk,
            &phone.mccmnc,
            &phone.manufacturer,
            &phone.model,
            phone.send_limit,
            phone.sent_message_limit,
            phone.sent_message_count,
            phone.sent_message_epoch,
            phone.send_delay_ms,
            &phone.timezone_id,
            phone.quiet_mode.code(),
            &phone.quiet_start,
            &phone.quiet_end,
            phone.validate_recipient_numbers,
            countries_json(phone),
            phone.window_size,
            &phone.sim_fingerprint,
            phone.sim_changed,
            phone.waiting_for.map(WaitingFor::code),
            phone.next_slot_time,
            phone.auto_paused,
            phone.removed,
            phone.quiet_released_until,
            phone.send_limit_max,
            &phone.carrier,
            phone.signal,
            phone.forwarding,
            phone.queue,
            KindQueue::all_to_json(&phone.kinds),
            phone.delivery_reports,
            phone.device_send_limit_max,
            phone.waits.silent_after,
            phone.waits.unknown_after,
            phone.waits.report_window,
            tables_json(phone),
            phone.tariff.as_ref().map(Tariff::to_json),
        ],
    )?;
    Ok(changed == 1)
}

/// Counts sent messages of a phone and keeps whether that paused it: the dispatcher's own write.
pub fn update_sent_count(tx: &mut Tx<'_>, phone: &Phone) -> Result<(), StoreError> {
    tx.run(
        "UPDATE phones SET sent_message_count = $2, send_paused = $3, auto_paused = $4, \
         last_active_time = $5 WHERE id = $1",
        &values![
            phone.id,
            phone.sent_message_count,
            phone.send_paused,
            phone.auto_paused,
            phone.last_active_time,
        ],
    )?;
    Ok(())
}

/// Stores when a test route may send again.
pub fn update_next_slot(tx: &mut Tx<'_>, phone: &Phone) -> Result<(), StoreError> {
    tx.run(
        "UPDATE phones SET next_slot_time = $2 WHERE id = $1",
        &values![phone.id, phone.next_slot_time],
    )?;
    Ok(())
}

/// Notes that a phone did something.
pub fn touch(tx: &mut Tx<'_>, id: PhoneId, now: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "UPDATE phones SET last_active_time = $2 WHERE id = $1",
        &values![id, now],
    )?;
    Ok(())
}

/// Returns a project's phone; one that was removed is not found.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: PhoneId,
) -> Result<Option<Phone>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM phones WHERE id = $1 AND project_id = $2 AND removed = 0"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns what a project's phones are called and what they are, those that were removed too.
pub fn names(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
) -> Result<Vec<(PhoneId, String, PhoneType)>, StoreError> {
    tx.query(
        "SELECT id, name, phone_type FROM phones WHERE project_id = $1",
        &values![project_id],
        |row| {
            let mut columns = Cursor::new(row);
            let (id, name) = (columns.id()?, columns.text()?);
            Ok((id, name, columns.coded(PhoneType::from_code)?))
        },
    )
}

/// Returns a phone for the dispatcher, which knows no projects.
pub fn by_key(tx: &mut Tx<'_>, id: PhoneId) -> Result<Option<Phone>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM phones WHERE id = $1"),
        &values![id],
        read,
    )
}

/// As [`by_key`], of a phone that may be damaged.
pub fn found(tx: &mut Tx<'_>, id: i64) -> Result<Option<Found<Phone>>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM phones WHERE id = $1"),
        &values![id],
        |row| damaged::found(row, "phones", columns!(), read),
    )
}

/// Returns a device's phones in the order of their slots.
pub fn of_device(tx: &mut Tx<'_>, device_id: DeviceId) -> Result<Vec<Phone>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM phones WHERE device_id = $1 AND removed = 0 ORDER BY sim NULLS FIRST"
        ),
        &values![device_id],
        read,
    )
}

/// Returns a project's phones, oldest first.
pub fn of_project(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<Vec<Phone>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM phones WHERE project_id = $1 AND removed = 0 ORDER BY id"
        ),
        &values![project_id],
        read,
    )
}

/// Returns every phone of a type that keeps quiet hours, oldest first; one that cannot be read is
/// passed over.
pub fn with_quiet_hours(tx: &mut Tx<'_>, phone_type: PhoneType) -> Result<Vec<Phone>, StoreError> {
    let found = tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM phones WHERE quiet_mode <> 0 AND removed = 0 AND phone_type = $1 \
             ORDER BY id"
        ),
        &values![phone_type.code()],
        |row| damaged::found(row, "phones", columns!(), read),
    )?;
    let readable = found.into_iter().filter_map(|found| match found {
        Found::Row(phone) => Some(phone),
        Found::Damaged(_) => None,
    });
    Ok(readable.collect())
}

/// Counts a project's phones, up to `most`.
pub fn count_up_to(tx: &mut Tx<'_>, project_id: ProjectId, most: u32) -> Result<u64, StoreError> {
    let counted = tx.query_one(
        "SELECT count(*) FROM (SELECT 1 FROM phones WHERE project_id = $1 AND removed = 0 \
         LIMIT $2) AS counted",
        &values![project_id, most],
        |row| row.int(0),
    )?;
    Ok(counted.map_or(0, i64::unsigned_abs))
}

/// Returns every phone that was not removed, oldest first.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Phone>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM phones WHERE removed = 0 ORDER BY id"
        ),
        &[],
        read,
    )
}

fn countries_json(phone: &Phone) -> Option<Cow<'static, str>> {
    let countries = phone.allowed_recipient_countries.as_ref()?;
    Some(Cow::Owned(
        serde_json::Value::from(countries.clone()).to_string(),
    ))
}

fn tables_json(phone: &Phone) -> Option<String> {
    let languages = &phone.shift_tables;
    (!languages.is_empty()).then(|| serde_json::Value::from(languages.clone()).to_string())
}

/// Returns a page of a project's phones.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Phone>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's phones that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

pub(crate) fn read(row: &Row<'_>) -> Result<Phone, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Phone {
        id: columns.id()?,
        project_id: columns.id()?,
        device_id: columns.opt_id()?,
        sim: columns.opt_coded(|slot| SimSlot::new(u8::try_from(slot).ok()?))?,
        name: columns.text()?,
        phone_number: columns.opt_parsed(|text| text.parse::<PhoneNumber>().ok())?,
        phone_type: columns.coded(PhoneType::from_code)?,
        country: columns.opt_text()?,
        send_paused: columns.flag()?,
        time_created: columns.time()?,
        last_active_time: columns.opt_time()?,
        vars: columns.parsed(Vars::from_json)?,
        battery: columns.opt_int()?,
        charging: columns.opt_flag()?,
        internet_type: columns.opt_text()?,
        app_version: columns.opt_text()?,
        android_sdk: columns.opt_int()?,
        mccmnc: columns.opt_text()?,
        manufacturer: columns.opt_text()?,
        model: columns.opt_text()?,
        send_limit: columns.opt_count()?,
        sent_message_limit: columns.opt_count()?,
        sent_message_count: columns.count()?,
        sent_message_epoch: columns.time()?,
        send_delay_ms: columns.int()?,
        timezone_id: columns.opt_text()?,
        quiet_mode: columns.coded(QuietMode::from_code)?,
        quiet_start: columns.opt_text()?,
        quiet_end: columns.opt_text()?,
        validate_recipient_numbers: columns.flag()?,
        allowed_recipient_countries: columns.opt_parsed(|text| serde_json::from_str(text).ok())?,
        window_size: columns.opt_count()?,
        sim_fingerprint: columns.opt_text()?,
        sim_changed: columns.flag()?,
        waiting_for: columns.opt_coded(WaitingFor::from_code)?,
        next_slot_time: columns.opt_time()?,
        auto_paused: columns.flag()?,
        removed: columns.flag()?,
        quiet_released_until: columns.opt_time()?,
        send_limit_max: columns.opt_count()?,
        carrier: columns.opt_text()?,
        signal: columns.opt_int()?,
        forwarding: columns.opt_flag()?,
        queue: columns.opt_count()?,
        kinds: columns
            .opt_parsed(KindQueue::all_from_json)?
            .unwrap_or_default(),
        delivery_reports: columns.flag()?,
        device_send_limit_max: columns.opt_count()?,
        waits: PhoneWaits {
            silent_after: columns.opt_count()?,
            unknown_after: columns.opt_count()?,
            report_window: columns.opt_count()?,
        },
        shift_tables: columns
            .opt_parsed(|text| serde_json::from_str(text).ok())?
            .unwrap_or_default(),
        tariff: columns.opt_parsed(Tariff::from_json)?,
    })
}
