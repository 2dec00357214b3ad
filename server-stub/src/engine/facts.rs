//! Facts of the phone, "committed" to memory.

use super::Engine;
use super::link::Link;
use postrider_link::dispatch::turn;
use postrider_link::frame::{Event, PhoneFrame};
use postrider_link::ownership::hub::{Fact, Report, Whose};
use postrider_model::Now;
use std::convert::Infallible;

/// Most messages that came in and are kept to be shown; older ones are only counted.
const INBOUND_MAX: usize = 10_000;

impl Engine {
    pub(super) fn commit_fact(&mut self, link: &mut Link, frame: PhoneFrame, now: Now) {
        let Some(s) = frame.s() else {
            return;
        };
        if let Some(row) = &mut self.memory.link {
            row.up = s;
        }
        self.counts.facts += 1;
        self.note_give_back(link, &frame);
        match frame {
            PhoneFrame::Event(event) => self.report(&event, now),
            PhoneFrame::Inbound(inbound) => {
                self.counts.inbound += 1;
                self.inbound.push_back(inbound);
                if self.inbound.len() > INBOUND_MAX {
                    self.inbound.pop_front();
                }
            }
            PhoneFrame::Health(_)
            | PhoneFrame::Unknown(_)
            | PhoneFrame::Hello(_)
            | PhoneFrame::Held(_)
            | PhoneFrame::Ack(_)
            | PhoneFrame::Ping(_)
            | PhoneFrame::Pong(_)
            | PhoneFrame::Bye(_) => {}
        }
        link.session.facts_committed(s, now);
    }

    /// Notes whether a fact gives back what nobody asked back.
    fn note_give_back(&self, link: &mut Link, fact: &PhoneFrame) {
        let (Some(by), Some(connection)) = (self.holder(), &mut link.connection) else {
            return;
        };
        let owned =
            |id| Ok::<_, Infallible>(self.memory.messages.get(&id).map(|it| it.owned.clone()));
        let Ok(gives_back) = turn::gives_back(fact, &by, owned);
        connection.gives_back = gives_back.unwrap_or(connection.gives_back);
    }

    fn report(&mut self, event: &Event, now: Now) {
        let (Some(by), None) = (self.holder(), event.part) else {
            return;
        };
        let report = Report {
            state: event.state,
            partial: event.partial,
            unsent: event.unsent,
        };
        let (id, ep) = (event.id, event.ep);
        let Some(message) = self.memory.messages.get(&id) else {
            return;
        };
        match message.owned.whose(ep, &by) {
            Whose::Present => self.apply(
                id,
                Fact::Reported {
                    ep,
                    by: &by,
                    report,
                },
                now,
            ),
            Whose::LookUpPast if self.memory.past.get(&(id, ep)) == Some(&by) => {
                self.apply(id, Fact::PastReported { ep, report }, now);
            }
            Whose::LookUpPast | Whose::Stranger => {}
        }
    }
}
