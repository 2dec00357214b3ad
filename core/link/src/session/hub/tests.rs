//! The hub's decisions about hello, and its end of a connection.

mod edges;
mod hello;

use super::*;
use crate::frame::{Address, Kind};
use crate::frame::{Bytes, Health, Held, Hello, InstallId, Send, Unknown, Void};
use postrider_model::{DeviceId, Key, MessageId, SimSlot, WireState};

const NOW: Now = Now::new(1_000_000, 1_700_000_000_000);
const AROUND: Circumstances = Circumstances {
    generation: 3,
    own_generation: 0,
    overtaken: false,
    install_is_lost: false,
};

fn install(n: u8) -> InstallId {
    format!("install-0000-000{n}").parse().unwrap()
}

/// The row of a phone that was connected four times.
fn link() -> DeviceLink {
    DeviceLink {
        install: install(1),
        conn: 4,
        generation: 3,
        down_sent: 12,
        down_acked: 9,
        up: 20,
    }
}

/// A hello that fits the row: it lacks places 11 and 12 and has facts 21 and 22 to tell.
fn hello() -> Hello {
    Hello {
        v: (1, 1),
        features: vec![],
        phone: DeviceId::new(Key::new(1).unwrap()),
        install: install(1),
        conn: 5,
        sig: Bytes::default(),
        generation: 3,
        down: 10,
        up_lo: 20,
        up_hi: 22,
        limit: 14,
        boot: "boot-1".into(),
        wall: 1_600_000_000_000,
        mono: 50_000,
        sims: vec![],
        held: vec![],
    }
}

fn admitted(hello: &Hello, link: &DeviceLink, around: Circumstances) -> Admission {
    match decide(hello, link, around) {
        Decision::Admit(admission) => *admission,
        other => panic!("{other:?}"),
    }
}

fn new_session() -> HubSession {
    let settings = HubSettings {
        generation: 3,
        heartbeat_s: 45,
        hub: None,
    };
    let nonce = "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap();
    HubSession::new(settings, nonce, NOW)
}

fn outputs(session: &mut HubSession) -> Vec<HubOutput> {
    std::iter::from_fn(|| session.poll_output()).collect()
}

fn send(s: u64) -> Send {
    Send {
        s,
        id: MessageId::new(Key::new(1).unwrap()),
        ep: 1,
        proof: None,
        kind: Kind::Sms,
        to: Address::new("+15005550001"),
        text: None,
        data: None,
        sim: SimSlot::default(),
        parts_max: None,
        ttl_ms: 1,
        report: false,
        priority: 1,
        movable: false,
        media: vec![],
    }
}

/// A session that is open; places 11 and 12 were resumed.
fn open() -> HubSession {
    let mut session = new_session();
    session.handle_frame(PhoneFrame::Hello(hello()), NOW);
    let admission = admitted(&hello(), &link(), AROUND);
    session.admitted(admission, vec![send(12)], NOW);
    outputs(&mut session);
    session
}

fn fact(s: u64) -> PhoneFrame {
    PhoneFrame::Health(Health {
        s,
        ..Health::default()
    })
}

fn closes(session: &mut HubSession, code: CloseCode) -> bool {
    outputs(session) == [HubOutput::Close(code)]
}

#[test]
fn what_is_no_longer_wanted_is_resumed_as_void() {
    let mut session = new_session();
    outputs(&mut session);
    session.handle_frame(PhoneFrame::Hello(hello()), NOW);
    assert!(matches!(
        outputs(&mut session)[..],
        [HubOutput::Identify(_)]
    ));
    let admission = admitted(&hello(), &link(), AROUND);
    session.admitted(admission, vec![send(12)], NOW);
    let written = outputs(&mut session);
    let HubOutput::Write(HubFrame::Welcome(welcome)) = written[0] else {
        panic!("{written:?}");
    };
    assert_eq!((welcome.up, welcome.limit), (20, 276));
    assert_eq!(
        written[1..],
        [
            HubOutput::Write(HubFrame::Void(Void { s: 11 })),
            HubOutput::Write(HubFrame::Send(send(12))),
        ]
    );
}

#[test]
fn a_gap_in_the_facts_is_a_protocol_error_and_a_repeat_is_nothing() {
    let mut session = open();
    session.handle_frame(fact(20), NOW);
    assert_eq!(outputs(&mut session), []);
    session.handle_frame(fact(21), NOW);
    assert_eq!(outputs(&mut session), [HubOutput::Fact(fact(21))]);
    session.handle_frame(fact(23), NOW);
    assert!(closes(&mut session, CloseCode::ProtocolError));
}

#[test]
fn more_than_256_facts_without_an_ack_are_a_protocol_error() {
    let mut session = open();
    for s in 21..=276 {
        session.handle_frame(fact(s), NOW);
    }
    assert_eq!(outputs(&mut session).len(), 256);
    session.handle_frame(fact(277), NOW);
    assert!(closes(&mut session, CloseCode::ProtocolError));
}

#[test]
fn an_unknown_frame_with_a_place_is_counted_and_acked() {
    let mut session = open();
    let unknown = PhoneFrame::Unknown(Unknown {
        t: "later".into(),
        s: Some(21),
    });
    session.handle_frame(unknown.clone(), NOW);
    assert_eq!(outputs(&mut session), [HubOutput::Fact(unknown)]);
    session.facts_committed(21, NOW);
    let ack = Ack {
        a: 21,
        limit: 277,
        mono: NOW.boot.0,
    };
    assert_eq!(
        outputs(&mut session),
        [HubOutput::Write(HubFrame::Ack(ack))]
    );
}

#[test]
fn the_credit_counts_sends_and_lets_control_frames_exceed_it_by_256() {
    let mut session = open();
    assert_eq!(session.send_credit(), 2);
    assert_eq!(session.assign_send(), Some(13));
    assert_eq!(session.assign_send(), Some(14));
    assert_eq!(session.assign_send(), None);
    let control = std::iter::from_fn(|| session.assign_control());
    assert_eq!(control.count(), 256);
    let ack = Ack {
        a: 12,
        limit: 300,
        mono: 0,
    };
    session.handle_frame(PhoneFrame::Ack(ack), NOW);
    assert_eq!(outputs(&mut session), [HubOutput::Acked { down: 12 }]);
    assert_eq!(session.assign_send(), Some(271));
    let less = Ack { limit: 1, ..ack };
    session.handle_frame(PhoneFrame::Ack(less), NOW);
    assert_eq!(session.assign_send(), Some(272), "credit never shrinks");
}

#[test]
fn frames_are_written_in_the_order_of_their_places_however_commits_end() {
    let mut session = open();
    session.assign_send();
    session.assign_send();
    session.down_committed(HubFrame::Send(send(14)));
    assert_eq!(outputs(&mut session), []);
    session.down_committed(HubFrame::Void(Void { s: 13 }));
    assert_eq!(
        outputs(&mut session),
        [
            HubOutput::Write(HubFrame::Void(Void { s: 13 })),
            HubOutput::Write(HubFrame::Send(send(14))),
        ]
    );
}

#[test]
fn an_ack_of_what_was_not_written_is_a_protocol_error() {
    let mut session = open();
    session.assign_send();
    let ack = Ack {
        a: 13,
        limit: 300,
        mono: 0,
    };
    session.handle_frame(PhoneFrame::Ack(ack), NOW);
    assert!(closes(&mut session, CloseCode::ProtocolError));
}

#[test]
fn a_phone_is_offline_after_twice_the_announced_time_and_15_seconds() {
    let mut session = open();
    let ping = Ping {
        n: 1,
        mono: 51_000,
        next_s: 100,
    };
    session.handle_frame(PhoneFrame::Ping(ping), NOW);
    let pong = Pong {
        n: 1,
        mono: NOW.boot.0,
    };
    assert_eq!(
        outputs(&mut session),
        [HubOutput::Write(HubFrame::Pong(pong))]
    );
    let due = session.poll_timeout().unwrap();
    assert_eq!(due.at, NOW.boot.plus_ms(215_000));
    assert_eq!(due.reason, HubWake::Silence);
    session.handle_timeout(NOW.plus_ms(214_999));
    assert_eq!(outputs(&mut session), []);
    session.handle_timeout(NOW.plus_ms(215_000));
    assert!(closes(&mut session, CloseCode::GoingAway));
    assert_eq!(session.poll_timeout(), None);
}

#[test]
fn a_socket_without_a_hello_is_closed() {
    let mut session = new_session();
    outputs(&mut session);
    session.handle_timeout(NOW.plus_ms(15_000));
    assert!(closes(&mut session, CloseCode::GoingAway));
}

#[test]
fn nothing_wins_a_stranger_time_or_an_answer_before_its_hello() {
    let ping = PhoneFrame::Ping(Ping {
        n: 1,
        mono: 80,
        next_s: 240,
    });
    let pong = PhoneFrame::Pong(Pong { n: 1, mono: 80 });
    let unknown = crate::codec::decode_phone(br#"{"t":"of a later version"}"#).unwrap();
    let mut session = new_session();
    outputs(&mut session);
    for after_ms in (0..15_000).step_by(1_000) {
        for frame in [&ping, &pong, &unknown] {
            session.handle_frame(frame.clone(), NOW.plus_ms(after_ms));
        }
        session.handle_timeout(NOW.plus_ms(after_ms));
        assert_eq!(outputs(&mut session), [], "{after_ms}");
    }
    session.handle_timeout(NOW.plus_ms(15_000));
    assert!(closes(&mut session, CloseCode::GoingAway));
}

#[test]
fn a_ping_is_not_answered_while_its_hello_is_being_decided() {
    let mut session = new_session();
    session.handle_frame(PhoneFrame::Hello(hello()), NOW);
    outputs(&mut session);
    let ping = Ping {
        n: 1,
        mono: 80,
        next_s: 45,
    };
    session.handle_frame(PhoneFrame::Ping(ping), NOW);
    assert_eq!(outputs(&mut session), []);
}

#[test]
fn what_a_connection_spent_before_it_was_a_link_counts() {
    let mut session = new_session().opened_at(BootMs(NOW.boot.0 - 9_000));
    outputs(&mut session);
    session.handle_timeout(NOW.plus_ms(5_999));
    assert_eq!(outputs(&mut session), []);
    session.handle_timeout(NOW.plus_ms(6_000));
    assert!(closes(&mut session, CloseCode::GoingAway));
}

#[test]
fn nothing_but_hello_comes_first_and_only_once() {
    for frame in [fact(1), PhoneFrame::Hello(hello())] {
        let mut session = new_session();
        outputs(&mut session);
        if matches!(frame, PhoneFrame::Hello(_)) {
            session.handle_frame(frame.clone(), NOW);
            outputs(&mut session);
        }
        session.handle_frame(frame, NOW);
        assert!(closes(&mut session, CloseCode::ProtocolError));
    }
}

#[test]
fn held_pages_come_only_when_asked_for() {
    let mut session = open();
    let held = Held {
        rows: vec![],
        last: true,
    };
    session.handle_frame(PhoneFrame::Held(held), NOW);
    assert!(closes(&mut session, CloseCode::ProtocolError));
}

#[test]
fn a_drained_session_exposes_nothing_and_still_takes_facts() {
    let mut session = open();
    session.drain(7_000, NOW);
    let bye = Bye {
        code: 1_001,
        retry_ms: 7_000,
    };
    assert_eq!(
        outputs(&mut session),
        [HubOutput::Write(HubFrame::Bye(bye))]
    );
    assert!(!session.is_open());
    assert_eq!((session.assign_send(), session.send_credit()), (None, 0));
    session.handle_frame(fact(21), NOW);
    assert_eq!(outputs(&mut session), [HubOutput::Fact(fact(21))]);
    session.handle_timeout(NOW.plus_ms(5_000));
    assert!(closes(&mut session, CloseCode::GoingAway));
}

#[test]
fn a_phone_that_says_it_is_unpaired_is_taken_out_of_service_after_its_last_facts() {
    let bye = |code| PhoneFrame::Bye(Bye { code, retry_ms: 0 });
    let mut session = open();
    session.handle_frame(fact(21), NOW);
    session.handle_frame(bye(4_403), NOW);
    assert_eq!(
        outputs(&mut session),
        [
            HubOutput::Fact(fact(21)),
            HubOutput::Unpaired,
            HubOutput::Close(CloseCode::NotPaired),
        ]
    );
    session.handle_frame(bye(4_403), NOW);
    assert_eq!(outputs(&mut session), []);
    let mut drained = open();
    drained.drain(7_000, NOW);
    outputs(&mut drained);
    drained.handle_frame(bye(4_403), NOW);
    assert_eq!(outputs(&mut drained)[0], HubOutput::Unpaired);
    let mut leaves = open();
    leaves.handle_frame(bye(1_001), NOW);
    assert!(closes(&mut leaves, CloseCode::GoingAway));
    let mut stranger = new_session();
    stranger.handle_frame(bye(4_403), NOW);
    assert!(closes(&mut stranger, CloseCode::GoingAway));
}

#[test]
fn after_its_close_a_session_says_nothing() {
    let mut session = open();
    session.close(CloseCode::Replaced);
    session.close(CloseCode::Internal);
    assert!(closes(&mut session, CloseCode::Replaced));
    session.handle_frame(fact(21), NOW);
    session.handle_frame(PhoneFrame::Hello(hello()), NOW);
    session.facts_committed(21, NOW);
    session.drain(0, NOW);
    assert_eq!(outputs(&mut session), []);
}

#[test]
fn a_frame_that_cannot_be_read_closes_with_its_code() {
    let mut session = open();
    session.handle_malformed(DecodeError::MustUnderstand);
    assert!(closes(&mut session, CloseCode::NeedsNewerApp));
}

#[test]
fn the_pages_of_a_reconciliation_end_in_a_welcome_with_new_counters() {
    let mut session = new_session();
    outputs(&mut session);
    let ahead = Hello {
        down: 13,
        ..hello()
    };
    session.handle_frame(PhoneFrame::Hello(ahead.clone()), NOW);
    outputs(&mut session);
    session.admitted(admitted(&ahead, &link(), AROUND), vec![], NOW);
    let challenge = outputs(&mut session).remove(0);
    let HubOutput::Write(HubFrame::Challenge(challenge)) = challenge else {
        panic!("{challenge:?}");
    };
    assert_eq!((challenge.generation, challenge.down_sent), (4, Some(12)));
    let row = HeldRow {
        id: MessageId::new(Key::new(1).unwrap()),
        ep: 1,
        state: WireState::Sent,
        proof: None,
    };
    for last in [false, true] {
        let rows = vec![row];
        session.handle_frame(PhoneFrame::Held(Held { rows, last }), NOW);
    }
    let pages = outputs(&mut session);
    let page = HubOutput::HeldPage { rows: vec![row] };
    let HubOutput::Reconciled { link, restarts } = &pages[2] else {
        panic!("{pages:?}");
    };
    assert_eq!(pages[..2], [page.clone(), page]);
    assert_eq!((link.generation, link.down_sent, link.up), (4, 0, 0));
    assert!(restarts);
    session.reconciled(vec![], NOW);
    let welcome = outputs(&mut session).remove(0);
    assert!(matches!(
        welcome,
        HubOutput::Write(HubFrame::Welcome(welcome)) if welcome.generation == 4
    ));
    assert_eq!(session.send_credit(), 1, "14 - 13, in the new numbering");
    assert_eq!(session.conn(), Some(5));
}
