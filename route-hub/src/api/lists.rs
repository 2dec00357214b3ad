//! From a request's filters and order to the store's.

use super::Failure;
use hub_store::list::{Column, Filter, ListQuery, Marker, Op, Operand, Page, Sort};
use hub_web::{Answer, ApiError, FilterValue, Modifier, Resource};
use postrider_model::{Id, IdKind};

/// What a filter's parameter stands for in the store.
pub(super) struct Meaning {
    /// The parameter.
    pub name: &'static str,
    /// The column; `None` for the id of a kind of thing that no row here can have.
    pub column: Option<Column>,
    /// Reads what is compared with; `None` for what no row can have.
    pub operand: fn(&FilterValue) -> Option<Operand>,
}

impl Meaning {
    pub(super) const fn new(
        name: &'static str,
        column: Column,
        operand: fn(&FilterValue) -> Option<Operand>,
    ) -> Self {
        Self {
            name,
            column: Some(column),
            operand,
        }
    }

    /// Means the id of something that comes later: no row has one.
    pub(super) const fn none(name: &'static str) -> Self {
        Self {
            name,
            column: None,
            operand: |_| None,
        }
    }
}

/// Reads a text, a number, a moment or a truth value as it is.
pub(super) fn plain(value: &FilterValue) -> Option<Operand> {
    Some(match value {
        FilterValue::Text(text) => Operand::Text(text.clone()),
        FilterValue::Integer(value) | FilterValue::Millis(value) => Operand::Int(*value),
        FilterValue::Boolean(flag) => Operand::Flag(*flag),
    })
}

/// Reads an id of a kind, in whatever case.
pub(super) fn id<K: IdKind>(value: &FilterValue) -> Option<Operand> {
    match value {
        FilterValue::Text(text) => {
            let (prefix, digits) = text.split_at_checked(K::PREFIX.len())?;
            let text = prefix.to_ascii_uppercase() + &digits.to_ascii_lowercase();
            let id = text.parse::<Id<K>>().ok()?;
            Some(Operand::Int(id.get()))
        }
        _ => None,
    }
}

/// Reads a name that is stored as a code.
pub(super) fn code(value: &FilterValue, code: fn(&str) -> Option<i64>) -> Option<Operand> {
    match value {
        FilterValue::Text(name) => code(name).map(Operand::Int),
        _ => None,
    }
}

/// Turns a request's list into the store's.
pub(super) fn query(
    asked: &hub_web::ListQuery,
    meanings: &[Meaning],
    sorts: &[(&str, Sort)],
) -> Result<ListQuery, ApiError> {
    let sort = sorts.iter().find(|(name, _)| *name == asked.sort);
    let sort = sort.map_or(Sort::BY_ID, |(_, sort)| *sort);
    let marker = asked.marker.as_deref().map(|text| Marker::read(text, sort));
    let marker = marker
        .transpose()
        .map_err(|bad| ApiError::invalid_param("marker", bad))?;
    Ok(ListQuery {
        filters: asked
            .filters
            .iter()
            .filter_map(|filter| condition(filter, meanings))
            .collect(),
        sort,
        descending: asked.descending,
        page_size: asked.page_size,
        offset: asked.offset,
        marker,
    })
}

/// Returns the store's condition; `None` for one that every row meets.
fn condition(filter: &hub_web::Filter, meanings: &[Meaning]) -> Option<Filter> {
    let meaning = meanings
        .iter()
        .find(|meaning| meaning.name == filter.name)?;
    let op = op(filter.modifier);
    let operand = match (op, &filter.value) {
        (Op::Exists | Op::Null, value) => plain(value),
        (_, value) => (meaning.operand)(value),
    };
    let wants_nothing = match (op, &operand) {
        (Op::Exists, Some(Operand::Flag(wanted))) => !wanted,
        (Op::Null, Some(Operand::Flag(wanted))) => *wanted,
        (Op::Ne | Op::NotPrefix, _) => true,
        _ => false,
    };
    match (meaning.column, operand) {
        (Some(column), Some(operand)) => Some(Filter::new(column, op, operand)),
        _ if wants_nothing => None,
        _ => Some(Filter::Nothing),
    }
}

fn op(modifier: Modifier) -> Op {
    match modifier {
        Modifier::Eq => Op::Eq,
        Modifier::Ne => Op::Ne,
        Modifier::Prefix => Op::Prefix,
        Modifier::NotPrefix => Op::NotPrefix,
        Modifier::Exists => Op::Exists,
        Modifier::Null => Op::Null,
        Modifier::Gte => Op::Gte,
        Modifier::Gt => Op::Gt,
        Modifier::Lt => Op::Lt,
        Modifier::Lte => Op::Lte,
        Modifier::Min => Op::Min,
        Modifier::Max => Op::Max,
    }
}

/// What a list came to: a page of rows, or their number.
pub(super) enum Listed<T> {
    Page(Page<T>),
    Count(u64),
}

/// Answers with a list, its rows as the API shows them.
pub(super) fn answer<T, R: Resource>(
    listed: Listed<T>,
    asked: &hub_web::ListQuery,
    show: impl FnMut(T) -> R,
) -> Result<Answer, Failure> {
    Ok(match listed {
        Listed::Count(count) => Answer::count(count),
        Listed::Page(page) => {
            let next_marker = page.next_marker.filter(|_| page.truncated);
            let page = hub_web::Page {
                items: page.rows.into_iter().map(show).collect(),
                next_marker,
            };
            Answer::page(&page, asked)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_store::list::Kind;
    use hub_web::{FilterKind, FilterSpec, ListSpec, Params};
    use postrider_model::kind;

    const CONTACT: Column = Column::new("contact_id", Kind::Int);
    const MEANINGS: &[Meaning] = &[
        Meaning::new("contact_id", CONTACT, id::<kind::Contact>),
        Meaning::none("broadcast_id"),
    ];
    const MODIFIERS: &[Modifier] = &[Modifier::Ne, Modifier::Exists];
    const SPEC: ListSpec = ListSpec {
        sorts: &["default"],
        filters: &[
            FilterSpec {
                name: "contact_id",
                kind: FilterKind::Id,
                modifiers: MODIFIERS,
            },
            FilterSpec {
                name: "broadcast_id",
                kind: FilterKind::Id,
                modifiers: MODIFIERS,
            },
        ],
    };

    fn filters(text: &str) -> Vec<Filter> {
        let params = Params::from_parts(text, None).unwrap();
        let asked = hub_web::ListQuery::read(&params, &SPEC).unwrap();
        query(&asked, MEANINGS, &[]).unwrap().filters
    }

    #[test]
    fn an_id_of_nothing_matches_nothing_and_differs_from_all() {
        assert_eq!(filters("contact_id=XX1"), [Filter::Nothing]);
        assert_eq!(filters("contact_id[ne]=XX1"), []);
        let five = Filter::new(CONTACT, Op::Eq, Operand::Int(5));
        assert_eq!(filters("contact_id=CT0000000000000005"), [five]);
        let exists = Filter::new(CONTACT, Op::Exists, Operand::Flag(true));
        assert_eq!(filters("contact_id[exists]=1"), [exists]);
    }

    #[test]
    fn what_no_row_has_is_never_there() {
        assert_eq!(filters("broadcast_id=BC1"), [Filter::Nothing]);
        assert_eq!(filters("broadcast_id[exists]=1"), [Filter::Nothing]);
        assert_eq!(filters("broadcast_id[exists]=0"), []);
        assert_eq!(filters("broadcast_id[ne]=BC1"), []);
    }

    #[test]
    fn a_marker_of_nothing_is_named() {
        let params = Params::from_parts("marker=no-such-marker", None).unwrap();
        let asked = hub_web::ListQuery::read(&params, &SPEC).unwrap();
        let error = query(&asked, MEANINGS, &[]).unwrap_err();
        assert_eq!(error.param(), Some("marker"));
    }
}
