//! Which way a list goes to its rows.
//!
//! The engine keeps no statistics, so the choice is made here, by counting: a filter that lets few
//! rows through is followed to them and they are sorted; where every filter lets many through, the
//! rows are walked in the list's order until the page is full, along an index whose entries have
//! that order if there is one, and of several along the one with the fewest entries for the first
//! rows.

use super::way::Path;
use super::{Filter, Kind, ListQuery, Op, Scope, Sort, Table, sql};
#[cfg(test)]
use crate::plans::Way;
use crate::{StoreError, Tx};

/// A way with fewer is taken at once: what another one could save is not worth counting on.
pub(super) const SHORT: u32 = 50;

/// So many rows are fetched and sorted rather than walked to in order.
pub(super) const FEW: u32 = 500;

/// A way that a filter offers.
struct Offer {
    path: Path,
    /// Whether its rows come in the list's order.
    ordered: bool,
}

/// What a way leads to by itself, as far as it was counted.
struct Found {
    count: u32,
    /// The last id that was counted, negative where ids fall; `None` where they have no order.
    reach: Option<i64>,
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
    let mut count = |offer: &Offer, most| count(tx, table, scope, query, offer, most);
    for offer in &offers {
        if count(offer, SHORT)?.count < SHORT {
            return Ok(offer.path);
        }
    }
    let mut shortest = (FEW, None);
    let mut sparsest = (None, Path::Walk);
    for offer in &offers {
        let found = count(offer, shortest.0)?;
        if found.count < shortest.0 {
            shortest = (found.count, Some(offer.path));
        }
        // Of two, the one that comes further has fewer up to there.
        if offer.ordered && (sparsest.1 == Path::Walk || found.reach > sparsest.0) {
            sparsest = (found.reach, offer.path);
        }
    }
    Ok(shortest.1.unwrap_or(sparsest.1))
}

fn count<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
    offer: &Offer,
    most: u32,
) -> Result<Found, StoreError> {
    let by_id = offer.ordered && query.sort == Sort::BY_ID;
    let probe = sql::probe(table, scope, query, offer.path, by_id, most);
    let found = tx.query_built(&probe.text, probe.values(), |row| {
        let last = row.opt_int(1)?.filter(|_| by_id);
        Ok(Found {
            count: u32::try_from(row.int(0)?).unwrap_or(most),
            reach: last.map(|last| if query.descending { -last } else { last }),
        })
    })?;
    let none = Found {
        count: 0,
        reach: None,
    };
    Ok(found.into_iter().next().unwrap_or(none))
}

/// Returns how the engine would count what each way leads to.
#[cfg(test)]
pub(crate) fn explain<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
) -> Result<Vec<Way>, StoreError> {
    let explain = |offer: Offer| {
        let by_id = offer.ordered && query.sort == Sort::BY_ID;
        let probe = sql::probe(table, scope, query, offer.path, by_id, FEW);
        Way::of(tx, &probe.text, probe.values())
    };
    offers(table, query).into_iter().map(explain).collect()
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
