//! Messages by where their short links lead.
//!
//! A message with links whose clicks count has counters beside those of all messages: one for each
//! different destination, and one that says that it has any. What these leave of all messages has none.
//! What a message is counted under is kept as long as its row, so that a change moves it between the
//! same counters, whatever became of its links.

use super::Span;
use super::sums::{columns_of_quarters, read};
use crate::row::Cursor;
use crate::value::rows_of_parameters;
use crate::{StoreError, Tx, Value, values};
use hub_domain::{
    Amounts, Counted, CountedBy, CountedLink, Message, Quarter, ShortLink, destinations_of_day,
};
use postrider_model::{MessageId, ProjectId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// All destinations of a day are read where more than these are looked for.
const SINGLE_MAX: usize = 4;
/// Rows that are stored with one statement, where there are as many.
const ROWS: usize = 50;

/// A project, and the numbers that its destinations of one day may have.
type Day = (ProjectId, (i64, i64));
/// Where the links of a message lead.
type Destinations<'l> = BTreeSet<&'l str>;

/// Counts new messages by where their links lead, where clicks on these count.
pub fn count_links(
    tx: &mut Tx<'_>,
    messages: &[Message],
    links: &[ShortLink],
) -> Result<(), StoreError> {
    if links.is_empty() {
        return Ok(());
    }
    let of_messages = by_message(links);
    let with_links = messages.iter().filter_map(|message| {
        let own = of_messages.get(&message.id)?;
        message.track_clicks.then_some((message, own))
    });
    let with_links: Vec<_> = with_links.collect();
    let known = known(tx, &with_links)?;
    let mut rows = Vec::new();
    for (message, own) in with_links {
        let of_day = &known[&day_of(message)];
        let mut under: BTreeSet<_> = own.iter().map(|to| of_day[to]).collect();
        under.insert(CountedLink::Any);
        let counted = Counted::of(message);
        for link in under {
            let by = counted.by.clone();
            tx.counts().add_link(link, by, counted.amounts);
            rows.push((message.id, link));
        }
    }
    insert_all(tx, &rows)
}

fn by_message(links: &[ShortLink]) -> BTreeMap<MessageId, Destinations<'_>> {
    let mut of_messages: BTreeMap<_, Destinations<'_>> = BTreeMap::new();
    for link in links.iter().filter(|link| link.is_counted) {
        if let Some(address) = link.target.address() {
            let own = of_messages.entry(link.message_id).or_default();
            own.insert(address);
        }
    }
    of_messages
}

/// Returns what the destinations of messages are counted under, by day.
fn known<'l>(
    tx: &mut Tx<'_>,
    messages: &[(&Message, &Destinations<'l>)],
) -> Result<BTreeMap<Day, BTreeMap<&'l str, CountedLink>>, StoreError> {
    let mut of_days: BTreeMap<Day, Destinations<'_>> = BTreeMap::new();
    for (message, own) in messages {
        of_days.entry(day_of(message)).or_default().extend(*own);
    }
    let days = of_days.into_iter();
    days.map(|(day, wanted)| Ok((day, numbered(tx, day, &wanted)?)))
        .collect()
}

fn day_of(message: &Message) -> Day {
    let day = destinations_of_day(Quarter::of(message.time_created));
    (message.project_id, day)
}

/// Returns what these destinations of a day are counted under; new ones get the next numbers, as long as
/// the day has any.
fn numbered<'l>(
    tx: &mut Tx<'_>,
    (project_id, day): Day,
    wanted: &Destinations<'l>,
) -> Result<BTreeMap<&'l str, CountedLink>, StoreError> {
    let found = match wanted.len() {
        ..=SINGLE_MAX => found_singly(tx, project_id, day, wanted)?,
        _ => found_of_day(tx, project_id, day)?,
    };
    let mut free = None;
    let mut links = BTreeMap::new();
    for to in wanted {
        let link = match found.get(*to) {
            Some(number) => CountedLink::Destination(*number),
            None => {
                let free = match &mut free {
                    Some(free) => free,
                    None => free.insert(first_free(tx, project_id, day)?..day.1),
                };
                named(tx, project_id, free.next(), to)?
            }
        };
        links.insert(*to, link);
    }
    Ok(links)
}

fn found_singly(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    (first, until): (i64, i64),
    wanted: &Destinations<'_>,
) -> Result<BTreeMap<String, i64>, StoreError> {
    let mut found = BTreeMap::new();
    for to in wanted {
        let number = tx.query_one(
            "SELECT number FROM link_destinations WHERE project_id = $1 \
             AND substr(destination, 1, 300) = substr($2, 1, 300) AND destination = $2 \
             AND number >= $3 AND number < $4",
            &values![project_id, *to, first, until],
            |row| row.int(0),
        )?;
        found.extend(number.map(|number| ((*to).to_owned(), number)));
    }
    Ok(found)
}

fn found_of_day(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    (first, until): (i64, i64),
) -> Result<BTreeMap<String, i64>, StoreError> {
    let found = tx.query(
        "SELECT destination, number FROM link_destinations \
         WHERE project_id = $1 AND number >= $2 AND number < $3",
        &values![project_id, first, until],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.text()?, columns.int()?))
        },
    )?;
    Ok(found.into_iter().collect())
}

fn first_free(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    (first, until): (i64, i64),
) -> Result<i64, StoreError> {
    let last = tx.query_one(
        "SELECT number FROM link_destinations \
         WHERE project_id = $1 AND number >= $2 AND number < $3 ORDER BY number DESC LIMIT 1",
        &values![project_id, first, until],
        |row| row.int(0),
    )?;
    Ok(last.map_or(first, |last| last + 1))
}

/// Gives a destination the next number, if its day has one left.
fn named(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    number: Option<i64>,
    to: &str,
) -> Result<CountedLink, StoreError> {
    let Some(number) = number else {
        return Ok(CountedLink::Other);
    };
    tx.run(
        "INSERT INTO link_destinations (project_id, number, destination) VALUES ($1, $2, $3)",
        &values![project_id, number, to],
    )?;
    Ok(CountedLink::Destination(number))
}

/// Notes what messages are counted under, many with one statement.
fn insert_all(tx: &mut Tx<'_>, counted: &[(MessageId, CountedLink)]) -> Result<(), StoreError> {
    static ONE: LazyLock<String> = LazyLock::new(|| insert(1));
    static MANY: LazyLock<String> = LazyLock::new(|| insert(ROWS));
    let chunks = counted.chunks_exact(ROWS);
    let rest = chunks.remainder();
    for some in chunks {
        let values: Vec<_> = some.iter().flat_map(row).collect();
        tx.run(&MANY, &values)?;
    }
    rest.iter().try_for_each(|one| tx.run(&ONE, &row(one)))
}

fn insert(rows: usize) -> String {
    let insert = "INSERT INTO counted_links (message_id, link) VALUES ";
    insert.to_owned() + &rows_of_parameters(rows, 2)
}

fn row((message_id, link): &(MessageId, CountedLink)) -> [Value<'static>; 2] {
    values![*message_id, link.code()]
}

/// Moves a changed message to where it is now, under all that it was counted under.
pub(super) fn recount(
    tx: &mut Tx<'_>,
    before: &Counted,
    after: &Counted,
    message: &Message,
) -> Result<(), StoreError> {
    if !message.track_clicks {
        return Ok(());
    }
    let under = tx.query(
        "SELECT link FROM counted_links WHERE message_id = $1",
        &values![message.id],
        |row| Cursor::new(row).coded(CountedLink::from_code),
    )?;
    for link in under {
        let counts = tx.counts();
        counts.add_link(link, before.by.clone(), -before.amounts);
        counts.add_link(link, after.by.clone(), after.amounts);
    }
    Ok(())
}

/// Forgets what a message was counted under: it changes no more.
pub(crate) fn forget(tx: &mut Tx<'_>, message_id: MessageId) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM counted_links WHERE message_id = $1",
        &values![message_id],
    )
}

/// Hands on each counter of messages with links of a project's quarter hours, with the address of a
/// destination.
pub fn of_links(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    within: Span,
    mut each: impl FnMut(CountedLink, Option<&str>, CountedBy, Amounts),
) -> Result<(), StoreError> {
    tx.query(
        concat!(
            "SELECT link, (SELECT destination FROM link_destinations AS named \
             WHERE named.project_id = link_counts.project_id AND named.number = link_counts.link), ",
            columns_of_quarters!(),
            " FROM link_counts WHERE project_id = $1 AND quarter >= $2 AND quarter < $3"
        ),
        &values![project_id, within.first.0, within.until.0],
        |row| {
            let mut columns = Cursor::new(row);
            let (link, to) = (columns.coded(CountedLink::from_code)?, columns.opt_text()?);
            let (_, by, amounts) = read(&mut columns)?;
            each(link, to.as_deref(), by, amounts);
            Ok(())
        },
    )?;
    Ok(())
}
