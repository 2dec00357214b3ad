//! One connection: the handshake, frames in and frames out.

use super::{HelloSnapshot, LinkChange, Phase, PhoneEffect, PhoneFact, PhoneSession, Received};
use crate::{
    close::CloseCode,
    codec::DecodeError,
    frame::{
        Ack, Bye, Bytes, Challenge, Held, HeldRow, Hello, HubFrame, PhoneFrame, Ping, Pong, Welcome,
    },
    limits::{
        CONTROL_FRAMES_OVER_CREDIT, GOOD_SESSION_MS, HELD_ROWS_IN_HELLO_MAX, HELD_ROWS_PER_PAGE,
        VERSION, VERSION_MIN,
    },
    mistake,
    signature::hello_bytes,
};
use postrider_model::Now;

impl PhoneSession {
    /// The socket is open: accepts what hello will say, and returns the number of
    /// the new connection; pass every frame from that socket with it.
    ///
    /// The change that raises the number is committed together with everything that the snapshot
    /// shows.
    pub fn connected(&mut self, mut snapshot: HelloSnapshot, now: Now) -> u64 {
        snapshot.held.truncate(HELD_ROWS_IN_HELLO_MAX);
        self.conn += 1;
        self.uplink.disconnect();
        self.change(LinkChange::Conn(self.conn));
        self.phase = Phase::AwaitingChallenge {
            snapshot: Box::new(snapshot),
            until: Self::handshake_end(now),
        };
        self.conn
    }

    /// Handles a frame that the hub wrote to connection `conn`; one of an older connection is
    /// dropped.
    pub fn handle_frame(&mut self, conn: u64, frame: HubFrame, now: Now) {
        if !self.is_present(conn) {
            return;
        }
        self.heart.heard();
        match frame {
            HubFrame::Challenge(challenge) => self.challenged(challenge, now),
            HubFrame::Welcome(welcome) => self.welcomed(welcome, now),
            HubFrame::Ack(ack) => self.acked(ack, now),
            HubFrame::Ping(ping) => self.answer(ping, now),
            HubFrame::Pong(_) => {}
            HubFrame::Bye(bye) => self.said_bye(bye, now),
            HubFrame::Send(_)
            | HubFrame::Revoke(_)
            | HubFrame::Cancel(_)
            | HubFrame::Void(_)
            | HubFrame::Config(_)
            | HubFrame::Unknown(_) => self.numbered(frame, now),
        }
    }

    /// Handles a frame of connection `conn` that could not be read.
    pub fn handle_malformed(&mut self, conn: u64, error: DecodeError, now: Now) {
        if self.is_present(conn) {
            self.hang_up(error.close_code(), now);
        }
    }

    /// Accepts the signature that [`PhoneEffect::Sign`] asked for, and sends hello.
    pub fn signed(&mut self, conn: u64, signature: Vec<u8>, now: Now) {
        if !self.is_present(conn) {
            return;
        }
        let phase = std::mem::replace(
            &mut self.phase,
            Phase::AwaitingWelcome {
                until: Self::handshake_end(now),
            },
        );
        match phase {
            Phase::AwaitingSignature {
                snapshot,
                generation,
                ..
            } => {
                let hello = self.hello(*snapshot, generation, signature, now);
                self.write(PhoneFrame::Hello(hello));
            }
            other => self.phase = other,
        }
    }

    /// Accepts the rows that [`PhoneEffect::LoadHeld`] asked for, and sends them in pages.
    pub fn held_loaded(&mut self, rows: &[HeldRow], now: Now) {
        let Phase::Reconciling { until } = &mut self.phase else {
            return;
        };
        *until = Self::handshake_end(now);
        let mut pages = rows.chunks(HELD_ROWS_PER_PAGE).peekable();
        if pages.peek().is_none() {
            self.write(held_page(&[], true));
        }
        while let Some(page) = pages.next() {
            self.write(held_page(page, pages.peek().is_none()));
        }
    }

    /// Accepts the facts that [`PhoneEffect::LoadFacts`] asked for.
    pub fn facts_loaded(&mut self, facts: Vec<PhoneFact>) {
        self.uplink.loaded(facts);
        self.write_facts();
    }

    /// Closes the connection in good order, before the app stops; it is not dialled again.
    pub fn leave(&mut self, now: Now) {
        self.leave_with(CloseCode::GoingAway, now);
    }

    /// Closes the connection in good order, because the owner unpaired the phone: its `bye` says
    /// so.
    pub fn leave_for_good(&mut self, now: Now) {
        self.leave_with(CloseCode::NotPaired, now);
    }

    fn leave_with(&mut self, close: CloseCode, now: Now) {
        if self.is_open() {
            let code = close.code();
            self.write(PhoneFrame::Bye(Bye { code, retry_ms: 0 }));
        }
        self.redial.stay_down();
        self.hang_up(close, now);
    }

    fn challenged(&mut self, challenge: Challenge, now: Now) {
        let until = Self::handshake_end(now);
        match (&mut self.phase, challenge.down_sent, challenge.up) {
            (Phase::AwaitingChallenge { snapshot, .. }, None, None) => {
                let snapshot = std::mem::take(&mut **snapshot);
                self.sign(snapshot, challenge, now);
            }
            (Phase::AwaitingWelcome { .. }, Some(down), Some(up)) => {
                self.phase = Phase::Reconciling { until };
                if self.uplink.ack_before_restart(up) {
                    self.change(LinkChange::FactsAcked { up_to: up });
                }
                // Before the counters start again, so that a crash in between does not forget it.
                self.effect(PhoneEffect::UploadInboundAgain);
                self.effect(PhoneEffect::LoadHeld { down, up });
            }
            _ => self.hang_up(CloseCode::ProtocolError, now),
        }
    }

    fn sign(&mut self, snapshot: HelloSnapshot, challenge: Challenge, now: Now) {
        let bytes = hello_bytes(
            &self.settings.host,
            &challenge.nonce,
            self.settings.device,
            &self.settings.install,
            self.conn,
        );
        self.phase = Phase::AwaitingSignature {
            snapshot: Box::new(snapshot),
            generation: challenge.generation,
            until: Self::handshake_end(now),
        };
        let conn = self.conn;
        self.effect(PhoneEffect::Sign { conn, bytes });
    }

    /// A phone that never agreed on a generation accepts the hub's.
    fn hello(
        &self,
        snapshot: HelloSnapshot,
        hub_generation: u64,
        signature: Vec<u8>,
        now: Now,
    ) -> Hello {
        let (up_lo, up_hi) = self.uplink.bounds();
        let generation = match self.generation {
            0 => hub_generation,
            agreed => agreed,
        };
        Hello {
            v: (VERSION_MIN, VERSION),
            features: snapshot.features,
            phone: self.settings.device,
            install: self.settings.install.clone(),
            conn: self.conn,
            sig: Bytes(signature),
            generation,
            down: self.down,
            up_lo,
            up_hi,
            limit: self.down + self.settings.down_window,
            boot: self.settings.boot.clone(),
            wall: now.unix.0,
            mono: now.boot.0,
            sims: snapshot.sims,
            held: snapshot.held,
        }
    }

    fn welcomed(&mut self, welcome: Welcome, now: Now) {
        let reconciled = matches!(self.phase, Phase::Reconciling { .. });
        if !reconciled && !matches!(self.phase, Phase::AwaitingWelcome { .. }) {
            return self.hang_up(CloseCode::ProtocolError, now);
        }
        if welcome.v > VERSION || welcome.v < VERSION_MIN {
            return self.hang_up(CloseCode::VersionNotSpoken, now);
        }
        if !self.is_of_my_hub(&welcome) {
            return self.hang_up(CloseCode::NotKnown, now);
        }
        if reconciled || self.generation == 0 {
            self.restart(welcome.generation);
        }
        if welcome.generation != self.generation {
            return self.hang_up(CloseCode::ProtocolError, now);
        }
        match self.uplink.connect(welcome.up, welcome.limit) {
            Err(_) => return self.hang_up(CloseCode::ProtocolError, now),
            Ok(true) => self.change(LinkChange::FactsAcked { up_to: welcome.up }),
            Ok(false) => {}
        }
        self.is_known_again(&welcome);
        self.phase = Phase::Open {
            acked: self.commits.durable_down,
            good_at: Some(now.boot.plus_ms(GOOD_SESSION_MS)),
            ping: 0,
        };
        self.heart.start(welcome.heartbeat_s, now.boot);
        self.effect(PhoneEffect::Opened);
        self.write_facts();
    }

    /// Another hub under the same name is ignored: its messages are for other phones.
    fn is_of_my_hub(&self, welcome: &Welcome) -> bool {
        let differs = self
            .hub
            .zip(welcome.hub)
            .is_some_and(|(mine, its)| mine != its);
        !differs || mistake::is("any_hub_believed")
    }

    fn is_known_again(&mut self, welcome: &Welcome) {
        if let (None, Some(hub)) = (self.hub, welcome.hub) {
            self.hub = Some(hub);
            self.change(LinkChange::HubLearned(hub));
        }
        self.set_not_known(false);
    }

    /// After a restart it continues with the last value.
    pub(super) fn set_not_known(&mut self, not_known: bool) {
        if self.not_known != not_known {
            self.not_known = not_known;
            if !mistake::is("forgets_that_it_is_unknown") {
                self.change(LinkChange::NotKnown(not_known));
            }
        }
    }

    fn restart(&mut self, generation: u64) {
        let sinks_by = self.uplink.restart();
        self.generation = generation;
        self.down = 0;
        self.commits.start_over();
        self.change(LinkChange::Restarted {
            generation,
            sinks_by,
        });
    }

    /// A frame with a place: each once and in order, whichever connection brought it.
    fn numbered(&mut self, frame: HubFrame, now: Now) {
        let Some(s) = frame.s() else {
            return;
        };
        if !self.is_open() {
            return self.hang_up(CloseCode::ProtocolError, now);
        }
        if s <= self.down {
            return;
        }
        let over = match frame {
            HubFrame::Send(_) => 0,
            _ => CONTROL_FRAMES_OVER_CREDIT,
        };
        let credit = self.commits.durable_down + self.settings.down_window + over;
        if s != self.down + 1 || s > credit {
            return self.hang_up(CloseCode::ProtocolError, now);
        }
        self.down = s;
        self.change(LinkChange::Down(s));
        if mistake::is("phone_acks_early") {
            self.commits.durable_down = s;
            self.ack(now);
        }
        self.received.extend(match frame {
            HubFrame::Send(frame) => Some(Received::Send(frame)),
            HubFrame::Revoke(frame) => Some(Received::Revoke(frame)),
            HubFrame::Cancel(frame) => Some(Received::Cancel(frame)),
            HubFrame::Config(frame) => Some(Received::Config(frame)),
            _ => None,
        });
    }

    fn acked(&mut self, ack: Ack, now: Now) {
        if !self.is_open() {
            return self.hang_up(CloseCode::ProtocolError, now);
        }
        match self.uplink.ack(ack.a, ack.limit) {
            Err(_) => self.hang_up(CloseCode::ProtocolError, now),
            Ok(more) => {
                if more {
                    self.change(LinkChange::FactsAcked { up_to: ack.a });
                }
                self.write_facts();
            }
        }
    }

    /// Acks what is on disk, if that is more than before.
    pub(super) fn ack(&mut self, now: Now) {
        let durable = self.commits.durable_down;
        let Phase::Open { acked, .. } = &mut self.phase else {
            return;
        };
        if durable <= *acked {
            return;
        }
        *acked = durable;
        let ack = Ack {
            a: durable,
            limit: durable + self.settings.down_window,
            mono: now.boot.0,
        };
        self.write(PhoneFrame::Ack(ack));
    }

    pub(super) fn write_facts(&mut self) {
        while let Some(fact) = self.uplink.next() {
            let frame = fact.into_wire(&self.settings.boot);
            self.write(frame);
        }
        if let Some(range) = self.uplink.wanted() {
            self.effect(PhoneEffect::LoadFacts(range));
        }
    }

    fn answer(&mut self, ping: Ping, now: Now) {
        self.write(PhoneFrame::Pong(Pong {
            n: ping.n,
            mono: now.boot.0,
        }));
    }

    pub(super) fn ping(&mut self, now: Now) {
        self.heart.pinged(now.boot);
        let next_s = self.heart.interval_s();
        if let Phase::Open { ping, .. } = &mut self.phase {
            *ping += 1;
            let frame = Ping {
                n: *ping,
                mono: now.boot.0,
                next_s,
            };
            self.write(PhoneFrame::Ping(frame));
        }
    }

    fn said_bye(&mut self, bye: Bye, now: Now) {
        self.redial.told(bye.retry_ms);
        self.hang_up(CloseCode::GoingAway, now);
    }

    pub(super) fn good_session(&mut self) {
        if let Phase::Open { good_at, .. } = &mut self.phase {
            *good_at = None;
        }
        self.redial.session_was_good();
        self.effect(PhoneEffect::ResetSchedule);
    }
}

fn held_page(rows: &[HeldRow], last: bool) -> PhoneFrame {
    PhoneFrame::Held(Held {
        rows: rows.to_vec(),
        last,
    })
}
