//! Facts of the phone, "committed" to memory.

use super::Engine;
use super::link::Link;
use postrider_link::frame::{Event, PhoneFrame};
use postrider_link::ownership::hub::{Fact, Report, Whose};
use postrider_model::{Now, WireState};

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
        match frame {
            PhoneFrame::Event(event) => {
                link.gives_back = self.gives_back(&event).unwrap_or(link.gives_back);
                self.report(&event, now);
            }
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

    /// Says whether an event gives back what nobody asked back; `None` when it says nothing of it.
    fn gives_back(&self, event: &Event) -> Option<bool> {
        match event.state {
            WireState::OnPhone | WireState::Retrying | WireState::Submitting => return None,
            WireState::Revoked => {}
            _ => return Some(false),
        }
        let owned = &self.memory.messages.get(&event.id)?.owned;
        let is_present = owned.ep == event.ep && owned.holder == self.holder();
        (is_present && owned.asks().is_none()).then_some(true)
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
