//! The hub's end of one connection.
//!
//! # Life
//!
//! ```text
//!  AwaitingHello -> Deciding -> Open -> Closed
//!                      |          ^
//!                      v          |
//!                 Reconciling -> Finishing          (only after a new generation)
//! ```
//!
//! # How the dispatcher drives it
//!
//! After every call, drain [`HubSession::poll_output`] and carry out each output in order; then
//! sleep until [`HubSession::poll_timeout`].
//!
//! 1. [`HubOutput::Identify`]: find the device, verify `hello.sig` over
//!    [`crate::signature::expected_bytes`] for a host in the configured list. Not known, or not
//!    signed: [`HubSession::refused`] with 4401; signed and revoked or replaced: with 4403. Else, in one transaction, [`decide`] on the row
//!    as it is now, do what the [`Decision`] says, and for the exposures to this installation
//!    apply `Fact::NeverReceived` or keep them for the resume, and `Fact::Shown` for the rows of
//!    `hello.held`. After the commit: close the device's older connection with
//!    [`HubSession::close`] and 4409, then call [`HubSession::admitted`] or
//!    [`HubSession::refused`].
//! 2. [`HubOutput::HeldPage`]: commit `Fact::Shown` for its rows, each with what stands
//!    behind it; what is refused is stored aside.
//!    [`HubOutput::Reconciled`]: commit the row, `Fact::Renumbered` for the device's exposures
//!    when `restarts`, then call [`HubSession::reconciled`].
//! 3. [`HubOutput::Fact`]: commit it with `up` raised to its `s`, refused when
//!    [`DeviceLink::admits`] says no; then call [`HubSession::facts_committed`] once per group.
//! 4. [`HubOutput::Unpaired`]: commit the facts that wait, and with them that the device is out of
//!    service and what it still holds unknown (`Fact::HolderLost`). The close comes next.
//! 5. Downward: take a number with [`HubSession::assign_send`] or
//!    [`HubSession::assign_control`], commit the exposure with `down_sent` raised to it, then
//!    call [`HubSession::down_committed`] with the frame. Frames are written in the order of
//!    their numbers, however the commits end. When a commit fails, close with 1011.
//!
//! A commit for a connection that is no longer the newest must be refused in its transaction.

mod admission;
mod downlink;
mod handshake;
#[cfg(test)]
mod tests;

pub use admission::{Admission, Circumstances, Decision, DeviceLink, Reconcile, decide};

use super::Deadline;
use crate::{
    clock::PhoneClock,
    close::CloseCode,
    codec::DecodeError,
    frame::{Ack, Bye, Challenge, HeldRow, Hello, HubFrame, Nonce, PhoneFrame, Ping, Pong},
    limits::{DRAIN_MS_MAX, FACTS_IN_FLIGHT_MAX, HANDSHAKE_MS_MAX, HEARTBEAT_S_MAX, PONG_MS_MAX},
    mistake,
};
use downlink::Downlink;
use postrider_model::{BootMs, HubId, Now};
use std::collections::VecDeque;

/// What the dispatcher must do for a session, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubOutput {
    /// Find out whether this is a paired device, and decide about its hello.
    Identify(Box<Hello>),
    /// Commit what these rows show.
    HeldPage {
        /// The rows.
        rows: Vec<HeldRow>,
    },
    /// Every page came: commit this row, then call [`HubSession::reconciled`].
    Reconciled {
        /// The device's row from now on.
        link: DeviceLink,
        /// Whether the counters start again: the places of its exposures then mean nothing.
        restarts: bool,
    },
    /// Commit this fact with the device's `up` raised to its number. An
    /// [`Unknown`](crate::frame::Unknown) one only raises `up`.
    Fact(PhoneFrame),
    /// The phone has everything up to `down` on disk: store it as `down_acked`. Nothing waits
    /// for that commit.
    Acked {
        /// The highest number acked.
        down: u64,
    },
    /// The owner unpaired the phone: it has erased itself and never comes back as before. A close
    /// with 4403 follows.
    Unpaired,
    /// Write this frame.
    Write(HubFrame),
    /// Close the connection; nothing follows.
    Close(CloseCode),
}

/// Why a hub's session wants to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HubWake {
    /// Hello or the next held page is overdue.
    Handshake,
    /// The phone has been silent for too long: it is offline.
    Silence,
    /// A drained phone has used up its time.
    Drain,
}

/// Settings shared by all of a hub's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubSettings {
    /// The hub's generation.
    pub generation: u64,
    /// Seconds between two pings at first, told in welcome.
    pub heartbeat_s: u64,
    /// The hub's own id, told in welcome.
    pub hub: Option<HubId>,
}

/// One connection, seen from the hub.
#[derive(Debug)]
pub struct HubSession {
    settings: HubSettings,
    nonce: Nonce,
    accepted_at: BootMs,
    hello_by: BootMs,
    phase: Phase,
    heard_at: BootMs,
    silence_ms: u64,
    outputs: VecDeque<HubOutput>,
}

/// Each phase is named for what it awaits.
#[derive(Debug)]
enum Phase {
    AwaitingHello,
    /// The dispatcher decides about hello.
    Deciding {
        hello: Box<Hello>,
        heard: Now,
    },
    /// Held pages come in.
    Reconciling(Box<Reconciling>),
    /// The dispatcher commits the reconciled row.
    Finishing(Box<Reconciling>),
    Open(Box<Open>),
    Closed,
}

#[derive(Debug)]
struct Reconciling {
    link: DeviceLink,
    generation: u64,
    version: u32,
    limit: u64,
    clock: PhoneClock,
    pages: u32,
}

#[derive(Debug)]
struct Open {
    conn: u64,
    clock: PhoneClock,
    up_received: u64,
    up_committed: u64,
    down: Downlink,
    drain_until: Option<BootMs>,
}

impl HubSession {
    /// Starts the session of a socket that was just accepted: the challenge is the first output.
    ///
    /// `nonce` must come from a cryptographic random source and be used for nothing else.
    pub fn new(settings: HubSettings, nonce: Nonce, now: Now) -> Self {
        let challenge = HubFrame::Challenge(Challenge {
            nonce: nonce.clone(),
            generation: settings.generation,
            down_sent: None,
            up: None,
        });
        Self {
            settings,
            nonce,
            accepted_at: now.boot,
            hello_by: now.boot.plus_ms(HANDSHAKE_MS_MAX),
            phase: Phase::AwaitingHello,
            heard_at: now.boot,
            silence_ms: silence_ms(settings.heartbeat_s),
            outputs: VecDeque::from([HubOutput::Write(challenge)]),
        }
    }

    /// Sets when the connection under the socket was accepted: the time to hello counts from
    /// then on.
    #[must_use]
    pub fn opened_at(mut self, at: BootMs) -> Self {
        self.hello_by = self.hello_by.min(at.plus_ms(HANDSHAKE_MS_MAX));
        self
    }

    /// Returns the nonce that hello must have signed.
    pub const fn nonce(&self) -> &Nonce {
        &self.nonce
    }

    /// Returns when the socket was accepted, for [`Circumstances::overtaken`].
    pub const fn accepted_at(&self) -> BootMs {
        self.accepted_at
    }

    /// Returns the connection's number once the phone is admitted.
    pub fn conn(&self) -> Option<u64> {
        self.open().map(|open| open.conn)
    }

    /// Returns what is known of the phone's clocks once it is admitted, for
    /// [`crate::clock::published_time`].
    pub fn phone_clock(&self) -> Option<PhoneClock> {
        self.open().map(|open| open.clock)
    }

    /// Says whether messages may be exposed to the phone on this connection.
    pub fn is_open(&self) -> bool {
        self.open().is_some_and(|open| open.drain_until.is_none())
    }

    /// Returns the next thing to do.
    pub fn poll_output(&mut self) -> Option<HubOutput> {
        self.outputs.pop_front()
    }

    /// Handles a frame of the phone.
    ///
    /// Before its hello is admitted, a phone gets no answer, and only a hello counts: other frames
    /// win it no time.
    pub fn handle_frame(&mut self, frame: PhoneFrame, now: Now) {
        self.heard_at = now.boot;
        match frame {
            PhoneFrame::Ping(_) | PhoneFrame::Pong(_) if self.is_stranger() => {}
            PhoneFrame::Ping(ping) => self.answer(ping, now),
            PhoneFrame::Bye(bye) => self.said_bye(bye),
            PhoneFrame::Pong(pong) => self.learn(BootMs(pong.mono), now),
            PhoneFrame::Hello(hello) => self.handle_hello(hello, now),
            PhoneFrame::Held(held) => self.handle_held(held),
            PhoneFrame::Ack(ack) => self.handle_ack(ack, now),
            PhoneFrame::Event(_)
            | PhoneFrame::Inbound(_)
            | PhoneFrame::Health(_)
            | PhoneFrame::Unknown(_) => self.handle_fact(frame),
        }
    }

    /// Handles a frame that could not be read.
    pub fn handle_malformed(&mut self, error: DecodeError) {
        self.close(error.close_code());
    }

    /// Ends the connection with `code`; outputs that were not taken yet are dropped.
    pub fn close(&mut self, code: CloseCode) {
        if !matches!(self.phase, Phase::Closed) {
            self.phase = Phase::Closed;
            self.outputs.clear();
            self.outputs.push_back(HubOutput::Close(code));
        }
    }

    /// Starts to close the connection in good order: no more messages are exposed on it, the
    /// phone's facts are still accepted, and the phone comes back `retry_ms` after the close.
    pub fn drain(&mut self, retry_ms: u64, now: Now) {
        let Phase::Open(open) = &mut self.phase else {
            return self.close(CloseCode::GoingAway);
        };
        if open.drain_until.is_none() {
            open.drain_until = Some(now.boot.plus_ms(DRAIN_MS_MAX));
            let code = CloseCode::GoingAway.code();
            self.write(HubFrame::Bye(Bye { code, retry_ms }));
        }
    }

    /// Says that every fact up to `up` is committed: they are acked.
    pub fn facts_committed(&mut self, up: u64, now: Now) {
        let Phase::Open(open) = &mut self.phase else {
            return;
        };
        open.up_committed = open.up_committed.max(up.min(open.up_received));
        let ack = Ack {
            a: open.up_committed,
            limit: open.up_committed + FACTS_IN_FLIGHT_MAX,
            mono: now.boot.0,
        };
        self.write(HubFrame::Ack(ack));
    }

    /// Returns when the session must be called next, if nothing comes in before.
    pub fn poll_timeout(&self) -> Option<Deadline<HubWake>> {
        let (at, reason) = match &self.phase {
            Phase::AwaitingHello => (self.hello_by, HubWake::Handshake),
            Phase::Reconciling(_) => (self.heard_at.plus_ms(HANDSHAKE_MS_MAX), HubWake::Handshake),
            Phase::Deciding { .. } | Phase::Finishing(_) | Phase::Closed => return None,
            Phase::Open(open) => match open.drain_until {
                Some(at) => (at, HubWake::Drain),
                None => (self.heard_at.plus_ms(self.silence_ms), HubWake::Silence),
            },
        };
        Some(Deadline { at, reason })
    }

    /// Does what is due at `now`; early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Now) {
        let Some(deadline) = self.poll_timeout() else {
            return;
        };
        if now.boot < deadline.at {
            return;
        }
        match deadline.reason {
            HubWake::Handshake | HubWake::Silence | HubWake::Drain => {
                self.close(CloseCode::GoingAway);
            }
        }
    }

    fn is_stranger(&self) -> bool {
        matches!(self.phase, Phase::AwaitingHello | Phase::Deciding { .. })
    }

    fn open(&self) -> Option<&Open> {
        match &self.phase {
            Phase::Open(open) => Some(open),
            _ => None,
        }
    }

    fn write(&mut self, frame: HubFrame) {
        self.outputs.push_back(HubOutput::Write(frame));
    }

    /// Handles the phone's `bye`; what it sent before is done first. Only an admitted phone can
    /// unpair.
    fn said_bye(&mut self, bye: Bye) {
        let unpaired = CloseCode::NotPaired;
        if bye.code != unpaired.code() || !matches!(self.phase, Phase::Open(_)) {
            return self.close(CloseCode::GoingAway);
        }
        self.phase = Phase::Closed;
        let last = [HubOutput::Unpaired, HubOutput::Close(unpaired)];
        self.outputs.extend(last);
    }

    fn answer(&mut self, ping: Ping, now: Now) {
        self.learn(BootMs(ping.mono), now);
        self.silence_ms = silence_ms(ping.next_s);
        let pong = Pong {
            n: ping.n,
            mono: now.boot.0,
        };
        if !matches!(self.phase, Phase::Closed) {
            self.write(HubFrame::Pong(pong));
        }
    }

    fn learn(&mut self, mono: BootMs, now: Now) {
        if let Phase::Open(open) = &mut self.phase {
            open.clock.heard(mono, now);
        }
    }

    fn handle_fact(&mut self, frame: PhoneFrame) {
        let Phase::Open(open) = &mut self.phase else {
            return self.unexpected(&frame);
        };
        let Some(s) = frame.s() else {
            return;
        };
        if s <= open.up_received {
            return;
        }
        let credit = open.up_committed + FACTS_IN_FLIGHT_MAX;
        if s != open.up_received + 1 || s > credit {
            return self.close(CloseCode::ProtocolError);
        }
        open.up_received = s;
        self.outputs.push_back(HubOutput::Fact(frame));
        if mistake::is("hub_acks_early") {
            self.facts_committed(s, Now::default());
        }
    }

    /// A frame that does not belong in this phase is an error, unless it need not be
    /// understood or comes after the end.
    fn unexpected(&mut self, frame: &PhoneFrame) {
        let ignorable = matches!(frame, PhoneFrame::Unknown(unknown) if unknown.s.is_none());
        if !ignorable {
            self.close(CloseCode::ProtocolError);
        }
    }
}

/// Returns how long a phone may be silent that announced its next ping in `next_s` seconds:
/// twice that, plus the time for an answer.
fn silence_ms(next_s: u64) -> u64 {
    2 * 1_000 * next_s.min(HEARTBEAT_S_MAX) + PONG_MS_MAX
}
