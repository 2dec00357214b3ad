//! The phone's end: one session that outlives its connections.
//!
//! # Life
//!
//! ```text
//!  Down --Dial--> Dialing --connected--> AwaitingChallenge -> AwaitingSignature
//!    ^                                                               |
//!    |                                                               v
//!    +--- any end ---  Open <---welcome---  Reconciling <---  AwaitingWelcome
//! ```
//!
//! # How the ring drives it
//!
//! After every call, in this order: [`PhoneSession::poll_received`] until `None`, handing each to
//! the machine; [`PhoneSession::put`] for each fact that the machine then has;
//! [`PhoneSession::poll_change`] until `None`; commit these changes **in one transaction** with
//! the machine's; [`PhoneSession::committed`]; [`PhoneSession::poll_effect`] until `None`, doing
//! each at once. Then sleep until [`PhoneSession::poll_timeout`]. Several calls may share a
//! commit. Nothing that must be on disk first (an ack, a fact, a hello) comes out of
//! `poll_effect` before `committed`. When a commit fails, drop the session and restore another
//! from the journal.
//!
//! Each received frame comes exactly once over all connections; when the app dies before the
//! commit, it comes again.

mod connection;
mod fact;
mod heartbeat;
mod redial;
#[cfg(test)]
mod tests;
mod uplink;

pub use fact::PhoneFact;
pub use redial::{PhoneAlert, RedialPace, Stopped};
pub use uplink::FactRange;

use super::{Deadline, earlier};
use crate::{
    close::CloseCode,
    frame::{Cancel, Config, HeldRow, InstallId, PhoneFrame, Revoke, Send, SimInfo},
    limits::HANDSHAKE_MS_MAX,
    mistake,
};
use heartbeat::{HeartWake, Heartbeat};
use postrider_model::{BootMs, DeviceId, HubId, Now};
use redial::Redial;
use std::collections::VecDeque;
use uplink::Uplink;

/// The link's part of the phone's journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalLink {
    /// The last connection's number.
    pub conn: u64,
    /// The hub's generation that was agreed on; 0 before the first welcome.
    pub generation: u64,
    /// The highest downward number stored.
    pub down: u64,
    /// The highest fact that was acked.
    pub up_acked: u64,
    /// The highest fact stored.
    pub up_highest: u64,
    /// The hub that first welcomed this installation; `None` before, and for an older hub without
    /// id.
    pub hub: Option<HubId>,
    /// Whether the hub last said that it does not know this phone.
    pub not_known: bool,
}

impl JournalLink {
    /// Makes the row of a new installation.
    pub const fn new() -> Self {
        Self {
            conn: 0,
            generation: 0,
            down: 0,
            up_acked: 0,
            up_highest: 0,
            hub: None,
            not_known: false,
        }
    }
}

impl Default for JournalLink {
    fn default() -> Self {
        Self::new()
    }
}

/// Who this phone is, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneSettings {
    /// The device, as pairing named it.
    pub device: DeviceId,
    /// This installation.
    pub install: InstallId,
    /// The hub's name as dialled: lower case, no port.
    pub host: String,
    /// The hub's id, if pairing told it: only this hub is believed.
    pub hub: Option<HubId>,
    /// Names the present boot.
    pub boot: String,
    /// How many downward frames the hub may be ahead of the phone's journal.
    pub down_window: u64,
}

/// What hello says besides the counters: taken when the socket opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HelloSnapshot {
    /// The SIM slots in use.
    pub sims: Vec<SimInfo>,
    /// Exposures that may still be handed over or whose last fact is not acked
    /// ([`Claim::is_held`](crate::ownership::phone::Claim::is_held)).
    pub held: Vec<HeldRow>,
    /// Names of optional features.
    pub features: Vec<String>,
}

/// A change of the link's part of the journal, in the order of the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkChange {
    /// A connection begins: store its number.
    Conn(u64),
    /// A downward frame was accepted: store its number.
    Down(u64),
    /// Store this new fact, at its place.
    FactStored(PhoneFact),
    /// Everything up to this place is acked: forget these facts' frames.
    FactsAcked {
        /// The highest place acked.
        up_to: u64,
    },
    /// The hub sent its id for the first time: store it.
    HubLearned(HubId),
    /// The hub does not know this phone (true), or knows it again: store it. While it does not,
    /// none of the hub's messages goes to a radio.
    NotKnown(bool),
    /// The hub has a new generation: store it, set `down` and the highest acked fact to 0, and
    /// lower the place of every fact that is kept by `sinks_by`.
    Restarted {
        /// The generation.
        generation: u64,
        /// By how much each place sinks.
        sinks_by: u64,
    },
}

/// A frame for the phone's machines, once each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// An exposure to accept.
    Send(Send),
    /// An exposure to give back.
    Revoke(Revoke),
    /// A message to cancel.
    Cancel(Cancel),
    /// The hub's settings for sending.
    Config(Config),
}

/// What the ring does for the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhoneEffect {
    /// Dial the hub; end with [`PhoneSession::connected`] or [`PhoneSession::dial_failed`]. An
    /// attempt that still runs is given up.
    Dial,
    /// Draw the next delay of a schedule, with full jitter, and call
    /// [`PhoneSession::redial_after`].
    PlanRedial(RedialPace),
    /// Reset both schedules, after a good session.
    ResetSchedule,
    /// Sign `bytes` with the phone's key, then call [`PhoneSession::signed`].
    Sign {
        /// The connection that it is for.
        conn: u64,
        /// What to sign.
        bytes: Vec<u8>,
    },
    /// Write this frame to the connection's socket.
    Write {
        /// The connection.
        conn: u64,
        /// The frame.
        frame: PhoneFrame,
    },
    /// Close the connection's socket, with this code if it can still be sent.
    Disconnect {
        /// The connection.
        conn: u64,
        /// Why.
        code: CloseCode,
    },
    /// Read these facts from the journal and call [`PhoneSession::facts_loaded`].
    LoadFacts(FactRange),
    /// Collect every exposure that the hub may have forgotten and call
    /// [`PhoneSession::held_loaded`]: each whose `send` came at a place above `down`, and each
    /// whose last fact has a place above `up`, ended ones included.
    LoadHeld {
        /// The highest downward number that the hub remembers.
        down: u64,
        /// The highest fact that the hub remembers.
        up: u64,
    },
    /// [`PhoneSession::put`] every inbound that the phone still holds and that is not among the
    /// waiting facts: the hub may have forgotten it.
    UploadInboundAgain,
    /// The link is up: welcome came.
    Opened,
    /// The link ends for good or for long; shown to the owner.
    Stopped(Stopped),
    /// The owner should know.
    Alert(PhoneAlert),
}

/// Why a phone's session wants to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhoneWake {
    /// The hub is dialled.
    Redial,
    /// The handshake is overdue.
    Handshake,
    /// A ping goes out.
    Ping,
    /// A ping's answer is overdue.
    PongOverdue,
    /// The session has been good for long enough.
    GoodSession,
}

/// The phone's end of the link.
#[derive(Debug)]
pub struct PhoneSession {
    settings: PhoneSettings,
    conn: u64,
    generation: u64,
    down: u64,
    hub: Option<HubId>,
    not_known: bool,
    uplink: Uplink,
    phase: Phase,
    heart: Heartbeat,
    redial: Redial,
    commits: Commits,
    received: VecDeque<Received>,
    changes: VecDeque<LinkChange>,
    effects: VecDeque<(u64, PhoneEffect)>,
}

/// Which changes were polled, and which are on disk.
#[derive(Debug, Default)]
struct Commits {
    made: u64,
    drained: u64,
    durable: u64,
    /// Counts how often the counters started again, as made and as polled.
    numbering: u64,
    drained_numbering: u64,
    drained_down: u64,
    durable_down: u64,
}

impl Commits {
    fn give_out(&mut self, change: &LinkChange) {
        self.drained += 1;
        match change {
            LinkChange::Down(s) => self.drained_down = *s,
            LinkChange::Restarted { .. } => {
                self.drained_down = 0;
                self.drained_numbering += 1;
            }
            LinkChange::Conn(_)
            | LinkChange::FactStored(_)
            | LinkChange::FactsAcked { .. }
            | LinkChange::HubLearned(_)
            | LinkChange::NotKnown(_) => {}
        }
    }

    const fn start_over(&mut self) {
        self.numbering += 1;
        self.durable_down = 0;
    }

    const fn on_disk(&mut self) {
        self.durable = self.drained;
        if self.drained_numbering == self.numbering {
            self.durable_down = self.drained_down;
        }
    }
}

/// Each phase is named for what it awaits.
#[derive(Debug)]
enum Phase {
    Down,
    Dialing,
    AwaitingChallenge {
        snapshot: Box<HelloSnapshot>,
        until: BootMs,
    },
    AwaitingSignature {
        snapshot: Box<HelloSnapshot>,
        generation: u64,
        until: BootMs,
    },
    AwaitingWelcome {
        until: BootMs,
    },
    Reconciling {
        until: BootMs,
    },
    Open {
        acked: u64,
        good_at: Option<BootMs>,
        ping: u64,
    },
}

impl PhoneSession {
    /// Restores the session from the journal; it wants to dial at once.
    pub fn new(settings: PhoneSettings, restored: &JournalLink) -> Self {
        let hub = settings.hub.or(restored.hub);
        let mut session = Self {
            settings,
            conn: restored.conn,
            generation: restored.generation,
            down: restored.down,
            hub,
            not_known: restored.not_known,
            uplink: Uplink::new(restored.up_acked, restored.up_highest),
            phase: Phase::Down,
            heart: Heartbeat::new(),
            redial: Redial::new(),
            commits: Commits {
                durable_down: restored.down,
                drained_down: restored.down,
                ..Commits::default()
            },
            received: VecDeque::new(),
            changes: VecDeque::new(),
            effects: VecDeque::new(),
        };
        session.dial();
        session
    }

    /// Accepts a fact and returns its place; the change that stores it follows.
    ///
    /// A health fact describes the phone now: put it only while [`PhoneSession::is_open`].
    pub fn put(&mut self, mut fact: PhoneFact) -> u64 {
        fact.stamp_boot(&self.settings.boot);
        let fact = self.uplink.put(fact);
        let s = fact.s();
        self.change(LinkChange::FactStored(fact));
        self.write_facts();
        s
    }

    /// Says whether welcome came on the present connection.
    pub const fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open { .. })
    }

    /// Says whether a fact waits for its ack.
    pub const fn has_unacked(&self) -> bool {
        let (lowest, highest) = self.uplink.bounds();
        lowest <= highest
    }

    /// Returns whether the hub last said that it does not know this phone: from then to the next
    /// welcome none of the hub's messages may be handed to a radio. The hub may be an older copy of
    /// itself that does not know which phone got them, and gives them to another one.
    pub fn is_not_known(&self) -> bool {
        self.not_known && !mistake::is("sends_while_unknown")
    }

    /// Returns the hub's id, if known.
    pub const fn hub(&self) -> Option<HubId> {
        self.hub
    }

    /// Returns the present connection's number, or the last one's.
    pub const fn conn(&self) -> u64 {
        self.conn
    }

    /// Returns the next frame for the machines.
    pub fn poll_received(&mut self) -> Option<Received> {
        self.received.pop_front()
    }

    /// Returns the next change to commit.
    pub fn poll_change(&mut self) -> Option<LinkChange> {
        let change = self.changes.pop_front()?;
        self.commits.give_out(&change);
        Some(change)
    }

    /// Every change polled so far is on disk; acks what that allows.
    pub fn committed(&mut self, now: Now) {
        self.commits.on_disk();
        self.ack(now);
    }

    /// Returns the next thing to do; what must be on disk first waits for its commit.
    pub fn poll_effect(&mut self) -> Option<PhoneEffect> {
        let (after, _) = self.effects.front()?;
        if *after > self.commits.durable && !mistake::is("phone_acks_early") {
            return None;
        }
        self.effects.pop_front().map(|(_, effect)| effect)
    }

    /// The phone is on the charger, or no longer.
    pub const fn power_changed(&mut self, charging: bool) {
        self.heart.set_charging(charging);
    }

    /// The phone runs on its battery, or no longer; on battery it dials more rarely. A phone
    /// that does not say counts as plugged in.
    pub const fn battery_changed(&mut self, on_battery: bool) {
        self.redial.set_on_battery(on_battery);
    }

    /// Returns when the session must be called next, if nothing happens before.
    pub fn poll_timeout(&self) -> Option<Deadline<PhoneWake>> {
        let phase = match &self.phase {
            Phase::Down => self.redial.at().map(|at| Deadline {
                at,
                reason: PhoneWake::Redial,
            }),
            Phase::Dialing => None,
            Phase::AwaitingChallenge { until, .. }
            | Phase::AwaitingSignature { until, .. }
            | Phase::AwaitingWelcome { until }
            | Phase::Reconciling { until } => Some(Deadline {
                at: *until,
                reason: PhoneWake::Handshake,
            }),
            Phase::Open { good_at, .. } => good_at.map(|at| Deadline {
                at,
                reason: PhoneWake::GoodSession,
            }),
        };
        let heart = self.heart.poll_timeout().map(|beat| Deadline {
            at: beat.at,
            reason: match beat.reason {
                HeartWake::Ping => PhoneWake::Ping,
                HeartWake::PongOverdue => PhoneWake::PongOverdue,
            },
        });
        earlier(phase, heart)
    }

    /// Does what is due at `now`; early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Now) {
        while let Some(due) = self.poll_timeout() {
            if now.boot < due.at {
                return;
            }
            match due.reason {
                PhoneWake::Redial => self.dial(),
                PhoneWake::Handshake => self.hang_up(CloseCode::GoingAway, now),
                PhoneWake::Ping => self.ping(now),
                PhoneWake::PongOverdue => {
                    self.heart.answer_missed();
                    self.hang_up(CloseCode::GoingAway, now);
                }
                PhoneWake::GoodSession => self.good_session(),
            }
        }
    }

    fn change(&mut self, change: LinkChange) {
        self.commits.made += 1;
        self.changes.push_back(change);
    }

    /// Queues an effect that appears once every change made so far is on disk.
    fn effect(&mut self, effect: PhoneEffect) {
        self.effects.push_back((self.commits.made, effect));
    }

    fn write(&mut self, frame: PhoneFrame) {
        let conn = self.conn;
        self.effect(PhoneEffect::Write { conn, frame });
    }

    const fn handshake_end(now: Now) -> BootMs {
        now.boot.plus_ms(HANDSHAKE_MS_MAX)
    }
}
