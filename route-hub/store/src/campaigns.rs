//! Campaigns.

use crate::damaged::Place;
use crate::list::{self, Column, Kind, Link, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Campaign, CampaignStatus, CampaignType, fold};
use postrider_model::{CampaignId, ContactId, GroupId, Key, LabelId, ProjectId, UnixMs};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, campaign_type, name, status, message, group_id, exclude_group_id, \
         respondent_group_id, timezone_id, at_time, schedule_time, date_variable, items, \
         broadcast_id, message_count, problem, revision, time_created, time_updated"
    };
}

/// The column of the message, as errors name it.
pub const MESSAGE: usize = 5;
/// The column of the items, as errors name it.
pub const ITEMS: usize = 13;
/// Longest time between a message's making and its sending.
const LIFE_MS: i64 = 31 * 24 * 3_600_000;

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind, Link};

    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
    /// The code of the status.
    pub const STATUS: Column = Column::filled("status", Kind::Int);
    /// The code of the type.
    pub const CAMPAIGN_TYPE: Column = Column::filled("campaign_type", Kind::Int);
    /// The group that it is for.
    pub const GROUP_ID: Column = Column::new("group_id", Kind::Int);
    /// When it was made.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::TimeMade);
    /// When it is sent.
    pub const SCHEDULE_TIME: Column = Column::new("schedule_time", Kind::Time);
    /// The labels of its messages.
    pub const LABEL: Link = Link {
        table: "campaign_labels",
        holder: "label_id",
        held: "campaign_id",
        on: "id",
    };
}

const TABLE: Table<Campaign> = Table::plain("campaigns", columns!(), read);

/// Stores a new campaign.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has one of this name.
pub fn insert(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO campaigns (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, \
             $15, $16, $17, $18, $19, $20, $21)"
        ),
        &values![
            campaign.id,
            campaign.project_id,
            campaign.campaign_type.code(),
            &campaign.name,
            campaign.status.code(),
            &campaign.message,
            campaign.group_id,
            campaign.exclude_group_id,
            campaign.respondent_group_id,
            &campaign.timezone_id,
            campaign.at_time,
            campaign.schedule_time,
            &campaign.date_variable,
            &campaign.items,
            campaign.broadcast_id,
            campaign.message_count,
            &campaign.problem,
            campaign.revision,
            campaign.time_created,
            campaign.time_updated,
            fold(&campaign.name),
        ],
    )
}

/// Stores a changed campaign, unless it was changed meanwhile; says whether it was stored.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has another of this name.
pub fn update(tx: &mut Tx<'_>, campaign: &Campaign) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE campaigns SET name = $3, name_folded = $4, status = $5, message = $6, \
         group_id = $7, exclude_group_id = $8, respondent_group_id = $9, timezone_id = $10, \
         at_time = $11, schedule_time = $12, date_variable = $13, items = $14, \
         broadcast_id = $15, problem = $16, time_updated = $17, revision = revision + 1 \
         WHERE id = $1 AND revision = $2",
        &values![
            campaign.id,
            campaign.revision,
            &campaign.name,
            fold(&campaign.name),
            campaign.status.code(),
            &campaign.message,
            campaign.group_id,
            campaign.exclude_group_id,
            campaign.respondent_group_id,
            &campaign.timezone_id,
            campaign.at_time,
            campaign.schedule_time,
            &campaign.date_variable,
            &campaign.items,
            campaign.broadcast_id,
            &campaign.problem,
            campaign.time_updated,
        ],
    )?;
    Ok(changed == 1)
}

/// Stores which labels a campaign names, in place of those before.
pub fn label(tx: &mut Tx<'_>, id: CampaignId, labels: &[LabelId]) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM campaign_labels WHERE campaign_id = $1",
        &values![id],
    )?;
    labels.iter().try_for_each(|label| {
        tx.run(
            "INSERT INTO campaign_labels (label_id, campaign_id) VALUES ($1, $2) \
             ON CONFLICT (label_id, campaign_id) DO NOTHING",
            &values![*label, id],
        )
    })
}

/// Counts messages that were sent by the dates of contacts.
pub fn count_sent(tx: &mut Tx<'_>, id: CampaignId, sent: i64) -> Result<(), StoreError> {
    tx.run(
        "UPDATE campaigns SET message_count = message_count + $2 WHERE id = $1",
        &values![id, sent],
    )
}

/// Removes a project's campaign; says whether there was one.
pub fn delete(tx: &mut Tx<'_>, project_id: ProjectId, id: CampaignId) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM campaigns WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    if removed == 1 {
        label(tx, id, &[])?;
    }
    Ok(removed == 1)
}

/// Returns a project's campaign.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: CampaignId,
) -> Result<Option<Campaign>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM campaigns WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a project's campaign of a name, without regard to case.
pub fn by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    name: &str,
) -> Result<Option<Campaign>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM campaigns WHERE project_id = $1 AND name_folded = $2"
        ),
        &values![project_id, fold(name)],
        read,
    )
}

/// Finds what is due along an index that has nothing but what waits for a time.
const DUE: &str = "SELECT schedule_time, id, project_id FROM campaigns \
     WHERE status = 2 AND schedule_time <= $1 AND (schedule_time, id) > ($2, $3) \
     ORDER BY schedule_time NULLS FIRST, id LIMIT $4";

/// Returns where campaigns stand whose time has come, after a place that was seen before, the longest due
/// first.
pub fn due(
    tx: &mut Tx<'_>,
    now: UnixMs,
    after: (UnixMs, i64),
    limit: u32,
) -> Result<Vec<Place>, StoreError> {
    tx.query(DUE, &values![now, after.0, after.1, limit], Place::read)
}

/// Makes drafts of a project's campaigns whose time has come; returns how many.
pub fn call_off_due(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    now: UnixMs,
    problem: &str,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE campaigns SET status = $3, problem = $4, revision = revision + 1 \
         WHERE status = 2 AND schedule_time <= $2 AND project_id = $1",
        &values![project_id, now, CampaignStatus::Draft.code(), problem],
    )
}

/// The groups of those who answer, of campaigns by which messages went out to a contact.
const ANSWERED: &str = "SELECT DISTINCT respondent_group_id FROM campaigns WHERE project_id = $1 \
     AND respondent_group_id IS NOT NULL AND id IN (SELECT campaign_id FROM messages \
     WHERE contact_id = $2 AND campaign_id IS NOT NULL AND id >= $3 AND time_sent > $4)";

/// Returns the groups of those who answer, of campaigns by which messages went out to a contact since a
/// moment.
pub fn answered(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    contact: ContactId,
    since: UnixMs,
) -> Result<Vec<GroupId>, StoreError> {
    let first = Key::first_of_ms(since.plus_ms(-LIFE_MS).0);
    tx.query(
        ANSWERED,
        &values![project_id, contact, first.get(), since],
        |row| row.id(0),
    )
}

const SENT: &str = "SELECT 1 FROM messages WHERE contact_id = $1 AND campaign_id = $2 \
     AND id >= $3 AND id < $4 LIMIT 1";

/// Says whether a campaign made a message for a contact from one moment to another.
pub fn has_sent(
    tx: &mut Tx<'_>,
    campaign: CampaignId,
    contact: ContactId,
    (from, until): (UnixMs, UnixMs),
) -> Result<bool, StoreError> {
    let first = |at: UnixMs| Key::first_of_ms(at.0).get();
    let (from, until) = (first(from), first(until));
    let sent = tx.query_one(SENT, &values![contact, campaign, from, until], |_| Ok(()))?;
    Ok(sent.is_some())
}

/// Returns a page of a project's campaigns.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Campaign>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's campaigns that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<Campaign, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Campaign {
        id: columns.id()?,
        project_id: columns.id()?,
        campaign_type: columns.coded(CampaignType::from_code)?,
        name: columns.text()?,
        status: columns.coded(CampaignStatus::from_code)?,
        message: columns.text()?,
        group_id: columns.opt_id()?,
        exclude_group_id: columns.opt_id()?,
        respondent_group_id: columns.opt_id()?,
        timezone_id: columns.text()?,
        at_time: columns.flag()?,
        schedule_time: columns.opt_time()?,
        date_variable: columns.opt_text()?,
        items: columns.text()?,
        broadcast_id: columns.opt_id()?,
        message_count: columns.int()?,
        problem: columns.opt_text()?,
        revision: columns.int()?,
        time_created: columns.time()?,
        time_updated: columns.time()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::Way;
    use crate::testing::TestDatabase;

    #[test]
    fn background_work_walks_an_index() {
        let database = TestDatabase::fresh();
        let store = database.open();
        for (sql, values, index) in [
            (DUE, [5, 0, 0, 10], "campaigns_due"),
            (ANSWERED, [1, 2, 3, 4], "messages_by_campaign"),
            (SENT, [1, 2, 3, 4], "messages_by_campaign"),
        ] {
            let plan = store.read_blocking(move |tx| {
                let [a, b, c, d] = values;
                Way::of(tx, sql, &values![a, b, c, d])
            });
            let plan = plan.unwrap();
            assert!(plan.takes(index), "{plan:?}");
        }
    }
}
