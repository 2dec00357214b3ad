//! Messages: as the API serves them here, as dispatch handles them in `dispatch`.

use crate::damaged::{self, Found};
use crate::list::{self, Column, Index, Kind, Link, ListQuery, Names, Page, Scope, Table};
use crate::row::Cursor;
use crate::value::rows_of_parameters;
use crate::{
    Row, StoreError, Tx, Value, files, labels, short_links, statistics, usage, values,
    webhook_deliveries,
};
use hub_domain::{
    Address, Direction, Disclosure, FileHolder, Medium, Message, MessageSource, MessageType,
    OnUnknown, Price, UsageType, Vars, files_of, status_code, status_from_code,
};
use ownership::OwnershipRow;
use postrider_model::{MessageId, MessageText, ProjectId, Secret, UnixMs};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, contact_id, phone_id, direction, message_type, source, status, \
         time_created, time_sent, time_updated, from_number, to_number, content, starred, \
         simulated, priority, error_message, error_code, external_id, num_parts, network_code, \
         duration, ring_time, vars, route_params, status_url, status_secret, send_attempts, state, \
         ep, device_id, install, down_s, flags, on_unknown, life_end, hidden, parts_done, \
         scheduled_id, route_id, broadcast_id, template, maker_sees, media, campaign_id, \
         track_clicks, price, price_currency"
    };
}

/// The statuses of a message that waits, at the hub or on a phone.
macro_rules! queued {
    () => {
        concat!(code!(status Queued), ", ", code!(status FailedQueued))
    };
}

/// How many columns these are.
const COLUMNS: usize = 49;
/// Messages that are stored with one statement, where there are as many.
const ROWS: usize = 50;

mod dispatch;
mod of_contact;
mod ownership;
pub(crate) mod retention;

pub use dispatch::*;
pub use of_contact::{OfContact, of_contact_below};
#[cfg(test)]
pub(crate) use retention::erase;
pub use retention::{Removed, Retention, any_old, purge_hidden, remove_old};

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind, Link};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
    /// The code of the direction.
    pub const DIRECTION: Column = Column::new("direction", Kind::Int);
    /// The code of the type.
    pub const MESSAGE_TYPE: Column = Column::new("message_type", Kind::Int);
    /// The code of the source.
    pub const SOURCE: Column = Column::new("source", Kind::Int);
    /// The code of the status.
    pub const STATUS: Column = Column::new("status", Kind::Int);
    /// Whether it is starred.
    pub const STARRED: Column = Column::new("starred", Kind::Flag);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// The id that a gateway gave it.
    pub const EXTERNAL_ID: Column = Column::new("external_id", Kind::Text);
    /// The contact.
    pub const CONTACT_ID: Column = Column::new("contact_id", Kind::Int);
    /// The scheduled message that made it.
    pub const SCHEDULED_ID: Column = Column::new("scheduled_id", Kind::Int);
    /// The broadcast that it is part of.
    pub const BROADCAST_ID: Column = Column::new("broadcast_id", Kind::Int);
    /// The phone.
    pub const PHONE_ID: Column = Column::new("phone_id", Kind::Int);
    /// A label that it has.
    pub const LABEL: Link = Link {
        table: "message_labels",
        holder: "label_id",
        held: "labelled_id",
        on: "id",
    };
    /// A group that its contact was put into.
    pub const GROUP: Link = Link {
        table: "group_members",
        holder: "group_id",
        held: "member_id",
        on: "contact_id",
    };
}

/// What kept conditions on messages may name.
pub const NAMES: Names = Names {
    columns: &[
        by::ID,
        by::DIRECTION,
        by::MESSAGE_TYPE,
        by::SOURCE,
        by::STATUS,
        by::STARRED,
        by::TIME_CREATED,
        by::EXTERNAL_ID,
        by::CONTACT_ID,
        by::SCHEDULED_ID,
        by::BROADCAST_ID,
        by::PHONE_ID,
    ],
    links: &[by::LABEL, by::GROUP],
};

const TABLE: Table<Message> = Table {
    name: "messages",
    columns: columns!(),
    computed: None,
    read,
    hidden: Some("hidden"),
    indexes: &[
        Index::scoped("external_id"),
        Index::alone("scheduled_id"),
        Index::alone("broadcast_id"),
        Index::alone("contact_id"),
        Index::alone("phone_id"),
        Index::scoped("status"),
    ],
    variables: None,
    searched: &[],
};

/// Stores a new message, and that it names the files that it carries.
pub fn insert(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    insert_row(tx, message)?;
    name_files(tx, message)
}

/// Counts a new message in the statistics, and in what its organization has and uses.
fn count_new(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    statistics::count(tx, message);
    let (project, key) = (message.project_id, message.id.key());
    usage::count_made(tx, project, UsageType::StoredMessages, key)?;
    if message.direction == Direction::Outgoing && !message.simulated {
        usage::count_made(tx, project, UsageType::ExternalMessagesDay, key)?;
    }
    Ok(())
}

fn insert_row(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    count_new(tx, message)?;
    tx.run(
        concat!(
            "INSERT INTO messages (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
             $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, \
             $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49)"
        ),
        &row(message),
    )
}

/// Stores new messages, many with one statement.
pub fn insert_all(tx: &mut Tx<'_>, messages: &[Message]) -> Result<(), StoreError> {
    static INSERT: LazyLock<String> = LazyLock::new(|| {
        let insert = concat!("INSERT INTO messages (", columns!(), ") VALUES ");
        insert.to_owned() + &rows_of_parameters(ROWS, COLUMNS)
    });
    let chunks = messages.chunks_exact(ROWS);
    let rest = chunks.remainder();
    for some in chunks {
        some.iter().try_for_each(|message| count_new(tx, message))?;
        let values: Vec<_> = some.iter().flat_map(row).collect();
        tx.run(&INSERT, &values)?;
    }
    rest.iter()
        .try_for_each(|message| insert_row(tx, message))?;
    messages
        .iter()
        .try_for_each(|message| name_files(tx, message))
}

fn name_files(tx: &mut Tx<'_>, message: &Message) -> Result<(), StoreError> {
    if message.media.is_empty() {
        return Ok(());
    }
    let by = (FileHolder::Message, message.id.get());
    files::name(tx, message.project_id, by, &files_of(&message.media)).map(drop)
}

/// Returns a message's values in the order of its columns.
fn row(message: &Message) -> [Value<'_>; COLUMNS] {
    let ownership = OwnershipRow::of(message);
    values![
        message.id,
        message.project_id,
        message.contact_id,
        message.phone_id,
        message.direction.code(),
        message.message_type.code(),
        message.source.code(),
        status_code(message.status),
        message.time_created,
        message.time_sent,
        message.time_updated,
        &message.from_number,
        &message.to_number,
        &message.content,
        message.starred,
        message.simulated,
        message.priority,
        &message.error_message,
        &message.error_code,
        &message.external_id,
        message.num_parts,
        &message.network_code,
        message.duration_sec,
        message.ring_time_sec,
        vars_json(&message.vars),
        &message.route_params,
        &message.status_url,
        &message.status_secret,
        ownership.send_attempts,
        ownership.state,
        ownership.ep,
        ownership.device_id,
        ownership.install,
        ownership.down_s,
        ownership.flags,
        message.on_unknown.code(),
        message.life_end,
        message.hidden,
        &message.parts_done,
        message.scheduled_id,
        message.route_id,
        message.broadcast_id,
        &message.disclosure.template,
        message.disclosure.maker_sees,
        Medium::all_to_json(&message.media),
        message.campaign_id,
        message.track_clicks,
        message.price.map(|price| price.millionths),
        message.price.as_ref().map(|price| price.currency.as_str()),
    ]
}

/// No variables are stored as NULL: most messages have none.
fn vars_json(vars: &Vars) -> Option<Cow<'static, str>> {
    (!vars.is_empty()).then(|| vars.to_json())
}

/// Returns a project's message; one that was deleted is not found.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: MessageId,
) -> Result<Option<Message>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM messages WHERE id = $1 AND project_id = $2 AND hidden = 0"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a message for the dispatcher, which knows no projects and no deletion.
pub fn by_key(tx: &mut Tx<'_>, id: MessageId) -> Result<Option<Message>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM messages WHERE id = $1"),
        &values![id],
        read,
    )
}

/// As [`by_key`], of a message that may be damaged.
pub fn found(tx: &mut Tx<'_>, id: i64) -> Result<Option<Found<Message>>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM messages WHERE id = $1"),
        &values![id],
        found_in,
    )
}

impl Found<Message> {
    /// Returns its key, which can always be read.
    pub fn key(&self) -> i64 {
        match self {
            Self::Row(message) => message.id.get(),
            Self::Damaged(damaged) => damaged.id,
        }
    }
}

/// Reads a message that may be damaged.
fn found_in(row: &Row<'_>) -> Result<Found<Message>, StoreError> {
    damaged::found(row, "messages", columns!(), read)
}

/// Counts a project's next messages from before there were counters, and says whether there are more.
/// One that cannot be read is left out.
pub fn count_some(tx: &mut Tx<'_>, project_id: ProjectId, limit: u32) -> Result<bool, StoreError> {
    let Some(range) = statistics::range(tx, project_id)? else {
        return Ok(false);
    };
    let next = between(tx, project_id, range, limit)?;
    for found in &next {
        if let Found::Row(message) = found {
            statistics::count(tx, message);
        }
    }
    statistics::counted_up_to(tx, project_id, next.last().map(Found::key))?;
    Ok(!next.is_empty())
}

/// Returns a project's messages above one key and up to another, oldest first.
fn between(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    (above, until): (i64, i64),
    limit: u32,
) -> Result<Vec<Found<Message>>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM messages WHERE project_id = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4"
        ),
        &values![project_id, above, until, limit],
        found_in,
    )
}

/// Stores what people may change: star, error message and variables.
pub fn update(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE messages SET starred = $3, error_message = $4, vars = $5, time_updated = $6 \
         WHERE id = $1 AND project_id = $2 AND hidden = 0",
        &values![
            message.id,
            message.project_id,
            message.starred,
            &message.error_message,
            vars_json(&message.vars),
            message.time_updated,
        ],
    )?;
    Ok(changed == 1)
}

/// Hides a deleted message, takes its labels off, ends its short links and forgets what was told of it;
/// says whether it was there to hide.
pub fn hide(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: MessageId,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE messages SET hidden = 1, time_updated = $3 \
         WHERE id = $1 AND project_id = $2 AND hidden = 0",
        &values![id, project_id, now],
    )?;
    if changed == 1 {
        usage::count(tx, project_id, UsageType::StoredMessages, -1, now)?;
        labels::forget(tx, id)?;
        webhook_deliveries::forget(tx, id)?;
        short_links::forget(tx, project_id, id)?;
        files::let_go(tx, FileHolder::Message, id.get(), now)?;
    }
    Ok(changed == 1)
}

/// Counts a project's messages that wait at the hub or on a phone, up to `most`.
pub fn count_queued(tx: &mut Tx<'_>, project_id: ProjectId, most: i64) -> Result<i64, StoreError> {
    let counted = tx.query_one(
        concat!(
            "SELECT count(*) FROM (SELECT 1 FROM messages WHERE project_id = $1 AND status IN (",
            queued!(),
            ") LIMIT $2) AS queued"
        ),
        &values![project_id, most],
        |row| row.int(0),
    )?;
    Ok(counted.unwrap_or(0))
}

/// Returns a page of a project's messages.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Message>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's messages that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Returns a price of its columns.
pub(crate) fn price(millionths: Option<i64>, currency: Option<String>) -> Option<Price> {
    Some(Price {
        millionths: millionths?,
        currency: currency?.parse().ok()?,
    })
}

pub(crate) fn read(row: &Row<'_>) -> Result<Message, StoreError> {
    let address = |text: &str| text.parse::<Address>().ok();
    let mut columns = Cursor::new(row);
    Ok(Message {
        id: columns.id()?,
        project_id: columns.id()?,
        contact_id: columns.opt_id()?,
        phone_id: columns.id()?,
        direction: columns.coded(Direction::from_code)?,
        message_type: columns.coded(MessageType::from_code)?,
        source: columns.coded(MessageSource::from_code)?,
        status: columns.coded(status_from_code)?,
        time_created: columns.time()?,
        time_sent: columns.opt_time()?,
        time_updated: columns.time()?,
        from_number: columns.opt_parsed(address)?,
        to_number: columns.opt_parsed(address)?,
        content: columns.opt_text()?.map(MessageText::from),
        starred: columns.flag()?,
        simulated: columns.flag()?,
        priority: columns.count()?,
        error_message: columns.opt_text()?,
        error_code: columns.opt_text()?,
        external_id: columns.opt_text()?,
        num_parts: columns.opt_count()?,
        network_code: columns.opt_text()?,
        duration_sec: columns.opt_int()?,
        ring_time_sec: columns.opt_int()?,
        vars: columns.opt_parsed(Vars::from_json)?.unwrap_or_default(),
        route_params: columns.opt_text()?,
        status_url: columns.opt_text()?,
        status_secret: columns.opt_text()?.map(Secret::new),
        ownership: ownership::read(&mut columns)?,
        on_unknown: columns.coded(OnUnknown::from_code)?,
        life_end: columns.opt_time()?,
        hidden: columns.flag()?,
        parts_done: columns.opt_text()?,
        scheduled_id: columns.opt_id()?,
        route_id: columns.opt_id()?,
        broadcast_id: columns.opt_id()?,
        disclosure: Disclosure {
            template: columns.opt_text()?.map(MessageText::from),
            maker_sees: columns.opt_flag()?,
        },
        media: columns
            .opt_parsed(Medium::all_from_json)?
            .unwrap_or_default(),
        campaign_id: columns.opt_id()?,
        track_clicks: columns.flag()?,
        price: price(columns.opt_int()?, columns.opt_text()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::list::{Filter, Op, Operand};
    use crate::plans::Way;
    use crate::testing::TestDatabase;
    use postrider_model::MessageStatus;

    /// Returns a store with a project of 2,000 messages: contact 1 has every hundredth, phone 1
    /// all, a few have failed.
    fn filled() -> (TestDatabase, Store) {
        let database = TestDatabase::fresh();
        let store = database.open();
        let fill = "INSERT INTO messages (id, project_id, contact_id, phone_id, direction, \
            message_type, source, status, state, priority, ep, flags, send_attempts, on_unknown, \
            hidden, starred, simulated, time_created, time_updated) \
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
            SELECT i, 0, CASE WHEN i % 100 = 0 THEN 1 ELSE i END, 1, 1, 1, 4, \
            CASE WHEN i % 400 = 0 THEN CAST($1 AS BIGINT) ELSE $2 END, 60, 1, 0, 0, 0, 0, 0, 0, 0, 5000, 5000 \
            FROM n";
        let codes = [MessageStatus::Failed, MessageStatus::Sent].map(status_code);
        let filled = store.write_blocking(move |tx| tx.execute(fill, &values![codes[0], codes[1]]));
        filled.unwrap();
        (database, store)
    }

    /// Returns how the engine would find a page of messages.
    fn plan(store: &Store, filters: &[(Column, Op, i64)]) -> Way {
        let compare = |(column, op, value): &(Column, Op, i64)| {
            Filter::new(*column, *op, Operand::Int(*value))
        };
        let query = ListQuery {
            filters: filters.iter().map(compare).collect(),
            descending: true,
            ..ListQuery::default()
        };
        let scope = [Scope::of_project(postrider_model::Id::new(
            postrider_model::Key::default(),
        ))];
        let plan = store.read_blocking(move |tx| list::explain(tx, &TABLE, &scope, &query));
        plan.unwrap()
    }

    #[test]
    fn a_group_of_one_may_have_many_messages() {
        let (_database, store) = filled();
        let joined = store.write_blocking(|tx| {
            tx.run("UPDATE messages SET contact_id = 1 WHERE id % 2 = 0", &[])?;
            let join =
                "INSERT INTO group_members (group_id, member_id, time_joined) VALUES (5, 1, 0)";
            tx.run(join, &[])
        });
        joined.unwrap();
        let failed = Operand::Int(status_code(MessageStatus::Failed));
        let query = ListQuery {
            filters: vec![
                Filter::within(by::GROUP, 5),
                Filter::new(by::STATUS, Op::Eq, failed),
            ],
            ..ListQuery::default()
        };
        let scope = [Scope::of_project(postrider_model::Id::new(
            postrider_model::Key::default(),
        ))];
        let plan = store.read_blocking(move |tx| list::explain(tx, &TABLE, &scope, &query));
        let plan: Way = plan.unwrap();
        assert!(plan.takes("messages_by_status"), "{plan:?}");
    }

    #[test]
    fn each_pair_of_filters_walks_the_index_with_the_fewest_rows() {
        let (_database, store) = filled();
        let is = |column, value| (column, Op::Eq, value);
        let code = |status| status_code(status);
        let (sent, failed) = (code(MessageStatus::Sent), code(MessageStatus::Failed));
        for (filters, index) in [
            (vec![], "messages_by_project"),
            (
                vec![is(by::DIRECTION, 1), is(by::SOURCE, 4)],
                "messages_by_project",
            ),
            (
                vec![is(by::CONTACT_ID, 1), is(by::STATUS, sent)],
                "messages_by_contact",
            ),
            (
                vec![is(by::CONTACT_ID, 1), is(by::DIRECTION, 1)],
                "messages_by_contact",
            ),
            (
                vec![is(by::BROADCAST_ID, 1), is(by::STATUS, sent)],
                "messages_by_broadcast",
            ),
            (
                vec![is(by::PHONE_ID, 1), is(by::DIRECTION, 1)],
                "messages_by_phone",
            ),
            (
                vec![is(by::PHONE_ID, 1), is(by::STATUS, failed)],
                "messages_by_status",
            ),
            (
                vec![is(by::PHONE_ID, 1), is(by::STATUS, sent)],
                "messages_by_status",
            ),
            (
                vec![is(by::DIRECTION, 1), is(by::STATUS, sent)],
                "messages_by_status",
            ),
            (
                vec![
                    is(by::STATUS, sent),
                    (by::TIME_CREATED, Op::Min, 4_000),
                    (by::TIME_CREATED, Op::Max, 9_000),
                ],
                "messages_by_status (project_id=? AND status=? AND id>?)",
            ),
            (vec![is(by::TIME_CREATED, 5_000)], "messages_by_project"),
        ] {
            let plan = plan(&store, &filters);
            assert!(plan.takes(index), "{filters:?}: {plan:?}");
            assert!(!plan.sorts(), "{filters:?} is sorted: {plan:?}");
        }
    }
}
