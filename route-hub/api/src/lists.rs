//! Lists, declared: one table per resource says what it is filtered and sorted by.
//!
//! ```text
//! pub(super) const LIST: List = List {
//!     filters: &[
//!         Entry::text("name", by::NAME, TEXT),
//!         Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
//!     ],
//!     sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
//! };
//! ```
//!
//! A handler reads a request through its table (`List::read`), has the use case run it
//! (`Asked::request`), and answers (`Asked::show`).

use hub_app::listing::{ListRequest, Listed};
use hub_store::list::{Column, Filter, Link, ListQuery, Marker, Op, Operand, Sort};
use hub_web::{Answer, ApiError, FilterKind, FilterSpec, FilterValue, Modifier, Params, Resource};
use postrider_model::{Id, IdKind};

/// The seven modifiers that compare texts.
pub(super) const TEXT: &[Modifier] = Modifier::TEXT;
/// The same, and whether there is one.
pub(super) const TEXT_EXISTS: &[Modifier] = &[
    Modifier::Ne,
    Modifier::Prefix,
    Modifier::NotPrefix,
    Modifier::Gte,
    Modifier::Gt,
    Modifier::Lt,
    Modifier::Lte,
    Modifier::Exists,
];
/// What custom variables may be compared by.
pub(super) const VARIABLES: &[Modifier] = &[
    Modifier::Ne,
    Modifier::Prefix,
    Modifier::NotPrefix,
    Modifier::Gte,
    Modifier::Gt,
    Modifier::Lt,
    Modifier::Lte,
    Modifier::Min,
    Modifier::Max,
    Modifier::Exists,
];
/// What numbers may be compared by.
pub(super) const NE_MIN_MAX: &[Modifier] = &[Modifier::Ne, Modifier::Min, Modifier::Max];
/// The bounds of a moment.
pub(super) const MIN_MAX: &[Modifier] = &[Modifier::Min, Modifier::Max];
/// The bounds of a moment that may be missing.
pub(super) const MIN_MAX_EXISTS: &[Modifier] = &[Modifier::Min, Modifier::Max, Modifier::Exists];
/// What ids of other things may be compared by.
pub(super) const NE_EXISTS: &[Modifier] = &[Modifier::Ne, Modifier::Exists];
/// None but equality.
pub(super) const EQUAL: &[Modifier] = &[];
/// The order of creation, which every list has.
pub(super) const DEFAULT: (&str, Sort) = ("default", Sort::BY_ID);

/// What a list may be filtered and sorted by.
pub(super) struct List {
    /// The parameters that filter.
    pub filters: &'static [Entry],
    /// The values of `sort`; the first is what a list without one has.
    pub sorts: &'static [(&'static str, Sort)],
}

/// One parameter that filters, and what it stands for in the store.
pub(super) struct Entry {
    spec: FilterSpec,
    meaning: Meaning,
}

/// What a parameter stands for.
#[derive(Clone, Copy)]
enum Meaning {
    /// A column; the function reads what it is compared with, `None` for what no row can have.
    Column(Column, fn(&FilterValue) -> Option<Operand>),
    /// Belonging to something whose id this is.
    Linked(Link, fn(&FilterValue) -> Option<Operand>),
    /// A custom variable.
    Variable,
    /// Whether a column has a value.
    Presence(Column),
}

impl Entry {
    const fn new(
        name: &'static str,
        kind: FilterKind,
        modifiers: &'static [Modifier],
        meaning: Meaning,
    ) -> Self {
        let spec = FilterSpec {
            name,
            kind,
            modifiers,
        };
        Self { spec, meaning }
    }

    /// A text.
    pub(super) const fn text(
        name: &'static str,
        column: Column,
        modifiers: &'static [Modifier],
    ) -> Self {
        let meaning = Meaning::Column(column, plain);
        Self::new(name, FilterKind::Text, modifiers, meaning)
    }

    /// A whole number.
    pub(super) const fn number(
        name: &'static str,
        column: Column,
        modifiers: &'static [Modifier],
    ) -> Self {
        let meaning = Meaning::Column(column, plain);
        Self::new(name, FilterKind::Integer, modifiers, meaning)
    }

    /// A moment.
    pub(super) const fn time(
        name: &'static str,
        column: Column,
        modifiers: &'static [Modifier],
    ) -> Self {
        let meaning = Meaning::Column(column, plain);
        Self::new(name, FilterKind::Timestamp, modifiers, meaning)
    }

    /// A truth value.
    pub(super) const fn flag(name: &'static str, column: Column) -> Self {
        let meaning = Meaning::Column(column, plain);
        Self::new(name, FilterKind::Boolean, EQUAL, meaning)
    }

    /// A truth value that says whether a column has a value.
    pub(super) const fn presence(name: &'static str, column: Column) -> Self {
        let meaning = Meaning::Presence(column);
        Self::new(name, FilterKind::Boolean, EQUAL, meaning)
    }

    /// One of some names, each stored as a code.
    pub(super) const fn one_of(
        name: &'static str,
        names: &'static [&'static str],
        column: Column,
        code: fn(&FilterValue) -> Option<Operand>,
    ) -> Self {
        let meaning = Meaning::Column(column, code);
        Self::new(name, FilterKind::OneOf(names), EQUAL, meaning)
    }

    /// The id of a `K`.
    pub(super) const fn id<K: IdKind>(
        name: &'static str,
        column: Column,
        modifiers: &'static [Modifier],
    ) -> Self {
        let meaning = Meaning::Column(column, id::<K>);
        Self::new(name, FilterKind::Id, modifiers, meaning)
    }

    /// The id of a `K` that the rows belong to.
    pub(super) const fn within<K: IdKind>(name: &'static str, link: Link) -> Self {
        let meaning = Meaning::Linked(link, id::<K>);
        Self::new(name, FilterKind::Id, EQUAL, meaning)
    }

    /// Custom variables.
    pub(super) const fn variables(modifiers: &'static [Modifier]) -> Self {
        Self::new("vars", FilterKind::Vars, modifiers, Meaning::Variable)
    }

    /// Returns the store's condition; `None` for one that every row meets.
    fn condition(&self, filter: &hub_web::Filter) -> Option<Filter> {
        let op = op(filter.modifier);
        let presence = matches!(op, Op::Exists | Op::Null);
        let read = |operand: fn(&FilterValue) -> Option<Operand>| {
            if presence {
                plain(&filter.value)
            } else {
                operand(&filter.value)
            }
        };
        match self.meaning {
            Meaning::Column(column, operand) => match read(operand) {
                Some(operand) => Some(Filter::new(column, op, operand)),
                None => unmet(op, None),
            },
            Meaning::Linked(link, operand) => match read(operand) {
                Some(Operand::Int(holder)) => Some(Filter::within(link, holder)),
                _ => Some(Filter::Nothing),
            },
            Meaning::Variable => Some(Filter::Variable {
                name: filter.key.clone()?,
                op,
                operand: plain(&filter.value)?,
            }),
            Meaning::Presence(column) => {
                Some(Filter::new(column, Op::Exists, plain(&filter.value)?))
            }
        }
    }
}

/// Returns the condition on what is never there; `None` when every row meets it.
fn unmet(op: Op, wanted: Option<Operand>) -> Option<Filter> {
    let wants_nothing = match (op, wanted) {
        (Op::Exists, Some(Operand::Flag(wanted))) => !wanted,
        (Op::Null, Some(Operand::Flag(wanted))) => wanted,
        (op, _) => matches!(op, Op::Ne | Op::NotPrefix),
    };
    (!wants_nothing).then_some(Filter::Nothing)
}

/// Reads a text, a number, a moment or a truth value as it is.
fn plain(value: &FilterValue) -> Option<Operand> {
    Some(match value {
        FilterValue::Text(text) => Operand::Text(text.clone()),
        FilterValue::Integer(value) | FilterValue::Millis(value) => Operand::Int(*value),
        FilterValue::Real(value) => Operand::Real(*value),
        FilterValue::Boolean(flag) => Operand::Flag(*flag),
    })
}

/// Reads an id of a kind, in whatever case.
fn id<K: IdKind>(value: &FilterValue) -> Option<Operand> {
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

impl List {
    /// Reads what a request asks of this list.
    pub(super) fn read(&self, params: &Params) -> Result<Asked, ApiError> {
        let sorts: Vec<_> = self.sorts.iter().map(|(name, _)| *name).collect();
        let filters = self.filters.iter().map(|entry| &entry.spec);
        let asked = hub_web::ListQuery::read(params, &sorts, filters)?;
        let sort = self.sorts.iter().find(|(name, _)| *name == asked.sort);
        let sort = sort.map_or(Sort::BY_ID, |(_, sort)| *sort);
        let marker = asked.marker.as_deref().map(|text| Marker::read(text, sort));
        let marker = marker
            .transpose()
            .map_err(|bad| ApiError::invalid_param("marker", bad))?;
        let entry = |name| self.filters.iter().find(|entry| entry.spec.name == name);
        let conditions = asked.filters.iter();
        let conditions =
            conditions.filter_map(|filter| entry(filter.name).and_then(|e| e.condition(filter)));
        Ok(Asked {
            query: ListQuery {
                filters: conditions.collect(),
                sort,
                descending: asked.descending,
                page_size: asked.page_size,
                offset: asked.offset,
                marker,
            },
            asked,
        })
    }
}

/// What one request asks of a list.
pub(super) struct Asked {
    /// The rows it asks for; a handler adds what its path says.
    pub query: ListQuery,
    asked: hub_web::ListQuery,
}

impl Asked {
    /// Returns what is asked, for whoever knows the rows.
    pub(super) fn request(&self) -> ListRequest {
        ListRequest {
            query: self.query.clone(),
            count_only: self.asked.count_only,
        }
    }

    /// Answers with a page, or with the number of its rows.
    pub(super) fn show<R: Resource>(&self, listed: Listed<R>) -> Answer {
        match listed {
            Listed::Count(count) => Answer::count(count),
            Listed::Page { items, next_marker } => {
                Answer::page(&hub_web::Page { items, next_marker }, &self.asked)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_store::list::Kind;
    use postrider_model::kind;

    const CONTACT: Column = Column::new("contact_id", Kind::Int);
    const LIST: List = List {
        filters: &[Entry::id::<kind::Contact>("contact_id", CONTACT, NE_EXISTS)],
        sorts: &[DEFAULT],
    };

    fn filters(text: &str) -> Vec<Filter> {
        let params = Params::from_parts(text, None).unwrap();
        LIST.read(&params).unwrap().query.filters
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
    fn a_marker_of_nothing_is_named() {
        let params = Params::from_parts("marker=no-such-marker", None).unwrap();
        let error = LIST.read(&params).err();
        assert_eq!(error.as_ref().and_then(ApiError::param), Some("marker"));
    }
}
