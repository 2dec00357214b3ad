//! Which way a list goes to its rows.
//!
//! The engine keeps no statistics, so the choice is made here, by counting: a filter that lets few
//! rows through is followed to them and they are sorted; where every filter lets many through, the
//! rows are walked in the list's order until the page is full, along an index whose entries have
//! that order if there is one.

use super::{Filter, Kind, ListQuery, Op, Scope, Sort, Table, sql};
use crate::{StoreError, Tx};

/// So many rows are fetched and sorted rather than walked to in order.
pub(super) const FEW: u32 = 500;

/// The way to a list's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    /// Through all of the scope's rows, in the list's order.
    Walk,
    /// Along the index of this filter's column.
    Column(usize),
    /// Along the pairs or variables of this filter.
    Rows(usize),
}

/// A way that a filter offers.
struct Offer {
    path: Path,
    /// Whether its rows come in the list's order.
    ordered: bool,
}

/// Picks the way of a query, for all its pages.
pub(super) fn choose<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
) -> Result<Path, StoreError> {
    let offers = offers(table, query);
    if let [only] = &*offers
        && only.ordered
    {
        return Ok(only.path);
    }
    let mut shortest = (FEW, Path::Walk);
    for offer in &offers {
        let probe = sql::probe(table, scope, query, offer.path, shortest.0);
        let found = tx.query_built(&probe.text, probe.values(), |row| row.int(0))?;
        let found = found.first().map_or(0, |count| count.unsigned_abs());
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        if found < shortest.0 {
            shortest = (found, offer.path);
        }
    }
    let in_order = || offers.iter().find(|offer| offer.ordered);
    Ok(match shortest.1 {
        Path::Walk => in_order().map_or(Path::Walk, |offer| offer.path),
        path => path,
    })
}

/// Returns every way that a query's filters offer: pairs and variables before columns.
fn offers<T>(table: &Table<T>, query: &ListQuery) -> Vec<Offer> {
    let filters = || query.filters.iter().enumerate();
    let of_rows = filters().filter_map(|(at, filter)| {
        Some(Offer {
            path: Path::Rows(at),
            ordered: match filter {
                Filter::Variable { op, .. } => finds(*op)? && query.sort == Sort::BY_ID,
                Filter::Linked { wanted: false, .. } => return None,
                Filter::Linked { link, .. } => link.on == "id" && query.sort == Sort::BY_ID,
                _ => return None,
            },
        })
    });
    let of_columns = table.indexes.iter().flat_map(|index| {
        filters().filter_map(|(at, filter)| match filter {
            Filter::Compare { column, op, .. } if column.name == index.column => {
                let equal = finds(*op)?;
                if !equal && matches!(column.kind, Kind::Number { .. }) {
                    return None;
                }
                let ordered = match query.sort.column {
                    None => equal,
                    Some(sorted) => sorted == *column,
                };
                let path = Path::Column(at);
                Some(Offer { path, ordered })
            }
            _ => None,
        })
    });
    of_rows.chain(of_columns).collect()
}

/// Says whether what a comparison finds is all of one value; `None` for one that an index cannot
/// find.
fn finds(op: Op) -> Option<bool> {
    match op {
        Op::Eq => Some(true),
        Op::Prefix | Op::Gte | Op::Gt | Op::Lt | Op::Lte | Op::Min | Op::Max => Some(false),
        Op::Ne | Op::NotPrefix | Op::Exists | Op::Null => None,
    }
}
