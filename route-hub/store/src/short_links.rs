//! Short links of messages.
//!
//! A link goes with its message when somebody deletes that, and stays when retention removes it.

use crate::row::Cursor;
use crate::value::rows_of_parameters;
use crate::{Row, StoreError, Tx, Value, values};
use hub_domain::{LinkCode, LinkTarget, ShortLink};
use postrider_model::{FileId, MessageId, ProjectId, UnixMs};
use std::sync::LazyLock;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "project_id, message_id, place, code, prefix, domain, destination, media_index, file_id, \
         counted, expiration_time, time_clicked, broadcast_id, clicked_group_id, life_ms"
    };
}

/// How many columns these are.
const COLUMNS: usize = 15;
/// Links that are stored with one statement, where there are as many.
const ROWS: usize = 50;

/// Stores new links, many with one statement.
pub fn insert_all(tx: &mut Tx<'_>, links: &[ShortLink]) -> Result<(), StoreError> {
    static ONE: LazyLock<String> = LazyLock::new(|| insert(1));
    static MANY: LazyLock<String> = LazyLock::new(|| insert(ROWS));
    let chunks = links.chunks_exact(ROWS);
    let rest = chunks.remainder();
    for some in chunks {
        let values: Vec<_> = some.iter().flat_map(row).collect();
        tx.run(&MANY, &values)?;
    }
    rest.iter().try_for_each(|link| tx.run(&ONE, &row(link)))
}

fn insert(rows: usize) -> String {
    let insert = concat!("INSERT INTO short_links (", columns!(), ") VALUES ");
    insert.to_owned() + &rows_of_parameters(rows, COLUMNS)
}

fn row(link: &ShortLink) -> [Value<'_>; COLUMNS] {
    let file = match link.target {
        LinkTarget::File { id, .. } => Some(id),
        LinkTarget::Address(_) | LinkTarget::Medium { .. } => None,
    };
    values![
        link.project_id,
        link.message_id,
        link.place,
        link.code.as_str(),
        &link.prefix,
        &link.domain,
        link.target.address(),
        link.target.media_index(),
        file,
        link.is_counted,
        link.expiration_time,
        link.time_clicked,
        link.broadcast_id,
        link.clicked_group_id,
        link.life_ms,
    ]
}

/// Returns the links of a message, in the order of its text.
pub fn of_message(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    message_id: MessageId,
) -> Result<Vec<ShortLink>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM short_links WHERE project_id = $1 AND message_id = $2 ORDER BY place"
        ),
        &values![project_id, message_id],
        read,
    )
}

/// Returns a link for whoever has it.
pub fn by_code(tx: &mut Tx<'_>, code: LinkCode) -> Result<Option<ShortLink>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM short_links WHERE code = $1"),
        &values![code.as_str()],
        read,
    )
}

/// What a click was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clicked {
    /// The first on any link of its message.
    FirstOfMessage,
    /// The first on this link alone.
    FirstOfLink,
    /// The link was clicked before, or is gone.
    Nothing,
}

/// Notes the click of a link, unless there was one.
pub fn click(tx: &mut Tx<'_>, link: &ShortLink, now: UnixMs) -> Result<Clicked, StoreError> {
    let clicked = tx.execute(
        "UPDATE short_links SET time_clicked = $4 WHERE project_id = $1 AND message_id = $2 \
         AND place = $3 AND time_clicked IS NULL",
        &values![link.project_id, link.message_id, link.place, now],
    )?;
    if clicked == 0 {
        return Ok(Clicked::Nothing);
    }
    let other = tx.query_one(
        "SELECT 1 FROM short_links WHERE project_id = $1 AND message_id = $2 AND place <> $3 \
         AND time_clicked IS NOT NULL LIMIT 1",
        &values![link.project_id, link.message_id, link.place],
        |_| Ok(()),
    )?;
    Ok(match other {
        None => Clicked::FirstOfMessage,
        Some(()) => Clicked::FirstOfLink,
    })
}

/// Has the links of a message end as long after `now`, when it is queued again, as after the first time.
pub fn renew(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    message_id: MessageId,
    time_created: UnixMs,
    now: UnixMs,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE short_links SET life_ms = COALESCE(life_ms, expiration_time - $3), \
         expiration_time = $4 + COALESCE(life_ms, expiration_time - $3) \
         WHERE project_id = $1 AND message_id = $2 AND expiration_time IS NOT NULL",
        &values![project_id, message_id, time_created, now],
    )
}

/// Removes the links of a message.
pub(crate) fn forget(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    message_id: MessageId,
) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM short_links WHERE project_id = $1 AND message_id = $2",
        &values![project_id, message_id],
    )
}

fn read(row: &Row<'_>) -> Result<ShortLink, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(ShortLink {
        project_id: columns.id()?,
        message_id: columns.id()?,
        place: columns.count()?,
        code: columns.parsed(|text| text.parse().ok())?,
        prefix: columns.text()?,
        domain: columns.opt_text()?,
        target: target(&mut columns)?,
        is_counted: columns.flag()?,
        expiration_time: columns.opt_time()?,
        time_clicked: columns.opt_time()?,
        broadcast_id: columns.opt_id()?,
        clicked_group_id: columns.opt_id()?,
        life_ms: columns.opt_int()?,
    })
}

fn target(columns: &mut Cursor<'_>) -> Result<LinkTarget, StoreError> {
    let address = columns.opt_text()?;
    let index: Option<u32> = columns.opt_count()?;
    let file: Option<FileId> = columns.opt_id()?;
    match (address, index, file) {
        (Some(address), None, None) => Ok(LinkTarget::Address(address)),
        (Some(address), Some(index), None) => Ok(LinkTarget::Medium { index, address }),
        (None, Some(index), Some(id)) => Ok(LinkTarget::File { index, id }),
        _ => Err(StoreError::BadRow { column: 6 }),
    }
}
