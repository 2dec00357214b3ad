//! Broadcasts: their rows and lists here, their way through their recipients in `way`, and what
//! their messages do to their counts in `counters`.

use crate::list::{self, Column, Index, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, messages, values};
use hub_domain::{
    Address, Broadcast, BroadcastCounts, BroadcastStage, BroadcastTo, ContactFilter, MessageSource,
    MessageType,
};
use postrider_model::{BroadcastId, GroupId, ProjectId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, title, message_type, source, scheduled_id, message, to_kind, group_id, \
         contact_filter, exclude_contact_id, stage, done_up_to, reached, estimated_count, problem, queued_count, \
         sent_count, failed_count, failed_queued_count, delivered_count, not_delivered_count, \
         cancelled_count, num_parts, reply_count, last_reply_time, last_message_time, \
         last_send_time, time_created, exclude_group_id, campaign_id, clicked_count, price, \
         price_currency"
    };
}

mod counters;
mod progress;

pub use counters::Tallies;
pub use progress::{
    advance, called_off, cancel, end, end_of_project, end_of_schedule, next_after, note_problem,
    walked,
};

/// The column of the message, as errors name it.
pub const MESSAGE: usize = 6;

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// When its last message was made.
    pub const LAST_MESSAGE_TIME: Column = Column::filled("last_message_time", Kind::Time);
}

const TABLE: Table<Broadcast> = Table {
    name: "broadcasts",
    columns: columns!(),
    computed: None,
    read,
    hidden: None,
    indexes: &[Index::scoped("last_message_time")],
    variables: None,
    searched: &[],
};

/// Stores a new broadcast; for numbers, with these.
pub fn insert(
    tx: &mut Tx<'_>,
    broadcast: &Broadcast,
    numbers: &[Address],
) -> Result<(), StoreError> {
    let (to_kind, group, filter) = columns_of(&broadcast.to);
    let counts = broadcast.counts;
    tx.run(
        concat!(
            "INSERT INTO broadcasts (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
             $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34)"
        ),
        &values![
            broadcast.id,
            broadcast.project_id,
            &broadcast.title,
            broadcast.message_type.code(),
            broadcast.source.code(),
            broadcast.scheduled_id,
            &broadcast.message,
            to_kind,
            group,
            filter,
            broadcast.exclude_contact_id,
            broadcast.stage.code(),
            broadcast.done_up_to,
            broadcast.reached,
            broadcast.estimated_count,
            &broadcast.problem,
            counts.queued,
            counts.sent,
            counts.failed,
            counts.failed_queued,
            counts.delivered,
            counts.not_delivered,
            counts.cancelled,
            broadcast.num_parts,
            broadcast.reply_count,
            broadcast.last_reply_time,
            broadcast.last_message_time,
            broadcast.last_send_time,
            broadcast.time_created,
            broadcast.exclude_group_id,
            broadcast.campaign_id,
            broadcast.clicked_count,
            broadcast.price.map_or(0, |price| price.millionths),
            broadcast
                .price
                .as_ref()
                .map(|price| price.currency.as_str()),
        ],
    )?;
    if broadcast.to == BroadcastTo::Numbers {
        let texts: Vec<_> = numbers.iter().map(Address::as_str).collect();
        tx.run(
            "INSERT INTO broadcast_numbers (broadcast_id, numbers) VALUES ($1, $2)",
            &values![broadcast.id, serde_json::json!(texts).to_string()],
        )?;
    }
    Ok(())
}

/// Returns the numbers that a broadcast is for; none for one that is for others.
pub fn numbers(tx: &mut Tx<'_>, id: BroadcastId) -> Result<Vec<Address>, StoreError> {
    let kept = tx.query_one(
        "SELECT numbers FROM broadcast_numbers WHERE broadcast_id = $1",
        &values![id],
        |row| {
            let texts = serde_json::from_str::<Vec<String>>(row.text_ref(0)?).ok();
            let numbers = texts.map(|texts| texts.iter().map(|text| text.parse().ok()).collect());
            numbers.flatten().ok_or(StoreError::BadRow { column: 0 })
        },
    )?;
    Ok(kept.unwrap_or_default())
}

/// Returns a project's broadcast.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: BroadcastId,
) -> Result<Option<Broadcast>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM broadcasts WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a page of a project's broadcasts.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Broadcast>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's broadcasts that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

const TO_GROUP: i64 = 1;
const TO_NUMBERS: i64 = 2;
const TO_REQUESTS: i64 = 3;
const TO_FILTER: i64 = 4;

fn columns_of(to: &BroadcastTo) -> (i64, Option<GroupId>, Option<String>) {
    match to {
        BroadcastTo::Group(id) => (TO_GROUP, Some(*id), None),
        BroadcastTo::Numbers => (TO_NUMBERS, None, None),
        BroadcastTo::Requests => (TO_REQUESTS, None, None),
        BroadcastTo::Filter(filter) => (TO_FILTER, None, Some(filter.to_json())),
    }
}

fn read(row: &Row<'_>) -> Result<Broadcast, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Broadcast {
        id: columns.id()?,
        project_id: columns.id()?,
        title: columns.text()?,
        message_type: columns.coded(MessageType::from_code)?,
        source: columns.coded(MessageSource::from_code)?,
        scheduled_id: columns.opt_id()?,
        message: columns.text()?,
        to: read_to(&mut columns)?,
        exclude_contact_id: columns.opt_id()?,
        stage: columns.coded(BroadcastStage::from_code)?,
        done_up_to: columns.int()?,
        reached: columns.int()?,
        estimated_count: columns.int()?,
        problem: columns.opt_text()?,
        counts: BroadcastCounts {
            queued: columns.int()?,
            sent: columns.int()?,
            failed: columns.int()?,
            failed_queued: columns.int()?,
            delivered: columns.int()?,
            not_delivered: columns.int()?,
            cancelled: columns.int()?,
        },
        num_parts: columns.int()?,
        reply_count: columns.int()?,
        last_reply_time: columns.opt_time()?,
        last_message_time: columns.time()?,
        last_send_time: columns.opt_time()?,
        time_created: columns.time()?,
        exclude_group_id: columns.opt_id()?,
        campaign_id: columns.opt_id()?,
        clicked_count: columns.int()?,
        price: messages::price(Some(columns.int()?), columns.opt_text()?),
    })
}

fn read_to(columns: &mut Cursor<'_>) -> Result<BroadcastTo, StoreError> {
    let (kind, group) = (columns.int()?, columns.opt_id()?);
    let filter = columns.opt_parsed(ContactFilter::from_json)?;
    match (kind, group, filter) {
        (TO_GROUP, Some(group), _) => Ok(BroadcastTo::Group(group)),
        (TO_NUMBERS, None, _) => Ok(BroadcastTo::Numbers),
        (TO_REQUESTS, None, _) => Ok(BroadcastTo::Requests),
        (TO_FILTER, None, Some(filter)) => Ok(BroadcastTo::Filter(filter)),
        _ => Err(StoreError::BadRow { column: 7 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{Filter, Op, Operand, Sort};
    use crate::plans::Way;
    use crate::testing::TestDatabase;
    use postrider_model::{Id, Key};

    fn plan(filters: Vec<Filter>, sort: Sort) -> Way {
        let database = TestDatabase::fresh();
        let store = database.open();
        let query = ListQuery {
            filters,
            sort,
            ..ListQuery::default()
        };
        let scope = [Scope::of_project(Id::new(Key::default()))];
        let plan = store.read_blocking(move |tx| list::explain(tx, &TABLE, &scope, &query));
        plan.unwrap()
    }

    #[test]
    fn lists_walk_an_index_that_has_their_order() {
        let since = |column| Filter::new(column, Op::Min, Operand::Int(5_000));
        let by_last = Sort::by(by::LAST_MESSAGE_TIME);
        for (filters, sort, index) in [
            (vec![], Sort::BY_ID, "broadcasts_by_project"),
            (vec![], by_last, "broadcasts_by_last_message"),
            (
                vec![since(by::LAST_MESSAGE_TIME)],
                by_last,
                "broadcasts_by_last_message",
            ),
            (
                vec![since(by::TIME_CREATED)],
                Sort::BY_ID,
                "broadcasts_by_project (project_id=? AND id>?)",
            ),
        ] {
            let plan = plan(filters.clone(), sort);
            assert!(plan.takes(index), "{filters:?}: {plan:?}");
            assert!(!plan.sorts(), "{filters:?} is sorted: {plan:?}");
        }
    }
}
