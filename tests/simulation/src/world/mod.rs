//! The world: virtual time, and everything that happens in it, in one order.

mod actions;
mod calm;
mod events;
mod faults;
mod network;
mod older;

pub use events::{Event, Over, RadioEvent};

use crate::{
    coverage::Coverage,
    hub::Hub,
    log::{Line, Log, Who},
    model::Model,
    net::Socket,
    phone::Phone,
    plan::Plan,
    random::Seeded,
};
use postrider_model::{Key, MessageId, Now};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The wall clock at the beginning of each run, in Unix milliseconds.
pub const EPOCH: i64 = 1_800_000_000_000;

/// What was found to be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which rule was broken.
    pub rule: &'static str,
    /// The message that it is about.
    pub message: Option<MessageId>,
    /// What happened, for a person.
    pub text: String,
    /// When, in milliseconds since the run began.
    pub at: u64,
}

/// Everything.
#[derive(Debug)]
pub struct World {
    /// Milliseconds since the run began.
    pub at: u64,
    /// What the run is made of.
    pub plan: Arc<Plan>,
    /// The phones; clones of phones follow the fleet's own.
    pub phones: Vec<Phone>,
    /// The hub.
    pub hub: Hub,
    /// The connections.
    pub sockets: BTreeMap<u64, Socket>,
    /// What may be true.
    pub model: Model,
    /// What happened.
    pub log: Log,
    /// What was reached.
    pub coverage: Coverage,
    /// Calls into machines.
    pub steps: u64,
    /// The first rule that was broken.
    pub violation: Option<Violation>,
    /// Whether the weather has cleared for good.
    pub calm: bool,
    pub(crate) next_socket: u64,
    pub(crate) queue: BTreeMap<(u64, u64), Event>,
    pub(crate) next_event: u64,
    pub(crate) probes: BTreeSet<MessageId>,
}

/// Returns the id of a message by its number.
pub fn message_id(no: i64) -> MessageId {
    MessageId::new(Key::new(no).unwrap_or_default())
}

impl World {
    /// Makes the world of a plan, before anything has happened.
    pub fn new(plan: Arc<Plan>, keeps_log: bool) -> Self {
        let fleet = plan.fleet.clone();
        let phones: Vec<Phone> = (0..fleet.sims.len())
            .map(|no| Phone::new(no, &fleet, plan.seed))
            .collect();
        let hub = Hub::new(&phones, &fleet);
        let mut world = Self {
            at: 0,
            phones,
            hub,
            sockets: BTreeMap::new(),
            model: Model::new(&fleet),
            log: Log::new(keeps_log),
            coverage: Coverage::default(),
            steps: 0,
            violation: None,
            calm: false,
            next_socket: 1,
            queue: BTreeMap::new(),
            next_event: 0,
            probes: BTreeSet::new(),
            plan,
        };
        world.plan_events();
        world
    }

    fn plan_events(&mut self) {
        let plan = Arc::clone(&self.plan);
        for (index, step) in plan.steps.iter().enumerate() {
            self.push(step.at, Event::Action(index));
        }
        for no in 0..self.phones.len() {
            self.push(no as u64 * 10, Event::StartApp { phone: no, life: 0 });
        }
        self.push(plan.calm_at, Event::Calm);
    }

    /// Runs until nothing is left to do or a rule is broken.
    pub fn run(&mut self) {
        while self.violation.is_none() {
            let Some(((at, _), event)) = self.queue.pop_first() else {
                break;
            };
            self.at = at;
            if !self.happen(event) {
                break;
            }
        }
    }

    /// Adds an event at a moment.
    pub(crate) fn push(&mut self, at: u64, event: Event) {
        self.next_event += 1;
        self.queue.insert((at.max(self.at), self.next_event), event);
    }

    /// Adds an event after a while.
    pub(crate) fn push_in(&mut self, delay_ms: u64, event: Event) {
        self.push(self.at + delay_ms, event);
    }

    /// Draws numbers that belong to a name.
    pub(crate) fn draw(&self, name: &[u64]) -> Seeded {
        Seeded::keyed(self.plan.seed, name)
    }

    /// Counts a call into a machine.
    pub(crate) const fn step(&mut self) {
        self.steps += 1;
    }

    /// Notes what happened.
    pub(crate) fn note(&mut self, line: Line) {
        self.log.add(Line {
            at: self.at,
            ..line
        });
    }

    /// Takes it that a rule is broken: the run ends.
    pub(crate) fn fail(&mut self, rule: &'static str, message: Option<MessageId>, text: String) {
        if self.violation.is_none() {
            let at = self.at;
            self.note(Line {
                message,
                ..Line::new(Who::World, "BROKEN: {w}").word(rule)
            });
            self.violation = Some(Violation {
                rule,
                message,
                text,
                at,
            });
        }
    }

    /// Takes what the model found.
    pub(crate) fn judge(&mut self, found: Result<(), Violation>) {
        if let Err(violation) = found {
            self.fail(violation.rule, violation.message, violation.text);
        }
    }

    /// Returns the hub's time.
    pub fn hub_now(&self) -> Now {
        let wall = EPOCH + self.at.cast_signed() + self.hub.wall;
        Now::new(self.at + 1, wall)
    }
}

impl World {
    /// Returns how many messages were given to phones at the end, to see that they send.
    pub fn probes(&self) -> usize {
        self.probes.len()
    }
}
