//! One moment of everything, small enough to be copied: rows, journals, radios, frames on their
//! way, and what the monitors remember.

use postrider_link::ownership::{hub::HubState, phone::Claim};
use postrider_model::WireState;

/// Messages of a world.
pub const MESSAGES: usize = 2;
/// Phones of a world.
pub const PHONES: usize = 2;
/// Most exposures of one message.
pub const EPS: usize = 3;
/// Most parts of one message.
pub const PARTS: usize = 2;
/// Most downward frames between what a phone stored and what the hub committed.
pub const FRAMES: usize = 4;
/// Most facts that a phone has stored and the hub has not acked.
pub const FACTS: usize = 4;

/// Everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct World {
    /// The hub's messages.
    pub rows: [Row; MESSAGES],
    /// The phones, each with the hub's row of its link.
    pub phones: [Phone; PHONES],
    /// The hub's generation.
    pub generation: u8,
    /// Faults that happen once: bits of [`once`].
    pub used: u8,
    /// What a transition broke: an index into [`crate::system::BROKEN`], 0 for nothing.
    pub broken: u8,
}

/// Bits of [`World::used`].
pub mod once {
    /// The hub was restored from a backup.
    pub const RESTORED: u8 = 1;
    /// A journal went backwards.
    pub const ROLLED_BACK: u8 = 2;
    /// A phone was reinstalled.
    pub const REINSTALLED: u8 = 4;
    /// A phone was removed by its operator.
    pub const REMOVED: u8 = 8;
}

/// The hub's row of a message, and what is remembered of its story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    /// [`HubState`], as its code.
    pub state: u8,
    /// The present exposure.
    pub ep: u8,
    /// Its place plus one; 0 for none.
    pub s: u8,
    /// The flags, as stored.
    pub flags: u16,
    /// Who was given each exposure: 0 nobody, else see [`peer`].
    pub holders: [u8; EPS],
    /// Whether its life has not ended.
    pub life: bool,
    /// How often each part went on the air; stays at 3.
    pub air: [u8; PARTS],
    /// How often it may go on the air.
    pub allowed: u8,
    /// What was told and asked: bits of [`told`].
    pub told: u8,
}

/// Bits of [`Row::told`].
pub mod told {
    /// `unknown` is what the sender was told.
    pub const UNKNOWN: u8 = 1;
    /// Failed, with the phone's word that nothing went.
    pub const UNSENT: u8 = 2;
    /// The sender cancelled or deleted it, and did not send it again.
    pub const UNWANTED: u8 = 4;
    /// The sender cancelled it once.
    pub const CANCEL_USED: u8 = 8;
    /// The sender sent it again once.
    pub const RESEND_USED: u8 = 16;
    /// The sender deleted it.
    pub const DELETED: u8 = 32;
    /// The hub sent it again because the outcome was unknown.
    pub const R4: u8 = 64;
}

/// A phone: its journal, its radio, the hub's row of its link, and what is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Phone {
    /// Journal: the connection's number.
    pub conn: u8,
    /// Journal: the installation.
    pub install: u8,
    /// Journal: the highest downward number.
    pub down: u8,
    /// Journal: the highest acked fact.
    pub up_acked: u8,
    /// Journal: the highest fact.
    pub up_hi: u8,
    /// Journal: the generation agreed on; 0 before the first.
    pub generation: u8,
    /// Journal: the facts above `up_acked`, see [`Fact`].
    pub facts: [u8; FACTS],
    /// Journal and radio: the exposures.
    pub slots: [[Slot; EPS]; MESSAGES],
    /// How far its present connection is, see [`phase`].
    pub phase: u8,
    /// What became of it for good: bits of [`fate`].
    pub fate: u8,
    /// The hub's row: the highest connection admitted.
    pub link_conn: u8,
    /// The hub's row: the installation.
    pub link_install: u8,
    /// The hub's row: the generation of its counters.
    pub link_generation: u8,
    /// The hub's row: the highest downward number committed.
    pub down_sent: u8,
    /// The hub's row: the highest downward number acked.
    pub down_acked: u8,
    /// The hub's row: the highest fact.
    pub up: u8,
    /// The hub's live session's connection; 0 for none.
    pub live: u8,
    /// What was asked on the live session: a bit for each message.
    pub asked: u8,
    /// Whether nothing may be exposed to it until it showed what it holds.
    pub frozen: bool,
    /// Frames written to the present connection and not taken in, from `down + 1` on: see
    /// [`Frame`]. 0: not on its way.
    pub flight: [u8; FRAMES],
    /// A frame of an older connection that may still come, with its number.
    pub late: (u8, u8),
    /// Facts up to this were written to the older connection that the hub still reads.
    pub late_up: u8,
    /// A hello, or held pages, on their way on the present connection.
    pub hello: Hello,
    /// A hello of an older connection that is on its way.
    pub late_hello: Hello,
}

/// How far a connection is, seen from the phone.
pub mod phase {
    /// Hello is on its way, or lost.
    pub const HELLO: u8 = 0;
    /// Welcome is on its way.
    pub const WELCOME: u8 = 1;
    /// Welcome after held pages is on its way.
    pub const WELCOME_AFTER_PAGES: u8 = 2;
    /// The second challenge is on its way.
    pub const CHALLENGE: u8 = 3;
    /// The held pages are on their way.
    pub const PAGES: u8 = 4;
    /// The session is open.
    pub const OPEN: u8 = 5;
}

/// Bits of [`Phone::fate`].
pub mod fate {
    /// The journal went backwards, and the hub had seen more of it.
    pub const UNSOUND: u8 = 1;
    /// The hub refuses it until it is paired again.
    pub const OUT: u8 = 2;
    /// The hub has stored an ack of it: a journal that goes back is seen.
    pub const ACKED: u8 = 4;
}

/// What a hello shows; `conn` 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hello {
    /// The connection.
    pub conn: u8,
    /// The installation.
    pub install: u8,
    /// The generation.
    pub generation: u8,
    /// The highest downward number.
    pub down: u8,
    /// The highest acked fact.
    pub up_acked: u8,
    /// The highest fact.
    pub up_hi: u8,
    /// The held rows, as claim codes.
    pub held: [[u8; EPS]; MESSAGES],
}

/// One exposure on a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Slot {
    /// Its claim's code; 0 for none.
    pub claim: u8,
    /// Bits of [`slot`].
    pub bits: u8,
    /// What the radio does with each part, see [`air`].
    pub radio: [u8; PARTS],
    /// What the journal knows of each part, see [`known`].
    pub parts: [u8; PARTS],
}

/// Bits of [`Slot::bits`].
pub mod slot {
    /// Between the write-ahead and the radio call.
    pub const CALLING: u8 = 1;
    /// The provider has it as sent.
    pub const PROVIDER: u8 = 2;
}

/// Values of [`Slot::radio`]; from `ACCEPTED` on an intent is pending.
pub mod air {
    /// Nothing.
    pub const IDLE: u8 = 0;
    /// In the radio's queue.
    pub const QUEUED: u8 = 1;
    /// On the air, without a result.
    pub const AIRED: u8 = 2;
    /// The network accepted it.
    pub const ACCEPTED: u8 = 3;
    /// Refused with proof, to be tried again.
    pub const TRY_AGAIN: u8 = 4;
    /// Refused with proof, for good.
    pub const REFUSED: u8 = 5;
    /// Ended with a code that proves nothing.
    pub const AMBIGUOUS: u8 = 6;
}

/// Values of [`Slot::parts`]: the intents that came, with the same numbers as in [`air`].
pub mod known {
    /// No result.
    pub const AWAITED: u8 = 0;
}

/// Downward frames in a byte: kind, message, exposure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: FrameKind,
    /// The message.
    pub m: usize,
    /// The exposure.
    pub ep: u8,
}

/// The kinds of downward frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// Hands an exposure over.
    Send,
    /// Takes it back.
    Revoke,
    /// Cancels it.
    Cancel,
    /// Fills a place.
    Void,
}

impl Frame {
    /// Makes a `send`.
    pub const fn send(m: usize, ep: u8) -> Self {
        Self {
            kind: FrameKind::Send,
            m,
            ep,
        }
    }

    /// Returns the byte.
    pub const fn code(self) -> u8 {
        let kind = match self.kind {
            FrameKind::Send => 1,
            FrameKind::Revoke => 2,
            FrameKind::Cancel => 3,
            FrameKind::Void => 4,
        };
        kind * 16 + self.m as u8 * 8 + self.ep
    }

    /// Reads the byte; `None` for 0.
    pub const fn of(code: u8) -> Option<Self> {
        let kind = match code / 16 {
            1 => FrameKind::Send,
            2 => FrameKind::Revoke,
            3 => FrameKind::Cancel,
            4 => FrameKind::Void,
            _ => return None,
        };
        Some(Self {
            kind,
            m: (code / 8 % 2) as usize,
            ep: code % 8,
        })
    }
}

/// A fact in a byte: message, exposure, claim code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    /// The message.
    pub m: usize,
    /// The exposure.
    pub ep: u8,
    /// The claim's code.
    pub claim: u8,
}

impl Fact {
    /// Returns the byte.
    pub const fn code(self) -> u8 {
        self.claim * 8 + self.m as u8 * 4 + self.ep
    }

    /// Reads the byte.
    pub const fn of(code: u8) -> Self {
        Self {
            m: (code / 4 % 2) as usize,
            ep: code % 4,
            claim: code / 8,
        }
    }
}

const CLAIMS: [(WireState, bool, bool); 13] = [
    (WireState::OnPhone, false, false),
    (WireState::Retrying, false, false),
    (WireState::Submitting, false, false),
    (WireState::Unknown, false, false),
    (WireState::Sent, false, false),
    (WireState::Failed, false, false),
    (WireState::Failed, true, false),
    (WireState::Failed, false, true),
    (WireState::NotDelivered, false, false),
    (WireState::Delivered, false, false),
    (WireState::Revoked, false, false),
    (WireState::Cancelled, false, false),
    (WireState::Expired, false, false),
];

/// Reads a claim's code; `None` for 0.
pub fn claim(code: u8, ep: u8) -> Option<Claim> {
    let (state, partial, unsent) = *CLAIMS.get(usize::from(code).checked_sub(1)?)?;
    Some(Claim {
        ep: u32::from(ep),
        state,
        partial,
        unsent,
    })
}

/// Returns a claim's code.
pub fn claim_code(claim: &Claim) -> u8 {
    let is = |(state, partial, unsent): &(WireState, bool, bool)| {
        *state == claim.state && *partial == claim.partial && *unsent == claim.unsent
    };
    let index = CLAIMS.iter().position(is).expect("a claim of the rules");
    u8::try_from(index + 1).expect("few claims")
}

/// Returns the code of a phone's installation as a holder.
pub const fn peer(p: usize, install: u8) -> u8 {
    p as u8 * 2 + install + 1
}

/// Returns the place of an exposure in arrays.
pub const fn at(ep: u8) -> usize {
    ep as usize - 1
}

impl Row {
    /// A new message.
    pub const NEW: Self = Self {
        state: 10,
        ep: 0,
        s: 0,
        flags: 0,
        holders: [0; EPS],
        life: true,
        air: [0; PARTS],
        allowed: 1,
        told: 0,
    };

    /// Returns where it is.
    pub fn at(&self) -> HubState {
        HubState::from_code(i64::from(self.state)).expect("a state of the rules")
    }
}

impl Phone {
    /// A phone that connected once, before anything was sent, and is open.
    pub const CONNECTED: Self = Self {
        conn: 1,
        install: 0,
        down: 0,
        up_acked: 0,
        up_hi: 0,
        generation: 1,
        facts: [0; FACTS],
        slots: [[Slot {
            claim: 0,
            bits: 0,
            radio: [0; PARTS],
            parts: [0; PARTS],
        }; EPS]; MESSAGES],
        phase: phase::OPEN,
        fate: 0,
        link_conn: 1,
        link_install: 0,
        link_generation: 1,
        down_sent: 0,
        down_acked: 0,
        up: 0,
        live: 1,
        asked: 0,
        frozen: false,
        flight: [0; FRAMES],
        late: (0, 0),
        late_up: 0,
        hello: Hello::NONE,
        late_hello: Hello::NONE,
    };

    /// Returns the claims of a message.
    pub fn claims(&self, m: usize) -> Vec<Claim> {
        (1..=EPS as u8)
            .filter_map(|ep| claim(self.slots[m][at(ep)].claim, ep))
            .collect()
    }

    /// Returns the highest downward number that it has, in the hub's numbering.
    pub const fn has(&self) -> u8 {
        if self.generation == self.link_generation {
            self.down
        } else {
            0
        }
    }

    /// Returns whether hub and phone speak on the same connection.
    pub const fn is_linked(&self) -> bool {
        self.live != 0 && self.live == self.conn && self.link_install == self.install
    }
}

impl Hello {
    /// No hello.
    pub const NONE: Self = Self {
        conn: 0,
        install: 0,
        generation: 0,
        down: 0,
        up_acked: 0,
        up_hi: 0,
        held: [[0; EPS]; MESSAGES],
    };
}

impl World {
    /// Everything is up, and nothing was sent.
    pub const START: Self = Self {
        rows: [Row::NEW; MESSAGES],
        phones: [Phone::CONNECTED; PHONES],
        generation: 1,
        used: 0,
        broken: 0,
    };

    /// Notes that a transition broke a rule; the first one stays.
    pub fn breaks(&mut self, rule: u8) {
        if self.broken == 0 {
            self.broken = rule;
        }
    }
}
