//! Messages that come in: rows, broadcasts that may repeat or fail to come, and scans.

use super::InboxRow;
use crate::{
    log::{Line, Who},
    plan::{Route, Telling},
    world::{EPOCH, Event, RadioEvent, World},
};
use postrider_link::frame::Address;
use postrider_machine::{LOG_ROWS_MAX, Log, LogPage, RadioFact, ReceivedSms, ScanMark};
use postrider_model::{MessageText, SimSlot, UnixMs};

impl World {
    /// So many true copies of a message come in.
    pub(crate) fn comes_in(&mut self, route: Route, group: u64, copies: u64, telling: Telling) {
        let (no, at) = (route.phone, self.at);
        let platform = &mut self.phones[no].platform;
        let present = platform
            .sims
            .iter()
            .any(|sim| sim.slot == route.sim && sim.present);
        if !present || platform.airplane || !self.phones[no].powered || self.phones[no].scrapped {
            return;
        }
        let sent_at = (EPOCH + at.cast_signed()) / 1_000 * 1_000;
        let word = match telling {
            Telling::Broadcast => "broadcast",
            Telling::Repeated => "broadcast again and again",
            Telling::Missing => "without a broadcast",
        };
        self.coverage
            .mark("incoming", word, if copies > 1 { "two copies" } else { "" });
        self.note(
            Line::new(Who::Radio(no), "incoming {} ({w})")
                .with([group, 0, 0])
                .word(word),
        );
        for copy in 0..copies {
            let row = InboxRow {
                row: self.phones[no].platform.inbox.len() as i64 + 1,
                group,
                sim: route.sim,
                sent_at,
                at,
                date: self.phones[no].now(at).unix.0,
                telling,
            };
            self.phones[no].platform.inbox.push(row.clone());
            self.model.came_in(no, group);
            let times = match telling {
                Telling::Broadcast => 1,
                Telling::Repeated => 3,
                Telling::Missing => 0,
            };
            let mut random = self.draw(&[12, no as u64, group, copy]);
            for _ in 0..times {
                let delay_ms = random.between(50, 3_000);
                self.broadcast(no, &row, delay_ms);
            }
            // The observer is an object of the process: it starts nothing.
            if random.percent(40) && self.phones[no].agent.is_some() {
                self.observed(no);
            }
        }
    }

    fn observed(&mut self, no: usize) {
        let epoch = self.phones[no].platform.intents;
        let tells = Event::Radio {
            phone: no,
            epoch,
            event: RadioEvent::Tells(RadioFact::LogChanged(Log::Sms)),
        };
        self.push_in(800, tells);
    }

    fn broadcast(&mut self, no: usize, row: &InboxRow, delay_ms: u64) {
        let platform = &mut self.phones[no].platform;
        let receipt = platform.receipt();
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
        let mark = |row: &InboxRow| ScanMark {
            date: UnixMs(row.date),
            row: row.row,
        };
        let (page, complete) = match log {
            Log::Sms => {
                let inbox = self.phones[no].platform.inbox.iter();
                let mut rows: Vec<&InboxRow> = inbox.filter(|row| mark(row) > from).collect();
                rows.sort_by_key(|row| mark(row));
                let complete = rows.len() <= LOG_ROWS_MAX;
                let page = rows.into_iter().take(LOG_ROWS_MAX);
                let page = page.map(|row| received(row, 0, Some(row.row)));
                (LogPage::Sms(page.collect()), complete)
            }
            Log::Mms => (LogPage::Mms(Vec::new()), true),
            Log::Calls => (LogPage::Calls(Vec::new()), true),
        };
        self.tells(no, RadioFact::LogRead { page, complete });
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
