//! What happens to a run from outside: messages, wishes and faults, each at its time.
//!
//! A plan is drawn from a seed, and is a list, so that a failing run can be repeated with less and
//! less of it.

mod draw;
mod words;

pub use draw::draw;

use postrider_machine::PaceLimits;

/// A phone and a slot, as messages are routed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// The phone's number in the fleet.
    pub phone: usize,
    /// The slot.
    pub sim: u8,
}

/// An outgoing message, as its sender wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its number: the id follows from it.
    pub no: i64,
    /// What kind it is.
    pub sort: Sort,
    /// Whom it is given to.
    pub route: Route,
    /// How many parts its text makes.
    pub parts: u8,
    /// Two messages with one text number and recipient say the same.
    pub text: u64,
    /// Its priority, 1 or 2.
    pub priority: u8,
    /// Its life in milliseconds.
    pub life_ms: u64,
    /// Whether it is sent again when its outcome is unknown.
    pub resend_unknown: bool,
    /// Whether another phone may send it.
    pub movable: bool,
    /// What is wrong with it, if anything.
    pub flaw: Flaw,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A text.
    Text,
    /// Bytes for a port.
    Data,
    /// A USSD code, or the answer to one.
    Code,
    /// A voice call.
    Call,
    /// A multimedia message that comes in.
    Picture,
}

impl Sort {
    /// Returns its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Data => "a data message",
            Self::Code => "a USSD code",
            Self::Call => "a call",
            Self::Picture => "a multimedia message",
        }
    }
}

/// What may be wrong with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing.
    None,
    /// Its recipient is no number.
    Recipient,
    /// Its kind is one that the phone does not know.
    Kind,
    /// It names a slot that is empty.
    Slot,
}

/// How a phone ends that does not want to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// The process is killed; the platform starts it again.
    Kill,
    /// It is stopped by force: the platform's intents for it are gone.
    ForceStop,
    /// The power fails: what was not synced is gone, and the phone boots again.
    Power,
    /// The disk is full: the commit fails, and the process ends.
    DiskFull,
}

/// A moment in a phone's turn at which it may end: every await, and both sides of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Between two turns.
    Idle,
    /// Before the rows are written.
    BeforeWrite,
    /// When the rows are written and not synced.
    BeforeSync,
    /// When the rows are on disk, before the machine is told.
    AfterSync,
    /// Before an effect is done.
    BeforeEffect,
    /// After an effect was done.
    AfterEffect,
    /// Before a message is handed to the radio: its row is on disk.
    BeforeHandOver,
    /// Right after a message was handed to the radio.
    AfterHandOver,
}

/// A moment at which the hub may be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HubPoint {
    /// Between two jobs.
    Idle,
    /// Before a job's commit.
    BeforeCommit,
    /// After a job's commit, before anything follows from it.
    AfterCommit,
}

/// What is set for a SIM at the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Paused, or not.
    Pause(bool),
    /// Quiet from now on for so long.
    QuietFor(u64),
    /// The gap between two hand-overs.
    Delay(u64),
    /// The hub's own limit in parts an hour; 0 is none.
    Limit(u32),
}

/// How a message that comes in is told to the app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// By broadcast.
    Broadcast,
    /// By broadcast, more than once.
    Repeated,
    /// Not at all: a scan has to find it.
    Missing,
}

/// A backup that is older than a phone's pairing takes the place of the hub's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Older {
    /// The phone.
    pub phone: usize,
    /// Whether by the command that raises the generation.
    pub raised: bool,
    /// When the mistake is mended, in milliseconds after it.
    pub while_ms: u64,
    /// How: the newer rows are put back, or the phone is paired again.
    pub puts_back: bool,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A sender gives the hub a message.
    Send(Wanted),
    /// A sender cancels one.
    Cancel(i64),
    /// A sender wants one again, perhaps by another phone.
    Resend(i64, Option<Route>),
    /// A sender deletes one.
    Delete(i64),
    /// Somebody sets something for a SIM at the hub.
    Set(Route, Setting),
    /// The owner pauses a phone, or goes on.
    OwnerPause(usize, bool),
    /// The owner looks at the phone.
    OwnerLooks(Route),
    /// The owner sets a phone's limits.
    OwnerLimits(usize, PaceLimits),
    /// The owner unpairs a phone, which waits so long at most for the hub to hear everything.
    OwnerUnpairs(usize, u64),
    /// So many true copies of something come in.
    Incoming(Route, Sort, u64, Telling),
    /// A phone ends at a point of a turn, the n-th time that it gets there.
    Die(usize, Death, Point, u32),
    /// A phone's disk is slow for a while: each commit takes so long.
    SlowDisk(usize, u64, u64),
    /// The hub is killed at a point.
    KillHub(HubPoint),
    /// The hub's disk is full for a while.
    HubDiskFull(u64),
    /// The hub writes a backup.
    Backup,
    /// The hub is restored from its oldest or newest backup; `true`: by the command that raises
    /// the generation.
    Restore(bool),
    /// A phone joins that was not there from the beginning.
    Joins(usize),
    /// The hub is restored from a backup that is older than a phone's pairing.
    RestoreOlder(Older),
    /// The operator starts the hub with another name, and mends it after a while.
    WrongName(u64),
    /// The hub drains its links and starts again.
    Drain,
    /// The operator takes phones on trust after a restore.
    Unfreeze(usize),
    /// The operator removes a phone, which is paired again later.
    Remove(usize),
    /// The hub speaks a newer version, or writes a frame that must be understood, for a while.
    NewerHub(u64, bool),
    /// The connection of a phone is cut; `true`: one end never hears of it.
    Cut(usize, bool),
    /// A phone has no data for a while.
    NoData(usize, u64),
    /// A phone is on another network now.
    NetworkChange(usize),
    /// Frames of a phone take longer for a while.
    Lag(usize, u64, u64),
    /// A frame on a phone's connection arrives as noise; `true`: the one to the phone.
    Noise(usize, bool),
    /// A phone's wall clock is set forward or back.
    WallJump(usize, i64),
    /// The hub's wall clock is set forward or back.
    HubWallJump(i64),
    /// A SIM is pulled for a while.
    PullSim(Route, u64),
    /// Another SIM is put in; the operator confirms it after a while.
    ChangeSim(Route, u64),
    /// No radio for a while.
    Airplane(usize, u64),
    /// No service for a while; `true`: the platform says so.
    NoService(Route, u64, bool),
    /// A dialog is open on the phone for a while: the radio says nothing.
    Dialog(usize, u64),
    /// A phone's journal is an older copy from now on; paired again after a while.
    RollBack(usize, u64),
    /// A copy of the journal is kept for [`Action::RollBack`].
    CopyJournal(usize),
    /// A second phone starts on a copy of the journal and the key.
    Clone(usize),
    /// The app is installed anew and paired again.
    Reinstall(usize),
    /// The app is updated: the process ends and starts at once.
    Update(usize),
    /// The power cable is plugged in or out, or another thing of the phone changes.
    Condition(usize, bool),
}

/// One thing at its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Milliseconds since the run began.
    pub at: u64,
    /// What.
    pub action: Action,
}

/// How a fleet is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fleet {
    /// How many slots each phone has in use.
    pub sims: Vec<u8>,
    /// What their owners allow at first.
    pub limits: PaceLimits,
    /// How long reports are waited for.
    pub report_window_ms: u64,
    /// Exposures without a result, of each SIM and priority.
    pub window: u64,
    /// How bad the radio is, in percent.
    pub radio_trouble: u64,
    /// Whether phones keep a real journal file.
    pub real_journal: bool,
    /// The phone that lies, if one does.
    pub liar: Option<usize>,
    /// The phone that joins later than the others, if one does.
    pub late: Option<usize>,
}

/// A run to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Where every draw of the run comes from.
    pub seed: u64,
    /// The phones.
    pub fleet: Fleet,
    /// What happens, in order of time.
    pub steps: Vec<Step>,
    /// When everything that was broken is whole again.
    pub calm_at: u64,
}

impl Plan {
    /// Returns how many messages are given to the hub.
    pub fn messages(&self) -> usize {
        let is_send = |step: &&Step| matches!(step.action, Action::Send(_));
        self.steps.iter().filter(is_send).count()
    }
}
