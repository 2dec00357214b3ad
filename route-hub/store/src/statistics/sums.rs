//! Reading what was counted.

use super::Span;
use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::{
    Amounts, CountedBy, Direction, MessageSource, MessageType, Quarter, status_from_code,
};
use postrider_model::ProjectId;

/// The columns that both tables have, in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "project_id, first, until, phone_id, direction, message_type, source, status, simulated, \
         network_code, currency, messages, num_parts, duration_sec, price"
    };
}

/// As [`columns`], of tables that have the quarter hour.
macro_rules! columns_of_quarters {
    () => {
        "project_id, quarter, quarter + 1, phone_id, direction, message_type, source, status, \
         simulated, network_code, currency, messages, num_parts, duration_sec, price"
    };
}
pub(super) use columns_of_quarters;

/// Hands on each counter of a project's quarter hours, those in which nothing is left too.
pub fn of_quarters(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    within: Span,
    mut each: impl FnMut(CountedBy, Amounts),
) -> Result<(), StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns_of_quarters!(),
            " FROM message_counts WHERE project_id = $1 AND quarter >= $2 AND quarter < $3"
        ),
        &values![project_id, within.first.0, within.until.0],
        |row| {
            let (_, by, amounts) = read(&mut Cursor::new(row))?;
            each(by, amounts);
            Ok(())
        },
    )?;
    Ok(())
}

/// As [`of_quarters`], of the days within a span that are wanted and added up.
pub fn of_days(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    within: Span,
    wanted: impl Fn(Span) -> bool,
    mut each: impl FnMut(CountedBy, Amounts),
) -> Result<(), StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM message_day_sums WHERE project_id = $1 AND first >= $2 AND first < $3"
        ),
        &values![project_id, within.first.0, within.until.0],
        |row| {
            let (day, by, amounts) = read(&mut Cursor::new(row))?;
            if wanted(day) {
                each(by, amounts);
            }
            Ok(())
        },
    )?;
    Ok(())
}

/// Reads a counter and the span that it is of.
pub(super) fn read(columns: &mut Cursor<'_>) -> Result<(Span, CountedBy, Amounts), StoreError> {
    let project_id = columns.id()?;
    let [first, until] = [columns.int()?, columns.int()?].map(Quarter);
    let by = CountedBy {
        project_id,
        quarter: first,
        phone_id: columns.id()?,
        direction: columns.coded(Direction::from_code)?,
        message_type: columns.coded(MessageType::from_code)?,
        source: columns.coded(MessageSource::from_code)?,
        status: columns.coded(status_from_code)?,
        simulated: columns.flag()?,
        network_code: columns.opt_text()?.filter(|network| !network.is_empty()),
        currency: columns.text()?.parse().ok(),
    };
    let amounts = Amounts {
        count: columns.int()?,
        num_parts: columns.int()?,
        duration_sec: columns.int()?,
        price: columns.int()?,
    };
    Ok((Span { first, until }, by, amounts))
}
