//! One connection, as far as its rules need it.

use super::Counters;
use super::exposures::Exposures;
use super::findings::{At, Findings};
use super::{Delivered, Rule};
use postrider_link::close::CloseCode;
use postrider_link::frame::{Ack, Hello, HubFrame, PhoneFrame, Ping, Send, Welcome};
use postrider_link::limits::{CONTROL_FRAMES_OVER_CREDIT, HEARTBEAT_S_MAX};
use postrider_model::{BootMs, Now};

/// What is known of one connection.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub(super) opened_at: BootMs,
    /// The generation that welcome told.
    pub(super) generation: Option<u64>,
    pub(super) hello: Option<Box<Hello>>,
    /// What a bye of the hub told.
    pub(super) told_ms: Option<u64>,
    /// Whether the phone said bye.
    pub(super) said_bye: bool,
    pub(super) must_end: Option<MustEnd>,
    /// When the next ping must have come.
    pub(super) ping_until: Option<BootMs>,
    /// Whether the hub does not read or write as it should.
    pub(super) stalled: bool,
    asked_for_pages: bool,
    down: u64,
    acked: u64,
    up: u64,
    up_limit: u64,
    down_limit: u64,
    pings: u64,
}

/// The hub broke the protocol: the phone has to end the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct MustEnd {
    pub(super) until: BootMs,
    pub(super) code: CloseCode,
    down: u64,
}

/// What a connection changes beside itself.
pub(super) struct Around<'a> {
    pub(super) at: At,
    pub(super) grace_ms: u64,
    pub(super) findings: &'a mut Findings,
    pub(super) exposures: &'a mut Exposures,
    pub(super) counters: &'a mut Counters,
}

impl Connection {
    pub(super) const fn new(now: Now) -> Self {
        Self {
            opened_at: now.boot,
            generation: None,
            hello: None,
            told_ms: None,
            said_bye: false,
            must_end: None,
            ping_until: None,
            stalled: false,
            asked_for_pages: false,
            down: 0,
            acked: 0,
            up: 0,
            up_limit: 0,
            down_limit: 0,
            pings: 0,
        }
    }

    /// Takes in what was written whole.
    pub(super) fn wrote(&mut self, what: &Delivered, around: &mut Around<'_>) {
        if self.must_end.is_some() {
            return;
        }
        match what {
            Delivered::Frame(frame) => self.wrote_frame(frame, around),
            Delivered::Unknown { s, crit: false } => {
                if let Some(s) = s {
                    self.numbered(*s, None, around);
                }
            }
            Delivered::Unknown { crit: true, .. } => {
                self.must_end(CloseCode::NeedsNewerApp, around);
            }
            Delivered::Malformed => self.must_end(CloseCode::ProtocolError, around),
        }
    }

    fn wrote_frame(&mut self, frame: &HubFrame, around: &mut Around<'_>) {
        match frame {
            HubFrame::Challenge(challenge) => {
                let again = challenge.down_sent.is_some();
                if again == self.hello.is_none() || self.generation.is_some() {
                    return self.must_end(CloseCode::ProtocolError, around);
                }
                self.asked_for_pages |= again;
            }
            HubFrame::Welcome(welcome) => self.welcomed(welcome, around),
            HubFrame::Ack(ack) => self.hub_acked(*ack, around),
            HubFrame::Bye(bye) => self.told_ms = Some(bye.retry_ms),
            HubFrame::Ping(_) | HubFrame::Pong(_) | HubFrame::Unknown(_) => {}
            HubFrame::Send(send) => self.numbered(send.s, Some(send), around),
            HubFrame::Revoke(_) | HubFrame::Cancel(_) | HubFrame::Void(_) | HubFrame::Config(_) => {
                let s = frame.s().unwrap_or(0);
                let is_new = s == self.down + 1;
                self.numbered(s, None, around);
                let generation = self.generation.unwrap_or(0);
                match frame {
                    HubFrame::Revoke(it) if is_new => {
                        around.exposures.asked(generation, s, it.id, it.ep);
                    }
                    HubFrame::Cancel(it) if is_new => {
                        around.exposures.asked(generation, s, it.id, it.ep);
                    }
                    _ => {}
                }
            }
        }
    }

    fn welcomed(&mut self, welcome: &Welcome, around: &mut Around<'_>) {
        let Some(hello) = self.hello.clone().filter(|_| self.generation.is_none()) else {
            return self.must_end(CloseCode::ProtocolError, around);
        };
        let out_of_bounds = welcome.up + 1 < hello.up_lo || welcome.up > hello.up_hi;
        let other = welcome.generation != hello.generation && around.counters.agreed;
        if !self.asked_for_pages && (other || out_of_bounds) {
            return self.must_end(CloseCode::ProtocolError, around);
        }
        if self.asked_for_pages {
            self.down_limit = hello.limit.saturating_sub(hello.down);
        } else {
            self.down = hello.down;
            self.down_limit = hello.limit;
        }
        self.acked = self.down;
        self.up = welcome.up;
        self.up_limit = welcome.limit;
        self.generation = Some(welcome.generation);
        let first_s = welcome.heartbeat_s.clamp(1, HEARTBEAT_S_MAX);
        self.ping_due(first_s, around);
        let counters = around.counters.of(welcome.generation);
        counters.told_acked = counters.told_acked.max(welcome.up);
    }

    fn hub_acked(&mut self, ack: Ack, around: &mut Around<'_>) {
        let Some(generation) = self.generation.filter(|_| ack.a <= self.up) else {
            return self.must_end(CloseCode::ProtocolError, around);
        };
        self.up_limit = self.up_limit.max(ack.limit);
        let counters = around.counters.of(generation);
        counters.told_acked = counters.told_acked.max(ack.a);
        counters.prune();
    }

    fn numbered(&mut self, s: u64, send: Option<&Send>, around: &mut Around<'_>) {
        let Some(generation) = self.generation else {
            return self.must_end(CloseCode::ProtocolError, around);
        };
        if s <= self.down {
            return;
        }
        let over = if send.is_some() {
            0
        } else {
            CONTROL_FRAMES_OVER_CREDIT
        };
        if s != self.down + 1 || s > self.down_limit + over {
            return self.must_end(CloseCode::ProtocolError, around);
        }
        self.down = s;
        let counters = around.counters.of(generation);
        counters.written = counters.written.max(s);
        if let Some(send) = send {
            around.exposures.written(generation, send);
        }
    }

    fn must_end(&mut self, code: CloseCode, around: &Around<'_>) {
        self.must_end = Some(MustEnd {
            until: around.at.now.boot.plus_ms(around.grace_ms),
            code,
            down: self.down,
        });
    }

    fn ping_due(&mut self, in_s: u64, around: &Around<'_>) {
        let in_ms = in_s * 1_000 + around.grace_ms;
        self.ping_until = Some(around.at.now.boot.plus_ms(in_ms));
    }

    /// Takes in what the phone wrote.
    pub(super) fn heard(&mut self, frame: &PhoneFrame, around: &mut Around<'_>) {
        let after_welcome = self.generation.is_some() && self.must_end.is_none();
        around.counters.agreed |= after_welcome && !matches!(frame, PhoneFrame::Bye(_));
        match frame {
            PhoneFrame::Hello(hello) => self.hello(hello, around),
            PhoneFrame::Ack(ack) => self.phone_acked(*ack, around),
            PhoneFrame::Ping(ping) => self.pinged(*ping, around),
            PhoneFrame::Bye(_) => self.said_bye = true,
            PhoneFrame::Pong(_) | PhoneFrame::Held(_) => {}
            PhoneFrame::Event(_)
            | PhoneFrame::Inbound(_)
            | PhoneFrame::Health(_)
            | PhoneFrame::Unknown(_) => self.fact(frame, around),
        }
    }

    fn hello(&mut self, hello: &Hello, around: &mut Around<'_>) {
        let (at, findings) = (around.at, &mut *around.findings);
        let first = self.hello.is_none();
        findings.check(Rule::Hello, at, None, first, || "a second hello".to_owned());
        let rises = hello.conn > around.counters.conn;
        let text = || format!("connection {} after {}", hello.conn, around.counters.conn);
        findings.check(Rule::Hello, at, None, rises, text);
        around.counters.conn = around.counters.conn.max(hello.conn);
        let known = around.counters.of(hello.generation);
        let (down, claimed, written) = (hello.down, known.claimed, known.written);
        findings.check(Rule::Holds, at, None, down >= claimed, || {
            format!("hello shows {down}, and {claimed} was acked")
        });
        findings.check(Rule::Holds, at, None, down <= written, || {
            format!("hello shows {down}, and {written} was written")
        });
        let (lo, hi, seen) = (hello.up_lo, hello.up_hi, known.up_high);
        findings.check(Rule::Kept, at, None, hi >= seen, || {
            format!("hello has facts up to {hi}, and {seen} was sent before")
        });
        let acked = known.told_acked;
        findings.check(Rule::Kept, at, None, lo <= acked + 1, || {
            format!("hello keeps facts from {lo}, and only {acked} were acked")
        });
        known.claimed = known.claimed.max(down);
        around.exposures.acked(hello.generation, 0, down, at.now);
        for row in &hello.held {
            let is_ours = around.exposures.get(row.id, row.ep).is_some();
            let text = || "hello holds an exposure that was never written".to_owned();
            findings.check(Rule::Exposure, at, Some(row.id), is_ours, text);
        }
        self.hello = Some(Box::new(hello.clone()));
    }

    fn phone_acked(&mut self, ack: Ack, around: &mut Around<'_>) {
        let (at, findings) = (around.at, &mut *around.findings);
        let (a, down) = (ack.a, self.down);
        findings.check(Rule::Holds, at, None, a <= down, || {
            format!("it acked {a}, and {down} was written")
        });
        if let Some(must_end) = self.must_end {
            let text = || format!("it acked {a} after the connection broke the protocol");
            findings.check(Rule::Refuse, at, None, a <= must_end.down, text);
        }
        let before = self.acked;
        findings.check(Rule::Holds, at, None, a >= before, || {
            format!("it acked {a} after {before}")
        });
        if let Some(generation) = self.generation {
            let known = around.counters.of(generation);
            known.claimed = known.claimed.max(a);
            around.exposures.acked(generation, before, a, at.now);
        }
        self.acked = self.acked.max(a);
        self.down_limit = self.down_limit.max(ack.limit);
    }

    fn pinged(&mut self, ping: Ping, around: &mut Around<'_>) {
        self.pings += 1;
        let (n, expected) = (ping.n, self.pings);
        let sound = n == expected && (1..=HEARTBEAT_S_MAX).contains(&ping.next_s);
        let text = || format!("ping {n} stands in the place of ping {expected}");
        around
            .findings
            .check(Rule::Heartbeat, around.at, None, sound, text);
        self.ping_due(ping.next_s.min(HEARTBEAT_S_MAX), around);
    }

    fn fact(&mut self, frame: &PhoneFrame, around: &mut Around<'_>) {
        let (at, findings) = (around.at, &mut *around.findings);
        let Some(s) = frame.s() else {
            return;
        };
        let Some(generation) = self.generation else {
            let text = || format!("fact {s} before welcome");
            return findings.check(Rule::Sequence, at, None, false, text);
        };
        let expected = self.up + 1;
        findings.check(Rule::Sequence, at, None, s == expected, || {
            format!("fact {s} stands in the place of fact {expected}")
        });
        self.up = self.up.max(s);
        let limit = self.up_limit;
        findings.check(Rule::Credit, at, None, s <= limit, || {
            format!("fact {s}, and the credit ends at {limit}")
        });
        let same = around.counters.of(generation).saw(s, frame);
        let text = || format!("fact {s} says something else than before");
        findings.check(Rule::Replay, at, None, same, text);
        if let PhoneFrame::Event(event) = frame {
            around.exposures.told(event, at, findings);
        }
    }

    /// Returns how far the facts came on this connection, when it is open.
    pub(super) fn facts_until(&self) -> Option<(u64, u64)> {
        let hello = self.hello.as_ref()?;
        let counted = self.generation.is_some() && !self.asked_for_pages;
        counted.then_some((self.up, hello.up_hi))
    }
}
