//! The platform's logs in memory: rows by date and number, read in pages after a mark.

use postrider_machine::{CallLogRow, Log, LogPage, RadioFact, ReceivedMms, ReceivedSms, ScanMark};

#[derive(Default)]
pub(crate) struct Logs {
    pub(crate) sms: Vec<ReceivedSms>,
    pub(crate) mms: Vec<ReceivedMms>,
    pub(crate) calls: Vec<CallLogRow>,
    /// Rows of a page; 0 means unlimited.
    pub(crate) page_max: usize,
    /// The platform does not answer.
    pub(crate) is_deaf: bool,
}

impl Logs {
    pub(crate) fn read(&self, log: Log, from: ScanMark) -> Option<RadioFact> {
        if self.is_deaf {
            return None;
        }
        let of_sms = |row: &ReceivedSms| mark(row.received_at.unwrap(), row.row.unwrap());
        let (page, complete) = match log {
            Log::Sms => {
                let (rows, complete) = self.page(&self.sms, of_sms, from);
                (LogPage::Sms(rows), complete)
            }
            Log::Mms => {
                let of = |row: &ReceivedMms| mark(row.received_at, row.row);
                let (rows, complete) = self.page(&self.mms, of, from);
                (LogPage::Mms(rows), complete)
            }
            Log::Calls => {
                let of = |row: &CallLogRow| mark(row.started_at, row.row);
                let (rows, complete) = self.page(&self.calls, of, from);
                (LogPage::Calls(rows), complete)
            }
        };
        Some(RadioFact::LogRead { page, complete })
    }

    fn page<T: Clone>(
        &self,
        rows: &[T],
        of: impl Fn(&T) -> ScanMark,
        from: ScanMark,
    ) -> (Vec<T>, bool) {
        let mut found: Vec<T> = rows.iter().filter(|row| of(row) > from).cloned().collect();
        found.sort_by_key(&of);
        let all = found.len();
        if self.page_max > 0 {
            found.truncate(self.page_max);
        }
        let complete = found.len() == all;
        (found, complete)
    }
}

fn mark(date: postrider_model::UnixMs, row: i64) -> ScanMark {
    ScanMark { date, row }
}
