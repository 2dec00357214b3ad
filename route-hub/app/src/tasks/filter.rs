//! Which rows a task goes through.

use crate::actor::Actor;
use crate::failure::Failure;
use hub_domain::{Contact, ContactFilter, DataRow, FilterType, Message, Permission, Task};
use hub_store::list::{BadFilters, Filter, ListQuery, Names, Op, Operand, Sort};
use hub_store::{StoreError, Tx, contacts, data_rows, messages};
use hub_view::{Refusal, RefusalCode};
use postrider_model::{ContactId, DataTableId, DataViewId, ProjectId};
use std::collections::BTreeSet;

/// Most ids that a task names.
pub const IDS_MAX: usize = 100;

/// What a task goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Contacts.
    Contacts,
    /// Rows of a data table.
    Rows,
    /// Messages.
    Messages,
}

/// The rows that somebody wants a task to go through.
#[derive(Debug, Clone)]
pub struct Found {
    /// How they are found.
    pub filter_type: FilterType,
    /// The data table that they are in.
    pub table: Option<DataTableId>,
    /// The view of the data table that they are in.
    pub view: Option<DataViewId>,
    /// The filter as it was given, as JSON.
    pub params: String,
    /// The same as conditions.
    pub filters: Vec<Filter>,
}

impl Found {
    /// Returns it as a filter of contacts, to whom something is sent: it tells of them.
    pub(crate) fn of_contacts(&self, actor: &Actor) -> Result<ContactFilter, Refusal> {
        let of = Of::found_by(self.filter_type);
        if of != Of::Contacts {
            return Err(Refusal::invalid_param("filter_type", "must find contacts"));
        }
        actor.require(of.view())?;
        Ok(ContactFilter {
            filter_type: self.filter_type,
            filter_params: self.params.clone(),
            filters: of.names().write(&self.filters),
        })
    }
}

/// Rows as they are now.
pub(super) enum Batch {
    Contacts(Vec<Contact>),
    Rows(Vec<DataRow>),
    Messages(Vec<Message>),
}

impl Of {
    /// Returns what a filter finds.
    pub(super) const fn found_by(filter_type: FilterType) -> Self {
        match filter_type {
            FilterType::QueryContacts | FilterType::ContactIds => Self::Contacts,
            FilterType::QueryRows | FilterType::RowIds => Self::Rows,
            FilterType::QueryMessages | FilterType::MessageIds => Self::Messages,
        }
    }

    /// Whoever may have a task find these needs it.
    pub(super) const fn view(self) -> Permission {
        match self {
            Self::Contacts => Permission::ViewContacts,
            Self::Rows => Permission::ViewData,
            Self::Messages => Permission::ViewMessages,
        }
    }

    pub(super) const fn names(self) -> Names {
        match self {
            Self::Contacts => contacts::NAMES,
            Self::Rows => data_rows::NAMES,
            Self::Messages => messages::NAMES,
        }
    }
}

impl Batch {
    /// Returns their keys.
    pub(super) fn keys(&self) -> Vec<i64> {
        match self {
            Self::Contacts(contacts) => contacts.iter().map(|row| row.id.get()).collect(),
            Self::Rows(rows) => rows.iter().map(|row| row.id.get()).collect(),
            Self::Messages(messages) => messages.iter().map(|row| row.id.get()).collect(),
        }
    }

    /// Returns the contacts that they are about, each once.
    pub(super) fn contacts(&self) -> BTreeSet<ContactId> {
        match self {
            Self::Contacts(contacts) => contacts.iter().map(|row| row.id).collect(),
            Self::Rows(rows) => rows.iter().filter_map(|row| row.contact_id).collect(),
            Self::Messages(messages) => messages.iter().filter_map(|row| row.contact_id).collect(),
        }
    }
}

/// The rows of one task.
#[derive(Debug, Clone)]
pub(super) struct Source {
    place: Place,
    project: ProjectId,
    filters: Vec<Filter>,
    above: i64,
    below: i64,
}

/// Where rows are.
#[derive(Debug, Clone, Copy)]
enum Place {
    Contacts,
    Table(DataTableId),
    Messages,
}

impl Source {
    /// Reads what a task goes through from where it stands: what was there when it was made, and not made
    /// since.
    pub(super) fn of(task: &Task) -> Result<Self, BadFilters> {
        let of = Of::found_by(task.filter_type.ok_or(BadFilters)?);
        let place = match of {
            Of::Contacts => Place::Contacts,
            Of::Rows => Place::Table(task.table_id.ok_or(BadFilters)?),
            Of::Messages => Place::Messages,
        };
        Ok(Self {
            place,
            project: task.project_id,
            filters: of.names().read(&task.filters)?,
            above: task.done_up_to,
            below: task.id.get(),
        })
    }

    /// Returns the key of the last row that was dealt with.
    pub(super) fn above(&self) -> i64 {
        self.above
    }

    /// Goes on behind a row.
    pub(super) fn go_to(&mut self, last: Option<i64>) {
        self.above = last.unwrap_or(self.above);
    }

    /// Counts the rows that are left.
    pub(super) fn count(&self, tx: &mut Tx<'_>) -> Result<u64, StoreError> {
        let query = self.query(1);
        match self.place {
            Place::Contacts => contacts::count(tx, self.project, &query),
            Place::Table(table) => data_rows::count(tx, self.project, table, &query),
            Place::Messages => messages::count(tx, self.project, &query),
        }
    }

    /// Returns up to `most` of the rows that are left.
    pub(super) fn left(&self, tx: &mut Tx<'_>, most: u32) -> Result<Batch, StoreError> {
        self.rows(tx, &self.query(most))
    }

    /// Returns those of some rows that still match.
    pub(super) fn among(&self, tx: &mut Tx<'_>, keys: &[i64]) -> Result<Batch, StoreError> {
        let mut query = self.query(u32::try_from(keys.len()).unwrap_or(u32::MAX).max(1));
        query.filters.push(Filter::Ids(keys.to_vec()));
        self.rows(tx, &query)
    }

    fn rows(&self, tx: &mut Tx<'_>, query: &ListQuery) -> Result<Batch, StoreError> {
        let project = self.project;
        Ok(match self.place {
            Place::Contacts => Batch::Contacts(contacts::list(tx, project, query)?.rows),
            Place::Table(table) => Batch::Rows(data_rows::list(tx, project, table, query)?.rows),
            Place::Messages => Batch::Messages(messages::list(tx, project, query)?.rows),
        })
    }

    fn query(&self, most: u32) -> ListQuery {
        let id = match self.place {
            Place::Contacts => contacts::by::ID,
            Place::Table(_) => data_rows::by::ID,
            Place::Messages => messages::by::ID,
        };
        let mut filters = self.filters.clone();
        filters.push(Filter::new(id, Op::Gt, Operand::Int(self.above)));
        filters.push(Filter::new(id, Op::Lt, Operand::Int(self.below)));
        ListQuery {
            filters,
            sort: Sort::BY_ID,
            page_size: most,
            ..ListQuery::default()
        }
    }
}

/// Why a task cannot take a step.
pub(super) enum Stuck {
    /// It cannot go on, for this reason.
    Ended(String),
    /// It cannot go on yet.
    Waiting,
    /// The database could not do it.
    Store(StoreError),
}

impl From<StoreError> for Stuck {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::TooSlow => Self::Ended("the filter takes too long to look up".to_owned()),
            // What is left is looked at again the next day.
            StoreError::Beyond(exceeded) if exceeded.limit.starts_again() => Self::Waiting,
            StoreError::Beyond(exceeded) => Self::Ended(exceeded.to_string()),
            error => Self::Store(error),
        }
    }
}

impl From<Failure> for Stuck {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::Store(error) => error.into(),
        }
    }
}

impl From<Refusal> for Stuck {
    fn from(refusal: Refusal) -> Self {
        match refusal.code() {
            RefusalCode::Unavailable => Self::Waiting,
            _ => Self::Ended(refusal.message().to_owned()),
        }
    }
}

impl From<BadFilters> for Stuck {
    fn from(bad: BadFilters) -> Self {
        Self::Ended(bad.to_string())
    }
}
