//! The history of a journal: the commits of a real phone's machine over busy months.
//!
//! A seed decides what comes next: messages, results, reports, incoming messages, settings, acks,
//! restarts, a hub that was restored, and days that pass, so that texts are erased and rows
//! forgotten.
//! forgotten.

use crate::{seeded::Seeded, state::path_in};
use postrider_link::{
    codec,
    frame::{Address, HubFrame, PhoneFrame, SimInfo},
};
use postrider_machine::{
    Agent, AgentConfig, BootId, Change, Condition, Effect, PaceLimits, RadioFact, ReceivedSms,
    ReportStatus, SendToken, SentRow, WaitChoice,
};
use postrider_model::{DeviceId, Key, MessageText, Now, SimSlot};
use postrider_store::{Journal, JournalError};
use serde_json::{Value, json};
use std::{collections::VecDeque, path::Path};

/// One step of a history.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// One turn's rows.
    Commit(Vec<Change>),
    /// The journal is closed and opened.
    Reopen,
}

/// Results of a part, and how often each comes: success, no service, retry, ambiguous, failed.
const CODES: [i32; 8] = [-1, -1, -1, -1, 4, 13, 1, 3];
/// TP-Status: delivered, still trying, gave up.
const STATUSES: [u8; 4] = [0, 0, 0x30, 0x41];

/// Runs `turns` turns on a journal in `folder`, which stays there, and returns what it wrote.
pub fn live(folder: &Path, seed: u64, turns: usize) -> Result<Vec<Step>, JournalError> {
    let mut life = Life::begin(folder, seed)?;
    for _ in 0..turns {
        life.turn()?;
    }
    Ok(life.steps)
}

struct Life {
    journal: Option<Journal>,
    path: std::path::PathBuf,
    agent: Agent,
    config: AgentConfig,
    now: Now,
    seeded: Seeded,
    steps: Vec<Step>,
    flying: VecDeque<(SendToken, u8)>,
    sent: VecDeque<(SendToken, u8)>,
    messages: i64,
    incoming: i64,
    down: u64,
    up: u64,
    generation: u64,
    /// Whether the hub forgets its newest frames at the next connection.
    goes_back: bool,
}

impl Life {
    fn begin(folder: &Path, seed: u64) -> Result<Self, JournalError> {
        let path = path_in(folder);
        let (journal, snapshot) = Journal::open(&path)?;
        let config = AgentConfig {
            boot_id: BootId::new("boot-0"),
            device: DeviceId::new(Key::new(1).expect("a key")),
            host: "hub.example".to_owned(),
            hub: None,
            sims: vec![SimInfo::default()],
            condition: Condition::default(),
            limits: PaceLimits::UNLIMITED,
            quiet_hours: Vec::new(),
            waits: WaitChoice::default(),
        };
        let now = Now::new(1_000_000, 1_800_000_000_000);
        let mut life = Self {
            journal: Some(journal),
            path,
            agent: Agent::new(config.clone(), snapshot, [7; 32], now),
            config,
            now,
            seeded: Seeded::new(seed),
            steps: Vec::new(),
            flying: VecDeque::new(),
            sent: VecDeque::new(),
            messages: 0,
            incoming: 0,
            down: 0,
            up: 0,
            generation: 1,
            goes_back: false,
        };
        life.drain()?;
        Ok(life)
    }

    fn turn(&mut self) -> Result<(), JournalError> {
        match self.seeded.below(100) {
            0..35 => self.send(),
            35..60 => self.result(),
            60..72 => self.report(),
            72..84 => self.receive(),
            84..86 => self.configure(),
            86..94 => return self.pass(60_000),
            94..96 => return self.pass(26 * 3_600_000),
            96 => return self.pass(31 * 24 * 3_600_000),
            97 => {
                self.goes_back = true;
                self.agent.handle_disconnected(None, self.now);
            }
            _ => return self.restart(),
        }
        self.drain()
    }

    fn frame(&mut self, frame: &Value) {
        let frame = codec::decode_hub(frame.to_string().as_bytes()).expect("a frame of the hub");
        self.agent.handle_frame(frame, self.now);
    }

    fn send(&mut self) {
        for _ in 0..=self.seeded.below(3) {
            self.messages += 1;
            self.down += 1;
            let id = postrider_model::MessageId::new(Key::new(self.messages).expect("a key"));
            let words = self.seeded.below(40) as usize + 1;
            let (report, movable) = (self.seeded.chance(70), self.seeded.chance(20));
            self.frame(&json!({
                "t": "send", "s": self.down, "id": id.to_string(), "ep": 1, "kind": "sms",
                "to": "+15005550001", "text": "see you at noon ".repeat(words), "sim": 0,
                "ttl_ms": 259_200_000, "report": report, "priority": 0,
                "movable": movable,
            }));
        }
    }

    fn configure(&mut self) {
        self.down += 1;
        let quiet = vec![[1, 2]; self.seeded.below(300) as usize];
        self.frame(&json!({"t": "config", "s": self.down, "pause": false, "send_delay_ms": 0, "quiet": quiet}));
    }

    fn result(&mut self) {
        if let Some((token, of)) = self.flying.pop_front() {
            let code = CODES[self.seeded.below(8) as usize];
            for part in 0..of {
                let fact = RadioFact::PartSent {
                    token,
                    part,
                    of,
                    code,
                    cause: None,
                };
                self.agent.handle_radio(fact, self.now);
            }
            self.sent.push_back((token, of));
        }
    }

    fn report(&mut self) {
        if let Some((token, of)) = self.sent.pop_front() {
            let status = STATUSES[self.seeded.below(4) as usize];
            for part in 0..of {
                let fact = RadioFact::ReportArrived {
                    token,
                    part,
                    status: ReportStatus::Gsm(status),
                    recipient: None,
                };
                self.agent.handle_radio(fact, self.now);
            }
        }
    }

    fn receive(&mut self) {
        self.incoming += 1;
        let sms = ReceivedSms {
            receipt: self.incoming.unsigned_abs(),
            sim: SimSlot::default(),
            from: Address::new("+15005550009"),
            to: None,
            text: MessageText::new("yes ".repeat(self.seeded.below(100) as usize + 1)),
            parts: 1,
            sent_at: Some(self.now.unix),
            received_at: None,
            row: self.seeded.chance(50).then_some(self.incoming),
        };
        self.agent
            .handle_radio(RadioFact::SmsReceived(sms), self.now);
    }

    /// Jumps from deadline to deadline, at most fifty of them.
    fn pass(&mut self, ms: u64) -> Result<(), JournalError> {
        let end = self.now.plus_ms(ms);
        for _ in 0..50 {
            let Some(due) = self.agent.poll_timeout().filter(|due| due.at <= end.boot) else {
                break;
            };
            self.now = self.now.plus_ms(due.at.since_ms(self.now.boot));
            self.agent.handle_timeout(self.now);
            self.drain()?;
        }
        self.now = end;
        self.agent.handle_timeout(self.now);
        self.drain()
    }

    fn restart(&mut self) -> Result<(), JournalError> {
        self.journal = None;
        self.steps.push(Step::Reopen);
        let (journal, snapshot) = Journal::open(&self.path)?;
        self.journal = Some(journal);
        self.flying.clear();
        self.agent = Agent::new(self.config.clone(), snapshot, [9; 32], self.now);
        self.drain()
    }

    /// Ends a turn like the ring.
    fn drain(&mut self) -> Result<(), JournalError> {
        loop {
            let changes: Vec<_> = std::iter::from_fn(|| self.agent.poll_change()).collect();
            let is_idle = changes.is_empty();
            if !is_idle {
                self.open_journal().commit(&changes)?;
                self.steps.push(Step::Commit(changes));
                self.agent.handle_committed(self.now);
            }
            let effects: Vec<_> = std::iter::from_fn(|| self.agent.poll_effect()).collect();
            if is_idle && effects.is_empty() {
                break;
            }
            for effect in effects {
                self.perform(effect)?;
            }
        }
        while self.agent.poll_event().is_some() {}
        Ok(())
    }

    fn open_journal(&mut self) -> &mut Journal {
        self.journal.as_mut().expect("open but in a restart")
    }

    /// Does what concerns the journal; the rest of the world does not exist.
    fn perform(&mut self, effect: Effect) -> Result<(), JournalError> {
        let now = self.now;
        match effect {
            Effect::Connect => {
                self.agent.handle_connected(now);
                self.challenge();
            }
            Effect::PlanRedial(_) => self.agent.handle_redial(1_000, now),
            Effect::SignHello { bytes } => self.agent.handle_signature(bytes, now),
            Effect::WriteFrame(frame) => self.take_frame(&frame),
            Effect::LoadFacts(range) => {
                let facts = self.open_journal().facts(range)?;
                self.agent.handle_facts_loaded(facts, now);
            }
            Effect::LoadInbound => {
                let messages = self.open_journal().inbound()?;
                self.agent.handle_inbound_loaded(messages, now);
            }
            Effect::LoadEnded(asked) => {
                let rows = self.open_journal().ended(&asked)?;
                self.agent.handle_ended_loaded(asked, rows, now);
            }
            Effect::LoadMessage(message) => {
                let row = self.open_journal().message_over(message)?;
                self.agent.handle_message_loaded(message, row, now);
            }
            Effect::SendParts(task) => self.flying.push_back((task.token, task.parts)),
            Effect::ReadSentRow { token, .. } => {
                let row = self.messages;
                let found = self.seeded.chance(50);
                let rows = found.then_some(SentRow { row, at: now.unix });
                let rows = rows.into_iter().collect();
                let fact = RadioFact::SentRowRead { token, rows };
                self.agent.handle_radio(fact, now);
            }
            _ => {}
        }
        Ok(())
    }

    fn challenge(&mut self) {
        let mut challenge = json!({
            "t": "challenge", "nonce": "0123456789abcdef", "gen": self.generation,
        });
        if self.goes_back {
            self.generation += 1;
            challenge["gen"] = json!(self.generation);
            challenge["down_sent"] = json!(self.down.saturating_sub(5));
            challenge["up"] = json!(self.up.saturating_sub(5));
        }
        self.frame(&challenge);
    }

    fn take_frame(&mut self, frame: &PhoneFrame) {
        let s = match frame {
            PhoneFrame::Hello(hello) => {
                self.down = hello.down;
                self.up = hello.up_lo - 1;
                if !self.goes_back {
                    self.welcome();
                }
                return;
            }
            PhoneFrame::Held(held) if held.last => {
                self.goes_back = false;
                (self.down, self.up) = (0, 0);
                return self.welcome();
            }
            PhoneFrame::Event(fact) => fact.s,
            PhoneFrame::Inbound(fact) => fact.s,
            PhoneFrame::Health(fact) => fact.s,
            PhoneFrame::Ping(ping) => {
                let pong = json!({"t": "pong", "n": ping.n, "mono": 1});
                return self.frame(&pong);
            }
            _ => return,
        };
        self.up = s;
        if self.seeded.chance(40) {
            let ack = json!({"t": "ack", "a": s, "limit": 4_000_000_000_u64, "mono": 0});
            self.frame(&ack);
        }
    }

    fn welcome(&mut self) {
        let frame = HubFrame::Welcome(postrider_link::frame::Welcome {
            v: postrider_link::limits::VERSION,
            generation: self.generation,
            up: self.up,
            now: self.now.unix.0,
            heartbeat_s: 45,
            limit: u64::from(u32::MAX),
            hub: None,
        });
        self.agent.handle_frame(frame, self.now);
    }
}
