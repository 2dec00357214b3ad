//! Messages that come in: rows, broadcasts that may repeat or fail to come, and scans.

use super::{InboxRow, line::observed_after};
use crate::{
    log::{Line, Who},
    plan::{Route, Sort, Telling},
    world::{EPOCH, Event, RadioEvent, World},
};
use postrider_link::{
    frame::{Address, Bytes, Data},
    mistake,
};
use postrider_machine::{
    CallLogRow, LOG_ROWS_MAX, Log, LogPage, RadioFact, ReceivedData, ReceivedMms, ReceivedSms,
    ScanMark,
};
use postrider_model::{MessageText, SimSlot, UnixMs};

impl World {
    /// So many true copies of something come in.
    pub(crate) fn comes_in(
        &mut self,
        route: Route,
        sort: Sort,
        group: u64,
        copies: u64,
        telling: Telling,
    ) {
        let (no, at) = (route.phone, self.at);
        let platform = &mut self.phones[no].platform;
        let present = platform
            .sims
            .iter()
            .any(|sim| sim.slot == route.sim && sim.present);
        let phone = &self.phones[no];
        let rows = phone.disk.rows().rest();
        if phone.agent.is_none() && rows.scans.is_empty() {
            // It has never run so far that it knows from where to look.
            return;
        }
        if !present || phone.platform.airplane || !phone.powered || phone.scrapped || !phone.joined
        {
            return;
        }
        let sent_at = (EPOCH + at.cast_signed()) / 1_000 * 1_000;
        let word = match telling {
            Telling::Broadcast => "broadcast",
            Telling::Repeated => "broadcast again and again",
            Telling::Missing => "without a broadcast",
        };
        let copied = if copies > 1 { "two copies" } else { "" };
        self.coverage.mark("incoming", word, copied);
        self.coverage.mark("incoming", word, sort.word());
        let line = Line::new(Who::Radio(no), "incoming {} is {w}");
        self.note(line.with([group, 0, 0]).word(sort.word()));
        match sort {
            Sort::Call => return self.call_comes_in(route, group, telling),
            Sort::Data => return self.data_comes_in(route, group, telling),
            Sort::Text | Sort::Picture | Sort::Code => {}
        }
        for copy in 0..copies {
            let row = InboxRow {
                row: self.phones[no].platform.inbox.len() as i64 + 1,
                sort,
                group,
                sim: route.sim,
                sent_at,
                at,
                date: self.phones[no].now(at).unix.0,
                telling,
            };
            self.phones[no].platform.inbox.push(row.clone());
            self.model.came_in(no, sort, group);
            // Of a multimedia message only the observer tells.
            let times = if sort == Sort::Text {
                times(telling)
            } else {
                0
            };
            let mut random = self.draw(&[12, no as u64, group, copy]);
            for _ in 0..times {
                let delay_ms = random.between(50, 3_000);
                self.broadcast(no, &row, delay_ms);
            }
            if mistake::is("tells_of_two") && times > 0 {
                let sent_at = row.sent_at + 1_000;
                let other = InboxRow { sent_at, ..row };
                self.broadcast(no, &other, 5_000);
            }
            // The observer is an object of the process: it starts nothing.
            if random.percent(40) && self.phones[no].agent.is_some() {
                let after_ms = observed_after(&mut random);
                self.observed(no, sort, after_ms);
            }
        }
    }

    /// Bytes come in: the platform tells of them, and keeps nothing.
    fn data_comes_in(&mut self, route: Route, group: u64, telling: Telling) {
        let no = route.phone;
        self.model.came_in(no, Sort::Data, group);
        let epoch = self.phones[no].platform.intents;
        let mut random = self.draw(&[22, no as u64, group]);
        for _ in 0..times(telling) {
            let platform = &mut self.phones[no].platform;
            let receipt = platform.receipt(Sort::Data, group);
            let fact = RadioFact::DataReceived(ReceivedData {
                receipt,
                sim: SimSlot::new(route.sim).unwrap_or_default(),
                from: Address::new("+15005550043"),
                data: Data {
                    port: 9_200,
                    base64: Bytes(group.to_be_bytes().to_vec()),
                },
                sent_at: Some(UnixMs((EPOCH + self.at.cast_signed()) / 1_000 * 1_000)),
            });
            let tells = Event::Radio {
                phone: no,
                epoch,
                event: RadioEvent::Tells(fact),
            };
            self.push_in(random.between(50, 3_000), tells);
        }
    }

    fn observed(&mut self, no: usize, sort: Sort, after_ms: u64) {
        let log = match sort {
            Sort::Picture => Log::Mms,
            _ => Log::Sms,
        };
        let epoch = self.phones[no].platform.intents;
        let tells = Event::Radio {
            phone: no,
            epoch,
            event: RadioEvent::Tells(RadioFact::LogChanged(log)),
        };
        self.push_in(after_ms, tells);
    }

    fn broadcast(&mut self, no: usize, row: &InboxRow, delay_ms: u64) {
        let platform = &mut self.phones[no].platform;
        let receipt = platform.receipt(row.sort, row.group);
        let epoch = platform.intents;
        let fact = RadioFact::SmsReceived(received(row, receipt, None));
        let tells = Event::Radio {
            phone: no,
            epoch,
            event: RadioEvent::Tells(fact),
        };
        self.push_in(delay_ms, tells);
    }

    /// The shell reads a log after a mark, one page of it.
    pub(super) fn reads_log(&mut self, no: usize, log: Log, from: ScanMark) {
        if self.phones[no].agent.is_none() {
            return;
        }
        self.coverage.mark("log read", log.as_str(), "");
        let (page, complete) = match log {
            Log::Sms => {
                let (rows, complete) = self.rows_after(no, Sort::Text, from);
                let page = rows.iter().map(|row| received(row, 0, Some(row.row)));
                (LogPage::Sms(page.collect()), complete)
            }
            Log::Mms => {
                let (rows, complete) = self.rows_after(no, Sort::Picture, from);
                (LogPage::Mms(rows.iter().map(fetched).collect()), complete)
            }
            Log::Calls => {
                let mark = |row: &CallLogRow| ScanMark {
                    date: row.started_at,
                    row: row.row,
                };
                let log = self.phones[no].platform.call_log.iter();
                let mut rows: Vec<CallLogRow> =
                    log.filter(|row| mark(row) > from).cloned().collect();
                rows.sort_by_key(mark);
                let complete = rows.len() <= LOG_ROWS_MAX;
                rows.truncate(LOG_ROWS_MAX);
                (LogPage::Calls(rows), complete)
            }
        };
        self.tells(no, RadioFact::LogRead { page, complete });
    }

    /// Returns the rows of one page, and whether there are no more.
    fn rows_after(&self, no: usize, sort: Sort, from: ScanMark) -> (Vec<InboxRow>, bool) {
        let mark = |row: &InboxRow| ScanMark {
            date: UnixMs(row.date),
            row: row.row,
        };
        let inbox = self.phones[no].platform.inbox.iter();
        let after = inbox.filter(|row| row.sort == sort && mark(row) > from);
        let mut rows: Vec<InboxRow> = after.cloned().collect();
        rows.sort_by_key(mark);
        let complete = rows.len() <= LOG_ROWS_MAX;
        rows.truncate(LOG_ROWS_MAX);
        (rows, complete)
    }
}

/// Returns how often the platform tells of something.
const fn times(telling: Telling) -> u64 {
    match telling {
        Telling::Broadcast => 1,
        Telling::Repeated => 3,
        Telling::Missing => 0,
    }
}

fn fetched(of: &InboxRow) -> ReceivedMms {
    ReceivedMms {
        receipt: 0,
        sim: SimSlot::new(of.sim).unwrap_or_default(),
        from: Address::new("+15005550044"),
        to: None,
        subject: None,
        text: Some(MessageText::new(format!("picture {}", of.group))),
        sent_at: Some(UnixMs(of.sent_at)),
        received_at: UnixMs(of.date),
        row: of.row,
    }
}

fn received(of: &InboxRow, receipt: u64, row: Option<i64>) -> ReceivedSms {
    ReceivedSms {
        receipt,
        sim: SimSlot::new(of.sim).unwrap_or_default(),
        from: Address::new("+15005550042"),
        to: None,
        text: MessageText::new(format!("incoming {}", of.group)),
        parts: 1,
        sent_at: Some(UnixMs(of.sent_at)),
        received_at: row.map(|_| UnixMs(of.date)),
        row,
    }
}
