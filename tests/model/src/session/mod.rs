//! The production sessions of both ends, driven to where a question is and asked it.
//!
//! A session's answer depends on a handful of small numbers. Each is asked once for each set of
//! them, through the public surface, in the order that the sessions' documentation demands.

mod ends;

use crate::{
    memo::Memo,
    production::install,
    world::{FRAMES, Hello as Shown},
};
use postrider_link::{
    close::CloseCode,
    frame::{Ack, Held, HubFrame, PhoneFrame, Void, Welcome},
    session::{
        hub::{Decision, DeviceLink, HubOutput, HubSession, HubSettings},
        phone::{LinkChange, PhoneEffect, PhoneFact},
    },
};
use postrider_model::{BootMs, Now, UnixMs};

pub(crate) use ends::{message, send};

use ends::{
    asked, challenge, commit, device_link, effects, event, frame, greet, hello, hub_ack, nonce,
    open_hub, open_phone, outputs, phone_ack, quiet_hub, quiet_link, small_link,
};

/// The link's part of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Journal {
    /// The connection.
    pub conn: u8,
    /// The generation.
    pub generation: u8,
    /// The highest downward number.
    pub down: u8,
    /// The highest acked fact.
    pub up_acked: u8,
    /// The highest fact.
    pub up_hi: u8,
}

/// The hub's row of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Link {
    /// The phone.
    pub p: u8,
    /// The installation.
    pub install: u8,
    /// The highest connection.
    pub conn: u8,
    /// The generation of the counters.
    pub generation: u8,
    /// The highest number committed.
    pub down_sent: u8,
    /// The highest number acked.
    pub down_acked: u8,
    /// The highest fact.
    pub up: u8,
}

/// What the hub decides about a hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// It is admitted.
    Admitted(Admitted),
    /// The journal went back.
    WentBack,
    /// It was overtaken by a newer connection.
    Overtaken,
    /// It is refused for another reason.
    Refused,
}

/// How a phone is admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted {
    /// The row.
    pub link: Link,
    /// Whether an older installation is gone.
    pub lost_install: bool,
    /// Exposures above this were never received.
    pub above: Option<u8>,
    /// Whether they may be written again.
    pub resumes: bool,
    /// The generation is raised to this.
    pub raises: Option<u8>,
    /// Held pages are needed: the generation, and what the hub remembers.
    pub pages: Option<(u8, u8, u8)>,
}

/// What a phone does with a frame from the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TakenIn {
    /// Whether the machines get it.
    pub received: bool,
    /// The highest downward number after it.
    pub down: u8,
    /// An ack that leaves before the commit.
    pub acked_before: Option<u8>,
    /// An ack that leaves after it.
    pub acked_after: Option<u8>,
    /// Whether the connection is closed.
    pub closed: bool,
}

/// What welcome does to a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Welcomed {
    /// Whether the session is open.
    pub open: bool,
    /// The highest fact acked before the counters started over.
    pub acked: u8,
    /// By how much the facts sank, when they started over.
    pub sinks_by: Option<u8>,
    /// The highest fact acked at the end.
    pub up_acked: u8,
}

/// What a hub does with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counted {
    /// Whether it is to be committed.
    pub counts: bool,
    /// An ack that leaves before the commit.
    pub acked_before: Option<u8>,
    /// An ack that leaves after it.
    pub acked_after: Option<u8>,
    /// Whether the connection is closed.
    pub closed: bool,
}

/// What goes out again after a hello: for each number a kind, 0 none, 1 send, 2 void.
pub type Resumed = Option<[u8; FRAMES]>;

/// A journal, the hub's number and generation if it was welcomed before, its generation, its acks.
type Welcoming = (Journal, Option<(u8, u8)>, u8, u8);

/// Both ends.
#[derive(Debug, Default)]
pub struct Sessions {
    decided: Memo<(u8, Shown, Link, u8, bool), Decided>,
    taken: Memo<(u8, u8, bool, u8), TakenIn>,
    welcomed: Memo<Welcoming, Welcomed>,
    acked: Memo<(u8, u8, u8), Option<u8>>,
    counted: Memo<(u8, u8), Counted>,
    learned: Memo<(u8, u8, u8), Option<u8>>,
    resumed: Memo<(Shown, Link, [bool; FRAMES]), Resumed>,
    placed: Memo<u8, Option<u8>>,
    reconciled: Memo<(Shown, Link, u8), Option<(Link, bool)>>,
}

const NOW: Now = Now {
    boot: BootMs(1_000),
    unix: UnixMs(1_000_000),
};

impl Sessions {
    /// Returns what the hub decides about a hello.
    pub fn decide(
        &self,
        p: usize,
        shown: &Shown,
        link: Link,
        generation: u8,
        overtaken: bool,
    ) -> Decided {
        self.decided
            .get((p as u8, *shown, link, generation, overtaken), || {
                let (hello, row) = (hello(p, shown, generation), device_link(link));
                match asked(&hello, &row, generation, overtaken) {
                    Decision::Admit(admission) => Decided::Admitted(Admitted {
                        link: small_link(
                            &admission.link,
                            p,
                            if admission.link.install == install(p, shown.install) {
                                shown.install
                            } else {
                                link.install
                            },
                        ),
                        lost_install: admission.lost_install.is_some(),
                        above: admission.never_received_above.map(|above| above as u8),
                        resumes: admission.resumes,
                        raises: admission.raise_generation.map(|raised| raised as u8),
                        pages: admission
                            .reconcile
                            .map(|it| (it.generation as u8, it.down_sent as u8, it.up as u8)),
                    }),
                    Decision::WentBack => Decided::WentBack,
                    Decision::Refuse(CloseCode::Replaced) => Decided::Overtaken,
                    Decision::Refuse(_) => Decided::Refused,
                }
            })
    }

    /// Returns what goes out again above `shown.down` after an admission without pages.
    pub fn resume(&self, shown: &Shown, link: Link, wanted: [bool; FRAMES]) -> Resumed {
        self.resumed.get((*shown, link, wanted), || {
            let frames = (0..FRAMES)
                .filter(|i| wanted[*i])
                .map(|i| send(u64::from(shown.down) + i as u64 + 1))
                .collect();
            let (session, written) = open_hub(shown, link, frames)?;
            let mut resumed = [0; FRAMES];
            for frame in written {
                let place = (frame.s()? - u64::from(shown.down)) as usize - 1;
                *resumed.get_mut(place)? = match frame {
                    HubFrame::Send(_) => 1,
                    _ => 2,
                };
            }
            session.is_open().then_some(resumed)
        })
    }

    /// Returns the number that the next downward frame gets when `down_sent` are out.
    pub fn place(&self, down_sent: u8) -> Option<u8> {
        self.placed.get(down_sent, || {
            let mut session = quiet_hub(down_sent, 0)?;
            let s = session.assign_send()?;
            session.down_committed(HubFrame::Void(Void { s }));
            let written = outputs(&mut session);
            matches!(written.as_slice(), [HubOutput::Write(frame)] if frame.s() == Some(s))
                .then_some(s as u8)
        })
    }

    /// Returns what the hub does with the fact `s` when it has those up to `up`.
    pub fn count(&self, up: u8, s: u8) -> Counted {
        self.counted.get((up, s), || {
            let Some(mut session) = quiet_hub(0, up) else {
                return Counted::default();
            };
            session.handle_frame(PhoneFrame::Event(event(s)), NOW);
            let before = outputs(&mut session);
            session.facts_committed(u64::from(s), NOW);
            let after = outputs(&mut session);
            Counted {
                counts: before.iter().any(|it| matches!(it, HubOutput::Fact(_))),
                acked_before: hub_ack(&before),
                acked_after: hub_ack(&after),
                closed: before.iter().any(|it| matches!(it, HubOutput::Close(_))),
            }
        })
    }

    /// Returns the number that the hub stores as acked, when the phone acks `a`.
    pub fn learn(&self, down_sent: u8, down_acked: u8, a: u8) -> Option<u8> {
        self.learned.get((down_sent, down_acked, a), || {
            let shown = Shown {
                conn: 2,
                generation: 1,
                down: down_acked,
                ..Shown::NONE
            };
            let link = Link {
                down_sent,
                down_acked,
                ..quiet_link(0)
            };
            let (mut session, _) = open_hub(&shown, link, vec![])?;
            let ack = Ack {
                a: u64::from(a),
                limit: 100,
                mono: 0,
            };
            session.handle_frame(PhoneFrame::Ack(ack), NOW);
            outputs(&mut session)
                .iter()
                .find_map(|output| match output {
                    HubOutput::Acked { down } => Some(*down as u8),
                    _ => None,
                })
        })
    }

    /// Returns what a phone that has everything up to `down` does with the frame `s`, which came
    /// by its present connection or by an older one.
    pub fn take_in(&self, down: u8, s: u8, present: bool, code: u8) -> TakenIn {
        self.taken.get((down, s, present, code), || {
            let journal = Journal {
                conn: 4,
                generation: 1,
                down,
                up_acked: 0,
                up_hi: 0,
            };
            let mut session = open_phone(journal);
            let conn = session.conn() - u64::from(!present);
            session.handle_frame(conn, frame(s, code), NOW);
            let received = session.poll_received();
            let mut taken = TakenIn {
                received: received.is_some() || code / 16 == 4,
                down,
                ..TakenIn::default()
            };
            while let Some(change) = session.poll_change() {
                if let LinkChange::Down(s) = change {
                    taken.down = s as u8;
                }
            }
            taken.received &= taken.down != down;
            let before = effects(&mut session);
            session.committed(NOW);
            let after = effects(&mut session);
            taken.acked_before = phone_ack(&before);
            taken.acked_after = phone_ack(&after);
            taken.closed = before
                .iter()
                .chain(&after)
                .any(|effect| matches!(effect, PhoneEffect::Disconnect { .. }));
            taken
        })
    }

    /// Returns what welcome does to a phone; `pages` is what the second challenge said before.
    pub fn welcome(
        &self,
        journal: Journal,
        pages: Option<(u8, u8)>,
        generation: u8,
        up: u8,
    ) -> Welcomed {
        self.welcomed.get((journal, pages, generation, up), || {
            let (mut session, _) = greet(journal, 1, 0, 0, vec![]);
            let conn = session.conn();
            let mut welcomed = Welcomed {
                acked: journal.up_acked,
                ..Welcomed::default()
            };
            if let Some((down, up)) = pages {
                let challenge = challenge(generation, Some((down, up)));
                session.handle_frame(conn, HubFrame::Challenge(challenge), NOW);
                for effect in commit(&mut session, &mut welcomed) {
                    if let PhoneEffect::LoadHeld { .. } = effect {
                        session.held_loaded(&[], NOW);
                    }
                }
                drop(commit(&mut session, &mut welcomed));
            }
            let welcome = Welcome {
                v: 1,
                generation: u64::from(generation),
                up: u64::from(up),
                now: 0,
                heartbeat_s: 45,
                limit: 100,
                hub: None,
            };
            session.handle_frame(conn, HubFrame::Welcome(welcome), NOW);
            drop(commit(&mut session, &mut welcomed));
            welcomed.open = session.is_open();
            welcomed
        })
    }

    /// Returns the highest acked fact after the hub acked `a`.
    pub fn ack(&self, up_acked: u8, up_hi: u8, a: u8) -> Option<u8> {
        self.acked.get((up_acked, up_hi, a), || {
            let mut session = open_phone(Journal {
                conn: 4,
                generation: 1,
                down: 0,
                up_acked,
                up_hi,
            });
            let facts = (up_acked + 1..=up_hi).map(|s| PhoneFact::Event(event(s)));
            session.facts_loaded(facts.collect());
            drop(effects(&mut session));
            let conn = session.conn();
            let ack = Ack {
                a: u64::from(a),
                limit: 100,
                mono: 0,
            };
            session.handle_frame(conn, HubFrame::Ack(ack), NOW);
            let change = session.poll_change();
            let up_to = match change {
                Some(LinkChange::FactsAcked { up_to }) => up_to as u8,
                _ => up_acked,
            };
            session.is_open().then_some(up_to)
        })
    }
}

impl Sessions {
    /// Returns the hub's row after the last held page, and whether the counters start over.
    pub fn reconcile(&self, shown: &Shown, link: Link, generation: u8) -> Option<(Link, bool)> {
        self.reconciled.get((*shown, link, generation), || {
            let settings = HubSettings {
                generation: u64::from(generation),
                heartbeat_s: 45,
                hub: None,
            };
            let mut session = HubSession::new(settings, nonce(), NOW);
            let hello = hello(usize::from(link.p), shown, generation);
            session.handle_frame(PhoneFrame::Hello(hello.clone()), NOW);
            let before = DeviceLink {
                conn: u64::from(shown.conn) - 1,
                ..device_link(link)
            };
            let Decision::Admit(admission) = asked(&hello, &before, generation, false) else {
                return None;
            };
            session.admitted(*admission, vec![], NOW);
            drop(outputs(&mut session));
            let page = Held {
                rows: vec![],
                last: true,
            };
            session.handle_frame(PhoneFrame::Held(page), NOW);
            let reconciled = outputs(&mut session)
                .into_iter()
                .find_map(|output| match output {
                    HubOutput::Reconciled { link, restarts } => Some((link, restarts)),
                    _ => None,
                });
            session.reconciled(vec![], NOW);
            let (row, restarts) = reconciled.filter(|_| session.is_open())?;
            Some((
                small_link(&row, usize::from(link.p), link.install),
                restarts,
            ))
        })
    }
}

impl Link {
    /// Returns whether a commit that an older connection asked for is still made.
    pub fn takes_commit_of(self, conn: u8) -> bool {
        device_link(self).admits(u64::from(conn))
    }
}
