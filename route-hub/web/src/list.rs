//! What every list takes: sort, page, marker, count and filters.

use crate::shape::{Kind, Member};
use crate::{
    error::ApiError,
    fields::Fields,
    filter::{Filter, FilterSpec},
    params::Params,
};

/// Items of a page when none are asked for.
pub(crate) const PAGE_SIZE_DEFAULT: u32 = 50;
/// Most items of a page; more is refused.
pub const PAGE_SIZE_MAX: u32 = 500;
/// Most items that `offset` can skip; markers go further.
pub(crate) const OFFSET_MAX: u32 = 1_000_000;
/// Longest marker that we ever give out, and take back.
const MARKER_LENGTH_MAX: usize = 1_024;

/// What every list takes, besides its filters and `sort`.
pub const PAGE: &[Member] = &[
    Member::new(
        "sort_dir",
        Kind::Word(&["asc", "desc"]),
        "The direction of the order.",
    )
    .or("\"asc\""),
    Member::new(
        "page_size",
        Kind::Integer(1, PAGE_SIZE_MAX as i64),
        "Most items of the page.",
    )
    .or("50"),
    Member::new(
        "offset",
        Kind::Integer(0, OFFSET_MAX as i64),
        "Items to skip; not with marker.",
    )
    .or("0"),
    Member::new(
        "marker",
        Kind::Text(MARKER_LENGTH_MAX),
        "Where the page begins: next_marker of the page before.",
    ),
    Member::new(
        "count",
        Kind::Boolean,
        "Answers only with the number of items.",
    )
    .or("false"),
];

/// What one request asks of a list.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// The sort, one of the operation's.
    pub sort: &'static str,
    /// Whether the order is turned around.
    pub descending: bool,
    /// Most items of this page, 1 to [`PAGE_SIZE_MAX`].
    pub page_size: u32,
    /// Items to skip; 0 whenever there is a marker.
    pub offset: u32,
    /// Where the page begins, as the last page's `next_marker` said.
    pub marker: Option<String>,
    /// Whether only the number is wanted.
    pub count_only: bool,
    /// Which fields of each item are wanted.
    pub fields: Fields,
    /// The conditions, all of which hold.
    pub filters: Vec<Filter>,
}

impl ListQuery {
    /// Reads a list's parameters: the values that `sort` may have, the first of which is what a
    /// list without one has, and the parameters that filter.
    ///
    /// # Errors
    /// `invalid_param` for a value outside what these allow.
    pub fn read<'s>(
        params: &Params,
        sorts: &[&'static str],
        specs: impl IntoIterator<Item = &'s FilterSpec>,
    ) -> Result<Self, ApiError> {
        let default_sort = sorts.first().copied().unwrap_or("default");
        let sorts: Vec<_> = sorts.iter().map(|name| (*name, *name)).collect();
        let sort = params.filter("sort").one_of_these(&sorts)?;
        let sort = sort.unwrap_or(default_sort);
        let descending = params
            .get("sort_dir")
            .one_of(&[("asc", false), ("desc", true)])?
            .unwrap_or(false);
        let marker = params.get("marker").string()?;
        let marker = marker.filter(|text| !text.is_empty()).map(str::to_owned);
        let offset = bounded(params, "offset")?.unwrap_or(0);
        let mut filters = Vec::new();
        for spec in specs {
            spec.read(params.filter(spec.name), &mut filters)?;
        }
        Ok(Self {
            sort,
            descending,
            page_size: bounded(params, "page_size")?.unwrap_or(PAGE_SIZE_DEFAULT),
            offset: if marker.is_some() { 0 } else { offset },
            marker,
            count_only: params.get("count").boolean()?.unwrap_or(false),
            fields: Fields::read(params)?,
            filters,
        })
    }

    /// Returns the direction as the envelope shows it.
    pub fn sort_dir(&self) -> &'static str {
        if self.descending { "desc" } else { "asc" }
    }
}

fn bounded(params: &Params, name: &str) -> Result<Option<u32>, ApiError> {
    let value = params.get(name).integer()?;
    Ok(value.and_then(|value| u32::try_from(value).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fields::FIELDS, params::Takes};

    fn read(query: &str) -> Result<ListQuery, ApiError> {
        let params = Params::from_parts(query, None).unwrap().taking(Takes {
            own: &[PAGE],
            common: &[FIELDS],
        });
        ListQuery::read(&params, &["default", "name"], [])
    }

    #[test]
    fn a_list_has_defaults() {
        let list = read("").unwrap();
        assert_eq!((list.sort, list.sort_dir()), ("default", "asc"));
        assert_eq!((list.page_size, list.offset), (50, 0));
        assert!(!list.count_only && list.marker.is_none());
    }

    #[test]
    fn a_marker_wins_over_an_offset() {
        let list = read("offset=20&marker=abc&page_size=500&sort_dir=desc&sort=name").unwrap();
        assert_eq!((list.offset, list.marker.as_deref()), (0, Some("abc")));
        assert_eq!((list.sort, list.sort_dir()), ("name", "desc"));
        assert_eq!(read("offset=20&marker=").unwrap().offset, 20);
    }

    #[test]
    fn values_outside_are_refused_by_name() {
        for (query, param) in [
            ("page_size=0", "page_size"),
            ("page_size=501", "page_size"),
            ("page_size=x", "page_size"),
            ("offset=-1", "offset"),
            ("sort=phone", "sort"),
            ("sort_dir=up", "sort_dir"),
            ("count=maybe", "count"),
            ("marker[a]=1", "marker"),
        ] {
            assert_eq!(read(query).unwrap_err().param(), Some(param), "{query}");
        }
    }
}
