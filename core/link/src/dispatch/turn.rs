//! One commit of a link: facts first, then what is asked of the phone, then new exposures.
//!
//! Facts come first because they make room and give messages back; what is asked comes before new
//! exposures because it may not wait for credit.

#[cfg(test)]
mod tests;

use super::window::{self, Exposing, Open, Queue};
use crate::{
    clock::PhoneClock,
    frame::{Cancel, Config, HubFrame, PhoneFrame, Revoke},
    limits::CONTROL_FRAMES_OVER_CREDIT,
    mistake,
    ownership::hub::{Ask, Holder, Ownership},
    session::hub::DeviceLink,
};
use postrider_model::{MessageId, WireState};
use std::collections::BTreeSet;

/// What one commit shall do.
#[derive(Debug, Clone, Default)]
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
    /// Whether its acks waited long enough for a commit that takes them along.
    pub acks: bool,
}

/// What may have changed for a phone: a hint, and perhaps nothing did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Woken {
    /// A message was queued for it.
    pub queued: bool,
    /// It is asked for an exposure.
    pub asked: bool,
    /// Its settings, or what it holds, changed.
    pub changed: bool,
}

impl Woken {
    /// All of it.
    pub const ALL: Self = Self {
        queued: true,
        asked: true,
        changed: true,
    };
}

impl Turn {
    /// Looks for what may have changed. What changes settings or holdings may make room, too.
    pub fn look_for(&mut self, woken: Woken) {
        self.expose |= woken.queued || woken.changed;
        self.ask |= woken.asked;
        self.settings |= woken.changed;
    }

    /// Returns whether there is anything that cannot wait for the next commit.
    pub fn is_due(&self) -> bool {
        !self.facts.is_empty() || self.is_due_without_facts()
    }

    /// The same, when its facts have to wait.
    pub fn is_due_without_facts(&self) -> bool {
        self.expose || self.ask || self.settings || self.acks
    }

    /// Returns whether it only looks whether anything has changed: mostly nothing has.
    pub fn is_look(&self) -> bool {
        self.settings && self.facts.is_empty() && !self.acks
    }

    /// Returns a turn with the facts that lie above `up`, and nothing else.
    pub fn facts_above(&self, up: u64) -> Self {
        let above = |fact: &&PhoneFrame| fact.s().is_some_and(|s| s > up);
        Self {
            facts: self.facts.iter().filter(above).cloned().collect(),
            ..Self::default()
        }
    }

    /// Puts a turn that could not be stored before what has come since.
    pub fn go_first(&mut self, earlier: Self) {
        let later = std::mem::replace(self, earlier);
        self.facts.extend(later.facts);
        self.acked = self.acked.max(later.acked);
        self.expose |= later.expose;
        self.ask |= later.ask;
        self.settings |= later.settings;
        self.acks |= later.acks;
    }

    /// Asks for new exposures when a commit made room that its queue can fill.
    pub fn fill_room<F, T, S: Copy + Ord>(
        &mut self,
        before: Option<&Connection<F, T, S>>,
        after: &Connection<F, T, S>,
    ) {
        let before = before.map_or(0, |before| before.open.total());
        self.expose |= after.backlog && after.open.total() < before;
    }

    /// Asks for what had to wait until the phone acked more, when it has.
    pub fn go_on<F, T, S>(&mut self, connection: &Connection<F, T, S>, credit: u64) {
        self.expose |= connection.starved && credit > 0;
        self.ask |= connection.asks_wait && self.acked.is_some();
    }
}

/// What a connection knows when it commits. `F` is what fences it off from older ones, `T` the
/// settings that the phone was told, `S` names a SIM.
#[derive(Debug, Clone)]
pub struct Connection<F, T, S> {
    /// Which connection it is.
    pub fence: F,
    /// What is known of the phone's clocks.
    pub clock: PhoneClock,
    /// How many `send` frames the phone's credit allows.
    pub credit: u64,
    /// Exposures without a result, by SIM and priority.
    pub open: Open<S>,
    /// What was asked of the phone on this connection and not answered.
    pub asked: BTreeSet<(MessageId, u32)>,
    /// The settings that were sent on this connection.
    pub config: T,
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

impl<F, T: Default, S: Ord> Connection<F, T, S> {
    /// Makes the knowledge of a connection that was just opened.
    pub fn new(fence: F, clock: PhoneClock) -> Self {
        Self {
            fence,
            clock,
            credit: 0,
            open: Open::default(),
            asked: BTreeSet::new(),
            config: T::default(),
            backlog: false,
            starved: false,
            asks_wait: false,
            gives_back: false,
        }
    }
}

/// The rows that a turn reads and writes.
pub trait Rows: Queue {
    /// The settings that a phone was told.
    type Told;

    /// Reads who may send a message; `None` when it has no row.
    fn owned(&mut self, id: MessageId) -> Result<Option<Ownership>, Self::Error>;
    /// Applies a fact; what cannot be applied is stored aside.
    fn take_in(&mut self, fact: &PhoneFrame) -> Result<(), Self::Error>;
    /// Says whether the facts so far are enough for one commit: it holds up others. The rest go in the next one.
    fn is_enough(&mut self) -> bool {
        false
    }
    /// Counts the phone's open exposures anew.
    fn count_open(&mut self) -> Result<Open<Self::Sim>, Self::Error>;
    /// Takes out of `open` what got its result in this turn, and wakes the links of other phones
    /// whose exposures did.
    fn close(&mut self, open: &mut Open<Self::Sim>) -> Result<(), Self::Error>;
    /// Returns the settings that the phone was not told yet, and notes them as told.
    fn settings(&mut self, told: &mut Self::Told) -> Result<Vec<Config>, Self::Error>;
    /// Returns what is to be asked of the phone about its exposures, see [`ask_of`].
    fn asks(&mut self) -> Result<Vec<(MessageId, u32, Ask)>, Self::Error>;
    /// Returns the key above which messages may be exposed, see [`super::freeze`].
    fn exposable_above(&mut self) -> Result<i64, Self::Error>;
}

/// Does a turn of the phone `by`, which is frozen or not. Returns the frames to write after the
/// commit, numbered in this order; `link` and `connection` are to be stored with it.
///
/// # Errors
/// What the storage says.
pub fn run<F, R: Rows>(
    rows: &mut R,
    turn: &Turn,
    (by, is_frozen): (&Holder, bool),
    connection: &mut Connection<F, R::Told, R::Sim>,
    link: &mut DeviceLink,
) -> Result<Vec<HubFrame>, R::Error> {
    for fact in &turn.facts {
        let gives_back = gives_back(fact, by, |id| rows.owned(id))?;
        connection.gives_back = gives_back.unwrap_or(connection.gives_back);
        if !mistake::is("facts_not_taken_in") {
            rows.take_in(fact)?;
        }
        link.up = fact.s().unwrap_or(link.up);
        if rows.is_enough() {
            break;
        }
    }
    rows.close(&mut connection.open)?;
    if turn.settings {
        connection.open = rows.count_open()?;
    }
    link.acks(turn.acked.unwrap_or(0));
    let mut down = Down {
        link,
        frames: Vec::new(),
    };
    if turn.settings {
        for frame in rows.settings(&mut connection.config)? {
            let s = down.next_s();
            down.frames.push(HubFrame::Config(Config { s, ..frame }));
        }
    }
    if turn.ask {
        connection.asks_wait = down.asks(rows, &mut connection.asked)?;
    }
    if turn.expose && connection.gives_back {
        connection.backlog = true;
    } else if turn.expose && !is_frozen {
        connection.backlog = down.sends(rows, connection)?;
        connection.starved = connection.backlog && connection.credit == 0;
    }
    Ok(down.frames)
}

/// Returns whether a fact gives back what nobody asked back; `None` when it says nothing of it.
///
/// # Errors
/// What the storage says.
pub fn gives_back<E>(
    fact: &PhoneFrame,
    by: &Holder,
    owned: impl FnOnce(MessageId) -> Result<Option<Ownership>, E>,
) -> Result<Option<bool>, E> {
    let PhoneFrame::Event(event) = fact else {
        return Ok(None);
    };
    match event.state {
        WireState::OnPhone | WireState::Retrying | WireState::Submitting => return Ok(None),
        // Also the last word of a phone that is unpaired while its radio is silent.
        WireState::Unknown => return Ok(None),
        WireState::Revoked => {}
        _ => return Ok(Some(false)),
    }
    let Some(owned) = owned(event.id)? else {
        return Ok(None);
    };
    let is_present = owned.holder.as_ref() == Some(by) && owned.ep == event.ep;
    let is_own = is_present && owned.asks().is_none() && !mistake::is("give_back_unseen");
    Ok(is_own.then_some(true))
}

/// Returns what is to be asked about a message, when its exposure is one of this installation.
pub fn ask_of(owned: &Ownership, by: &Holder) -> Option<Ask> {
    owned.asks().filter(|_| owned.holder.as_ref() == Some(by))
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

    /// Asks what was not asked on this connection; returns whether something has to wait.
    fn asks<R: Rows>(
        &mut self,
        rows: &mut R,
        asked: &mut BTreeSet<(MessageId, u32)>,
    ) -> Result<bool, R::Error> {
        let (mut still, mut waits) = (BTreeSet::new(), false);
        for (id, ep, ask) in rows.asks()? {
            if still.contains(&(id, ep)) {
                continue;
            }
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

    /// Exposes what is queued; returns whether more may wait.
    fn sends<F, R: Rows>(
        &mut self,
        rows: &mut R,
        connection: &mut Connection<F, R::Told, R::Sim>,
    ) -> Result<bool, R::Error> {
        let taken = u64::try_from(self.frames.len()).unwrap_or(u64::MAX);
        let mut exposing = Exposing {
            open: &mut connection.open,
            credit: connection.credit.saturating_sub(taken),
            down_sent: self.link.down_sent,
            above: rows.exposable_above()?,
        };
        let (mut more, mut at) = (false, 0);
        while let Some(sim) = rows.sim(at) {
            let write = |frame| self.frames.push(HubFrame::Send(frame));
            more |= window::expose(rows, at, &sim, &mut exposing, write)?;
            at += 1;
        }
        connection.credit = exposing.credit;
        self.link.down_sent = exposing.down_sent;
        Ok(more)
    }
}
