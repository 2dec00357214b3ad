//! The journal, written and read off the async threads.

use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{
    Change, EndedAsked, MessageRef,
    change::{EndedRow, MessageRow},
};
use postrider_store::{Journal, JournalError};
use tokio::task::spawn_blocking;

/// Says why a phone's loop ended without being asked to.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// The journal did not take the rows of a turn.
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] JournalError),
    /// The thread that wrote the journal is gone.
    #[error("the journal's writer is gone")]
    WriterGone,
}

/// The phone's journal.
pub(crate) struct Disk(Option<Journal>);

impl Disk {
    pub(crate) fn new(journal: Journal) -> Self {
        Self(Some(journal))
    }

    /// Writes rows in one transaction and returns once they are on disk.
    pub(crate) async fn commit(&mut self, changes: Vec<Change>) -> Result<(), RingError> {
        self.with(move |journal| journal.commit(&changes)).await
    }

    /// Reads facts that wait for their ack.
    pub(crate) async fn facts(&mut self, range: FactRange) -> Result<Vec<PhoneFact>, RingError> {
        self.with(move |journal| journal.facts(range)).await
    }

    /// Reads the incoming messages that were acked and are still kept.
    pub(crate) async fn inbound(&mut self) -> Result<Vec<Inbound>, RingError> {
        self.with(|journal| journal.inbound()).await
    }

    /// Reads ended exposures, and returns them with the question.
    pub(crate) async fn ended(
        &mut self,
        asked: EndedAsked,
    ) -> Result<(EndedAsked, Vec<EndedRow>), RingError> {
        self.with(move |journal| journal.ended(&asked).map(|rows| (asked, rows)))
            .await
    }

    /// Reads an exposure that is over.
    pub(crate) async fn message_over(
        &mut self,
        message: MessageRef,
    ) -> Result<Option<MessageRow>, RingError> {
        self.with(move |journal| journal.message_over(message))
            .await
    }

    async fn with<T, F>(&mut self, work: F) -> Result<T, RingError>
    where
        F: FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
        T: Send + 'static,
    {
        let mut journal = self.0.take().ok_or(RingError::WriterGone)?;
        let working = spawn_blocking(move || {
            let done = work(&mut journal);
            (journal, done)
        });
        let (journal, done) = working.await.map_err(|_| RingError::WriterGone)?;
        self.0 = Some(journal);
        Ok(done?)
    }
}
