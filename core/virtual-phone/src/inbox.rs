//! Incoming things on the simulated phone, as the platform keeps them: a table that a scan reads.
//!
//! A row is written before its broadcast. So a message that came in while the agent was dead is
//! found by the scan at its next start. The platform keeps no readable row of a data message, so it
//! is broadcast again until it is confirmed.

use crate::table::{Row, Table};
use postrider_agent::{
    LOG_ROWS_MAX, LogPage, RadioFact, ReceivedData, ReceivedMms, ReceivedSms, ScanMark,
};
use postrider_link::frame::{Address, Data};
use postrider_model::{MessageText, SimSlot, UnixMs};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Mutex, MutexGuard},
};

/// The name of the file in a phone's folder.
const INBOX_FILE: &str = "inbox.jsonl";

/// Something that came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InboxRow {
    pub(crate) row: i64,
    pub(crate) at_ms: i64,
    /// The service centre's time.
    pub(crate) sent_ms: i64,
    pub(crate) sim: SimSlot,
    pub(crate) from: Address,
    pub(crate) content: Content,
}

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Content {
    Sms {
        text: MessageText,
    },
    Mms {
        subject: Option<MessageText>,
        text: Option<MessageText>,
    },
    Data {
        data: Data,
        /// Whether the agent has it.
        confirmed: bool,
    },
}

impl Row for InboxRow {
    fn at_ms(&self) -> i64 {
        self.at_ms
    }

    fn number(&self) -> i64 {
        self.row
    }
}

impl InboxRow {
    /// Returns the platform's broadcast for it.
    pub(crate) fn broadcast(&self) -> RadioFact {
        match &self.content {
            Content::Sms { text } => RadioFact::SmsReceived(ReceivedSms {
                receipt: self.receipt(),
                received_at: None,
                row: None,
                ..self.sms(text)
            }),
            Content::Mms { subject, text } => RadioFact::MmsReceived(ReceivedMms {
                receipt: self.receipt(),
                ..self.mms(subject.as_ref(), text.as_ref())
            }),
            Content::Data { data, .. } => RadioFact::DataReceived(ReceivedData {
                receipt: self.receipt(),
                sim: self.sim,
                from: self.from.clone(),
                data: data.clone(),
                sent_at: Some(UnixMs(self.sent_ms)),
            }),
        }
    }

    /// Tells whether it is a data message that the agent has not confirmed.
    fn is_unconfirmed(&self) -> bool {
        match self.content {
            Content::Data { confirmed, .. } => !confirmed,
            Content::Sms { .. } | Content::Mms { .. } => false,
        }
    }

    fn receipt(&self) -> u64 {
        u64::try_from(self.row).unwrap_or(0)
    }

    fn sms(&self, text: &MessageText) -> ReceivedSms {
        let parts = postrider_text::divide(text.as_str()).len();
        ReceivedSms {
            receipt: 0,
            sim: self.sim,
            from: self.from.clone(),
            to: None,
            text: text.clone(),
            parts: u8::try_from(parts).unwrap_or(u8::MAX).max(1),
            sent_at: Some(UnixMs(self.sent_ms)),
            received_at: Some(UnixMs(self.at_ms)),
            row: Some(self.row),
        }
    }

    fn mms(&self, subject: Option<&MessageText>, text: Option<&MessageText>) -> ReceivedMms {
        ReceivedMms {
            receipt: 0,
            sim: self.sim,
            from: self.from.clone(),
            to: None,
            subject: subject.cloned(),
            text: text.cloned(),
            sent_at: Some(UnixMs(self.sent_ms)),
            received_at: UnixMs(self.at_ms),
            row: self.row,
        }
    }
}

/// The table.
#[derive(Debug)]
pub(crate) struct Inbox {
    table: Table<InboxRow>,
    /// Data messages that the agent has not confirmed, by their receipts.
    unconfirmed: Mutex<BTreeMap<u64, InboxRow>>,
}

impl Inbox {
    /// Opens the inbox of a folder, or creates it.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let table = Table::open(folder.join(INBOX_FILE))?;
        let unconfirmed = table.all(InboxRow::is_unconfirmed)?;
        let by_receipt = unconfirmed.into_iter().map(|row| (row.receipt(), row));
        Ok(Self {
            unconfirmed: Mutex::new(by_receipt.collect()),
            table,
        })
    }

    /// Adds something that came in; on return it survives the death of the process.
    pub(crate) fn add(
        &self,
        now: UnixMs,
        sim: SimSlot,
        from: Address,
        content: Content,
    ) -> io::Result<InboxRow> {
        let row = self.table.add(|row| InboxRow {
            row,
            at_ms: now.0,
            // A service centre counts seconds.
            sent_ms: now.0 - now.0.rem_euclid(1_000),
            sim,
            from,
            content,
        })?;
        if row.is_unconfirmed() {
            self.waiting()?.insert(row.receipt(), row.clone());
        }
        Ok(row)
    }

    /// Returns a page of the log of messages.
    pub(crate) fn sms(&self, from: ScanMark) -> io::Result<(LogPage, bool)> {
        let is_sms = |row: &InboxRow| matches!(row.content, Content::Sms { .. });
        let (rows, complete) = self
            .table
            .page((from.date.0, from.row), LOG_ROWS_MAX, is_sms)?;
        let sms = rows.iter().filter_map(|row| match &row.content {
            Content::Sms { text } => Some(row.sms(text)),
            Content::Mms { .. } | Content::Data { .. } => None,
        });
        Ok((LogPage::Sms(sms.collect()), complete))
    }

    /// Returns a page of the log of multimedia messages.
    pub(crate) fn mms(&self, from: ScanMark) -> io::Result<(LogPage, bool)> {
        let is_mms = |row: &InboxRow| matches!(row.content, Content::Mms { .. });
        let (rows, complete) = self
            .table
            .page((from.date.0, from.row), LOG_ROWS_MAX, is_mms)?;
        let mms = rows.iter().filter_map(|row| match &row.content {
            Content::Mms { subject, text } => Some(row.mms(subject.as_ref(), text.as_ref())),
            Content::Sms { .. } | Content::Data { .. } => None,
        });
        Ok((LogPage::Mms(mms.collect()), complete))
    }

    /// Confirms a data message; all others have a row to scan.
    pub(crate) fn confirm(&self, receipt: u64) -> io::Result<()> {
        let Some(mut row) = self.waiting()?.remove(&receipt) else {
            return Ok(());
        };
        if let Content::Data { confirmed, .. } = &mut row.content {
            *confirmed = true;
        }
        self.table.replace(row)
    }

    /// Returns what is broadcast again at a start.
    pub(crate) fn unconfirmed(&self) -> io::Result<Vec<InboxRow>> {
        Ok(self.waiting()?.values().cloned().collect())
    }

    /// Deletes what is older than the platform keeps.
    pub(crate) fn tidy_up(&self, now: UnixMs) -> io::Result<()> {
        self.table.tidy_up(now)
    }

    fn waiting(&self) -> io::Result<MutexGuard<'_, BTreeMap<u64, InboxRow>>> {
        let waiting = self.unconfirmed.lock();
        waiting.map_err(|_| io::ErrorKind::Other.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_link::frame::Bytes;

    fn add(inbox: &Inbox, at_ms: i64, content: Content) -> InboxRow {
        let from = Address::new("+15005550199");
        let sim = SimSlot::default();
        inbox.add(UnixMs(at_ms), sim, from, content).unwrap()
    }

    fn sms(text: &str) -> Content {
        Content::Sms {
            text: MessageText::new(text),
        }
    }

    fn data() -> Content {
        let data = Data {
            port: 7,
            base64: Bytes(vec![1]),
        };
        Content::Data {
            data,
            confirmed: false,
        }
    }

    #[test]
    fn a_scan_reads_messages_of_its_kind_after_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = Inbox::open(folder.path()).unwrap();
        add(&inbox, 1_000, sms("one"));
        add(&inbox, 2_000, data());
        add(&inbox, 3_000, sms("two"));
        let from = ScanMark {
            date: UnixMs(1_000),
            row: 1,
        };
        let (LogPage::Sms(rows), true) = inbox.sms(from).unwrap() else {
            panic!("another page");
        };
        let texts: Vec<_> = rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["two"]);
        assert_eq!((rows[0].row, rows[0].receipt), (Some(3), 0));
    }

    #[test]
    fn a_data_message_is_told_again_at_every_start_until_it_is_confirmed() {
        let folder = tempfile::tempdir().unwrap();
        let row = add(&Inbox::open(folder.path()).unwrap(), 1_000, data());
        let inbox = Inbox::open(folder.path()).unwrap();
        assert_eq!(inbox.unconfirmed().unwrap(), std::slice::from_ref(&row));
        inbox.confirm(row.receipt()).unwrap();
        assert_eq!(inbox.unconfirmed().unwrap(), []);
        let again = Inbox::open(folder.path()).unwrap();
        assert_eq!(again.unconfirmed().unwrap(), []);
    }
}
