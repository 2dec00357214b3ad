//! One commit of a link: facts first, then settings, what is asked of the phone, new exposures.

use super::{
    DeviceState, Incoming, Slot,
    apply::{Detail, Effects},
    link::Fence,
};
use crate::{plan::Sort, platform::group_of, world::World, wrong::Wrong};
use postrider_link::{
    clock::{PhoneClock, published_time},
    close::CloseCode,
    frame::{Cancel, Config, Event, HubFrame, Inbound, Kind, PhoneFrame, Revoke},
    limits::CONTROL_FRAMES_OVER_CREDIT,
    ownership::hub::{Ask, Fact, Holder, Report, Whose},
    session::hub::DeviceLink,
};
use postrider_model::{DeviceId, MessageId, UnixMs, WireState};
use std::collections::{BTreeMap, BTreeSet};

/// Exposures of movable messages that may be open at once on a slot.
const MOVABLE_WINDOW: u64 = 2;

/// What one commit shall do.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// Facts in the order of their numbers.
    pub facts: Vec<PhoneFrame>,
    /// The highest downward number acked since the last commit.
    pub acked: Option<u64>,
    /// Whether to look for queued messages.
    pub expose: bool,
    /// Whether to look for what is to be taken back.
    pub ask: bool,
    /// Whether settings may have changed.
    pub settings: bool,
}

impl Turn {
    /// Tells whether there is anything that cannot wait.
    pub const fn is_due(&self) -> bool {
        !self.facts.is_empty() || self.expose || self.ask || self.settings
    }
}

/// What a connection knows when it commits.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Which connection it is.
    pub fence: Fence,
    /// What is known of the phone's clocks.
    pub clock: PhoneClock,
    /// How many `send` frames the phone's credit allows.
    pub credit: u64,
    /// What was asked of the phone on this connection.
    pub asked: BTreeSet<(MessageId, u32)>,
    /// The settings that were sent on it.
    pub config: BTreeMap<Slot, Config>,
    /// Whether the queue may hold more than there was room for.
    pub backlog: bool,
    /// Whether the credit was used up before the queue was.
    pub starved: bool,
    /// Whether something could not be asked yet.
    pub asks_wait: bool,
    /// Whether the phone gave back what nobody asked back: it is given nothing more on this
    /// connection before one of its exposures has a result.
    pub gives_back: bool,
}

impl Connection {
    /// Makes the knowledge of a connection that was just opened.
    pub const fn new(fence: Fence, clock: PhoneClock) -> Self {
        Self {
            fence,
            clock,
            credit: 0,
            asked: BTreeSet::new(),
            config: BTreeMap::new(),
            backlog: false,
            starved: false,
            asks_wait: false,
            gives_back: false,
        }
    }
}

/// What a commit did.
#[derive(Debug)]
pub struct Done {
    /// The highest fact stored, when there was one.
    pub up: Option<u64>,
    /// Frames to write, in the order of their numbers.
    pub frames: Vec<HubFrame>,
    /// The connection's knowledge from now on.
    pub connection: Connection,
    /// Whether an exposure got its result.
    pub made_room: bool,
    /// What follows.
    pub effects: Effects,
}

/// How a commit ended.
#[derive(Debug)]
pub enum Ended {
    /// It is on disk.
    Done(Box<Done>),
    /// Nothing was stored: the connection must end.
    Close(CloseCode),
}

impl World {
    /// Does a turn.
    pub(crate) fn do_turn(&mut self, turn: &Turn, mut connection: Connection) -> Ended {
        let fence = connection.fence.clone();
        let Some(device) = self.hub.rows.devices.get(&fence.device).cloned() else {
            return Ended::Close(CloseCode::NotKnown);
        };
        match device.state {
            DeviceState::Active => {}
            DeviceState::NeedsPairing => return Ended::Close(CloseCode::JournalWentBack),
            DeviceState::Revoked => return Ended::Close(CloseCode::NotPaired),
        }
        if !device.link.admits(fence.conn) || device.link.install != fence.install {
            return Ended::Close(CloseCode::Replaced);
        }
        if device.frozen
            && device.link.generation < self.hub.rows.generation.max(device.own_generation)
        {
            self.coverage
                .mark("link", "a frozen phone has to come again", "");
            return Ended::Close(CloseCode::GoingAway);
        }
        let by = Holder {
            device: fence.device,
            install: fence.install,
        };
        let mut link = device.link.clone();
        let mut effects = Effects::default();
        let open_before = self.hub.rows.held(by.device).len();
        for fact in &turn.facts {
            connection.gives_back = self.gives_back(&by, fact).unwrap_or(connection.gives_back);
            self.take_in(&by, &connection.clock, fact, &mut effects);
            link.up = fact.s().unwrap_or(link.up);
        }
        let made_room = self.hub.rows.held(by.device).len() < open_before;
        let acked = turn.acked.unwrap_or(0);
        link.down_acked = link.down_acked.max(acked).min(link.down_sent);
        let mut frames = Vec::new();
        if turn.settings {
            self.settings(by.device, &mut link, &mut connection, &mut frames);
        }
        if turn.ask {
            connection.asks_wait = self.asks(&by, &mut link, &mut connection.asked, &mut frames);
        }
        if turn.expose && connection.gives_back && !self.has(Wrong::HubOffersAgain) {
            connection.backlog = true;
        } else if turn.expose && !device.frozen {
            connection.backlog =
                self.exposes(&by, &mut link, &mut connection, &mut frames, &mut effects);
            connection.starved = connection.backlog && connection.credit == 0;
        }
        if let Some(device) = self.hub.rows.devices.get_mut(&by.device) {
            device.link = link.clone();
        }
        Ended::Done(Box::new(Done {
            up: turn.facts.last().map(|_| link.up),
            frames,
            connection,
            made_room,
            effects,
        }))
    }

    /// Says whether a fact gives back what nobody asked back; `None` when it says nothing of it.
    fn gives_back(&self, by: &Holder, fact: &PhoneFrame) -> Option<bool> {
        let PhoneFrame::Event(event) = fact else {
            return None;
        };
        match event.state {
            WireState::OnPhone | WireState::Retrying | WireState::Submitting => return None,
            WireState::Revoked => {}
            _ => return Some(false),
        }
        let owned = &self.hub.rows.messages.get(&event.id)?.owner;
        let is_present = owned.holder.as_ref() == Some(by) && owned.ep == event.ep;
        (is_present && owned.asks().is_none()).then_some(true)
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
        let report = Report {
            state: event.state,
            partial: event.partial,
            unsent: event.unsent,
        };
        let past = (event.id, event.ep, by.device, by.install.clone());
        let fact = match message.owner.whose(event.ep, by) {
            Whose::Present => Fact::Reported {
                ep: event.ep,
                by,
                report,
            },
            Whose::LookUpPast if self.hub.rows.past.contains(&past) => Fact::PastReported {
                ep: event.ep,
                report,
            },
            Whose::LookUpPast | Whose::Stranger => return false,
        };
        let now = self.hub_now();
        let time = published_time(clock, event.stamp(), created, now);
        let ahead_ms = if self.has(Wrong::HubIsAhead) {
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
        if self.has(Wrong::HubLosesIncoming) && inbound.n % 3 == 1 {
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
        if self.has(Wrong::HubTurnsTheOrder) {
            self.hub.rows.incoming.rotate_right(1);
        }
        true
    }

    fn settings(
        &self,
        device: DeviceId,
        link: &mut DeviceLink,
        connection: &mut Connection,
        frames: &mut Vec<HubFrame>,
    ) {
        for (slot, sim) in &self.hub.rows.sims {
            if slot.0 != device {
                continue;
            }
            let config = Config {
                s: 0,
                sim: Some(slot.1),
                pause: sim.paused || sim.sim_changed,
                send_delay_ms: sim.delay_ms,
                quiet: sim.quiet.clone(),
                send_limit_max: sim.limit,
                ..Config::default()
            };
            if connection.config.get(slot) != Some(&config) {
                connection.config.insert(*slot, config.clone());
                link.down_sent += 1;
                let s = link.down_sent;
                frames.push(HubFrame::Config(Config { s, ..config }));
            }
        }
    }

    /// Asks what was not asked on this connection; says whether something has to wait.
    fn asks(
        &self,
        by: &Holder,
        link: &mut DeviceLink,
        asked: &mut BTreeSet<(MessageId, u32)>,
        frames: &mut Vec<HubFrame>,
    ) -> bool {
        let (mut still, mut waits) = (BTreeSet::new(), false);
        let mut held = self.hub.rows.held(by.device);
        held.extend(self.hub.rows.asked_back(by.device));
        for id in held {
            let owner = &self.hub.rows.messages[&id].owner;
            let (ep, ask) = (owner.ep, owner.asks());
            let Some(ask) = ask.filter(|_| owner.holder.as_ref() == Some(by)) else {
                continue;
            };
            if still.contains(&(id, ep)) {
                continue;
            }
            if !asked.contains(&(id, ep)) {
                if link.down_sent - link.down_acked >= CONTROL_FRAMES_OVER_CREDIT {
                    waits = true;
                    continue;
                }
                link.down_sent += 1;
                let s = link.down_sent;
                frames.push(match ask {
                    Ask::Revoke => HubFrame::Revoke(Revoke { s, id, ep }),
                    Ask::Cancel => HubFrame::Cancel(Cancel { s, id, ep }),
                });
            }
            still.insert((id, ep));
        }
        *asked = still;
        waits
    }

    /// Exposes what is queued; says whether more may wait.
    fn exposes(
        &mut self,
        by: &Holder,
        link: &mut DeviceLink,
        connection: &mut Connection,
        frames: &mut Vec<HubFrame>,
        effects: &mut Effects,
    ) -> bool {
        let slots: Vec<Slot> = self.hub.rows.sims.keys().copied().collect();
        let mut credit = connection.credit.saturating_sub(frames.len() as u64);
        let mut more = false;
        for slot in slots.into_iter().filter(|slot| slot.0 == by.device) {
            let sim = &self.hub.rows.sims[&slot];
            if sim.paused || sim.sim_changed {
                more = true;
                continue;
            }
            for priority in [2, 1] {
                let open = self.hub.rows.open(slot, priority);
                let room = self.hub.window.saturating_sub(open).min(credit);
                let claimed = self.hub.rows.queued(slot, priority, room.max(1));
                more |= claimed.len() as u64 >= room;
                for id in claimed.into_iter().take(usize::try_from(room).unwrap_or(0)) {
                    if self.expose(id, by, link, frames, effects) {
                        credit -= 1;
                    }
                }
            }
        }
        connection.credit = credit;
        more
    }

    fn expose(
        &mut self,
        id: MessageId,
        by: &Holder,
        link: &mut DeviceLink,
        frames: &mut Vec<HubFrame>,
        effects: &mut Effects,
    ) -> bool {
        let now = self.hub_now().unix;
        let message = &self.hub.rows.messages[&id];
        if message.life_end <= now.0 {
            let over = Fact::LifeEnded { ago_ms: 0 };
            self.apply(id, over, Detail::default(), effects);
            return false;
        }
        if message.movable && self.movable_open(message.route) >= MOVABLE_WINDOW {
            return false;
        }
        let s = link.down_sent + 1;
        let holder = by.clone();
        let applied = self.apply(id, Fact::Exposed { holder, s }, Detail::default(), effects);
        if applied.is_none_or(|applied| applied.is_err()) {
            return false;
        }
        link.down_sent = s;
        self.given(id, by.device);
        frames.extend(self.frame(id, s).map(HubFrame::Send));
        true
    }

    fn movable_open(&self, slot: Slot) -> u64 {
        let messages = self.hub.rows.messages.values();
        let is_open = |message: &&super::Message| {
            message.movable && message.route == slot && message.owner.state.is_open()
        };
        messages.filter(is_open).count() as u64
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
