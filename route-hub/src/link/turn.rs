//! One commit of a link: facts first, then what is asked of the phone, then new exposures.
//!
//! Everything that a connection stores goes through here, in one transaction with the counters
//! that make it count once, and refused when the phone has a newer connection.

use crate::alerts;
use crate::dispatch::effects::Effects;
use crate::dispatch::expose::{self, Exposing, Open};
use crate::dispatch::settle::Work;
use crate::dispatch::{health, inbound, report};
use crate::hub::Hub;
use crate::link::fence::Fence;
use crate::link::identify::{link_of, project_of};
use crate::link::{config, freeze, identify};
use hub_domain::{Device, DeviceState, Message, Phone, Project};
use hub_store::facts_aside::{self, FactAside};
use hub_store::rows_aside::Found;
use hub_store::{StoreError, Tx, devices, messages, meta, phones};
use postrider_link::clock::PhoneClock;
use postrider_link::close::CloseCode;
use postrider_link::codec;
use postrider_link::frame::{Cancel, HubFrame, PhoneFrame, Revoke};
use postrider_link::limits::CONTROL_FRAMES_OVER_CREDIT;
use postrider_link::ownership::hub::{Ask, Holder};
use postrider_link::session::hub::DeviceLink;
use postrider_model::{MessageId, Now, PhoneId, WireState};
use std::collections::BTreeSet;

/// What one commit shall do.
#[derive(Clone, Default)]
pub struct Turn {
    /// Facts in the order of their numbers.
    pub facts: Vec<PhoneFrame>,
    /// The highest downward number that the phone acked since the last commit.
    pub acked: Option<u64>,
    /// Whether to look for queued messages.
    pub expose: bool,
    /// Whether to look for exposures that are to be revoked or cancelled.
    pub ask: bool,
    /// Whether settings may have changed.
    pub settings: bool,
}

impl Turn {
    /// Says whether there is anything that cannot wait for the next commit.
    pub fn is_due(&self) -> bool {
        !self.facts.is_empty() || self.is_due_without_facts()
    }

    /// The same, when its facts have to wait.
    pub fn is_due_without_facts(&self) -> bool {
        self.expose || self.ask || self.settings
    }

    /// Says whether it only looks whether anything has changed: mostly nothing has.
    pub fn is_look(&self) -> bool {
        self.settings && self.facts.is_empty()
    }

    /// Puts a turn that could not be stored before what has come since.
    pub fn go_first(&mut self, earlier: Self) {
        let later = std::mem::replace(self, earlier);
        self.facts.extend(later.facts);
        self.acked = self.acked.max(later.acked);
        self.expose |= later.expose;
        self.ask |= later.ask;
        self.settings |= later.settings;
    }
}

/// What a connection knows when it commits.
#[derive(Clone)]
pub struct Connection {
    /// Which connection it is.
    pub fence: Fence,
    /// What is known of the phone's clocks.
    pub clock: PhoneClock,
    /// How many `send` frames the phone's credit allows.
    pub credit: u64,
    /// Exposures without a result, by SIM and priority.
    pub open: Open,
    /// What was asked of the phone on this connection and not answered.
    pub asked: BTreeSet<(MessageId, u32)>,
    /// The settings that were sent on this connection.
    pub config: config::Sent,
    /// Whether the queue may hold more than there was room for.
    pub backlog: bool,
    /// Whether the phone's credit was used up before the queue was.
    pub starved: bool,
    /// Whether something could not be asked because too many frames wait for the phone's ack.
    pub asks_wait: bool,
    /// Whether the phone gave back what nobody asked back: its owner unpairs it, or it is full.
    /// It is given nothing more on this connection before one of its exposures has a result.
    pub gives_back: bool,
}

/// What a commit did.
pub struct Done {
    /// The highest fact stored, when there was one.
    pub up: Option<u64>,
    /// Frames to write, numbered in this order above everything written before.
    pub frames: Vec<HubFrame>,
    /// The connection's knowledge from now on.
    pub connection: Connection,
    /// The device's phones, when there may be new ones.
    pub phones: Option<Vec<PhoneId>>,
    /// What follows the commit.
    pub effects: Effects,
}

/// How a commit ended.
pub enum Ended {
    /// There was nothing to store.
    Idle,
    /// It is on disk.
    Done(Box<Done>),
    /// Nothing was stored: the connection must end.
    Close(CloseCode),
}

/// Says whether a turn that only looks would do nothing: asked on a connection that only reads, so
/// that a change of a whole project is no work for the one that writes.
///
/// # Errors
/// What the database says.
pub fn is_idle(tx: &mut Tx<'_>, connection: &Connection, now: Now) -> Result<bool, StoreError> {
    let Some(device) = devices::get(tx, connection.fence.device)? else {
        return Ok(false);
    };
    let is_served = device.state == DeviceState::Active && connection.fence.admits(&device);
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

/// Does a turn inside a job of the store.
///
/// # Errors
/// What the database says.
pub fn run(
    hub: &Hub,
    tx: &mut Tx<'_>,
    turn: &Turn,
    mut connection: Connection,
    now: Now,
) -> Result<Ended, StoreError> {
    let Some(device) = devices::get(tx, connection.fence.device)? else {
        return Ok(Ended::Close(CloseCode::NotKnown));
    };
    match device.state {
        DeviceState::Active => {}
        DeviceState::NeedsPairing => return Ok(Ended::Close(CloseCode::JournalWentBack)),
        DeviceState::Revoked => return Ok(Ended::Close(CloseCode::NotPaired)),
    }
    let newest = connection.fence.admits(&device);
    let Some(mut link) = link_of(&device).filter(|_| newest) else {
        return Ok(Ended::Close(CloseCode::Replaced));
    };
    if device.frozen && link.generation < meta::generation(tx)?.max(device.gen_own) {
        // It shall come again and show what it holds.
        return Ok(Ended::Close(CloseCode::GoingAway));
    }
    let before = link.clone();
    let project = project_of(tx, &device)?;
    let mut on = phones::of_device(tx, device.id)?;
    let mut work = Work::new(hub, &project, now);
    let by = Holder {
        device: device.id,
        install: link.install.clone(),
    };

    for fact in &turn.facts {
        connection.gives_back = gives_back(tx, &by, fact)?.unwrap_or(connection.gives_back);
        take_in(
            &mut work,
            tx,
            &by,
            &connection.clock,
            &device,
            &mut on,
            fact,
        )?;
        link.up = fact.s().unwrap_or(link.up);
    }
    if turn.settings {
        connection.open = Open::count(tx, &by)?;
        work.closed.clear();
    }
    for closed in std::mem::take(&mut work.closed) {
        if on.iter().any(|own| own.id == closed.phone_id) {
            connection.open.close(&closed);
        } else {
            // A late truth of an earlier exposure: another link has room again.
            work.effects.settings(closed.phone_id);
        }
    }
    link.down_acked = link
        .down_acked
        .max(turn.acked.unwrap_or(0))
        .min(link.down_sent);

    let mut down = Down {
        link: &mut link,
        frames: Vec::new(),
    };
    if turn.settings {
        down.settings(&on, &project, &mut connection.config, now);
        if alerts::of_forwarding(hub, tx, &project, &on, now)? {
            work.effects.webhooks();
        }
    }
    if turn.ask {
        connection.asks_wait = down.asks(tx, &by, &mut connection.asked)?;
    }
    if turn.expose && connection.gives_back {
        connection.backlog = true;
    } else if turn.expose && !device.frozen {
        connection.backlog = down.sends(&mut work, tx, &by, &on, &mut connection)?;
        connection.starved = connection.backlog && connection.credit == 0;
    }
    let frames = down.frames;
    #[cfg(feature = "fault-order")]
    crate::fault::of_turn(tx, &frames);
    let effects = work.finish(tx)?;
    if link != before {
        devices::update_link(tx, device.id, &identify::counters(&link))?;
    }
    let up = turn.facts.last().map(|_| link.up);
    let is_health = |fact: &PhoneFrame| matches!(fact, PhoneFrame::Health(_));
    let looked = turn.settings || turn.facts.iter().any(is_health);
    let phones = looked.then(|| on.iter().map(|phone| phone.id).collect());
    let done = Done {
        up,
        frames,
        connection,
        phones,
        effects,
    };
    Ok(Ended::Done(Box::new(done)))
}

/// Says whether a fact gives back what nobody asked back; `None` when it says nothing of it.
fn gives_back(tx: &mut Tx<'_>, by: &Holder, fact: &PhoneFrame) -> Result<Option<bool>, StoreError> {
    let PhoneFrame::Event(event) = fact else {
        return Ok(None);
    };
    match event.state {
        WireState::OnPhone | WireState::Retrying | WireState::Submitting => return Ok(None),
        WireState::Revoked => {}
        _ => return Ok(Some(false)),
    }
    let found = messages::found(tx, event.id.get())?;
    let Some(message) = found.as_ref().and_then(Found::row) else {
        return Ok(None);
    };
    let owned = crate::dispatch::ownership::of(message)?;
    let is_present = owned.holder.as_ref() == Some(by) && owned.ep == event.ep;
    Ok((is_present && owned.asks().is_none()).then_some(true))
}

/// Applies one fact; what cannot be applied is stored aside, counted and acked all the same.
fn take_in(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    by: &Holder,
    clock: &PhoneClock,
    device: &Device,
    on: &mut Vec<Phone>,
    fact: &PhoneFrame,
) -> Result<(), StoreError> {
    let applied = match fact {
        PhoneFrame::Event(event) => report::apply(work, tx, by, clock, event)?,
        PhoneFrame::Inbound(frame) => inbound::apply(work, tx, by, clock, on, frame)?,
        PhoneFrame::Health(frame) => {
            health::apply(work, tx, device, on, frame)?;
            Ok(())
        }
        _ => Ok(()),
    };
    let (Err(reason), Some(s)) = (applied, fact.s()) else {
        return Ok(());
    };
    tracing::info!(device = %by.device, s, reason, "a phone's fact was stored aside");
    let aside = FactAside {
        device_id: by.device,
        s,
        frame: codec::encode(fact).unwrap_or_default(),
        reason: reason.to_owned(),
        time: work.now.unix,
    };
    facts_aside::insert(tx, &aside)
}

/// The downward frames of one commit, numbered as they are made.
struct Down<'a> {
    link: &'a mut DeviceLink,
    frames: Vec<HubFrame>,
}

impl Down<'_> {
    fn next_s(&mut self) -> u64 {
        self.link.down_sent += 1;
        self.link.down_sent
    }

    /// Control frames wait when the phone has not acked those before them for long.
    fn control_is_open(&self) -> bool {
        self.link.down_sent - self.link.down_acked < CONTROL_FRAMES_OVER_CREDIT
    }

    fn settings(&mut self, on: &[Phone], project: &Project, sent: &mut config::Sent, now: Now) {
        for mut frame in config::changed(on, project, sent, now.unix) {
            frame.s = self.next_s();
            self.frames.push(HubFrame::Config(frame));
        }
    }

    /// Asks what was not asked on this connection; says whether something has to wait.
    fn asks(
        &mut self,
        tx: &mut Tx<'_>,
        by: &Holder,
        asked: &mut BTreeSet<(MessageId, u32)>,
    ) -> Result<bool, StoreError> {
        let (mut still, mut waits) = (BTreeSet::new(), false);
        let mut held = messages::held(tx, by.device)?;
        held.extend(messages::asked_back(tx, by.device)?);
        // What is damaged is set aside when its life ends, or when its phone tells of it.
        for message in held.iter().filter_map(Found::row) {
            if still.contains(&(message.id, message.ownership.ep)) {
                continue;
            }
            let Some(ask) = present_ask(message, by)? else {
                continue;
            };
            let (id, ep) = (message.id, message.ownership.ep);
            if !asked.contains(&(id, ep)) {
                if !self.control_is_open() {
                    waits = true;
                    continue;
                }
                let s = self.next_s();
                self.frames.push(match ask {
                    Ask::Revoke => HubFrame::Revoke(Revoke { s, id, ep }),
                    Ask::Cancel => HubFrame::Cancel(Cancel { s, id, ep }),
                });
            }
            still.insert((id, ep));
        }
        *asked = still;
        Ok(waits)
    }

    fn sends(
        &mut self,
        work: &mut Work<'_, '_>,
        tx: &mut Tx<'_>,
        by: &Holder,
        on: &[Phone],
        connection: &mut Connection,
    ) -> Result<bool, StoreError> {
        let mut more = false;
        let taken = u64::try_from(self.frames.len()).unwrap_or(u64::MAX);
        let mut exposing = Exposing {
            holder: by,
            open: &mut connection.open,
            credit: connection.credit.saturating_sub(taken),
            next_s: self.link.down_sent + 1,
            above: freeze::exposable_above(tx, work.project.id)?,
        };
        for phone in on {
            let exposed = expose::queued(work, tx, phone, &mut exposing)?;
            more |= exposed.more;
            self.frames
                .extend(exposed.frames.into_iter().map(HubFrame::Send));
        }
        connection.credit = exposing.credit;
        self.link.down_sent = exposing.next_s - 1;
        Ok(more)
    }
}

/// Returns what is to be asked about a message, when its exposure is one of this installation.
fn present_ask(message: &Message, by: &Holder) -> Result<Option<Ask>, StoreError> {
    let owned = crate::dispatch::ownership::of(message)?;
    Ok(owned.asks().filter(|_| owned.holder.as_ref() == Some(by)))
}
