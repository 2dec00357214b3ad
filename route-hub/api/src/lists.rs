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
//! A handler reads a request through the table of its operation (`Call::list`), has the use case run it
//! (`Asked::request`), and answers (`Asked::show`).

use hub_app::listing::{ListRequest, Listed};
use hub_domain::is_variable;
use hub_store::list::{Column, Filter, Link, ListQuery, Marker, Op, Operand, Sort};
use hub_web::{
    Answer, ApiError, FilterKind, FilterSpec, FilterValue, Modifier, Object, Params, Resource,
};
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
#[derive(Debug)]
pub struct List {
    /// The parameters that filter.
    pub(crate) filters: &'static [Entry],
    /// The values of `sort`; the first is what a list without one has.
    pub(crate) sorts: &'static [(&'static str, Sort)],
}

/// One parameter that filters, and what it stands for in the store.
#[derive(Debug)]
pub(super) struct Entry {
    spec: FilterSpec,
    meaning: Meaning,
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// A column; the function reads what it is compared with, `None` for what no row can have.
    Column(Column, fn(&FilterValue) -> Option<Operand>),
    /// A column with the name of a type; `image/*` stands for all of a sort.
    MediaType(Column),
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

    /// A phone number, or the name of a sender.
    pub(super) const fn address(
        name: &'static str,
        column: Column,
        modifiers: &'static [Modifier],
    ) -> Self {
        let meaning = Meaning::Column(column, plain);
        Self::new(name, FilterKind::Address, modifiers, meaning)
    }

    /// The name of a type, or of a sort of them: `image/*`.
    pub(super) const fn media_type(name: &'static str, column: Column) -> Self {
        let meaning = Meaning::MediaType(column);
        Self::new(name, FilterKind::Text, EQUAL, meaning)
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
            Meaning::MediaType(column) => {
                let FilterValue::Text(name) = &filter.value else {
                    return Some(Filter::Nothing);
                };
                let name = name.to_ascii_lowercase();
                Some(
                    match name.strip_suffix('*').filter(|it| it.ends_with('/')) {
                        Some(sort) => {
                            Filter::new(column, Op::Prefix, Operand::Text(sort.to_owned()))
                        }
                        None => Filter::new(column, Op::Eq, Operand::Text(name)),
                    },
                )
            }
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
    /// A list of nothing.
    pub(crate) const EMPTY: Self = Self {
        filters: &[],
        sorts: &[DEFAULT],
    };

    /// Reads what a request asks of this list, for who finds the rows by himself.
    pub(super) fn query(&self, params: &Params) -> Result<hub_web::ListQuery, ApiError> {
        let sorts: Vec<_> = self.sorts().collect();
        hub_web::ListQuery::read(params, &sorts, self.specs())
    }

    /// Returns the parameters that filter.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &'static FilterSpec> + use<> {
        self.filters.iter().map(|entry| &entry.spec)
    }

    /// Returns the values of `sort`.
    pub(crate) fn sorts(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.sorts.iter().map(|(name, _)| *name)
    }

    /// Reads filters of this list from an object: either `all` alone, or at least one filter, and nothing else.
    ///
    /// A filter that is misspelt must not let everything through.
    pub(super) fn within(
        &self,
        given: &Object<'_>,
        all: &'static str,
    ) -> Result<Vec<Filter>, ApiError> {
        if given.get(all).boolean()? == Some(true) {
            return match given.members().find(|(name, _)| *name != all) {
                Some((_, other)) => Err(other.refuse(format_args!("cannot be given with {all}"))),
                None => Ok(Vec::new()),
            };
        }
        let mut read = Vec::new();
        for member in given.bracketed() {
            let member = member?;
            if member.name == all && member.steps.is_empty() {
                continue;
            }
            let unknown = || member.field.refuse("is not a filter of this list");
            let entry = self.entry(member.name).ok_or_else(unknown)?;
            entry.spec.read_strictly(&member, is_variable, &mut read)?;
        }
        if given.members().any(|(name, _)| name != all) {
            Ok(self.conditions(&read))
        } else {
            Err(given
                .get(all)
                .refuse("must be true where there is no filter"))
        }
    }

    fn entry(&self, name: &str) -> Option<&'static Entry> {
        self.filters.iter().find(|entry| entry.spec.name == name)
    }

    /// Returns the store's conditions.
    fn conditions(&self, read: &[hub_web::Filter]) -> Vec<Filter> {
        let condition = |filter: &hub_web::Filter| self.entry(filter.name)?.condition(filter);
        read.iter().filter_map(condition).collect()
    }

    /// Reads what a request asks of this list.
    pub(super) fn read(&self, params: &Params) -> Result<Asked, ApiError> {
        let asked = self.query(params)?;
        let sort = self.sorts.iter().find(|(name, _)| *name == asked.sort);
        let sort = sort.map_or(Sort::BY_ID, |(_, sort)| *sort);
        let marker = asked.marker.as_deref();
        let marker = marker.map(|text| Marker::read(text, sort, asked.descending));
        let marker = marker
            .transpose()
            .map_err(|bad| ApiError::invalid_param("marker", bad))?;
        Ok(Asked {
            query: ListQuery {
                filters: self.conditions(&asked.filters),
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
    use hub_web::{FIELDS, PAGE, Takes};
    use postrider_model::kind;

    const CONTACT: Column = Column::new("contact_id", Kind::Int);
    const LIST: List = List {
        filters: &[Entry::id::<kind::Contact>("contact_id", CONTACT, NE_EXISTS)],
        sorts: &[DEFAULT],
    };

    fn params(text: &str) -> Params {
        Params::from_parts(text, None).unwrap().taking(Takes {
            own: &[],
            common: &[PAGE, FIELDS],
        })
    }

    fn filters(text: &str) -> Vec<Filter> {
        LIST.read(&params(text)).unwrap().query.filters
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
        let error = LIST.read(&params("marker=no-such-marker")).err();
        assert_eq!(error.as_ref().and_then(ApiError::param), Some("marker"));
    }
}
