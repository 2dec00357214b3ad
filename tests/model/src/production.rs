//! The hub's transitions of a message, asked of the production code and remembered.
//!
//! Each question is small and comes back millions of times; what the code answered is kept, so
//! that nothing is decided here and nothing is decided twice.

use crate::{
    memo::Memo,
    world::{EPS, MESSAGES, Row, claim},
};
use postrider_link::{
    frame::InstallId,
    ownership::hub::{
        Ask, ErrorCode, Fact, Flags, Holder, HubState, OnUnknown, Ownership, Report, Rules,
        Standing, Verdict, Whose,
    },
};
use postrider_model::{DeviceId, Key};

/// A row's part that ownership decides about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owned {
    /// The state's code.
    pub state: u8,
    /// The present exposure.
    pub ep: u8,
    /// Its place plus one.
    pub s: u8,
    /// The flags.
    pub flags: u16,
    /// The holder's code.
    pub holder: u8,
}

/// A fact, in small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Small {
    /// Committed to a peer at a place.
    Exposed(u8, u8),
    /// Exposure, reporter, claim code.
    Reported(u8, u8, u8),
    /// Exposure, claim code.
    PastReported(u8, u8),
    /// Exposure, who shows it, claim code, and in a page what stands behind it.
    Shown(u8, u8, u8, Option<Standing>),
    /// Who never received it, and the highest number that it has.
    NeverReceived(u8, u8),
    /// The counters started over.
    Renumbered,
    /// Its life ended a minute ago.
    LifeEnded,
    /// The hub went back, and it may have been given away.
    ExposureForgotten,
    /// The holder is gone.
    HolderLost,
    /// The dispatcher wants it back.
    RevokeWanted,
    /// The sender cancels.
    CancelAsked,
    /// The sender sends it again, perhaps by another route.
    ResendAsked(bool),
    /// The sender deletes it.
    DeleteAsked,
}

/// What the rules go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct By {
    /// Whether the sender chose that an unknown outcome is sent again.
    pub resend: bool,
    /// Whether life is left.
    pub life: bool,
    /// Whether another phone could send it.
    pub other_route: bool,
}

/// What came of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// The row.
    pub owned: Owned,
    /// Whether a webhook goes out.
    pub webhook: bool,
    /// Whether it is in the queue again.
    pub requeued: bool,
    /// The sender's answer.
    pub verdict: Option<Verdict>,
}

/// Asks the production code.
#[derive(Debug)]
pub struct Production {
    peers: Vec<Holder>,
    applied: Memo<(Owned, Small, By), Option<Applied>>,
    whose: Memo<(Owned, u8, u8), Whose>,
}

impl Default for Production {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the device of a phone.
pub fn device(p: usize) -> DeviceId {
    DeviceId::new(Key::new(p as i64 + 1).expect("a key"))
}

/// Returns an installation of a phone.
pub fn install(p: usize, install: u8) -> InstallId {
    format!("install-of-phone-{p}-number-{install}")
        .parse()
        .expect("a name")
}

impl Production {
    /// Makes one that remembers nothing.
    pub fn new() -> Self {
        let peers = (0..MESSAGES.max(EPS))
            .flat_map(|p| [0, 1].map(|n| (p, n)))
            .map(|(p, n)| Holder {
                device: device(p),
                install: install(p, n),
            })
            .collect();
        Self {
            peers,
            applied: Memo::default(),
            whose: Memo::default(),
        }
    }

    /// Returns the holder that a code names.
    pub(crate) fn holder(&self, code: u8) -> &Holder {
        &self.peers[usize::from(code) - 1]
    }

    /// Returns the row that ownership reads.
    pub(crate) fn row(&self, owned: Owned) -> Ownership {
        let state = HubState::from_code(i64::from(owned.state)).expect("a state of the rules");
        Ownership {
            state,
            ep: u32::from(owned.ep),
            holder: (owned.holder > 0).then(|| self.holder(owned.holder).clone()),
            s: owned.s.checked_sub(1).map(u64::from),
            flags: Flags::from_code(i64::from(owned.flags)),
            send_attempts: 0,
        }
    }

    fn small(&self, row: &Ownership) -> Owned {
        let code = |holder: &Holder| {
            let index = self.peers.iter().position(|peer| peer == holder);
            index.expect("a known peer") as u8 + 1
        };
        Owned {
            state: row.state.code() as u8,
            ep: row.ep as u8,
            s: row.s.map_or(0, |s| s as u8 + 1),
            flags: row.flags.code() as u16,
            holder: row.holder.as_ref().map_or(0, code),
        }
    }

    /// Applies a fact; `None` when the rules refuse it.
    pub fn apply(&self, owned: Owned, fact: Small, by: By) -> Option<Applied> {
        let key = (owned, fact, by);
        self.applied.get(key, || self.ask(owned, fact, by))
    }

    fn ask(&self, owned: Owned, fact: Small, by: By) -> Option<Applied> {
        let mut row = self.row(owned);
        let rules = Rules {
            on_unknown: if by.resend {
                OnUnknown::Resend
            } else {
                OnUnknown::Report
            },
            life_left: by.life,
            other_route: by.other_route,
        };
        let outcome = row.apply(self.fact(fact), rules).ok()?;
        Some(Applied {
            owned: self.small(&row),
            webhook: outcome.publish.is_some_and(|publish| publish.webhook),
            requeued: outcome.requeued,
            verdict: outcome.verdict,
        })
    }

    fn fact(&self, fact: Small) -> Fact<'_> {
        match fact {
            Small::Exposed(code, s) => Fact::Exposed {
                holder: self.holder(code).clone(),
                s: u64::from(s),
            },
            Small::Reported(ep, code, said) => Fact::Reported {
                ep: u32::from(ep),
                by: self.holder(code),
                report: report(said),
            },
            Small::PastReported(ep, said) => Fact::PastReported {
                ep: u32::from(ep),
                report: report(said),
            },
            Small::Shown(ep, code, said, page) => Fact::Shown {
                ep: u32::from(ep),
                by: self.holder(code),
                state: report(said).state,
                page,
            },
            Small::NeverReceived(code, down) => Fact::NeverReceived {
                by: self.holder(code),
                down: u64::from(down),
            },
            Small::Renumbered => Fact::Renumbered,
            Small::LifeEnded => Fact::LifeEnded { ago_ms: 60_000 },
            Small::ExposureForgotten => Fact::ExposureForgotten,
            Small::HolderLost => Fact::HolderLost,
            Small::RevokeWanted => Fact::RevokeWanted,
            Small::CancelAsked => Fact::CancelAsked,
            Small::ResendAsked(new_route) => Fact::ResendAsked { new_route },
            Small::DeleteAsked => Fact::DeleteAsked,
        }
    }

    /// Returns whose exposure `ep` is, told by a peer.
    pub fn whose(&self, owned: Owned, ep: u8, code: u8) -> Whose {
        let key = (owned, ep, code);
        let ask = || self.row(owned).whose(u32::from(ep), self.holder(code));
        self.whose.get(key, ask)
    }
}

fn report(code: u8) -> Report {
    let claim = claim(code, 1).expect("a claim of the rules");
    Report {
        state: claim.state,
        partial: claim.partial,
        unsent: claim.unsent,
    }
}

impl Row {
    /// Returns what ownership decides about.
    pub fn owned(&self) -> Owned {
        Owned {
            state: self.state,
            ep: self.ep,
            s: self.s,
            flags: self.flags,
            holder: self.holder(),
        }
    }

    /// Returns the code of who holds the present exposure; 0 when nobody does.
    pub fn holder(&self) -> u8 {
        match self.ep {
            0 => 0,
            ep => self.holders[usize::from(ep) - 1],
        }
    }

    fn bare(&self) -> Ownership {
        Ownership {
            state: self.at(),
            ep: u32::from(self.ep),
            holder: None,
            s: None,
            flags: Flags::from_code(i64::from(self.flags)),
            send_attempts: 0,
        }
    }

    /// Returns whether the dispatcher may expose it.
    pub fn can_expose(&self) -> bool {
        self.bare().can_expose(self.life)
    }

    /// Returns what must be asked of the holder.
    pub fn asks(&self) -> Option<Ask> {
        self.bare().asks()
    }

    /// Returns whether the API shows an unknown outcome.
    pub fn shows_unknown(&self) -> bool {
        self.bare().shown().1 == Some(ErrorCode::UnknownOutcome)
    }

    /// Returns whether the row has a flag.
    pub fn has(&self, flag: Flags) -> bool {
        Flags::from_code(i64::from(self.flags)).has(flag)
    }
}
