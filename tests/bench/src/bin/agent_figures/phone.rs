//! A phone's machine with a hub that acks everything and a passive radio.

use crate::Failure;
use postrider_link::{
    codec,
    frame::{PhoneFrame, SimInfo},
};
use postrider_machine::{
    Agent, AgentConfig, BootId, Change, Condition, Effect, PaceLimits, RadioFact, ReportStatus,
    SendToken, Snapshot, WaitChoice,
};
use postrider_model::{DeviceId, Key, MessageId, Now};
use postrider_store::Journal;
use serde_json::{Value, json};

/// Where the rows go.
pub(crate) enum Disk {
    /// Nowhere: every commit is done at once.
    None,
    Journal(Journal),
}

pub(crate) struct Phone {
    agent: Agent,
    pub(crate) disk: Disk,
    now: Now,
    down: u64,
    /// Hand-overs without a result.
    pub(crate) flying: Vec<SendToken>,
    /// The rows of the last turn, if they are wanted.
    pub(crate) changes: Option<Vec<Change>>,
    /// Room for the rows of one commit.
    group: Vec<Change>,
}

impl Phone {
    pub(crate) fn new(disk: Disk, snapshot: Snapshot) -> Result<Self, Failure> {
        let config = AgentConfig {
            boot_id: BootId::new("6f1c9f2e-7c1c-4a53-9a35-0c3b6c1d7a10"),
            device: DeviceId::new(Key::new(1).ok_or("a key")?),
            host: "hub.example".to_owned(),
            hub: None,
            sims: vec![SimInfo::default()],
            condition: Condition::default(),
            limits: PaceLimits::UNLIMITED,
            quiet_hours: Vec::new(),
            waits: WaitChoice::default(),
        };
        let now = Now::new(1_000_000, 1_800_000_000_000);
        let mut phone = Self {
            agent: Agent::new(config, snapshot, [7; 32], now),
            disk,
            now,
            down: 0,
            flying: Vec::new(),
            changes: None,
            group: Vec::new(),
        };
        phone.end_turn()?;
        Ok(phone)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.agent.waiting()
    }

    pub(crate) fn send(&mut self, n: i64) -> Result<(), Failure> {
        self.down += 1;
        let id = MessageId::new(Key::new(n).ok_or("a key")?);
        self.frame(&json!({
            "t": "send", "s": self.down, "id": id.to_string(), "ep": 1, "kind": "sms",
            "to": format!("+1500555{:04}", n % 10_000), "text": "your table is ready", "sim": 0,
            "ttl_ms": 259_200_000, "report": true, "priority": 0, "movable": false,
        }))
    }

    /// The radio reports success for the only part of a hand-over.
    pub(crate) fn part_sent(&mut self, token: SendToken) {
        let fact = RadioFact::PartSent {
            token,
            part: 0,
            of: 1,
            code: -1,
            cause: None,
        };
        self.agent.handle_radio(fact, self.now);
    }

    /// The network's report for it.
    pub(crate) fn report_arrived(&mut self, token: SendToken) {
        let fact = RadioFact::ReportArrived {
            token,
            part: 0,
            status: ReportStatus::Gsm(0),
            recipient: None,
        };
        self.agent.handle_radio(fact, self.now);
    }

    /// Rows first, then the world, as in the ring.
    pub(crate) fn end_turn(&mut self) -> Result<(), Failure> {
        loop {
            self.group
                .extend(std::iter::from_fn(|| self.agent.poll_change()));
            let is_idle = self.group.is_empty();
            if !is_idle {
                if let Disk::Journal(journal) = &mut self.disk {
                    journal.commit(&self.group)?;
                }
                self.agent.handle_committed(self.now);
            }
            match &mut self.changes {
                Some(kept) => kept.append(&mut self.group),
                None => self.group.clear(),
            }
            let mut did_something = false;
            while let Some(effect) = self.agent.poll_effect() {
                did_something = true;
                self.perform(effect)?;
            }
            if is_idle && !did_something {
                break;
            }
        }
        while self.agent.poll_event().is_some() {}
        Ok(())
    }

    fn perform(&mut self, effect: Effect) -> Result<(), Failure> {
        let now = self.now;
        match effect {
            Effect::Connect => {
                self.agent.handle_connected(now);
                self.frame(&json!({"t": "challenge", "nonce": "0123456789abcdef", "gen": 1}))?;
            }
            Effect::SignHello { bytes } => self.agent.handle_signature(bytes, now),
            Effect::WriteFrame(PhoneFrame::Hello(hello)) => {
                self.down = hello.down;
                self.frame(&json!({
                    "t": "welcome", "v": 1, "gen": 1, "up": hello.up_lo - 1, "now": now.unix.0,
                    "heartbeat_s": 45, "limit": u32::MAX,
                }))?;
            }
            Effect::WriteFrame(PhoneFrame::Event(fact)) => self.ack(fact.s)?,
            Effect::WriteFrame(PhoneFrame::Health(fact)) => self.ack(fact.s)?,
            Effect::LoadFacts(range) => {
                let facts = match &self.disk {
                    Disk::Journal(journal) => journal.facts(range)?,
                    Disk::None => Vec::new(),
                };
                self.agent.handle_facts_loaded(facts, now);
            }
            Effect::LoadEnded(asked) => {
                let rows = match &self.disk {
                    Disk::Journal(journal) => journal.ended(&asked)?,
                    Disk::None => Vec::new(),
                };
                self.agent.handle_ended_loaded(asked, rows, now);
            }
            Effect::SendParts(task) => self.flying.push(task.token),
            _ => {}
        }
        Ok(())
    }

    /// The hub acks every sixty-fourth fact.
    fn ack(&mut self, s: u64) -> Result<(), Failure> {
        if s.is_multiple_of(64) {
            self.frame(&json!({"t": "ack", "a": s, "limit": u32::MAX, "mono": 0}))?;
        }
        Ok(())
    }

    fn frame(&mut self, frame: &Value) -> Result<(), Failure> {
        let frame = codec::decode_hub(frame.to_string().as_bytes())
            .map_err(|error| format!("no frame of the hub: {error:?}"))?;
        self.agent.handle_frame(frame, self.now);
        Ok(())
    }
}
