//! Facts of the phone, "committed" to memory.

use super::Engine;
use postrider_link::frame::{Event, PhoneFrame};
use postrider_link::ownership::hub::{Holder, Said};
use postrider_model::Now;
use std::convert::Infallible;

/// Most messages that came in and are kept to be shown; older ones are only counted.
const INBOUND_MAX: usize = 10_000;

impl Engine {
    pub(super) fn take_in(&mut self, by: &Holder, fact: &PhoneFrame, now: Now) {
        self.counts.facts += 1;
        match fact {
            PhoneFrame::Event(event) => self.report(by, event, now),
            PhoneFrame::Inbound(inbound) => {
                self.counts.inbound += 1;
                self.inbound.push_back(inbound.clone());
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
    }

    fn report(&mut self, by: &Holder, event: &Event, now: Now) {
        let Some(message) = self.memory.messages.get(&event.id) else {
            return;
        };
        let was_held = || Ok(self.memory.was_held(event.id, event.ep, by));
        let Ok(said) = message.owned.said::<Infallible>(event, by, was_held);
        if let Said::OfMessage(fact) = said {
            self.apply(event.id, fact, now);
        }
    }
}
