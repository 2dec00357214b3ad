//! The production sessions of both ends, driven to where a question is and asked it.
//!
//! A session's answer depends on a handful of small numbers. Each is asked once for each set of
//! them, through the public surface, in the order that the sessions' documentation demands.

use crate::{
    memo::Memo,
    production::{device, install},
    world::{EPS, FRAMES, Hello as Shown, MESSAGES, claim},
};
use postrider_link::{
    close::CloseCode,
    frame::{
        Ack, Address, Cancel, Challenge, Event, Held, HeldRow, Hello, HubFrame, Kind, Nonce,
        PhoneFrame, Revoke, Send, Void, Welcome,
    },
    session::{
        hub::{Circumstances, Decision, DeviceLink, HubOutput, HubSession, HubSettings, decide},
        phone::{
            HelloSnapshot, JournalLink, LinkChange, PhoneEffect, PhoneFact, PhoneSession,
            PhoneSettings,
        },
    },
};
use postrider_model::{BootMs, Key, MessageId, Now, SimSlot, UnixMs, WireState};

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
                let around = Circumstances {
                    generation: u64::from(generation),
                    overtaken,
                };
                match decide(&hello(p, shown, generation), &device_link(link), around) {
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
            };
            let mut session = HubSession::new(settings, nonce(), NOW);
            let hello = hello(usize::from(link.p), shown, generation);
            session.handle_frame(PhoneFrame::Hello(hello.clone()), NOW);
            let before = DeviceLink {
                conn: u64::from(shown.conn) - 1,
                ..device_link(link)
            };
            let around = Circumstances {
                generation: u64::from(generation),
                overtaken: false,
            };
            let Decision::Admit(admission) = decide(&hello, &before, around) else {
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

/// The hello of a phone whose journal is as shown: what the production session writes.
fn hello(p: usize, shown: &Shown, hub_generation: u8) -> Hello {
    let journal = Journal {
        conn: shown.conn - 1,
        generation: shown.generation,
        down: shown.down,
        up_acked: shown.up_acked,
        up_hi: shown.up_hi,
    };
    let mut held = vec![];
    for m in 0..MESSAGES {
        for ep in 1..=EPS as u8 {
            if let Some(claim) = claim(shown.held[m][usize::from(ep) - 1], ep) {
                held.push(HeldRow {
                    id: message(m),
                    ep: u32::from(ep),
                    state: claim.state,
                });
            }
        }
    }
    let (_, hello) = greet(journal, hub_generation, p, shown.install, held);
    hello
}

/// Drives a phone's session to its hello.
fn greet(
    journal: Journal,
    hub_generation: u8,
    p: usize,
    installed: u8,
    held: Vec<HeldRow>,
) -> (PhoneSession, Hello) {
    let settings = PhoneSettings {
        device: device(p),
        install: install(p, installed),
        host: "hub.example".to_owned(),
        boot: "boot".to_owned(),
        down_window: 50,
    };
    let restored = JournalLink {
        conn: u64::from(journal.conn),
        generation: u64::from(journal.generation),
        down: u64::from(journal.down),
        up_acked: u64::from(journal.up_acked),
        up_highest: u64::from(journal.up_hi),
    };
    let mut session = PhoneSession::new(settings, &restored);
    let snapshot = HelloSnapshot {
        held,
        ..HelloSnapshot::default()
    };
    let conn = session.connected(snapshot, NOW);
    let challenge = challenge(hub_generation, None);
    session.handle_frame(conn, HubFrame::Challenge(challenge), NOW);
    drop(commit(&mut session, &mut Welcomed::default()));
    session.signed(conn, vec![1], NOW);
    let written = commit(&mut session, &mut Welcomed::default());
    let hello = written.into_iter().find_map(|effect| match effect {
        PhoneEffect::Write {
            frame: PhoneFrame::Hello(hello),
            ..
        } => Some(hello),
        _ => None,
    });
    (session, hello.expect("a hello"))
}

fn open_phone(journal: Journal) -> PhoneSession {
    let (mut session, _) = greet(journal, journal.generation, 0, 0, vec![]);
    let welcome = Welcome {
        v: 1,
        generation: u64::from(journal.generation),
        up: u64::from(journal.up_acked),
        now: 0,
        heartbeat_s: 45,
        limit: 100,
    };
    let conn = session.conn();
    session.handle_frame(conn, HubFrame::Welcome(welcome), NOW);
    drop(commit(&mut session, &mut Welcomed::default()));
    session
}

/// Commits what the session changed, notes the facts' numbers, and returns what it does then.
fn commit(session: &mut PhoneSession, welcomed: &mut Welcomed) -> Vec<PhoneEffect> {
    while let Some(change) = session.poll_change() {
        match change {
            LinkChange::FactsAcked { up_to } if welcomed.sinks_by.is_none() => {
                welcomed.acked = up_to as u8;
                welcomed.up_acked = up_to as u8;
            }
            LinkChange::FactsAcked { up_to } => welcomed.up_acked = up_to as u8,
            LinkChange::Restarted { sinks_by, .. } => {
                welcomed.sinks_by = Some(sinks_by as u8);
                welcomed.up_acked = 0;
            }
            LinkChange::Conn(_) => welcomed.up_acked = welcomed.acked,
            LinkChange::Down(_) | LinkChange::FactStored(_) => {}
        }
    }
    session.committed(NOW);
    effects(session)
}

fn effects(session: &mut PhoneSession) -> Vec<PhoneEffect> {
    std::iter::from_fn(|| session.poll_effect()).collect()
}

fn outputs(session: &mut HubSession) -> Vec<HubOutput> {
    std::iter::from_fn(|| session.poll_output()).collect()
}

/// Drives a hub's session to its opening; returns it with the numbered frames that it wrote.
fn open_hub(shown: &Shown, link: Link, resume: Vec<Send>) -> Option<(HubSession, Vec<HubFrame>)> {
    let settings = HubSettings {
        generation: u64::from(link.generation),
        heartbeat_s: 45,
    };
    let mut session = HubSession::new(settings, nonce(), NOW);
    let hello = hello(usize::from(link.p), shown, link.generation);
    session.handle_frame(PhoneFrame::Hello(hello.clone()), NOW);
    drop(outputs(&mut session));
    let before = DeviceLink {
        conn: u64::from(shown.conn) - 1,
        ..device_link(link)
    };
    let around = Circumstances {
        generation: u64::from(link.generation),
        overtaken: false,
    };
    let Decision::Admit(admission) = decide(&hello, &before, around) else {
        return None;
    };
    session.admitted(*admission, resume, NOW);
    let written = outputs(&mut session)
        .into_iter()
        .filter_map(|output| match output {
            HubOutput::Write(frame) if frame.s().is_some() => Some(frame),
            _ => None,
        });
    let written = written.collect();
    Some((session, written))
}

fn quiet_link(up: u8) -> Link {
    Link {
        p: 0,
        install: 0,
        conn: 2,
        generation: 1,
        down_sent: 0,
        down_acked: 0,
        up,
    }
}

fn quiet_hub(down: u8, up: u8) -> Option<HubSession> {
    let shown = Shown {
        conn: 2,
        generation: 1,
        down,
        up_acked: up,
        up_hi: up,
        ..Shown::NONE
    };
    let link = Link {
        down_sent: down,
        down_acked: down,
        ..quiet_link(up)
    };
    open_hub(&shown, link, vec![]).map(|(session, _)| session)
}

fn hub_ack(outputs: &[HubOutput]) -> Option<u8> {
    outputs.iter().find_map(|output| match output {
        HubOutput::Write(HubFrame::Ack(ack)) => Some(ack.a as u8),
        _ => None,
    })
}

fn phone_ack(effects: &[PhoneEffect]) -> Option<u8> {
    effects.iter().find_map(|effect| match effect {
        PhoneEffect::Write {
            frame: PhoneFrame::Ack(ack),
            ..
        } => Some(ack.a as u8),
        _ => None,
    })
}

fn nonce() -> Nonce {
    "a-nonce-of-16-letters".parse().expect("a nonce")
}

fn challenge(generation: u8, remembers: Option<(u8, u8)>) -> Challenge {
    Challenge {
        nonce: nonce(),
        generation: u64::from(generation),
        down_sent: remembers.map(|(down, _)| u64::from(down)),
        up: remembers.map(|(_, up)| u64::from(up)),
    }
}

fn device_link(link: Link) -> DeviceLink {
    DeviceLink {
        install: install(usize::from(link.p), link.install),
        conn: u64::from(link.conn),
        generation: u64::from(link.generation),
        down_sent: u64::from(link.down_sent),
        down_acked: u64::from(link.down_acked),
        up: u64::from(link.up),
    }
}

fn small_link(link: &DeviceLink, p: usize, install: u8) -> Link {
    Link {
        p: p as u8,
        install,
        conn: link.conn as u8,
        generation: link.generation as u8,
        down_sent: link.down_sent as u8,
        down_acked: link.down_acked as u8,
        up: link.up as u8,
    }
}

impl Link {
    /// Says whether a commit that an older connection asked for is still made.
    pub fn takes_commit_of(self, conn: u8) -> bool {
        device_link(self).admits(u64::from(conn))
    }
}

fn message(m: usize) -> MessageId {
    MessageId::new(Key::new(m as i64 + 1).expect("a key"))
}

fn send(s: u64) -> Send {
    Send {
        s,
        id: message(0),
        ep: 1,
        kind: Kind::Sms,
        to: Address::new("+15005550100"),
        text: None,
        data: None,
        sim: SimSlot::default(),
        parts_max: None,
        ttl_ms: 1_000,
        report: false,
        priority: 0,
        movable: false,
        media: vec![],
    }
}

fn frame(s: u8, code: u8) -> HubFrame {
    let (s, id, ep) = (u64::from(s), message(0), 1);
    match code / 16 {
        1 => HubFrame::Send(send(s)),
        2 => HubFrame::Revoke(Revoke { s, id, ep }),
        3 => HubFrame::Cancel(Cancel { s, id, ep }),
        _ => HubFrame::Void(Void { s }),
    }
}

fn event(s: u8) -> Event {
    Event {
        s: u64::from(s),
        id: message(0),
        ep: 1,
        state: WireState::Sent,
        part: None,
        of: None,
        code: None,
        detail: None,
        partial: false,
        unsent: false,
        wall: 0,
        mono: 0,
        boot: None,
        duration_s: None,
        ring_s: None,
    }
}
