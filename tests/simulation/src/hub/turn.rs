//! One commit of a link, by the production rules of a turn.

use super::{
    Incoming, Slot,
    apply::{Detail, Effects},
};
use crate::{plan::Sort, platform::group_of, world::World};
use postrider_link::{
    clock::{PhoneClock, published_time},
    close::CloseCode,
    dispatch::{
        freeze::Freeze,
        hello::must_end,
        link::Stored,
        newest::Fence,
        turn,
        window::{self, Claimed, Open, Queue},
    },
    frame::{Config, Event, Inbound, Kind, PhoneFrame, Send},
    mistake,
    ownership::hub::{Ask, Fact, Holder, Ownership, Said},
};
use postrider_model::{MessageId, UnixMs};
use std::{collections::BTreeMap, convert::Infallible};

pub(super) use postrider_link::dispatch::turn::Turn;

/// What a connection knows when it commits.
pub(super) type Connection = turn::Connection<Fence, BTreeMap<Slot, Config>, Slot>;

/// What a commit did.
#[derive(Debug)]
pub struct Done {
    /// What it stored.
    pub stored: Stored<Fence, BTreeMap<Slot, Config>, Slot>,
    /// What follows.
    pub effects: Effects,
}

/// How a commit ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It is on disk.
    Done(Box<Done>),
    /// Nothing was stored: the connection must end.
    Close(CloseCode),
}

impl World {
    /// Does a turn, with at most so many of its facts.
    pub(crate) fn do_turn(
        &mut self,
        turn: &Turn,
        mut connection: Connection,
        facts_max: usize,
    ) -> Ended {
        let fence = connection.fence.clone();
        let rows = &self.hub.rows;
        let device = rows.devices.get(&fence.device);
        let (Some(device), Some(seen)) = (device, rows.freezable(fence.device)) else {
            return Ended::Close(CloseCode::NotKnown);
        };
        let mut link = device.link.clone();
        let generation = || Ok::<_, Infallible>(rows.generation);
        let Ok(code) = must_end(&fence, device.state, (seen, &link), generation);
        if let Some(code) = code {
            if code == CloseCode::GoingAway {
                self.coverage
                    .mark("link", "a frozen phone has to come again", "");
            }
            return Ended::Close(code);
        }
        let by = fence.holder();
        let slots = rows.sims.keys();
        let mut rows = TurnRows {
            on: slots.filter(|slot| slot.0 == by.device).copied().collect(),
            world: self,
            by: &by,
            clock: connection.clock,
            effects: Effects::default(),
            room: facts_max,
        };
        let of = (&by, seen.frozen);
        let Ok(frames) = turn::run(&mut rows, turn, of, &mut connection, &mut link);
        let effects = rows.effects;
        let up = turn.facts.last().map(|_| link.up);
        if up.is_some_and(|up| !turn.facts_above(up).facts.is_empty()) {
            self.coverage
                .mark("link", "a turn leaves facts to the next one", "");
        }
        if let Some(device) = self.hub.rows.devices.get_mut(&by.device) {
            device.link = link;
        }
        let stored = Stored {
            up,
            frames,
            connection,
        };
        Ended::Done(Box::new(Done { stored, effects }))
    }

    fn take_in(
        &mut self,
        by: &Holder,
        clock: &PhoneClock,
        fact: &PhoneFrame,
        effects: &mut Effects,
    ) {
        let is_known = match fact {
            PhoneFrame::Event(event) => self.reported(by, clock, event, effects),
            PhoneFrame::Inbound(inbound) => self.came_to_hub(by, inbound),
            PhoneFrame::Health(health) => {
                self.sync_sims(by.device, &health.sims);
                true
            }
            _ => true,
        };
        if !is_known {
            self.hub.rows.aside += 1;
            self.coverage.mark("dispatch", "a fact is stored aside", "");
        }
    }

    fn reported(
        &mut self,
        by: &Holder,
        clock: &PhoneClock,
        event: &Event,
        effects: &mut Effects,
    ) -> bool {
        let Some(message) = self.hub.rows.messages.get(&event.id) else {
            return false;
        };
        let created = UnixMs(message.created);
        let past = &self.hub.rows;
        let was_held = || Ok(past.was_held(event.id, event.ep, by));
        let Ok(said) = message.owner.said::<Infallible>(event, by, was_held);
        let fact = match said {
            Said::OfMessage(fact) => fact,
            Said::OfPart => return true,
            Said::OfNothing => return false,
        };
        let now = self.hub_now();
        let time = published_time(clock, event.stamp(), created, now);
        let ahead_ms = if mistake::is("hub_is_ahead") {
            60_000
        } else {
            0
        };
        let time = time.plus_ms(ahead_ms);
        if time > now.unix || (time < created && created <= now.unix) {
            let text = format!("published {} at {}", time.0, now.unix.0);
            self.fail(
                "no time is before its message or in the future",
                Some(event.id),
                text,
            );
        }
        let detail = Detail {
            time: Some(time),
            unsent: event.unsent,
        };
        self.coverage.mark("event", event.state.as_str(), "");
        let applied = self.apply(event.id, fact, detail, effects);
        applied.is_some_and(|applied| applied.is_ok())
    }

    fn came_to_hub(&mut self, by: &Holder, inbound: &Inbound) -> bool {
        let install = inbound.install.as_ref().unwrap_or(&by.install);
        let key = (by.device, install.clone(), inbound.n);
        if !self.hub.rows.counted.insert(key) {
            self.coverage.mark("incoming", "counted before", "");
            return true;
        }
        let (sort, group) = which(inbound);
        if mistake::is("hub_loses_incoming") && inbound.n % 3 == 1 {
            return true;
        }
        let incoming = Incoming {
            device: by.device,
            install: install.clone(),
            n: inbound.n,
            sort,
            group: group.unwrap_or(0),
        };
        self.coverage.mark("incoming", "at the hub", sort.word());
        self.hub.rows.incoming.push(incoming);
        if mistake::is("hub_turns_the_order") {
            self.hub.rows.incoming.rotate_right(1);
        }
        true
    }

    fn expose(
        &mut self,
        id: MessageId,
        by: &Holder,
        s: u64,
        effects: &mut Effects,
    ) -> Option<Send> {
        let now = self.hub_now().unix;
        if self.hub.rows.messages[&id].life_end <= now.0 {
            let over = Fact::LifeEnded { ago_ms: 0 };
            self.apply(id, over, Detail::default(), effects);
            return None;
        }
        let holder = by.clone();
        let applied = self.apply(id, Fact::Exposed { holder, s }, Detail::default(), effects);
        applied?.ok()?;
        self.given(id, by.device);
        self.frame(id, s)
    }
}

/// The rows of one phone, as a turn reads and writes them.
struct TurnRows<'a> {
    world: &'a mut World,
    by: &'a Holder,
    clock: PhoneClock,
    effects: Effects,
    on: Vec<Slot>,
    /// For how many facts there is room in this turn.
    room: usize,
}

impl Queue for TurnRows<'_> {
    type Error = Infallible;
    type Sim = Slot;
    type Message = MessageId;

    fn sim(&mut self, at: usize) -> Option<window::Sim<Slot>> {
        let id = *self.on.get(at)?;
        let sim = &self.world.hub.rows.sims[&id];
        Some(window::Sim {
            id,
            in_slot: true,
            held_back: sim.paused || sim.sim_changed,
            window: u32::try_from(self.world.hub.window).unwrap_or(u32::MAX),
            sends_left: None,
        })
    }

    fn claim(
        &mut self,
        at: usize,
        priority: u8,
        above: i64,
        limit: u32,
    ) -> Result<Claimed<MessageId>, Infallible> {
        let rows = &self.world.hub.rows;
        let messages = rows.queued(self.on[at], priority, above, limit);
        let full = messages.len() >= limit as usize;
        Ok(Claimed { messages, full })
    }

    fn is_movable(&mut self, id: &MessageId) -> Result<bool, Infallible> {
        Ok(self.world.hub.rows.messages[id].movable)
    }

    fn is_routed(&self, id: &MessageId) -> bool {
        self.world.hub.rows.messages[id].movable
    }

    fn expose(&mut self, _: usize, id: &mut MessageId, s: u64) -> Result<Option<Send>, Infallible> {
        Ok(self.world.expose(*id, self.by, s, &mut self.effects))
    }
}

impl turn::Rows for TurnRows<'_> {
    type Told = BTreeMap<Slot, Config>;

    fn owned(&mut self, id: MessageId) -> Result<Option<Ownership>, Infallible> {
        let message = self.world.hub.rows.messages.get(&id);
        Ok(message.map(|message| message.owner.clone()))
    }

    fn take_in(&mut self, fact: &PhoneFrame) -> Result<(), Infallible> {
        let clock = &self.clock;
        self.world.take_in(self.by, clock, fact, &mut self.effects);
        Ok(())
    }

    fn is_enough(&mut self) -> bool {
        self.room = self.room.saturating_sub(1);
        self.room == 0
    }

    fn count_open(&mut self) -> Result<Open<Slot>, Infallible> {
        let mut open = Open::default();
        let rows = &self.world.hub.rows;
        for id in rows.held(self.by.device) {
            let message = &rows.messages[&id];
            open.add(message.route, message.priority, message.movable);
        }
        Ok(open)
    }

    fn close(&mut self, open: &mut Open<Slot>) -> Result<(), Infallible> {
        for (slot, priority, routed) in std::mem::take(&mut self.effects.closed) {
            if slot.0 == self.by.device {
                open.close(slot, priority, routed);
            } else {
                self.effects.settings(slot);
            }
        }
        Ok(())
    }

    fn settings(&mut self, told: &mut Self::Told) -> Result<Vec<Config>, Infallible> {
        let mut changed = Vec::new();
        for slot in &self.on {
            let sim = &self.world.hub.rows.sims[slot];
            let config = Config {
                s: 0,
                sim: Some(slot.1),
                pause: sim.paused || sim.sim_changed,
                send_delay_ms: sim.delay_ms,
                quiet: sim.quiet.clone(),
                send_limit_max: sim.limit,
                ..Config::default()
            };
            if told.get(slot) != Some(&config) {
                told.insert(*slot, config.clone());
                changed.push(config);
            }
        }
        Ok(changed)
    }

    fn asks(&mut self) -> Result<Vec<(MessageId, u32, Ask)>, Infallible> {
        let rows = &self.world.hub.rows;
        let mut held = rows.held(self.by.device);
        held.extend(rows.asked_back(self.by.device));
        let ask = |id: MessageId| {
            let owner = &rows.messages[&id].owner;
            turn::ask_of(owner, self.by).map(|ask| (id, owner.ep, ask))
        };
        Ok(held.into_iter().filter_map(ask).collect())
    }

    fn exposable_above(&mut self) -> Result<i64, Infallible> {
        let freeze = self.world.hub.rows.freeze;
        Ok(freeze.and_then(Freeze::holds_up_to).unwrap_or(0))
    }
}

/// Reads which of the things that came in a fact is about: its text or its bytes end in the number,
/// or it is the caller's.
pub(crate) fn which(inbound: &Inbound) -> (Sort, Option<u64>) {
    let text = inbound.text.as_ref().map_or("", |text| text.as_str());
    let said = text.rsplit(' ').next().and_then(|no| no.parse().ok());
    match inbound.kind {
        Kind::DataSms => {
            let bytes = inbound.data.as_ref().map(|data| &data.base64.0);
            let bytes = bytes.and_then(|bytes| <[u8; 8]>::try_from(bytes.as_slice()).ok());
            (Sort::Data, bytes.map(u64::from_be_bytes))
        }
        Kind::Call => (Sort::Call, group_of(inbound.from.as_str())),
        Kind::Ussd => (Sort::Code, said),
        Kind::Mms => (Sort::Picture, said),
        Kind::Sms | Kind::Other(_) => (Sort::Text, said),
    }
}
