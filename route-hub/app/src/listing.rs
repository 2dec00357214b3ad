//! Lists: a page of rows as views, or the number of rows.

use crate::actor::Actor;
use crate::failure::Failure;
use hub_store::list::{ListQuery, Page};
use hub_store::{Share, StoreError, Tx};
use postrider_model::ProjectId;

/// What is asked of a list.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Which rows, in which order, and how many of them.
    pub query: ListQuery,
    /// Whether only their number is asked for.
    pub count_only: bool,
}

/// The answer to a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed<V> {
    /// How many rows there are.
    Count(u64),
    /// A page of them.
    Page {
        /// The rows, shown.
        items: Vec<V>,
        /// Where the next page begins; `None` after the last.
        next_marker: Option<String>,
    },
}

impl<V> Listed<V> {
    /// The answer to a list without rows.
    pub const fn none(request: &ListRequest) -> Self {
        if request.count_only {
            Self::Count(0)
        } else {
            Self::Page {
                items: Vec::new(),
                next_marker: None,
            }
        }
    }
}

/// Lists what a project has, by the store's `list` and `count`; `show` makes the view of a row.
pub async fn of_project<T, V, L, C, S>(
    actor: &Actor,
    request: ListRequest,
    mut rows: L,
    mut count: C,
    show: S,
) -> Result<Listed<V>, Failure>
where
    V: Send + 'static,
    L: FnMut(&mut Tx<'_>, ProjectId, &ListQuery) -> Result<Page<T>, StoreError> + Send + 'static,
    C: FnMut(&mut Tx<'_>, ProjectId, &ListQuery) -> Result<u64, StoreError> + Send + 'static,
    S: Fn(T) -> V + Send + 'static,
{
    let project = actor.project.id;
    list(
        actor.hub.store.of(project),
        request,
        move |tx, query| rows(tx, project, query),
        move |tx, query| count(tx, project, query),
        move |_, rows| Ok(rows.into_iter().map(&show).collect()),
    )
    .await
}

/// Runs a list in one job: `list` and `count` are the store's, `show` makes views of a page's rows.
pub async fn list<T, V, L, C, S>(
    share: Share<'_>,
    request: ListRequest,
    mut list: L,
    mut count: C,
    mut show: S,
) -> Result<Listed<V>, Failure>
where
    V: Send + 'static,
    L: FnMut(&mut Tx<'_>, &ListQuery) -> Result<Page<T>, StoreError> + Send + 'static,
    C: FnMut(&mut Tx<'_>, &ListQuery) -> Result<u64, StoreError> + Send + 'static,
    S: FnMut(&mut Tx<'_>, Vec<T>) -> Result<Vec<V>, StoreError> + Send + 'static,
{
    let ListRequest { query, count_only } = request;
    let reading = share.read(move |tx| {
        if count_only {
            return Ok(Listed::Count(count(tx, &query)?));
        }
        let page = list(tx, &query)?;
        Ok::<_, StoreError>(Listed::Page {
            items: show(tx, page.rows)?,
            next_marker: page.next_marker.filter(|_| page.truncated),
        })
    });
    Ok(reading.await?)
}
