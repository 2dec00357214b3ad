//! The hub that a scenario wants, without a socket, a clock or a random number.
//!
//! # How the ring drives it
//!
//! After every call, drain [`Engine::poll_wire`] and do each for its connection, in order; then
//! call [`Engine::handle_timeout`] at [`Engine::poll_timeout`]. [`Engine::ended`] says when the
//! run is over.
//!
//! # What is in it
//!
//! The session of each connection is that of the real hub, and so is the ownership of each
//! message; "committing" is to change `memory`. Between a session and the wire stand the
//! `faults`, and behind them the [`Watch`], which judges the phone by what
//! really crossed.

mod admission;
mod bytes;
mod code;
mod dispatch;
mod facts;
mod faults;
mod judged;
mod link;
mod memory;
mod outgoing;
mod pairing;
mod proof;
mod signed;
mod state;
mod steps;
#[cfg(test)]
mod tests;

pub use code::Code;
pub use faults::FaultSeen;
pub use state::{ConnectionView, InboundView, MessageView, State};

use crate::scenario::{Certificate, DialFault, EndWhen, Fault, Scenario, SendAction, Step, Wait};
use crate::watch::{EndedBy, Rule, Watch};
use faults::Faults;
use link::Link;
use memory::{Device, Memory};
use postrider_link::close::CloseCode;
use postrider_link::codec::{self, DecodeError};
use postrider_link::dispatch::newest::Newest;
use postrider_link::frame::{Inbound, Nonce};
use postrider_link::pairing::CodeUse;
use postrider_model::{BootMs, DeviceId, Key, KeyMaker, MessageId, Now, ProjectId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

/// Rounds of one call after which the rest is left to the next one.
const ROUNDS_MAX: usize = 10_000;
/// Which project its phones join.
const PROJECT: ProjectId = ProjectId::new(Key::first_of_ms(1));

/// What a connection's socket must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wire {
    /// Write these bytes.
    Bytes(Vec<u8>),
    /// Everything is written, a close frame with this code at last: wait shortly for the other
    /// end, then go.
    Finish(u16),
    /// Break off at once.
    Cut,
    /// Go on reading, or stop it.
    Reading(bool),
}

/// What came from a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A text message.
    Text(Vec<u8>),
    /// A binary message.
    Binary,
    /// Something that is no WebSocket message, or too long for one.
    Unreadable(DecodeError),
}

/// How an accepted TCP connection is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reception {
    /// The number of the dial, when a fault has counted it already.
    pub dial: Option<u64>,
    /// The certificate to show; plain when absent.
    pub certificate: Option<Certificate>,
    /// What to do with it.
    pub treatment: Treatment,
}

/// What to do with an accepted TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Speak HTTP with it.
    Serve,
    /// Break it off.
    Refuse,
    /// Say nothing, until it goes.
    Hang,
    /// Answer its request by bytes that mean nothing.
    Garbage,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It came to the end that the scenario names.
    Reached,
    /// It was told to.
    Told,
    /// Its time was over.
    TimeOver,
}

impl Ended {
    /// Returns the word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Told => "told",
            Self::TimeOver => "time over",
        }
    }
}

/// Returns why something cannot be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No phone is connected.
    NotConnected,
    /// No message has that label or id.
    NoSuchMessage,
    /// There is nothing to go back to.
    NothingRemembered,
    /// More would be kept than is allowed.
    Full,
    /// The frame does not fit into the phone's credit.
    NoCredit,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotConnected => "no phone is connected",
            Self::NoSuchMessage => "no message has that label or id",
            Self::NothingRemembered => "there was no remember before this go_back",
            Self::Full => "there are too many already",
            Self::NoCredit => "the phone's credit is used up",
        })
    }
}

impl std::error::Error for Refused {}

/// What an engine is made with beside its scenario.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The name that hello signs, unless the scenario names another.
    pub host: String,
    /// Where phones dial the link.
    pub link_url: String,
    /// The pairing code.
    pub code: Code,
}

/// The hub of one run.
#[derive(Debug)]
pub struct Engine {
    scenario: Scenario,
    setting: Setting,
    memory: Memory,
    remembered: Option<Memory>,
    device: Option<Device>,
    code_use: CodeUse,
    device_id: DeviceId,
    keys: KeyMaker,
    made: BTreeMap<MessageId, Made>,
    watch: Watch,
    faults: Faults,
    steps: VecDeque<Step>,
    step_due: Option<BootMs>,
    scheduled: BTreeMap<(BootMs, u64), SendAction>,
    links: BTreeMap<u64, Link>,
    wires: VecDeque<(u64, Wire)>,
    counts: Counts,
    inbound: VecDeque<Inbound>,
    newest: Newest<u64>,
    began: Now,
    end_since: Option<BootMs>,
    ended: Option<Ended>,
}

/// What is remembered of a message whatever the hub forgets.
#[derive(Debug, Clone)]
struct Made {
    label: String,
    report: bool,
}

/// What was counted.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    dials: u64,
    connected: u64,
    ended: u64,
    inbound: u64,
    facts: u64,
    scheduled: u64,
    pair_requests: u64,
}

impl Engine {
    /// Starts a run.
    pub fn new(scenario: Scenario, setting: Setting, now: Now) -> Self {
        let off: BTreeSet<Rule> = scenario
            .rules
            .off
            .iter()
            .filter_map(|name| Rule::by_name(name))
            .collect();
        let mut keys = KeyMaker::new(0, None);
        let device_id = DeviceId::new(keys.next(now.unix.0));
        let mut engine = Self {
            memory: Memory {
                generation: scenario.hub.generation,
                ..Memory::default()
            },
            remembered: None,
            device: None,
            code_use: CodeUse::Free,
            device_id,
            keys,
            made: BTreeMap::new(),
            watch: Watch::new(scenario.rules.grace_ms, off, now),
            faults: Faults::of_scenario(scenario.faults.clone()),
            steps: scenario.steps.clone().into(),
            step_due: None,
            scheduled: BTreeMap::new(),
            links: BTreeMap::new(),
            wires: VecDeque::new(),
            counts: Counts::default(),
            inbound: VecDeque::new(),
            newest: Newest::default(),
            began: now,
            end_since: None,
            ended: None,
            scenario,
            setting,
        };
        engine.turn(now);
        engine
    }

    /// Decides about a TCP connection that was just accepted.
    pub fn accept(&mut self, now: Now) -> Reception {
        let mut reception = Reception {
            dial: None,
            certificate: self.scenario.tls.as_ref().map(|tls| tls.certificate),
            treatment: Treatment::Serve,
        };
        if self.device.is_none() {
            return reception;
        }
        let next = self.counts.dials + 1;
        let encrypts = reception.certificate.is_some();
        let here = |fault: &DialFault| match fault {
            DialFault::Http(_) => false,
            DialFault::Tls(_) => encrypts,
            DialFault::Refuse | DialFault::Hang | DialFault::Garbage => true,
        };
        let Some(fault) = self.faults.on_dial(next, here) else {
            return reception;
        };
        self.counts.dials = next;
        self.watch.dialled(next, now);
        reception.dial = Some(next);
        match fault {
            DialFault::Refuse => reception.treatment = Treatment::Refuse,
            DialFault::Hang => reception.treatment = Treatment::Hang,
            DialFault::Garbage => reception.treatment = Treatment::Garbage,
            DialFault::Tls(certificate) => reception.certificate = Some(certificate),
            DialFault::Http(_) => {}
        }
        if reception.treatment == Treatment::Refuse {
            self.dial_failed(next, now);
        }
        reception
    }

    /// Takes in that a dial which a fault had counted came to nothing.
    pub fn dial_failed(&mut self, dial: u64, now: Now) {
        if !self.links.contains_key(&dial) {
            self.counts.ended += 1;
            self.watch.dial_failed(now);
            self.turn(now);
        }
    }

    /// Takes in that a phone accepted a certificate.
    pub fn accepted(&mut self, certificate: Certificate, now: Now) {
        let trusts = self
            .scenario
            .tls
            .as_ref()
            .map(|tls| tls.trusts)
            .unwrap_or_default();
        let text = "it accepted a certificate that it must not trust";
        self.watch
            .finished(Rule::Trust, trusts.accepts(certificate), text, now);
    }

    /// Returns whether everything that is waited for is so.
    pub fn is_met(&self, wait: &Wait) -> bool {
        self.meets(wait)
    }

    /// Closes every connection, at the end of a run.
    pub fn shut(&mut self, now: Now) {
        for link in self.links.values_mut() {
            link.close(CloseCode::GoingAway.code(), now);
        }
        self.pump(now);
    }

    /// Decides about a request to open the link: the dial's number, or the HTTP status to refuse
    /// it with.
    ///
    /// # Errors
    /// The status that a fault wants.
    pub fn upgrade(&mut self, dial: Option<u64>, now: Now) -> Result<u64, u16> {
        let dial = dial.unwrap_or_else(|| {
            self.counts.dials += 1;
            self.watch.dialled(self.counts.dials, now);
            self.counts.dials
        });
        let status = |fault: &DialFault| matches!(fault, DialFault::Http(_));
        match self.faults.on_dial(dial, status) {
            Some(DialFault::Http(status)) => {
                self.dial_failed(dial, now);
                Err(status)
            }
            _ => Ok(dial),
        }
    }

    /// Takes in that a link's WebSocket is open.
    pub fn opened(&mut self, dial: u64, nonce: Nonce, now: Now) {
        self.watch.opened(dial, now);
        let settings = postrider_link::session::hub::HubSettings {
            generation: self.memory.generation,
            heartbeat_s: self.scenario.hub.heartbeat_s,
            hub: Some(self.hub_id()),
        };
        self.links
            .insert(dial, Link::new(dial, settings, nonce, now));
        self.turn(now);
    }

    /// Takes in what came on a connection.
    pub fn heard(&mut self, dial: u64, heard: Heard, now: Now) {
        let Some(mut link) = self.links.remove(&dial) else {
            return;
        };
        let read = match heard {
            Heard::Text(bytes) => codec::decode_phone(&bytes),
            Heard::Binary => Err(DecodeError::NotJson),
            Heard::Unreadable(error) => Err(error),
        };
        match read {
            Ok(frame) => {
                self.watch.heard(dial, &frame, now);
                self.take_up(&mut link, frame, now);
            }
            Err(error) => {
                self.watch.malformed(dial, error, now);
                link.of.session.handle_malformed(error);
            }
        }
        self.links.insert(dial, link);
        self.turn(now);
    }

    /// Takes in that a connection's socket is gone, with the phone's close code if it gave one.
    pub fn closed(&mut self, dial: u64, code: Option<u16>, now: Now) {
        let by = code.map_or(EndedBy::Broken, EndedBy::Phone);
        self.gone(dial, by, now);
        self.turn(now);
    }

    /// Adds a fault.
    ///
    /// # Errors
    /// [`Refused::Full`] when there are too many.
    pub fn add_fault(&mut self, fault: Fault) -> Result<(), Refused> {
        if self.faults.add(fault) {
            Ok(())
        } else {
            Err(Refused::Full)
        }
    }

    /// Ends every fault.
    pub fn clear_faults(&mut self) {
        self.faults.clear();
    }

    /// Ends the run.
    pub fn stop(&mut self) {
        self.ended = self.ended.or(Some(Ended::Told));
    }

    /// Returns how the run ended, once it has.
    pub const fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Returns the next thing that a connection's socket must do.
    pub fn poll_wire(&mut self) -> Option<(u64, Wire)> {
        self.wires.pop_front()
    }

    /// Returns when [`Engine::handle_timeout`] must be called.
    pub fn poll_timeout(&self) -> Option<BootMs> {
        let of_links = self.links.values().filter_map(Link::poll_timeout);
        let scheduled = self.scheduled.keys().next().map(|(at, _)| *at);
        let linger = self
            .end_since
            .map(|since| since.plus_ms(self.scenario.end.linger_ms));
        let others = [
            self.step_due,
            scheduled,
            linger,
            self.watch.poll_timeout(),
            self.next_life_end(),
            Some(self.time_over()),
        ];
        of_links.chain(others.into_iter().flatten()).min()
    }

    /// Does what is due; early or twice is harmless.
    pub fn handle_timeout(&mut self, now: Now) {
        for link in self.links.values_mut() {
            link.of.session.handle_timeout(now);
        }
        self.watch.handle_timeout(now);
        self.turn(now);
    }

    fn time_over(&self) -> BootMs {
        self.began.boot.plus_ms(self.scenario.end.timeout_s * 1_000)
    }

    /// Does everything that the last fact made possible.
    fn turn(&mut self, now: Now) {
        for _ in 0..ROUNDS_MAX {
            let mut moved = false;
            let dials: Vec<u64> = self.links.keys().copied().collect();
            for dial in dials {
                moved |= self.drain(dial, now);
            }
            moved |= self.work(now);
            if !moved {
                break;
            }
        }
        self.pump(now);
        self.look_for_end(now);
    }

    fn gone(&mut self, dial: u64, by: EndedBy, now: Now) {
        if self.links.remove(&dial).is_some() {
            self.counts.ended += 1;
            self.watch.ended(dial, by, now);
        }
    }

    fn look_for_end(&mut self, now: Now) {
        if self.ended.is_some() {
            return;
        }
        let steps_done = self.steps.is_empty();
        let reached = match self.scenario.end.when {
            EndWhen::Told => false,
            EndWhen::Steps => steps_done,
            EndWhen::Settled => steps_done && !self.made.is_empty() && self.is_settled(),
        };
        self.end_since = match (reached, self.end_since) {
            (true, None) => Some(now.boot),
            (true, since) => since,
            (false, _) => None,
        };
        let lingered = |since: BootMs| now.boot >= since.plus_ms(self.scenario.end.linger_ms);
        if self.end_since.is_some_and(lingered) {
            self.ended = Some(Ended::Reached);
        } else if now.boot >= self.time_over() {
            self.ended = Some(Ended::TimeOver);
        }
    }
}
