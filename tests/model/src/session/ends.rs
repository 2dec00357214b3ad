//! Both ends of a link, brought to where a question is; and small numbers as frames and rows.

use crate::{
    held::rows,
    production::{device, install},
    world::Hello as Shown,
};
use postrider_link::{
    dispatch::{
        hello::{Service, decide},
        newest::{Fence, Newest},
    },
    frame::{
        Address, Cancel, Challenge, Event, HeldRow, Hello, HubFrame, Kind, Nonce, PhoneFrame,
        Revoke, Send, Void, Welcome,
    },
    session::{
        hub::{Circumstances, Decision, DeviceLink, HubOutput, HubSession, HubSettings},
        phone::{HelloSnapshot, JournalLink, LinkChange, PhoneEffect, PhoneSession, PhoneSettings},
    },
};
use postrider_model::{BootMs, Key, MessageId, SimSlot, WireState};

use super::{Journal, Link, NOW, Welcomed};

/// The hello of a phone whose journal is as shown: what the production session writes.
pub(super) fn hello(p: usize, shown: &Shown, hub_generation: u8) -> Hello {
    let journal = Journal {
        conn: shown.conn - 1,
        generation: shown.generation,
        down: shown.down,
        up_acked: shown.up_acked,
        up_hi: shown.up_hi,
    };
    let (_, hello) = greet(journal, hub_generation, p, shown.install, rows(shown));
    hello
}

/// Returns what the hub decides about a hello. A `late` one was on its way when a newer connection was
/// admitted, by any process; else the newer one was known when the hello's socket was accepted.
pub(super) fn asked(hello: &Hello, row: &DeviceLink, generation: u8, late: bool) -> Decision {
    let (accepted_at, read_at) = (BootMs(2), if late { BootMs(3) } else { BootMs(1) });
    let (mut known, newest) = (Newest::<()>::default(), Fence::of(hello.phone, row));
    known.learn(&newest, read_at);
    let around = Circumstances {
        generation: u64::from(generation),
        own_generation: 0,
        overtaken: known.has_overtaken(&newest, accepted_at),
        install_is_lost: false,
    };
    decide(hello, Service::Open, row, 0, around)
}

/// Drives a phone's session to its hello.
pub(super) fn greet(
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
        hub: None,
        boot: "boot".to_owned(),
        down_window: 50,
    };
    let restored = JournalLink {
        conn: u64::from(journal.conn),
        generation: u64::from(journal.generation),
        down: u64::from(journal.down),
        up_acked: u64::from(journal.up_acked),
        up_highest: u64::from(journal.up_hi),
        hub: None,
        not_known: false,
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

pub(super) fn open_phone(journal: Journal) -> PhoneSession {
    let (mut session, _) = greet(journal, journal.generation, 0, 0, vec![]);
    let welcome = Welcome {
        v: 1,
        generation: u64::from(journal.generation),
        up: u64::from(journal.up_acked),
        now: 0,
        heartbeat_s: 45,
        limit: 100,
        hub: None,
    };
    let conn = session.conn();
    session.handle_frame(conn, HubFrame::Welcome(welcome), NOW);
    drop(commit(&mut session, &mut Welcomed::default()));
    session
}

/// Commits what the session changed, notes the facts' numbers, and returns what it does then.
pub(super) fn commit(session: &mut PhoneSession, welcomed: &mut Welcomed) -> Vec<PhoneEffect> {
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
            LinkChange::Down(_)
            | LinkChange::FactStored(_)
            | LinkChange::HubLearned(_)
            | LinkChange::NotKnown(_) => {}
        }
    }
    session.committed(NOW);
    effects(session)
}

pub(super) fn effects(session: &mut PhoneSession) -> Vec<PhoneEffect> {
    std::iter::from_fn(|| session.poll_effect()).collect()
}

pub(super) fn outputs(session: &mut HubSession) -> Vec<HubOutput> {
    std::iter::from_fn(|| session.poll_output()).collect()
}

/// Drives a hub's session to its opening; returns it with the numbered frames that it wrote.
pub(super) fn open_hub(
    shown: &Shown,
    link: Link,
    resume: Vec<Send>,
) -> Option<(HubSession, Vec<HubFrame>)> {
    let settings = HubSettings {
        generation: u64::from(link.generation),
        heartbeat_s: 45,
        hub: None,
    };
    let mut session = HubSession::new(settings, nonce(), NOW);
    let hello = hello(usize::from(link.p), shown, link.generation);
    session.handle_frame(PhoneFrame::Hello(hello.clone()), NOW);
    drop(outputs(&mut session));
    let before = DeviceLink {
        conn: u64::from(shown.conn) - 1,
        ..device_link(link)
    };
    let Decision::Admit(admission) = asked(&hello, &before, link.generation, false) else {
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

pub(super) fn quiet_link(up: u8) -> Link {
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

pub(super) fn quiet_hub(down: u8, up: u8) -> Option<HubSession> {
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

pub(super) fn hub_ack(outputs: &[HubOutput]) -> Option<u8> {
    outputs.iter().find_map(|output| match output {
        HubOutput::Write(HubFrame::Ack(ack)) => Some(ack.a as u8),
        _ => None,
    })
}

pub(super) fn phone_ack(effects: &[PhoneEffect]) -> Option<u8> {
    effects.iter().find_map(|effect| match effect {
        PhoneEffect::Write {
            frame: PhoneFrame::Ack(ack),
            ..
        } => Some(ack.a as u8),
        _ => None,
    })
}

pub(super) fn nonce() -> Nonce {
    "a-nonce-of-16-letters".parse().expect("a nonce")
}

pub(super) fn challenge(generation: u8, remembers: Option<(u8, u8)>) -> Challenge {
    Challenge {
        nonce: nonce(),
        generation: u64::from(generation),
        down_sent: remembers.map(|(down, _)| u64::from(down)),
        up: remembers.map(|(_, up)| u64::from(up)),
    }
}

pub(super) fn device_link(link: Link) -> DeviceLink {
    DeviceLink {
        install: install(usize::from(link.p), link.install),
        conn: u64::from(link.conn),
        generation: u64::from(link.generation),
        down_sent: u64::from(link.down_sent),
        down_acked: u64::from(link.down_acked),
        up: u64::from(link.up),
    }
}

pub(super) fn small_link(link: &DeviceLink, p: usize, install: u8) -> Link {
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

pub(crate) fn message(m: usize) -> MessageId {
    MessageId::new(Key::new(m as i64 + 1).expect("a key"))
}

pub(crate) fn send(s: u64) -> Send {
    Send {
        s,
        id: message(0),
        ep: 1,
        proof: None,
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

pub(super) fn frame(s: u8, code: u8) -> HubFrame {
    let (s, id, ep) = (u64::from(s), message(0), 1);
    match code / 16 {
        1 => HubFrame::Send(send(s)),
        2 => HubFrame::Revoke(Revoke { s, id, ep }),
        3 => HubFrame::Cancel(Cancel { s, id, ep }),
        _ => HubFrame::Void(Void { s }),
    }
}

pub(super) fn event(s: u8) -> Event {
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
