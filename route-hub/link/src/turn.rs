//! One commit of a link, in the order of [`postrider_link::dispatch::turn`].
//!
//! Everything that a connection stores goes through here, in one transaction with the counters that
//! make it count once. It is refused if the phone has a newer connection.

use crate::config;
use crate::held::{counters, link_of};
use hub_app::alerts;
use hub_app::damage;
use hub_app::devices::health;
use hub_app::devices::project_of;
use hub_app::dispatch::freeze;
use hub_app::dispatch::{expose, report};
use hub_app::hub::Hub;
use hub_app::messages::inbound;
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Device, DeviceState, Message, Phone};
use hub_store::damaged::Found;
use hub_store::facts_aside::{self, FactAside};
use hub_store::{StoreError, Tx, devices, messages, meta, phones};
use postrider_link::clock::PhoneClock;
use postrider_link::close::CloseCode;
use postrider_link::codec;
use postrider_link::dispatch::hello::must_end;
use postrider_link::dispatch::link;
use postrider_link::dispatch::newest::Fence;
use postrider_link::dispatch::turn;
use postrider_link::dispatch::window::{Claimed, Open, Queue, Sim};
use postrider_link::frame::{Config, HubFrame, PhoneFrame, Send};
use postrider_link::mistake;
use postrider_link::ownership::hub::{Ask, Holder, Ownership};
use postrider_model::{BootMs, MessageId, Now, PhoneId};

pub(crate) use postrider_link::dispatch::turn::Turn;

/// What a connection of this hub knows when it commits.
pub(crate) type Connection = turn::Connection<Fence, config::Sent, PhoneId>;

/// What a commit stored.
pub(crate) type Stored = link::Stored<Fence, config::Sent, PhoneId>;

/// What a commit did.
pub(crate) struct Done {
    /// What it stored.
    pub stored: Stored,
    /// The device's phones, when there may be new ones.
    pub phones: Option<Vec<PhoneId>>,
    /// What follows the commit.
    pub effects: Effects,
}

/// How a commit ended.
pub(crate) enum Ended {
    /// There was nothing to store.
    Idle,
    /// It is on disk.
    Done(Box<Done>),
    /// Nothing was stored: the connection must end.
    Close(CloseCode),
}

/// Returns whether a turn without facts would do nothing. A read-only connection answers this, so
/// that a change of a whole project does not keep the writer busy.
pub(crate) fn is_idle(
    tx: &mut Tx<'_>,
    connection: &Connection,
    now: Now,
) -> Result<bool, StoreError> {
    let Some(device) = devices::get(tx, connection.fence.device)? else {
        return Ok(false);
    };
    let is_newest = link_of(&device).is_some_and(|row| connection.fence.admits(&row));
    let is_served = device.state == DeviceState::Active && is_newest;
    let knows_all = connection.open.total() == 0 && connection.asked.is_empty();
    if !is_served || device.frozen || !knows_all {
        return Ok(false);
    }
    let project = project_of(tx, &device)?;
    let on = phones::of_device(tx, device.id)?;
    if !config::is_told(&on, &project, &connection.config, now.unix) {
        return Ok(false);
    }
    if !alerts::is_forwarding_told(tx, &project, &on)? {
        return Ok(false);
    }
    for phone in &on {
        if messages::queued_for(tx, phone.id, 1)? > 0 {
            return Ok(false);
        }
    }
    let holds_nothing = messages::open_exposures(tx, device.id)?.is_empty();
    Ok(holds_nothing && messages::asked_back(tx, device.id)?.is_empty())
}

/// Does a turn inside a job of the store. After `span_max_ms` it takes no more facts, but at least one.
pub(crate) fn run(
    hub: &Hub,
    tx: &mut Tx<'_>,
    turn: &Turn,
    mut connection: Connection,
    (now, span_max_ms): (Now, u64),
) -> Result<Ended, StoreError> {
    let Some(device) = devices::get(tx, connection.fence.device)? else {
        return Ok(Ended::Close(CloseCode::NotKnown));
    };
    let Some(mut link) = link_of(&device) else {
        return Ok(Ended::Close(CloseCode::Replaced));
    };
    let (service, seen) = (device.state.service(), freeze::seen_by_rules(&device));
    let generation = || meta::generation(tx);
    if let Some(code) = must_end(&connection.fence, service, (seen, &link), generation)? {
        return Ok(Ended::Close(code));
    }
    let before = link.clone();
    let project = project_of(tx, &device)?;
    let by = connection.fence.holder();
    let mut rows = Rows {
        on: phones::of_device(tx, device.id)?,
        work: UnitOfWork::new(hub, tx, &project, now),
        clock: connection.clock,
        device: &device,
        by: &by,
        full_at: hub.now().boot.plus_ms(span_max_ms),
    };
    let of = (&by, device.frozen);
    let frames = turn::run(&mut rows, turn, of, &mut connection, &mut link)?;
    let Rows { mut work, on, .. } = rows;
    let exposes = |frame: &HubFrame| matches!(frame, HubFrame::Send(_));
    if mistake::is("frame_first") && frames.iter().any(exposes) {
        work.tx.answer_early();
    }
    let effects = work.finish()?;
    if link != before {
        devices::update_link(tx, device.id, &counters(&link))?;
    }
    let up = turn.facts.last().map(|_| link.up);
    let is_health = |fact: &PhoneFrame| matches!(fact, PhoneFrame::Health(_));
    let looked = turn.settings || turn.facts.iter().any(is_health);
    let phones = looked.then(|| on.iter().map(|phone| phone.id).collect());
    let stored = Stored {
        up,
        frames,
        connection,
    };
    let done = Done {
        stored,
        phones,
        effects,
    };
    Ok(Ended::Done(Box::new(done)))
}

/// The rows of one phone, as a turn reads and writes them.
struct Rows<'w, 't> {
    work: UnitOfWork<'w, 't>,
    clock: PhoneClock,
    device: &'w Device,
    by: &'w Holder,
    on: Vec<Phone>,
    full_at: BootMs,
}

impl Queue for Rows<'_, '_> {
    type Error = StoreError;
    type Sim = PhoneId;
    type Message = Message;

    fn sim(&mut self, at: usize) -> Option<Sim<PhoneId>> {
        Some(expose::sim(&self.work, self.on.get(at)?))
    }

    fn claim(
        &mut self,
        at: usize,
        priority: u8,
        above: i64,
        limit: u32,
    ) -> Result<Claimed<Message>, StoreError> {
        let phone = self.on[at].id;
        let claimed = messages::claim_queued_above(self.work.tx, phone, priority, above, limit)?;
        let full = claimed.len() >= limit as usize;
        let messages = damage::readable(&mut self.work, claimed)?;
        Ok(Claimed { messages, full })
    }

    fn is_movable(&mut self, message: &Message) -> Result<bool, StoreError> {
        expose::is_movable(&mut self.work, message)
    }

    fn is_routed(&self, message: &Message) -> bool {
        message.route_id.is_some()
    }

    fn expose(
        &mut self,
        at: usize,
        message: &mut Message,
        s: u64,
    ) -> Result<Option<Send>, StoreError> {
        let to = (&self.on[at], self.by);
        expose::expose(&mut self.work, message, to, s)
    }
}

impl turn::Rows for Rows<'_, '_> {
    type Told = config::Sent;

    fn owned(&mut self, id: MessageId) -> Result<Option<Ownership>, StoreError> {
        let found = messages::found(self.work.tx, id.get())?;
        let message = found.as_ref().and_then(Found::row);
        Ok(message.and_then(|message| message.ownership.clone()))
    }

    fn take_in(&mut self, fact: &PhoneFrame) -> Result<(), StoreError> {
        let aside = match fact {
            PhoneFrame::Event(event) => report::apply(&mut self.work, self.by, &self.clock, event)?,
            PhoneFrame::Inbound(frame) => {
                let (clock, on) = (&self.clock, &self.on);
                inbound::apply(&mut self.work, self.by, clock, on, frame)?
            }
            PhoneFrame::Health(frame) => {
                health::apply(&mut self.work, self.device, &mut self.on, frame)?;
                None
            }
            _ => None,
        };
        let (Some(reason), Some(s)) = (aside, fact.s()) else {
            return Ok(());
        };
        tracing::info!(device = %self.by.device, s, reason, "a phone's fact was set aside");
        let aside = FactAside {
            device_id: self.by.device,
            s,
            frame: codec::encode(fact).unwrap_or_default(),
            reason: reason.to_owned(),
            time: self.work.now.unix,
        };
        facts_aside::insert(self.work.tx, &aside)
    }

    fn is_enough(&mut self) -> bool {
        self.work.hub.now().boot >= self.full_at
    }

    fn count_open(&mut self) -> Result<Open<PhoneId>, StoreError> {
        expose::count_open(self.work.tx, self.by)
    }

    fn close(&mut self, open: &mut Open<PhoneId>) -> Result<(), StoreError> {
        for closed in std::mem::take(&mut self.work.closed) {
            if self.on.iter().any(|own| own.id == closed.phone_id) {
                open.close(closed.phone_id, closed.priority, closed.routed);
            } else {
                // A late result of an earlier exposure: another phone's window has room again.
                self.work.effects.settings(closed.phone_id);
            }
        }
        Ok(())
    }

    fn settings(&mut self, told: &mut config::Sent) -> Result<Vec<Config>, StoreError> {
        let (project, now) = (self.work.project, self.work.now);
        let changed = config::changed(&self.on, project, told, now.unix);
        alerts::of_forwarding(&mut self.work, &self.on)?;
        Ok(changed)
    }

    fn asks(&mut self) -> Result<Vec<(MessageId, u32, Ask)>, StoreError> {
        let mut held = messages::held(self.work.tx, self.by.device)?;
        held.extend(messages::asked_back(self.work.tx, self.by.device)?);
        let mut asks = Vec::new();
        // A damaged message is set aside when it expires, or when its phone reports on it.
        for message in held.iter().filter_map(Found::row) {
            if let Some(owned) = &message.ownership
                && let Some(ask) = turn::ask_of(owned, self.by)
            {
                asks.push((message.id, owned.ep, ask));
            }
        }
        Ok(asks)
    }

    fn exposable_above(&mut self) -> Result<i64, StoreError> {
        if !self.work.tx.may_expose() {
            return Ok(i64::MAX);
        }
        freeze::exposable_above(self.work.tx, self.work.project.id)
    }
}
