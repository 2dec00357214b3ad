//! How many exposures a SIM may have without a result, and which messages come next.
//!
//! What another phone could send counts against a window of two, so that the backlog stays at the
//! hub and can go elsewhere; what waits for this phone alone against a wide one, so that the phone
//! keeps sending while its data link is down.

#[cfg(test)]
mod tests;

use crate::frame::Send;
use std::collections::BTreeMap;

/// The window of a SIM that has none of its own, for each priority.
pub const WINDOW: u32 = 64;
/// The most that a SIM's own window can be set to.
pub const WINDOW_MAX: u32 = 500;
/// Most messages that another phone could send among those of one SIM and priority.
pub const WINDOW_MOVABLE: u64 = 2;

/// The priorities that messages have, the one that goes first in front.
pub const PRIORITIES: [u8; 2] = [2, 1];

/// How many exposures without a result each SIM and priority has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open<S> {
    counts: BTreeMap<(S, u8), Count>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    all: u64,
    routed: u64,
}

impl<S> Default for Open<S> {
    fn default() -> Self {
        Self {
            counts: BTreeMap::new(),
        }
    }
}

impl<S: Copy + Ord> Open<S> {
    /// Returns how many exposures of a SIM and priority have no result, and how many of these were
    /// given to it by a route that other phones are in.
    pub fn set(&mut self, sim: S, priority: u8, all: u64, routed: u64) {
        self.counts.insert((sim, priority), Count { all, routed });
    }

    /// Returns how many exposures have no result.
    pub fn total(&self) -> u64 {
        self.counts.values().map(|count| count.all).sum()
    }

    /// An exposure was made.
    pub fn add(&mut self, sim: S, priority: u8, routed: bool) {
        let count = self.counts.entry((sim, priority)).or_default();
        count.all += 1;
        count.routed += u64::from(routed);
    }

    /// An exposure got its result.
    pub fn close(&mut self, sim: S, priority: u8, routed: bool) {
        if let Some(count) = self.counts.get_mut(&(sim, priority)) {
            count.all = count.all.saturating_sub(1);
            count.routed = count.routed.saturating_sub(u64::from(routed));
        }
    }

    fn count(&self, sim: S, priority: u8) -> Count {
        let count = self.counts.get(&(sim, priority));
        count.copied().unwrap_or_default()
    }

    fn of_sim(&self, sim: S) -> u64 {
        let places = self.counts.range((sim, 0)..=(sim, u8::MAX));
        places.map(|(_, count)| count.all).sum()
    }
}

/// One SIM of a phone, as far as exposing goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sim<S> {
    /// Which.
    pub id: S,
    /// Whether it is in a slot: what is in none has no queue that anybody could empty.
    pub in_slot: bool,
    /// Whether nothing may be sent by it now.
    pub held_back: bool,
    /// Most messages of one priority that may be exposed to it and without a result.
    pub window: u32,
    /// How many messages it may still send, its open exposures included.
    pub sends_left: Option<u64>,
}

impl<S: Copy + Ord> Sim<S> {
    /// Returns how many messages may go to it now, whatever their priority.
    fn allowance(&self, open: &Open<S>, credit: u64) -> u64 {
        if self.held_back {
            return 0;
        }
        let within_limit = self
            .sends_left
            .map_or(u64::MAX, |left| left.saturating_sub(open.of_sim(self.id)));
        within_limit.min(credit)
    }

    fn room(&self, open: &Open<S>, priority: u8) -> u64 {
        u64::from(self.window).saturating_sub(open.count(self.id, priority).all)
    }
}

/// What was taken out of a queue.
#[derive(Debug)]
pub struct Claimed<M> {
    /// What can be read of it.
    pub messages: Vec<M>,
    /// Whether there were as many as asked for, and so perhaps more.
    pub full: bool,
}

/// The queues of one phone's SIMs. A SIM goes by its place in the phone's list.
pub trait Queue {
    /// What the storage says when it fails.
    type Error;
    /// What names a SIM.
    type Sim: Copy + Ord;
    /// A queued message.
    type Message;

    /// Returns the SIM at a place of the phone's list.
    fn sim(&mut self, at: usize) -> Option<Sim<Self::Sim>>;
    /// Returns the oldest messages of a SIM and priority that wait, with keys above `above`.
    fn claim(
        &mut self,
        at: usize,
        priority: u8,
        above: i64,
        limit: u32,
    ) -> Result<Claimed<Self::Message>, Self::Error>;
    /// Returns whether another phone could send a message at this moment.
    fn is_movable(&mut self, message: &Self::Message) -> Result<bool, Self::Error>;
    /// Returns whether a message was given to its SIM by a route that other phones are in.
    fn is_routed(&self, message: &Self::Message) -> bool;
    /// Commits an exposure at a place of the downward sequence, and makes its frame; `None` when
    /// the message may not be sent any more.
    fn expose(
        &mut self,
        at: usize,
        message: &mut Self::Message,
        s: u64,
    ) -> Result<Option<Send>, Self::Error>;
}

/// What exposing goes by, and what it hands out.
#[derive(Debug)]
pub struct Exposing<'a, S> {
    /// Exposures without a result.
    pub open: &'a mut Open<S>,
    /// How many `send` frames the phone's credit still allows.
    pub credit: u64,
    /// The last place of the downward sequence that was given; rises with each exposure.
    pub down_sent: u64,
    /// The key above which messages are exposed: those below wait for the word of other phones.
    pub above: i64,
}

/// Exposes what is queued for the SIM at a place of the phone's list, and hands each frame to
/// `write`. Returns whether the queue may hold more than there was room for.
///
/// # Errors
/// What the storage says.
pub fn expose<Q: Queue>(
    queue: &mut Q,
    at: usize,
    sim: &Sim<Q::Sim>,
    exposing: &mut Exposing<'_, Q::Sim>,
    mut write: impl FnMut(Send),
) -> Result<bool, Q::Error> {
    let mut left = sim.allowance(exposing.open, exposing.credit);
    if !sim.in_slot || left == 0 {
        return Ok(sim.in_slot);
    }
    let mut more = false;
    for priority in PRIORITIES {
        let room = sim.room(exposing.open, priority).min(left);
        let limit = u32::try_from(room).unwrap_or(u32::MAX);
        if limit == 0 {
            more = true;
            continue;
        }
        let claimed = queue.claim(at, priority, exposing.above, limit)?;
        more |= claimed.full;
        for mut message in claimed.messages {
            let movable = queue.is_movable(&message)?;
            if movable && exposing.open.count(sim.id, priority).routed >= WINDOW_MOVABLE {
                more = true;
                continue;
            }
            let s = exposing.down_sent + 1;
            let Some(frame) = queue.expose(at, &mut message, s)? else {
                continue;
            };
            let routed = queue.is_routed(&message);
            exposing.open.add(sim.id, priority, routed);
            exposing.down_sent = s;
            exposing.credit = exposing.credit.saturating_sub(1);
            left -= 1;
            write(Send { movable, ..frame });
        }
    }
    Ok(more)
}
