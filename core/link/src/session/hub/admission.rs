//! What a hello means for the device's row: a pure decision inside the transaction.

use crate::{
    close::CloseCode,
    frame::{Hello, InstallId},
    limits::{GENERATIONS_AHEAD_MAX, VERSION, VERSION_MIN},
    mistake,
};

/// The link's part of a device's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceLink {
    /// The installation that is paired.
    pub install: InstallId,
    /// The highest connection number admitted: the fence.
    pub conn: u64,
    /// The generation that the counters below belong to; 0 before the first connection.
    pub generation: u64,
    /// The highest downward number committed; a frame is written only after that.
    pub down_sent: u64,
    /// The highest downward number that the phone reported to have on disk.
    pub down_acked: u64,
    /// The highest fact committed here.
    pub up: u64,
}

impl DeviceLink {
    /// Makes the row of a device that was just paired.
    pub const fn new(install: InstallId) -> Self {
        Self {
            install,
            conn: 0,
            generation: 0,
            down_sent: 0,
            down_acked: 0,
            up: 0,
        }
    }

    /// Takes in what the phone acked: never less than before, nor more than was sent.
    pub fn acks(&mut self, down: u64) {
        self.down_acked = self.down_acked.max(down).min(self.down_sent);
    }

    /// Returns whether a commit for this connection may still be made: the phone has no
    /// newer one.
    pub fn admits(&self, conn: u64) -> bool {
        self.conn == conn || mistake::is("older_commits_taken")
    }
}

/// What the hub knows besides the hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    /// The hub's generation as stored now; only a restore raises it.
    pub generation: u64,
    /// The generation that this device alone is to agree on, where that is above the hub's: its own
    /// numbers, or a freeze of its project, asked for its pages. 0 when nothing did.
    pub own_generation: u64,
    /// Whether this socket was accepted before the highest connection was admitted: then a
    /// lower `conn` is only a hello that was overtaken on its way, not a copied journal.
    pub overtaken: bool,
    /// Whether another installation has replaced this one before. What it held is
    /// unknown since then, and its incoming messages are counted under its name: a journal of that
    /// name is an older copy, whatever it shows.
    pub install_is_lost: bool,
}

/// What the hub does about a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Store `admission.link` and what else it says, then call `HubSession::admitted`.
    Admit(Box<Admission>),
    /// The journal was copied or went back. In this transaction: the device needs pairing,
    /// its open exposures get `Fact::HolderLost`, an alert is raised. Then call
    /// `HubSession::refused` with the close code of [`Decision::close_code`].
    WentBack,
    /// Nothing is stored; call `HubSession::refused` with this.
    Refuse(CloseCode),
}

impl Decision {
    /// Returns the code to close with, unless the phone is admitted.
    pub const fn close_code(&self) -> Option<CloseCode> {
        match self {
            Self::Admit(_) => None,
            Self::WentBack => Some(CloseCode::JournalWentBack),
            Self::Refuse(code) => Some(*code),
        }
    }
}

/// How a phone is admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    /// The row to store; its `conn` fences off every older connection.
    pub link: DeviceLink,
    /// The version that both speak.
    pub version: u32,
    /// The installation that is gone: its open exposures get `Fact::HolderLost`, and it is
    /// remembered for [`Circumstances::install_is_lost`].
    pub lost_install: Option<InstallId>,
    /// R2: exposures to this installation with a place above this were never received; `None`
    /// when the numbers cannot be compared, and nothing is proven.
    pub never_received_above: Option<u64>,
    /// Whether such exposures may be written again with their numbers (they are passed to
    /// `HubSession::admitted` or `reconciled`). If not, each gets `Fact::NeverReceived` now.
    pub resumes: bool,
    /// By this phone's numbers the hub went back: store this as the device's own generation,
    /// freeze dispatch to it, raise an alert. Other devices are not affected.
    pub raise_generation: Option<u64>,
    /// Held pages are needed first.
    pub reconcile: Option<Reconcile>,
}

impl Admission {
    /// Returns the generation that the device alone is to agree on from now on; `before` is the one
    /// of its row.
    pub const fn own_generation(&self, before: u64) -> u64 {
        match (self.raise_generation, &self.reconcile) {
            (Some(raised), _) => raised,
            (None, None) => self.link.generation,
            (None, Some(_)) => before,
        }
    }

    /// Returns whether this hello shows something that a hub with all its rows cannot have
    /// forgotten, and that no freeze of the device expects.
    pub const fn shows_that_hub_went_back(&self, is_frozen: bool) -> bool {
        self.raise_generation.is_some() && self.lost_install.is_none() && !is_frozen
    }
}

/// What a second challenge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconcile {
    /// The generation to agree on.
    pub generation: u64,
    /// The highest downward number that the hub remembers, in the phone's numbering.
    pub down_sent: u64,
    /// The highest fact that the hub remembers, in the phone's numbering.
    pub up: u64,
}

impl Circumstances {
    /// Returns the generation in which a device with this row should be.
    fn target(self, link: &DeviceLink) -> u64 {
        let own = self.own_generation.max(link.generation);
        self.generation.max(own)
    }
}

/// How the numbers in hello compare with those in the row.
enum Numbers {
    Agree,
    SameNumbering { shows_more: bool },
    PhoneBehind,
    PhoneAhead,
}

/// Decides about a hello whose signature was verified with the device's key.
///
/// Call it inside the transaction that stores the answer: `link` must be the present row.
pub fn decide(hello: &Hello, link: &DeviceLink, around: Circumstances) -> Decision {
    let Some(version) = common_version(hello.v) else {
        return Decision::Refuse(CloseCode::VersionNotSpoken);
    };
    let no_numbers = hello.up_lo == 0 || hello.up_lo > hello.up_hi.saturating_add(1);
    let ahead = hello.generation.saturating_sub(around.generation);
    if no_numbers || ahead > GENERATIONS_AHEAD_MAX {
        return Decision::Refuse(CloseCode::ProtocolError);
    }
    if around.install_is_lost {
        return Decision::WentBack;
    }
    if hello.install == link.install {
        return match fence(hello, link, around) {
            Some(refused) => refused,
            None => admit(hello, link.clone(), None, version, around),
        };
    }
    // A journal that was set aside starts a new installation, which shows nothing of the old one.
    if hello.down == 0 && hello.up_lo == 1 && hello.held.is_empty() {
        let fresh = DeviceLink::new(hello.install.clone());
        return admit(hello, fresh, Some(link.install.clone()), version, around);
    }
    Decision::WentBack
}

/// Returns the newest version that both ends speak.
fn common_version((oldest, newest): (u32, u32)) -> Option<u32> {
    let version = newest.min(VERSION);
    (version >= oldest.max(VERSION_MIN)).then_some(version)
}

fn fence(hello: &Hello, link: &DeviceLink, around: Circumstances) -> Option<Decision> {
    if hello.conn <= link.conn && !mistake::is("volatile_conn_no") {
        return Some(if around.overtaken && hello.conn < link.conn {
            Decision::Refuse(CloseCode::Replaced)
        } else {
            Decision::WentBack
        });
    }
    let same_numbering = hello.generation == link.generation;
    let below = hello.down < link.down_acked || hello.up_hi < link.up;
    // Whoever acked or reported something in a generation has it on its disk.
    let was_later = hello.generation < link.generation && (link.down_acked > 0 || link.up > 0);
    let went_back = (same_numbering && below) || was_later;
    (went_back && !mistake::is("rolled_back_unseen")).then_some(Decision::WentBack)
}

fn admit(
    hello: &Hello,
    mut link: DeviceLink,
    lost_install: Option<InstallId>,
    version: u32,
    around: Circumstances,
) -> Decision {
    let target = around.target(&link);
    let numbers = compare(hello, &link, around.generation, target);
    // If the target lies above the phone's generation, it is known already.
    let unnoticed = hello.generation >= target;
    let raise_generation = match numbers {
        Numbers::PhoneAhead | Numbers::SameNumbering { shows_more: true } if unnoticed => {
            Some(hello.generation.saturating_add(1))
        }
        _ => None,
    };
    let generation = raise_generation.unwrap_or(target);
    let reconcile = |down_sent, up| {
        Some(Reconcile {
            generation,
            down_sent,
            up,
        })
    };
    let (reconcile, never_received_above) = match numbers {
        Numbers::Agree if mistake::is("absence_is_proof") => (None, Some(0)),
        Numbers::Agree => (None, Some(hello.down)),
        Numbers::SameNumbering { .. } => (reconcile(link.down_sent, link.up), Some(hello.down)),
        Numbers::PhoneBehind => (reconcile(0, 0), Some(0)),
        Numbers::PhoneAhead => (reconcile(0, 0), None),
    };
    link.conn = hello.conn;
    if reconcile.is_none() {
        // The target; a phone that was never here takes the hub's own.
        link.generation = hello.generation;
        link.down_acked = hello.down;
    }
    let resumes = reconcile.is_none() || link.generation == generation;
    Decision::Admit(Box::new(Admission {
        link,
        version,
        lost_install,
        never_received_above,
        resumes,
        raise_generation,
        reconcile,
    }))
}

fn compare(hello: &Hello, link: &DeviceLink, hubs: u64, target: u64) -> Numbers {
    let never_connected = link.generation == 0 && link.down_sent == 0 && link.up == 0;
    let shows_nothing = hello.down == 0 && hello.up_lo == 1;
    if never_connected && shows_nothing && hello.generation == hubs {
        return Numbers::Agree;
    }
    if hello.generation > link.generation {
        return Numbers::PhoneAhead;
    }
    if hello.generation < link.generation {
        return Numbers::PhoneBehind;
    }
    let shows_more = hello.down > link.down_sent || hello.up_lo > link.up.saturating_add(1);
    if (!shows_more || mistake::is("lost_hub_unseen")) && hello.generation == target {
        return Numbers::Agree;
    }
    Numbers::SameNumbering { shows_more }
}

/// Returns the row after the last held page: the counters start again, unless they did already
/// and only the phone had not learned of it.
pub(super) fn reconciled(mut link: DeviceLink, generation: u64) -> DeviceLink {
    if link.generation != generation {
        link.generation = generation;
        link.down_sent = 0;
        link.down_acked = 0;
        link.up = 0;
    }
    link
}
