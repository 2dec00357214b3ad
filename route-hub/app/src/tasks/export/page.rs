//! A page of the rows that are written.

use crate::hub::files::Addresses;
use crate::tasks::export::columns::Column;
use crate::tasks::export::format::{Format, RowWriter};
use crate::tasks::filter::{Batch, Source};
use crate::views::contact::ContactView;
use crate::views::data_row::DataRowView;
use crate::views::message::{MessageView, links_of};
use hub_domain::{Contact, Message};
use hub_store::{StoreError, Tx, labels};
use std::sync::Arc;

/// Most rows of a page.
#[cfg(not(test))]
pub(super) const ROWS_MAX: u32 = 1_000;
/// Few enough for a test to have several pages.
#[cfg(test)]
pub(super) const ROWS_MAX: u32 = 20;
/// Rows of a page while nobody knows how large they are.
pub(super) const ROWS_FIRST: u32 = if ROWS_MAX < 100 { ROWS_MAX } else { 100 };

/// Which rows are wanted, and how.
pub(super) struct Wanted {
    pub(super) source: Source,
    pub(super) columns: Arc<[Column]>,
    /// Whether each object is written as the API shows it.
    pub(super) all: bool,
    pub(super) format: Format,
    pub(super) addresses: Addresses,
    /// Whether the first of them is the file's first.
    pub(super) is_first: bool,
    /// Most of them.
    pub(super) most: u32,
}

/// Rows as they are written.
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: u64,
    /// The key of the last of them.
    pub(super) last: Option<i64>,
    /// Whether no row follows.
    pub(super) is_end: bool,
}

impl Wanted {
    /// Reads the next rows.
    pub(super) fn read(&self, tx: &mut Tx<'_>) -> Result<Page, StoreError> {
        let batch = self.source.left(tx, self.most)?;
        let keys = batch.keys();
        let mut writer = RowWriter::new(self.format, &self.columns, self.all, self.is_first);
        match batch {
            Batch::Contacts(contacts) => {
                for contact in contacts {
                    writer.write(&self.contact(tx, contact)?);
                }
            }
            Batch::Rows(rows) => {
                for row in rows {
                    writer.write(&DataRowView(row));
                }
            }
            Batch::Messages(messages) => {
                for message in messages {
                    writer.write(&self.message(tx, message)?);
                }
            }
        }
        Ok(Page {
            bytes: writer.end(),
            rows: keys.len() as u64,
            last: keys.last().copied(),
            is_end: keys.len() < self.most as usize,
        })
    }

    /// Looks up no more of a contact than is written.
    fn contact(&self, tx: &mut Tx<'_>, contact: Contact) -> Result<ContactView, StoreError> {
        if self.has("group_ids") {
            ContactView::read(tx, contact)
        } else {
            Ok(ContactView {
                contact,
                group_ids: Vec::new(),
            })
        }
    }

    /// Looks up no more of a message than is written.
    fn message(&self, tx: &mut Tx<'_>, message: Message) -> Result<MessageView, StoreError> {
        let label_ids = if self.has("label_ids") {
            labels::of_message(tx, message.id)?
        } else {
            Vec::new()
        };
        let links = if self.has("short_urls") || self.has("time_clicked") {
            links_of(tx, &message)?
        } else {
            Vec::new()
        };
        Ok(MessageView {
            addresses: self.addresses.clone(),
            waiting: None,
            label_ids,
            links,
            message,
        })
    }

    fn has(&self, name: &str) -> bool {
        let is_it = |column: &Column| matches!(column, Column::Field(field) if *field == name);
        self.all || self.columns.iter().any(is_it)
    }
}
