//! From the queue to the phone.

use super::Engine;
use super::link::Link;
use super::memory::Message;
use postrider_link::frame::{Cancel, Config, HubFrame, Revoke};
use postrider_link::ownership::hub::{Ask, Fact, HubState};
use postrider_model::{BootMs, MessageId, Now};

impl Engine {
    /// Writes what may be written now on the connection that is open; says whether there was
    /// anything.
    pub(super) fn dispatch(&mut self, now: Now) -> bool {
        let open = self.links.iter().rev().find(|(_, link)| link.is_open());
        let Some(dial) = open.map(|(dial, _)| *dial) else {
            return false;
        };
        let Some(mut link) = self.links.remove(&dial) else {
            return false;
        };
        let configured = self.configure(&mut link);
        let asked = self.ask(&mut link);
        let exposed = self.expose(&mut link, now);
        self.links.insert(dial, link);
        configured || asked || exposed
    }

    fn configure(&mut self, link: &mut Link) -> bool {
        if std::mem::replace(&mut link.configured, true) {
            return false;
        }
        let configs: Vec<Config> = self.memory.configs.values().cloned().collect();
        for config in configs {
            if let Some(s) = link.session.assign_control() {
                self.sent_down(s);
                link.session
                    .down_committed(HubFrame::Config(Config { s, ..config }));
            }
        }
        true
    }

    fn ask(&mut self, link: &mut Link) -> bool {
        let Some(by) = self.holder() else {
            return false;
        };
        let asks = |(id, message): (&MessageId, &Message)| {
            let owned = &message.owned;
            let ask = owned
                .asks()
                .filter(|_| owned.holder.as_ref() == Some(&by))?;
            (!link.asked.contains(&(*id, owned.ep))).then_some((*id, owned.ep, ask))
        };
        let wanted: Vec<_> = self.memory.messages.iter().filter_map(asks).collect();
        let mut moved = false;
        for (id, ep, ask) in wanted {
            let Some(s) = link.session.assign_control() else {
                break;
            };
            self.sent_down(s);
            link.asked.insert((id, ep));
            link.session.down_committed(match ask {
                Ask::Revoke => HubFrame::Revoke(Revoke { s, id, ep }),
                Ask::Cancel => HubFrame::Cancel(Cancel { s, id, ep }),
            });
            moved = true;
        }
        moved
    }

    /// Exposes what waits, most important first: "committed" before its frame is written.
    fn expose(&mut self, link: &mut Link, now: Now) -> bool {
        let Some(holder) = self.holder().filter(|_| !link.gives_back) else {
            return false;
        };
        let out = self
            .memory
            .messages
            .values()
            .filter(|it| it.is_out())
            .count() as u64;
        let room = self.scenario.hub.window.saturating_sub(out);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let can = |(_, message): &(&MessageId, &Message)| message.can_expose(now);
        let mut waiting: Vec<(i64, MessageId)> = self
            .memory
            .messages
            .iter()
            .filter(can)
            .map(|(id, message)| (message.send.priority, *id))
            .collect();
        waiting.sort_by_key(|(priority, id)| (std::cmp::Reverse(*priority), *id));
        let mut moved = false;
        for (_, id) in waiting.into_iter().take(room) {
            let Some(s) = link.session.assign_send() else {
                break;
            };
            self.sent_down(s);
            let holder = holder.clone();
            self.apply(id, Fact::Exposed { holder, s }, now);
            let frame = self
                .memory
                .messages
                .get(&id)
                .map(|message| message.frame(s, now));
            if let Some(frame) = frame {
                link.session.down_committed(HubFrame::Send(frame));
            }
            moved = true;
        }
        moved
    }

    pub(super) fn sent_down(&mut self, s: u64) {
        if let Some(row) = &mut self.memory.link {
            row.down_sent = row.down_sent.max(s);
        }
    }

    /// Applies a fact to a message; what cannot be about it changes nothing.
    pub(super) fn apply(&mut self, id: MessageId, fact: Fact<'_>, now: Now) {
        let Some(message) = self.memory.messages.get_mut(&id) else {
            return;
        };
        let rules = message.rules(now);
        if let Ok(outcome) = message.owned.apply(fact, rules)
            && let Some((ep, holder)) = outcome.replaced
        {
            self.memory.past.insert((id, ep), holder);
        }
    }

    pub(super) fn apply_to_all(
        &mut self,
        which: impl Fn(MessageId, &Message) -> bool,
        fact: impl Fn(MessageId) -> Fact<'static>,
        now: Now,
    ) {
        let chosen: Vec<MessageId> = self
            .memory
            .messages
            .iter()
            .filter(|(id, message)| which(**id, message))
            .map(|(id, _)| *id)
            .collect();
        for id in chosen {
            self.apply(id, fact(id), now);
        }
    }

    /// Ends lives that are over; says whether that changed anything.
    pub(super) fn end_lives(&mut self, now: Now) -> bool {
        let due = |message: &Message| {
            let at = message.owned.due_at(message.life_end)?;
            (at <= now.unix && !message.withheld).then_some(message.life_end)
        };
        let over: Vec<(MessageId, u64)> = self
            .memory
            .messages
            .iter()
            .filter_map(|(id, message)| {
                let ago = now.unix.0.saturating_sub(due(message)?.0);
                Some((*id, u64::try_from(ago).unwrap_or(0)))
            })
            .collect();
        let moved = !over.is_empty();
        for (id, ago_ms) in over {
            self.apply(id, Fact::LifeEnded { ago_ms }, now);
        }
        moved
    }

    pub(super) fn next_life_end(&self) -> Option<BootMs> {
        let due = |message: &Message| {
            let withheld = message.withheld && message.owned.state == HubState::Waiting;
            message.owned.due_at(message.life_end).filter(|_| !withheld)
        };
        let next = self.memory.messages.values().filter_map(due).min()?;
        let in_ms = next.0.saturating_sub(self.began.unix.0);
        Some(self.began.boot.plus_ms(u64::try_from(in_ms).unwrap_or(0)))
    }
}
