//! A phone with a journal in memory, a hub that only counts and acks, and a passive radio.
//! Every hand-over is checked against the journal.

use crate::{disk::Rows, logs::Logs};
use postrider_link::{
    close::CloseCode,
    frame::{
        Ack, Address, Cancel, Challenge, Config, Event as FactEvent, Health, HeldRow, Hello,
        HubFrame, Inbound, Kind, PhoneFrame, Revoke, Send, SimInfo, Welcome,
    },
    limits::VERSION,
};
use postrider_machine::{
    Agent, AgentConfig, BootId, Change, Command, Condition, Effect, EndedAsked, Event, Log,
    MessageRef, PaceLimits, RadioFact, ReceivedSms, Refused, ReportStatus, ScanMark, SendParts,
    SendToken, SentRow, Spell, WaitChoice,
};
use postrider_model::{DeviceId, Key, MessageId, MessageText, Now, SimSlot, UnixMs, WireState};
use std::collections::BTreeSet;

pub(crate) const MINUTE: u64 = 60_000;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const OK: i32 = -1;
/// When each world begins.
pub(crate) const START: Now = Now::new(1_000_000, 1_800_000_000_000);

pub(crate) struct World {
    pub(crate) agent: Agent,
    pub(crate) disk: Rows,
    pub(crate) now: Now,
    config: AgentConfig,
    boots: u64,
    down: u64,
    generation: u64,
    /// Whether the hub answers dials, and acks.
    pub(crate) online: bool,
    pub(crate) acking: bool,
    /// What a restored hub remembers: down, up.
    pub(crate) restored: Option<(u64, u64)>,
    /// Where the process dies in its next turn.
    pub(crate) dies: Option<Death>,
    /// How many commits it makes before that.
    pub(crate) commits_before_death: usize,
    pub(crate) facts: Vec<FactEvent>,
    pub(crate) inbound: Vec<Inbound>,
    pub(crate) health: Vec<Health>,
    pub(crate) hellos: Vec<Vec<HeldRow>>,
    pub(crate) last_hello: Option<Hello>,
    pub(crate) pings: usize,
    /// The phone's `bye`.
    pub(crate) byes: Vec<u16>,
    pub(crate) closed: Vec<CloseCode>,
    pub(crate) held: Vec<HeldRow>,
    pub(crate) handed_over: Vec<(Now, SendParts)>,
    pub(crate) asked: Vec<SendToken>,
    pub(crate) dialled: Vec<(SendToken, Address)>,
    pub(crate) called: Vec<(SendToken, Address)>,
    pub(crate) logs: Logs,
    pub(crate) scans: Vec<(Log, ScanMark)>,
    pub(crate) confirmed: Vec<u64>,
    /// What the journal was asked about messages that are over.
    pub(crate) looked_up: Vec<EndedAsked>,
    pub(crate) events: Vec<Event>,
    tokens: BTreeSet<SendToken>,
}

/// A moment at which a process may die.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Death {
    BeforeCommit,
    AfterCommit,
}

pub(crate) fn sim(slot: u8) -> SimSlot {
    SimSlot::new(slot).unwrap()
}

pub(crate) fn message(n: i64, ep: u32) -> MessageRef {
    MessageRef {
        id: MessageId::new(Key::new(n).unwrap()),
        ep,
    }
}

/// The first exposure of message `n`: to be changed as the test needs it.
pub(crate) fn send(n: i64) -> Send {
    Send {
        s: 0,
        id: message(n, 1).id,
        ep: 1,
        proof: None,
        kind: Kind::Sms,
        to: Address::new("+15005550001"),
        text: Some(MessageText::new(format!("message {n}"))),
        data: None,
        sim: sim(0),
        parts_max: None,
        ttl_ms: 72 * HOUR,
        report: true,
        priority: 0,
        movable: false,
        media: Vec::new(),
    }
}

pub(crate) fn sms(text: &str, second: i64, row: Option<i64>) -> ReceivedSms {
    ReceivedSms {
        receipt: second.unsigned_abs(),
        sim: sim(0),
        from: Address::new("+15005550009"),
        to: None,
        text: MessageText::new(text),
        parts: 1,
        sent_at: Some(UnixMs(second * 1_000)),
        received_at: row.map(|_| UnixMs(second * 1_000)),
        row,
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(PaceLimits::UNLIMITED)
    }

    pub(crate) fn with(limits: PaceLimits) -> Self {
        let slot = |slot| SimInfo {
            slot: sim(slot),
            ..SimInfo::default()
        };
        let config = AgentConfig {
            boot_id: BootId::new("boot-0"),
            device: DeviceId::new(Key::new(1).unwrap()),
            host: "hub.example".to_owned(),
            hub: None,
            sims: vec![slot(0), slot(1)],
            condition: Condition::default(),
            limits,
            quiet_hours: Vec::new(),
            waits: WaitChoice::default(),
        };
        let now = START;
        let disk = Rows::default();
        let mut world = Self {
            agent: Agent::new(config.clone(), disk.snapshot(), [7; 32], now),
            disk,
            now,
            config,
            boots: 0,
            down: 0,
            generation: 1,
            online: true,
            acking: true,
            restored: None,
            held: Vec::new(),
            dies: None,
            commits_before_death: 0,
            facts: Vec::new(),
            inbound: Vec::new(),
            health: Vec::new(),
            hellos: Vec::new(),
            last_hello: None,
            pings: 0,
            byes: Vec::new(),
            closed: Vec::new(),
            handed_over: Vec::new(),
            asked: Vec::new(),
            dialled: Vec::new(),
            called: Vec::new(),
            logs: Logs::default(),
            scans: Vec::new(),
            confirmed: Vec::new(),
            looked_up: Vec::new(),
            events: Vec::new(),
            tokens: BTreeSet::new(),
        };
        world.drain();
        world
    }

    /// Kills the process at this moment and starts it again on its journal.
    pub(crate) fn restart(&mut self) {
        let snapshot = self.disk.snapshot();
        self.agent = Agent::new(self.config.clone(), snapshot, [9; 32], self.now);
        self.drain();
    }

    /// The same, while its owner unpairs the phone.
    pub(crate) fn restart_leaving(&mut self) {
        let snapshot = self.disk.snapshot();
        self.agent = Agent::new(self.config.clone(), snapshot, [9; 32], self.now);
        self.agent.handle_unpair(self.now);
        self.drain();
    }

    /// The same, with a reboot that takes a while.
    pub(crate) fn reboot(&mut self, away_ms: u64) {
        self.boots += 1;
        self.config.boot_id = BootId::new(&format!("boot-{}", self.boots));
        self.now = Now::new(20_000, self.now.plus_ms(away_ms).unix.0);
        self.restart();
    }

    /// Somebody sets the wall clock; the boot clock is not affected.
    pub(crate) fn set_wall(&mut self, by_ms: i64) {
        self.now.unix = self.now.unix.plus_ms(by_ms);
        self.agent.handle_timeout(self.now);
        self.drain();
    }

    /// Puts other SIMs in, as a start would find them.
    pub(crate) fn set_sims(&mut self, sims: Vec<SimInfo>) {
        self.config.sims = sims;
    }

    pub(crate) fn set_quiet_hours(&mut self, quiet_hours: Vec<Spell>) {
        self.config.quiet_hours = quiet_hours;
    }

    pub(crate) fn set_limits(&mut self, limits: PaceLimits) {
        self.config.limits = limits;
    }

    /// Does what a ring does at the end of a turn.
    pub(crate) fn drain(&mut self) {
        loop {
            let changes: Vec<_> = std::iter::from_fn(|| self.agent.poll_change()).collect();
            let is_idle = changes.is_empty();
            if !is_idle && self.dies.is_some() && self.commits_before_death == 0 {
                let death = self.dies.take().unwrap();
                return self.die(death, changes);
            }
            if !is_idle {
                self.commits_before_death = self.commits_before_death.saturating_sub(1);
            }
            if !is_idle {
                self.disk.commit(changes);
                self.agent.handle_committed(self.now);
            }
            let effects: Vec<_> = std::iter::from_fn(|| self.agent.poll_effect()).collect();
            if is_idle && effects.is_empty() {
                break;
            }
            effects.into_iter().for_each(|effect| self.perform(effect));
        }
        self.events
            .extend(std::iter::from_fn(|| self.agent.poll_event()));
    }

    fn die(&mut self, death: Death, changes: Vec<Change>) {
        match death {
            Death::BeforeCommit => {}
            Death::AfterCommit => self.disk.commit(changes),
        }
        self.restart();
    }

    /// Runs until `ms` have passed, jumping from deadline to deadline.
    pub(crate) fn pass(&mut self, ms: u64) {
        let end = self.now.plus_ms(ms);
        while let Some(due) = self.agent.poll_timeout() {
            if due.at > end.boot {
                break;
            }
            self.now = self.now.plus_ms(due.at.since_ms(self.now.boot));
            self.agent.handle_timeout(self.now);
            self.drain();
        }
        self.now = end;
        self.agent.handle_timeout(self.now);
        self.drain();
    }

    fn perform(&mut self, effect: Effect) {
        let now = self.now;
        match effect {
            Effect::Connect if self.online => {
                self.agent.handle_connected(now);
                let challenge = Challenge {
                    nonce: "0123456789abcdef".parse().unwrap(),
                    generation: self.generation,
                    down_sent: None,
                    up: None,
                };
                self.agent.handle_frame(HubFrame::Challenge(challenge), now);
            }
            Effect::Connect => self.agent.handle_disconnected(None, now),
            Effect::PlanRedial(_) => self.agent.handle_redial(1_000, now),
            Effect::ResetRedial => {}
            Effect::SignHello { bytes } => self.agent.handle_signature(bytes, now),
            Effect::WriteFrame(frame) if self.online => self.take_frame(frame),
            Effect::WriteFrame(_) => {}
            Effect::CloseLink(close) => self.closed.push(close),
            Effect::LoadFacts(range) => {
                let facts = self.disk.facts(range);
                self.agent.handle_facts_loaded(facts, now);
            }
            Effect::LoadInbound => {
                let inbound = self.disk.inbound();
                self.agent.handle_inbound_loaded(inbound, now);
            }
            Effect::LoadEnded(asked) => {
                self.looked_up.push(asked.clone());
                let rows = self.disk.ended(&asked);
                self.agent.handle_ended_loaded(asked, rows, now);
            }
            Effect::LoadMessage(message) => {
                let row = self.disk.message_over(message);
                self.agent.handle_message_loaded(message, row, now);
            }
            Effect::SendParts(task) => self.hand_over(task),
            Effect::ReadSentRow { token, .. } => self.asked.push(token),
            Effect::DialUssd { token, code, .. } => {
                self.check(token);
                self.dialled.push((token, code));
            }
            Effect::PlaceCall { token, to, .. } => {
                self.check(token);
                self.called.push((token, to));
            }
            Effect::ReadLog { log, from } => {
                self.scans.push((log, from));
                if let Some(fact) = self.logs.read(log, from) {
                    self.agent.handle_radio(fact, now);
                }
            }
            Effect::ConfirmReceived { receipt } => self.confirmed.push(receipt),
        }
    }

    /// The most important rule: on disk first, and each hand-over once.
    fn check(&mut self, token: SendToken) {
        let row = self.disk.message(token.message).unwrap();
        assert_eq!(row.progress.state, WireState::Submitting, "{token}");
        assert_eq!(row.progress.attempt, token.attempt);
        assert!(self.tokens.insert(token), "{token} twice");
    }

    /// A test has no row of its own, but it is on disk that the platform's row of it counts for
    /// nothing.
    fn check_test(&mut self, token: SendToken) {
        let claims = self.disk.snapshot().claims;
        assert!(claims.iter().any(|claim| claim.row < 0));
        assert!(self.tokens.insert(token), "{token} twice");
    }

    fn hand_over(&mut self, task: SendParts) {
        match task.token.message.id.get() {
            0 => self.check_test(task.token),
            _ => self.check(task.token),
        }
        self.handed_over.push((self.now, task));
    }

    fn take_frame(&mut self, frame: PhoneFrame) {
        let s = match frame {
            PhoneFrame::Hello(hello) => {
                self.hellos.push(hello.held.clone());
                self.last_hello = Some(hello.clone());
                self.down = hello.down;
                let is_behind = hello.generation != self.generation;
                return match self.restored {
                    Some((down_sent, up)) => self.challenge(Some(down_sent), Some(up)),
                    None if is_behind => self.challenge(Some(0), Some(0)),
                    None => self.welcome(hello.up_lo - 1),
                };
            }
            PhoneFrame::Held(held) => {
                self.held.extend(held.rows);
                self.generation += u64::from(self.restored.take().is_some());
                self.down = 0;
                return self.welcome(0);
            }
            PhoneFrame::Event(fact) => {
                let s = fact.s;
                self.facts.push(fact);
                s
            }
            PhoneFrame::Inbound(fact) => {
                let s = fact.s;
                self.inbound.push(fact);
                s
            }
            PhoneFrame::Health(fact) => {
                let s = fact.s;
                self.health.push(fact);
                s
            }
            PhoneFrame::Ping(ping) => {
                self.pings += 1;
                return self.pong(ping.n);
            }
            PhoneFrame::Bye(bye) => return self.byes.push(bye.code),
            _ => return,
        };
        if self.acking {
            self.ack(s);
        }
    }

    fn challenge(&mut self, down_sent: Option<u64>, up: Option<u64>) {
        let challenge = Challenge {
            nonce: "0123456789abcdef".parse().unwrap(),
            generation: self.generation + u64::from(self.restored.is_some()),
            down_sent,
            up,
        };
        self.agent
            .handle_frame(HubFrame::Challenge(challenge), self.now);
    }

    fn welcome(&mut self, up: u64) {
        let welcome = Welcome {
            v: VERSION,
            generation: self.generation,
            up,
            now: self.now.unix.0,
            heartbeat_s: 45,
            limit: u64::from(u32::MAX),
            hub: None,
        };
        self.agent
            .handle_frame(HubFrame::Welcome(welcome), self.now);
    }

    fn pong(&mut self, n: u64) {
        let mono = self.now.boot.0;
        let pong = postrider_link::frame::Pong { n, mono };
        self.agent.handle_frame(HubFrame::Pong(pong), self.now);
    }

    pub(crate) fn ack(&mut self, a: u64) {
        let ack = Ack {
            a,
            limit: u64::from(u32::MAX),
            mono: 0,
        };
        self.agent.handle_frame(HubFrame::Ack(ack), self.now);
    }

    pub(crate) fn disconnect(&mut self) {
        self.agent.handle_disconnected(None, self.now);
        self.drain();
    }

    fn frame(&mut self, frame: HubFrame) {
        self.agent.handle_frame(frame, self.now);
        self.drain();
    }

    fn next_s(&mut self) -> u64 {
        self.down += 1;
        self.down
    }

    pub(crate) fn send(&mut self, send: Send) -> MessageRef {
        let s = self.next_s();
        let message = MessageRef {
            id: send.id,
            ep: send.ep,
        };
        self.frame(HubFrame::Send(Send { s, ..send }));
        message
    }

    /// Sends the messages of these numbers.
    pub(crate) fn send_all(&mut self, numbers: std::ops::RangeInclusive<i64>) {
        for n in numbers {
            self.send(send(n));
        }
    }

    pub(crate) fn revoke(&mut self, message: MessageRef) {
        let s = self.next_s();
        let MessageRef { id, ep } = message;
        self.frame(HubFrame::Revoke(Revoke { s, id, ep }));
    }

    pub(crate) fn cancel(&mut self, message: MessageRef) {
        let s = self.next_s();
        let MessageRef { id, ep } = message;
        self.frame(HubFrame::Cancel(Cancel { s, id, ep }));
    }

    pub(crate) fn configure(&mut self, config: Config) {
        let s = self.next_s();
        self.frame(HubFrame::Config(Config { s, ..config }));
    }

    /// Carries out a wish of the owner.
    pub(crate) fn command(&mut self, command: Command) -> Result<(), Refused> {
        let granted = self.agent.handle_command(command, self.now);
        self.drain();
        granted
    }

    pub(crate) fn tell(&mut self, fact: RadioFact) {
        self.agent.handle_radio(fact, self.now);
        self.drain();
    }

    /// The radio's result for a part of a hand-over.
    pub(crate) fn result(&mut self, token: SendToken, part: u8, of: u8, code: i32) {
        self.tell(RadioFact::PartSent {
            token,
            part,
            of,
            code,
            cause: None,
        });
    }

    /// The radio's result for the latest hand-over, of one part.
    pub(crate) fn answer(&mut self, code: i32) {
        let token = self.last_token();
        self.result(token, 0, 1, code);
    }

    pub(crate) fn report(&mut self, token: SendToken, part: u8, status: u8) {
        self.tell(RadioFact::ReportArrived {
            token,
            part,
            status: ReportStatus::Gsm(status),
            recipient: None,
        });
    }

    pub(crate) fn provider(&mut self, token: SendToken, found: bool) {
        let row = i64::from(token.attempt) + 10 * token.message.id.get();
        let at = self.now.unix;
        let rows = found.then_some(SentRow { row, at });
        self.provider_rows(token, rows.into_iter().collect());
    }

    pub(crate) fn provider_rows(&mut self, token: SendToken, rows: Vec<SentRow>) {
        self.tell(RadioFact::SentRowRead { token, rows });
    }

    pub(crate) fn last_token(&self) -> SendToken {
        self.handed_over.last().unwrap().1.token
    }

    /// The numbers of the messages that were handed over, in order.
    pub(crate) fn order(&self) -> Vec<i64> {
        let tasks = self.handed_over.iter();
        tasks.map(|(_, task)| task.token.message.id.get()).collect()
    }

    /// The states reported to the hub for an exposure, in order.
    pub(crate) fn told(&self, message: MessageRef) -> Vec<WireState> {
        let of = self
            .facts
            .iter()
            .filter(|fact| (fact.id, fact.ep) == (message.id, message.ep));
        of.map(|fact| fact.state).collect()
    }

    pub(crate) fn last_fact(&self) -> &FactEvent {
        self.facts.last().unwrap()
    }
}
