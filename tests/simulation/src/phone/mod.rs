//! A phone: its process, which may die at any moment, and what survives that.

mod effects;
mod lies;
mod life;
mod owner;
mod turn;

use crate::{
    journal::{Disk, RealJournal, Rows},
    plan::{Death, Fleet, Point, Sort},
    platform::Platform,
    random::Seeded,
    world::EPOCH,
};
use postrider_link::{
    close::CloseCode,
    codec::DecodeError,
    frame::{HubFrame, SimInfo},
};
use postrider_machine::{
    Agent, AgentConfig, BootId, Change, Command, Condition, PaceLimits, RadioFact, SendToken,
    WaitChoice,
};
use postrider_model::{DeviceId, Key, MessageId, Now, SimSlot};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What comes in to a phone's process.
#[derive(Debug)]
pub enum Input {
    /// A frame of a connection.
    Frame(u64, Box<HubFrame>),
    /// Something of a connection that is no frame.
    Bad(u64, DecodeError),
    /// The end of a connection.
    Closed(u64, Option<CloseCode>),
    /// The connection that was dialled.
    Connected(u64),
    /// Dialling came to nothing.
    NoConnection,
    /// A fact of the radio.
    Fact(RadioFact),
    /// A wish of the owner.
    Command(Command),
    /// The owner unpairs the phone.
    Unpair,
    /// Another network.
    NetworkChanged,
    /// A deadline.
    Due,
}

/// A hand-over that was decided on, in the order of the decisions.
#[derive(Debug, Clone, Copy)]
pub struct Decided {
    /// The hand-over.
    pub token: SendToken,
    /// When, in milliseconds since the run began.
    pub at: u64,
}

/// What the rows of a commit say that the model has to know.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// When they were made, in milliseconds since the run began.
    pub at: u64,
    /// Hand-overs that were decided on.
    pub decided: Vec<Decided>,
    /// The slots whose limit the hub set, and whether there is one now.
    pub limits: Vec<(u8, bool)>,
    /// Whether they tell of the wall clock's jump.
    pub tells_wall: bool,
    /// What came in.
    pub came_in: Vec<(Sort, u64)>,
}

/// One phone.
#[derive(Debug)]
pub struct Phone {
    /// Its number.
    pub no: usize,
    /// The device that it is to the hub.
    pub device: DeviceId,
    /// Which key it signs with.
    pub key: u64,
    /// Counts its installations.
    pub installs: u64,
    /// Its disk.
    pub disk: Disk,
    /// The machine, while the process lives.
    pub agent: Option<Agent>,
    /// Counts the lives of the process.
    pub life: u64,
    /// Counts the boots.
    pub boot: u64,
    /// When the boot began, in milliseconds since the run began.
    pub booted_at: u64,
    /// Whether it is switched on.
    pub powered: bool,
    /// How far the wall clock is off, in milliseconds.
    pub wall: i64,
    /// Whether the wall clock was set, and the journal does not say so: how old anything is cannot
    /// be known after a boot.
    pub wall_untold: bool,
    /// Whether its clock was set so far forward that it forgets what is over.
    pub forgets: bool,
    /// What came in while a commit ran.
    pub inbox: VecDeque<Input>,
    /// Whether a commit runs.
    pub committing: bool,
    /// What the commit under way will have written.
    pub written: Written,
    /// When each hand-over was decided on.
    pub decided_at: BTreeMap<SendToken, u64>,
    /// What came in and was on this installation's disk.
    pub stored: BTreeSet<(Sort, u64)>,
    /// Since when the hub's limit of a SIM is known here without a gap.
    pub limited_since: BTreeMap<u8, u64>,
    /// Its connection.
    pub socket: Option<u64>,
    /// The dialling under way.
    pub dialling: Option<u64>,
    /// How often it dialled.
    pub diallings: u64,
    /// Delays drawn since the last good session.
    pub redials: u32,
    /// Whether its hub said last, before the present turn, that it does not know it.
    pub not_known: bool,
    /// What its hub says of that in the present turn.
    pub told_not_known: Option<bool>,
    /// Whether it has joined: one that is late has not, at first.
    pub joined: bool,
    /// Why it needs pairing, when it does.
    pub unpaired: Option<CloseCode>,
    /// Whether it was stopped by force: nothing starts the process but its owner.
    pub force_stopped: bool,
    /// Whether it is gone for good: a clone that was put away.
    pub scrapped: bool,
    /// The fault that waits for its moment.
    pub trap: Option<(Death, Point, u32)>,
    /// A copy of the journal.
    pub copy: Option<Rows>,
    /// When there is data again.
    pub no_data_until: u64,
    /// How long frames take more, and until when.
    pub lag_ms: u64,
    /// See `lag_ms`.
    pub lag_until: u64,
    /// How long commits take, and until when.
    pub slow_ms: u64,
    /// See `slow_ms`.
    pub slow_until: u64,
    /// When the disk has room again.
    pub full_until: u64,
    /// Whether it is on the charger.
    pub charging: bool,
    /// When its deadline is scheduled.
    pub due_at: Option<u64>,
    /// Its radio and platform.
    pub platform: Platform,
    /// The limits that its owner set.
    pub limits: PaceLimits,
    /// Until when it waits for the hub to hear everything, when its owner unpairs it.
    pub leaving: Option<u64>,
    /// Whether this life of the process gives back what waits.
    pub gives_back: bool,
    /// What it was offered on its connection since it gives back: the last exposure of each, and
    /// how many there were.
    pub offered: BTreeMap<MessageId, (u32, u64)>,
    judged_from: owner::JudgedFrom,
    waits: WaitChoice,
    seed: u64,
}

impl Phone {
    /// Makes a phone of the fleet, switched on, with a journal of nothing.
    pub fn new(no: usize, fleet: &Fleet, seed: u64) -> Self {
        let waits = WaitChoice {
            report_window_ms: Some(fleet.report_window_ms),
            ..WaitChoice::default()
        };
        let device = DeviceId::new(Key::new(no as i64 + 1).unwrap_or_default());
        let mut phone = Self {
            no,
            device,
            key: no as u64,
            installs: 0,
            disk: Disk::new(fleet.real_journal.then(RealJournal::new)),
            agent: None,
            life: 0,
            boot: 0,
            booted_at: 0,
            powered: true,
            wall: 0,
            wall_untold: false,
            forgets: false,
            inbox: VecDeque::new(),
            committing: false,
            written: Written::default(),
            decided_at: BTreeMap::new(),
            stored: BTreeSet::new(),
            limited_since: BTreeMap::new(),
            socket: None,
            dialling: None,
            diallings: 0,
            redials: 0,
            not_known: false,
            told_not_known: None,
            joined: fleet.late != Some(no),
            unpaired: (fleet.late == Some(no)).then_some(CloseCode::NotPaired),
            force_stopped: false,
            scrapped: false,
            trap: None,
            copy: None,
            no_data_until: 0,
            lag_ms: 0,
            lag_until: 0,
            slow_ms: 0,
            slow_until: 0,
            full_until: 0,
            charging: no == 1,
            due_at: None,
            platform: Platform::new(fleet.sims[no]),
            limits: fleet.limits,
            leaving: None,
            gives_back: false,
            offered: BTreeMap::new(),
            judged_from: owner::JudgedFrom::default(),
            waits,
            seed,
        };
        phone.install_anew();
        phone
    }

    /// Makes a second phone out of a copy of the journal and the key of a first one.
    pub fn clone_of(first: &Self, no: usize, at: u64, fleet: &Fleet) -> Self {
        let mut clone = Self::new(first.no, fleet, first.seed);
        clone.no = no;
        clone.boot = 1_000 * no as u64;
        clone.booted_at = at;
        clone.key = first.key;
        clone.device = first.device;
        (clone.joined, clone.unpaired) = (true, None);
        clone.wall = first.wall;
        clone.disk = Disk::new(None);
        clone.disk.roll_back(first.disk.rows().clone());
        clone.stored = first.stored.clone();
        (clone.limits, clone.judged_from) = (first.limits, first.judged_from);
        clone
    }

    /// Makes a new installation: an empty journal with a name of its own.
    pub fn install_anew(&mut self) {
        let is_real = self.disk.is_real();
        self.installs += 1;
        self.leaving = None;
        self.not_known = false;
        self.limited_since.clear();
        self.stored.clear();
        self.disk = Disk::new(is_real.then(RealJournal::new));
        let mut random = Seeded::keyed(self.seed, &[4, self.no as u64, self.life, self.boot]);
        let name = format!("{:016x}{:016x}", random.next_u64(), random.next_u64());
        if let Ok(install) = name.parse() {
            self.disk.write(vec![Change::InstallSet(install)]);
            self.disk.sync();
        }
    }

    /// Returns the phone's time.
    pub const fn now(&self, at: u64) -> Now {
        let boot = at.saturating_sub(self.booted_at) + 20_000;
        Now::new(boot, EPOCH + at.cast_signed() + self.wall)
    }

    /// Returns when a moment of the present boot is, in milliseconds since the run began.
    pub const fn moment(&self, boot_ms: u64) -> u64 {
        (boot_ms + self.booted_at).saturating_sub(20_000)
    }

    /// Returns whether it can reach the hub.
    pub const fn has_data(&self, at: u64) -> bool {
        self.no_data_until <= at && !self.platform.airplane
    }

    /// Returns whether something of the platform may start the process.
    pub const fn may_start(&self) -> bool {
        self.powered && self.unpaired.is_none() && !self.force_stopped && !self.scrapped
    }

    /// Returns the slots in use, as hello shows them.
    pub fn sims(&self) -> Vec<SimInfo> {
        let present = self.platform.sims.iter().filter(|sim| sim.present);
        present
            .map(|sim| SimInfo {
                slot: SimSlot::new(sim.slot).unwrap_or_default(),
                fingerprint: Some(format!("sim-{}", sim.fingerprint)),
                ..SimInfo::default()
            })
            .collect()
    }

    /// Returns what the platform knows of it.
    pub fn condition(&self) -> Condition {
        Condition {
            charging: Some(self.charging),
            battery: Some(if self.charging { 100 } else { 60 }),
            ..Condition::default()
        }
    }

    fn config(&self) -> AgentConfig {
        AgentConfig {
            boot_id: BootId::new(&format!("boot-{}", self.boot)),
            device: self.device,
            host: "hub.example".to_owned(),
            hub: None,
            sims: self.sims(),
            condition: self.condition(),
            limits: self.limits,
            quiet_hours: Vec::new(),
            waits: self.waits,
        }
    }
}
