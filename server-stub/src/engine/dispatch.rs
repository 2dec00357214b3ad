//! From the queue to the phone.

use super::Engine;
use super::link::Link;
use super::memory::Message;
use postrider_link::dispatch::link::Stored;
use postrider_link::dispatch::turn::{self, Woken};
use postrider_link::dispatch::window::{Claimed, Open, PRIORITIES, Queue, Sim};
use postrider_link::frame::{Config, PhoneFrame, Send};
use postrider_link::ownership::hub::{Ask, Fact, Holder, HubState, Outcome, Ownership, Refused};
use postrider_model::{BootMs, MessageId, Now};
use std::convert::Infallible;

/// The memory, as a turn of the phone that is connected reads and writes it.
///
/// A scenario has one window for all SIMs and any number of priorities, so its queue is one SIM's,
/// and all of it goes at the first priority.
pub(super) struct Rows<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) by: &'a Holder,
    pub(super) now: Now,
}

impl Engine {
    /// Writes what may be written now on the connection that is open; returns whether there was
    /// anything.
    pub(super) fn dispatch(&mut self, now: Now) -> bool {
        let open = self.links.iter().rev().find(|(_, link)| link.is_open());
        let Some(dial) = open.map(|(dial, _)| *dial) else {
            return false;
        };
        let Some(mut link) = self.links.remove(&dial) else {
            return false;
        };
        link.of.woken(Woken::ALL);
        let moved = self.commit_turn(&mut link, now);
        self.links.insert(dial, link);
        moved
    }

    /// Does what a connection has to commit; returns whether there was anything to write.
    pub(super) fn commit_turn(&mut self, link: &mut Link, now: Now) -> bool {
        let facts = link.of.facts_waiting();
        let Some((turn, mut connection)) = link.of.begin(facts) else {
            return false;
        };
        let Some(mut row) = self.memory.link.clone() else {
            link.of.was_put_off();
            return false;
        };
        let by = connection.fence.holder();
        let mut rows = Rows {
            engine: self,
            by: &by,
            now,
        };
        let of = (&by, false);
        let Ok(frames) = turn::run(&mut rows, &turn, of, &mut connection, &mut row);
        let moved = !frames.is_empty();
        let up = turn.facts.last().map(|_| row.up);
        self.memory.link = Some(row);
        let stored = Stored {
            up,
            frames,
            connection,
        };
        link.of.committed(stored, now);
        moved
    }

    pub(super) fn sent_down(&mut self, s: u64) {
        if let Some(row) = &mut self.memory.link {
            row.down_sent = row.down_sent.max(s);
        }
    }

    /// Applies a fact to a message; what cannot be about it changes nothing.
    pub(super) fn apply(
        &mut self,
        id: MessageId,
        fact: Fact<'_>,
        now: Now,
    ) -> Option<Result<Outcome, Refused>> {
        let message = self.memory.messages.get_mut(&id)?;
        let rules = message.rules(now);
        let applied = message.owned.apply(fact, rules);
        if let Ok(outcome) = &applied
            && let Some((ep, holder)) = &outcome.replaced
        {
            self.memory.past.insert((id, *ep), holder.clone());
        }
        Some(applied)
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

    /// Ends lives that are over; returns whether that changed anything.
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

impl Queue for Rows<'_> {
    type Error = Infallible;
    type Sim = ();
    type Message = MessageId;

    fn sim(&mut self, at: usize) -> Option<Sim<()>> {
        (at == 0).then_some(Sim {
            id: (),
            in_slot: true,
            held_back: false,
            window: u32::try_from(self.engine.scenario.hub.window).unwrap_or(u32::MAX),
            sends_left: None,
        })
    }

    fn claim(
        &mut self,
        _: usize,
        priority: u8,
        _: i64,
        limit: u32,
    ) -> Result<Claimed<MessageId>, Infallible> {
        let messages = self.engine.memory.messages.iter();
        let can = |(_, message): &(&MessageId, &Message)| message.can_expose(self.now);
        let is_first = priority == PRIORITIES[0];
        let mut waiting: Vec<_> = messages
            .filter(|_| is_first)
            .filter(can)
            .map(|(id, message)| (std::cmp::Reverse(message.send.priority), *id))
            .collect();
        waiting.sort_unstable();
        let full = waiting.len() >= limit as usize;
        let messages = waiting.into_iter().map(|(_, id)| id);
        Ok(Claimed {
            messages: messages.take(limit as usize).collect(),
            full,
        })
    }

    fn is_movable(&mut self, id: &MessageId) -> Result<bool, Infallible> {
        Ok(self.is_routed(id))
    }

    fn is_routed(&self, id: &MessageId) -> bool {
        self.engine.memory.messages[id].movable
    }

    fn expose(&mut self, _: usize, id: &mut MessageId, s: u64) -> Result<Option<Send>, Infallible> {
        let holder = self.by.clone();
        self.engine
            .apply(*id, Fact::Exposed { holder, s }, self.now);
        let message = self.engine.memory.messages.get(id);
        Ok(message.map(|message| message.frame(s, self.now)))
    }
}

impl turn::Rows for Rows<'_> {
    /// How often the settings were changed that it was told.
    type Told = u64;

    fn owned(&mut self, id: MessageId) -> Result<Option<Ownership>, Infallible> {
        let message = self.engine.memory.messages.get(&id);
        Ok(message.map(|message| message.owned.clone()))
    }

    fn take_in(&mut self, fact: &PhoneFrame) -> Result<(), Infallible> {
        self.engine.take_in(self.by, fact, self.now);
        Ok(())
    }

    fn count_open(&mut self) -> Result<Open<()>, Infallible> {
        let mut open = Open::default();
        let messages = self.engine.memory.messages.values();
        for message in messages.filter(|message| message.is_out()) {
            open.add((), PRIORITIES[0], message.movable);
        }
        Ok(open)
    }

    fn close(&mut self, _: &mut Open<()>) -> Result<(), Infallible> {
        Ok(())
    }

    fn settings(&mut self, told: &mut u64) -> Result<Vec<Config>, Infallible> {
        let memory = &self.engine.memory;
        Ok(
            if std::mem::replace(told, memory.configured) == memory.configured {
                Vec::new()
            } else {
                memory.configs.values().cloned().collect()
            },
        )
    }

    fn asks(&mut self) -> Result<Vec<(MessageId, u32, Ask)>, Infallible> {
        let ask = |(id, message): (&MessageId, &Message)| {
            let owned = &message.owned;
            turn::ask_of(owned, self.by).map(|ask| (*id, owned.ep, ask))
        };
        Ok(self.engine.memory.messages.iter().filter_map(ask).collect())
    }

    fn exposable_above(&mut self) -> Result<i64, Infallible> {
        Ok(0)
    }
}
