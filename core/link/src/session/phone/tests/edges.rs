//! The limits of what a phone accepts, and what it remembers between connections.

use super::*;
use crate::frame::{Address, Kind, Send};
use postrider_model::{MessageId, SimSlot};

fn send(s: u64) -> HubFrame {
    HubFrame::Send(Send {
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
    })
}

/// A session whose hello is out.
fn greeted() -> (PhoneSession, u64) {
    let mut session = new_session();
    effects(&mut session, NOW);
    let conn = session.connected(HelloSnapshot::default(), NOW);
    session.handle_frame(conn, challenge(), NOW);
    effects(&mut session, NOW);
    session.signed(conn, vec![1], NOW);
    effects(&mut session, NOW);
    (session, conn)
}

fn hung_up(session: &mut PhoneSession) -> Option<CloseCode> {
    let code = |effect| match effect {
        PhoneEffect::Disconnect { code, .. } => Some(code),
        _ => None,
    };
    effects(session, NOW).into_iter().find_map(code)
}

#[test]
fn sends_keep_within_the_credit_and_come_out_once() {
    let (mut session, conn) = open();
    for s in 11..=20 {
        session.handle_frame(conn, send(s), NOW);
    }
    assert!(session.is_open());
    let received = std::iter::from_fn(|| session.poll_received());
    assert_eq!(received.count(), 10);
    session.handle_frame(conn, send(21), NOW);
    assert_eq!(hung_up(&mut session), Some(CloseCode::ProtocolError));
    assert_eq!(session.poll_received(), None);
}

#[test]
fn a_version_that_is_not_spoken_here_ends_the_connection() {
    for (v, spoken) in [(0, false), (1, true), (2, false)] {
        let (mut session, conn) = greeted();
        let HubFrame::Welcome(welcome) = welcome() else {
            panic!("no welcome");
        };
        let welcome = HubFrame::Welcome(Welcome { v, ..welcome });
        session.handle_frame(conn, welcome, NOW);
        let code = hung_up(&mut session);
        let expected = (!spoken).then_some(CloseCode::VersionNotSpoken);
        assert_eq!((code, session.is_open()), (expected, spoken), "{v}");
    }
}

#[test]
fn a_welcome_of_another_generation_is_a_protocol_error() {
    let (mut session, conn) = greeted();
    let HubFrame::Welcome(welcome) = welcome() else {
        panic!("no welcome");
    };
    let other = HubFrame::Welcome(Welcome {
        generation: 4,
        ..welcome
    });
    session.handle_frame(conn, other, NOW);
    assert_eq!(hung_up(&mut session), Some(CloseCode::ProtocolError));
}

#[test]
fn nothing_but_the_handshake_comes_before_welcome() {
    let ack = HubFrame::Ack(Ack {
        a: 19,
        limit: 300,
        mono: 0,
    });
    for frame in [void(11), send(11), ack, challenge()] {
        let (mut session, conn) = greeted();
        session.handle_frame(conn, frame.clone(), NOW);
        let code = hung_up(&mut session);
        assert_eq!(code, Some(CloseCode::ProtocolError), "{frame:?}");
    }
    let mut session = new_session();
    effects(&mut session, NOW);
    let conn = session.connected(HelloSnapshot::default(), NOW);
    session.handle_frame(conn, welcome(), NOW);
    assert_eq!(hung_up(&mut session), Some(CloseCode::ProtocolError));
}

#[test]
fn a_good_session_forgives_the_protocol_errors_before_it() {
    let (mut session, mut conn) = open();
    let mut now = NOW;
    for error in 1..=4 {
        session.closed(conn, Some(CloseCode::ProtocolError), now);
        let alert = PhoneEffect::Alert(PhoneAlert::ProtocolErrors);
        assert!(!effects(&mut session, now).contains(&alert), "{error}");
        session.redial_after(0, now);
        session.handle_timeout(now);
        effects(&mut session, now);
        conn = connect(&mut session, now);
        if error == 2 {
            let ping_at = now.plus_ms(45_000);
            session.handle_timeout(ping_at);
            let pong = HubFrame::Pong(Pong { n: 1, mono: 0 });
            session.handle_frame(conn, pong, ping_at);
            now = now.plus_ms(60_000);
            session.handle_timeout(now);
        }
    }
}

#[test]
fn the_next_ping_comes_one_beat_after_the_last_whenever_the_answer_came() {
    let (mut session, conn) = open();
    let first = NOW.plus_ms(45_000);
    session.handle_timeout(first);
    let answered = first.plus_ms(9_000);
    let pong = HubFrame::Pong(Pong { n: 1, mono: 0 });
    session.handle_frame(conn, pong, answered);
    session.handle_timeout(NOW.plus_ms(60_000));
    let due = session.poll_timeout().unwrap();
    assert_eq!(due.at, first.boot.plus_ms(45_000));
    assert_eq!(due.reason, PhoneWake::Ping);
}

#[test]
fn a_hubs_ping_is_answered() {
    let (mut session, conn) = open();
    let ping = crate::frame::Ping {
        n: 7,
        mono: 1,
        next_s: 45,
    };
    session.handle_frame(conn, HubFrame::Ping(ping), NOW);
    let pong = PhoneFrame::Pong(Pong {
        n: 7,
        mono: NOW.boot.0,
    });
    assert_eq!(written(&effects(&mut session, NOW)), [&pong]);
}

#[test]
fn a_fact_is_unacked_until_the_hub_says_otherwise() {
    let (mut session, conn) = open();
    assert!(!session.has_unacked());
    session.put(PhoneFact::Health(Health::default()));
    assert!(session.has_unacked());
    effects(&mut session, NOW);
    let ack = HubFrame::Ack(Ack {
        a: 20,
        limit: 300,
        mono: 0,
    });
    session.handle_frame(conn, ack.clone(), NOW);
    assert!(!session.has_unacked());
    let acked = LinkChange::FactsAcked { up_to: 20 };
    assert_eq!(session.poll_change(), Some(acked));
    session.handle_frame(conn, ack, NOW);
    assert_eq!(session.poll_change(), None, "it says nothing new");
}

#[test]
fn a_welcome_acks_what_the_hub_has_and_nothing_where_that_is_known() {
    for (up, acks) in [(19, false), (20, true)] {
        let mut session = new_session();
        session.put(PhoneFact::Health(Health::default()));
        effects(&mut session, NOW);
        let conn = session.connected(HelloSnapshot::default(), NOW);
        session.handle_frame(conn, challenge(), NOW);
        effects(&mut session, NOW);
        session.signed(conn, vec![1], NOW);
        let HubFrame::Welcome(welcome) = welcome() else {
            panic!("no welcome");
        };
        session.handle_frame(conn, HubFrame::Welcome(Welcome { up, ..welcome }), NOW);
        let acked = LinkChange::FactsAcked { up_to: 20 };
        let changes: Vec<_> = std::iter::from_fn(|| session.poll_change()).collect();
        assert_eq!(changes.contains(&acked), acks);
        assert_eq!(changes.len(), usize::from(acks));
        session.committed(NOW);
        let loads = std::iter::from_fn(|| session.poll_effect())
            .any(|effect| matches!(effect, PhoneEffect::LoadFacts(range) if range.above == 19));
        assert_eq!(loads, !acks);
    }
}

#[test]
fn facts_that_were_loaded_are_written_in_their_order() {
    let mut session = new_session();
    session.put(PhoneFact::Health(Health::default()));
    effects(&mut session, NOW);
    connect(&mut session, NOW);
    let fact = |s| {
        PhoneFact::Health(Health {
            s,
            ..Health::default()
        })
    };
    session.facts_loaded(vec![fact(20)]);
    let places: Vec<_> = written(&effects(&mut session, NOW))
        .iter()
        .map(|frame| frame.s())
        .collect();
    assert_eq!(places, [Some(20)]);
}

#[test]
fn a_phone_that_leaves_for_good_says_that_it_is_not_paired() {
    let (mut session, conn) = open();
    session.leave_for_good(NOW);
    let code = CloseCode::NotPaired;
    let bye = PhoneFrame::Bye(crate::frame::Bye {
        code: code.code(),
        retry_ms: 0,
    });
    assert_eq!(
        effects(&mut session, NOW),
        [
            PhoneEffect::Write { conn, frame: bye },
            PhoneEffect::Disconnect { conn, code },
        ]
    );
    session.network_changed();
    assert_eq!(effects(&mut session, NOW), []);
}

#[test]
fn after_the_counters_start_over_the_next_frame_is_the_first_and_is_acked() {
    let (mut session, conn) = greeted();
    let asks = |down, up| {
        HubFrame::Challenge(Challenge {
            nonce: "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap(),
            generation: 4,
            down_sent: Some(down),
            up: Some(up),
        })
    };
    session.handle_frame(conn, asks(10, 19), NOW);
    let asked = effects(&mut session, NOW);
    let load = PhoneEffect::LoadHeld { down: 10, up: 19 };
    assert_eq!(asked, [PhoneEffect::UploadInboundAgain, load]);
    session.held_loaded(&[], NOW);
    let page = effects(&mut session, NOW);
    assert!(matches!(written(&page)[..], [PhoneFrame::Held(held)] if held.last));
    let HubFrame::Welcome(welcome) = welcome() else {
        panic!("no welcome");
    };
    let over = HubFrame::Welcome(Welcome {
        generation: 4,
        up: 0,
        limit: 256,
        ..welcome
    });
    session.handle_frame(conn, over, NOW);
    let restarted = LinkChange::Restarted {
        generation: 4,
        sinks_by: 19,
    };
    assert_eq!(session.poll_change(), Some(restarted));
    session.committed(NOW);
    while session.poll_effect().is_some() {}
    session.handle_frame(conn, void(1), NOW);
    let effects = effects(&mut session, NOW);
    let ack = PhoneFrame::Ack(Ack {
        a: 1,
        limit: 11,
        mono: NOW.boot.0,
    });
    assert_eq!(written(&effects), [&ack]);
}

#[test]
fn held_rows_are_written_in_pages_of_500() {
    let row = HeldRow {
        id: MessageId::new(Key::new(1).unwrap()),
        ep: 1,
        state: postrider_model::WireState::Sent,
        proof: None,
    };
    let (mut session, conn) = greeted();
    let again = HubFrame::Challenge(Challenge {
        nonce: "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap(),
        generation: 4,
        down_sent: Some(0),
        up: Some(0),
    });
    session.handle_frame(conn, again, NOW);
    effects(&mut session, NOW);
    session.held_loaded(&vec![row; 1_001], NOW);
    let effects = effects(&mut session, NOW);
    let pages: Vec<_> = written(&effects)
        .iter()
        .map(|frame| match frame {
            PhoneFrame::Held(held) => (held.rows.len(), held.last),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(pages, [(500, false), (500, false), (1, true)]);
}

#[test]
fn each_numbered_frame_comes_out_once_and_a_void_never() {
    let id = MessageId::new(Key::new(1).unwrap());
    let revoke = Revoke { s: 11, id, ep: 1 };
    let cancel = Cancel { s: 12, id, ep: 1 };
    let config = Config {
        s: 13,
        ..Config::default()
    };
    let HubFrame::Send(send) = send(15) else {
        panic!("no send");
    };
    let (mut session, conn) = open();
    for frame in [
        HubFrame::Revoke(revoke),
        HubFrame::Cancel(cancel),
        HubFrame::Config(config.clone()),
        void(14),
        HubFrame::Send(send.clone()),
    ] {
        session.handle_frame(conn, frame, NOW);
    }
    let received: Vec<_> = std::iter::from_fn(|| session.poll_received()).collect();
    assert_eq!(
        received,
        [
            Received::Revoke(revoke),
            Received::Cancel(cancel),
            Received::Config(config),
            Received::Send(send),
        ]
    );
}
