//! The limits of each decision: what is just allowed, and what is just not.

use super::*;
use crate::limits::HELD_PAGES_MAX;

fn refused(hello: &Hello, link: &DeviceLink) -> Option<CloseCode> {
    decide(hello, link, AROUND).close_code()
}

#[test]
fn a_phone_may_be_a_thousand_generations_ahead_and_no_more() {
    let ahead = |by| Hello {
        generation: AROUND.generation + by,
        ..hello()
    };
    assert_eq!(refused(&ahead(1_000), &link()), None);
    let code = Some(CloseCode::ProtocolError);
    assert_eq!(refused(&ahead(1_001), &link()), code);
}

#[test]
fn counters_that_are_just_what_the_hub_has_are_in_order() {
    let same = Hello {
        down: 9,
        up_lo: 20,
        up_hi: 20,
        ..hello()
    };
    assert_eq!(refused(&same, &link()), None);
    for down in [12, 11] {
        for up_lo in [21, 20] {
            let hello = Hello {
                down,
                up_lo,
                ..hello()
            };
            let admission = admitted(&hello, &link(), AROUND);
            assert_eq!(admission.reconcile, None, "{down} {up_lo}");
            assert_eq!(admission.raise_generation, None);
        }
    }
    let back = Some(CloseCode::JournalWentBack);
    for (down, up_hi) in [(8, 22), (7, 22), (10, 19), (10, 18)] {
        let hello = Hello {
            down,
            up_lo: 18,
            up_hi,
            ..hello()
        };
        assert_eq!(refused(&hello, &link()), back, "{down} {up_hi}");
    }
}

#[test]
fn only_a_phone_and_a_row_without_any_past_agree_without_a_generation() {
    let fresh = DeviceLink::new(install(1));
    let new = Hello {
        down: 0,
        up_lo: 1,
        up_hi: 3,
        ..hello()
    };
    let admission = admitted(&new, &fresh, AROUND);
    assert_eq!(
        (admission.reconcile, admission.raise_generation),
        (None, None)
    );
    assert_eq!(admission.link.generation, 3);
    assert!(admission.resumes);
    let rows = [
        DeviceLink {
            generation: 2,
            ..fresh.clone()
        },
        DeviceLink {
            down_sent: 1,
            ..fresh.clone()
        },
        DeviceLink {
            up: 1,
            ..fresh.clone()
        },
    ];
    for row in rows {
        let admission = admitted(&new, &row, AROUND);
        assert!(admission.reconcile.is_some(), "{row:?}");
    }
    let hellos = [
        Hello {
            down: 1,
            ..new.clone()
        },
        Hello {
            up_lo: 2,
            ..new.clone()
        },
        Hello {
            generation: 2,
            ..new.clone()
        },
    ];
    for hello in hellos {
        let admission = admitted(&hello, &fresh, AROUND);
        assert!(admission.reconcile.is_some(), "{hello:?}");
    }
}

#[test]
fn a_new_install_with_anything_of_an_old_one_is_a_journal_that_went_back() {
    let fresh = Hello {
        install: install(2),
        conn: 1,
        down: 0,
        up_lo: 1,
        up_hi: 2,
        ..hello()
    };
    assert_eq!(refused(&fresh, &link()), None);
    let row = HeldRow {
        id: MessageId::new(Key::new(1).unwrap()),
        ep: 1,
        state: WireState::OnPhone,
        proof: None,
    };
    let with_past = [
        Hello {
            down: 1,
            ..fresh.clone()
        },
        Hello {
            up_lo: 2,
            ..fresh.clone()
        },
        Hello {
            held: vec![row],
            ..fresh.clone()
        },
    ];
    for hello in with_past {
        let code = refused(&hello, &link());
        assert_eq!(code, Some(CloseCode::JournalWentBack), "{hello:?}");
    }
}

#[test]
fn a_commit_of_a_place_that_is_not_open_ends_the_connection() {
    let frame = |s| HubFrame::Void(Void { s });
    for s in [12, 14] {
        let mut session = open();
        assert_eq!(session.assign_send(), Some(13));
        session.down_committed(frame(s));
        assert!(closes(&mut session, CloseCode::Internal), "{s}");
    }
    let mut session = open();
    session.assign_send();
    session.assign_send();
    session.down_committed(frame(14));
    session.down_committed(frame(14));
    assert!(closes(&mut session, CloseCode::Internal), "twice");
    let mut session = open();
    session.assign_send();
    let bye = HubFrame::Bye(Bye {
        code: 1_001,
        retry_ms: 0,
    });
    session.down_committed(bye);
    assert!(closes(&mut session, CloseCode::Internal), "without a place");
}

#[test]
fn a_page_holds_500_rows_and_no_more() {
    let row = HeldRow {
        id: MessageId::new(Key::new(1).unwrap()),
        ep: 1,
        state: WireState::Sent,
        proof: None,
    };
    for (count, fits) in [(500, true), (501, false)] {
        let mut session = new_session();
        let ahead = Hello {
            down: 13,
            ..hello()
        };
        session.handle_frame(PhoneFrame::Hello(ahead.clone()), NOW);
        session.admitted(admitted(&ahead, &link(), AROUND), vec![], NOW);
        outputs(&mut session);
        let rows = vec![row; count];
        let last = false;
        session.handle_frame(PhoneFrame::Held(Held { rows, last }), NOW);
        let taken = matches!(outputs(&mut session)[..], [HubOutput::HeldPage { .. }]);
        assert_eq!(taken, fits, "{count}");
    }
}

#[test]
fn pages_without_an_end_or_without_rows_end_the_connection() {
    let row = HeldRow {
        id: MessageId::new(Key::new(1).unwrap()),
        ep: 1,
        state: WireState::Sent,
        proof: None,
    };
    let asked = || {
        let mut session = new_session();
        let ahead = Hello {
            down: 13,
            ..hello()
        };
        session.handle_frame(PhoneFrame::Hello(ahead.clone()), NOW);
        session.admitted(admitted(&ahead, &link(), AROUND), vec![], NOW);
        outputs(&mut session);
        session
    };
    let page = |rows| PhoneFrame::Held(Held { rows, last: false });
    let mut session = asked();
    session.handle_frame(page(vec![]), NOW);
    assert!(closes(&mut session, CloseCode::ProtocolError), "no rows");
    let mut session = asked();
    for _ in 0..HELD_PAGES_MAX {
        session.handle_frame(page(vec![row]), NOW);
    }
    assert_eq!(outputs(&mut session).len(), HELD_PAGES_MAX as usize);
    session.handle_frame(page(vec![row]), NOW);
    assert!(closes(&mut session, CloseCode::ProtocolError), "no end");
}

#[test]
fn a_page_that_stays_out_ends_the_connection_after_15_seconds() {
    let mut session = new_session();
    let ahead = Hello {
        down: 13,
        ..hello()
    };
    session.handle_frame(PhoneFrame::Hello(ahead.clone()), NOW);
    assert_eq!(session.poll_timeout(), None, "the dispatcher decides");
    let later = NOW.plus_ms(60_000);
    session.admitted(admitted(&ahead, &link(), AROUND), vec![], later);
    outputs(&mut session);
    let due = session.poll_timeout().unwrap();
    assert_eq!(due.at, later.boot.plus_ms(15_000));
    assert_eq!(due.reason, HubWake::Handshake);
    session.handle_timeout(later.plus_ms(14_999));
    assert_eq!(outputs(&mut session), []);
    session.handle_timeout(later.plus_ms(15_000));
    assert!(closes(&mut session, CloseCode::GoingAway));
}

#[test]
fn a_refused_phone_is_told_why() {
    let mut session = new_session();
    session.handle_frame(PhoneFrame::Hello(hello()), NOW);
    outputs(&mut session);
    session.refused(CloseCode::NotPaired);
    assert!(closes(&mut session, CloseCode::NotPaired));
    assert_eq!(session.conn(), None);
    assert!(!session.is_open());
}

#[test]
fn facts_are_acked_as_far_as_they_came_and_never_less() {
    let mut session = open();
    session.handle_frame(fact(21), NOW);
    session.handle_frame(fact(22), NOW);
    outputs(&mut session);
    let acked = |session: &mut HubSession, up| {
        session.facts_committed(up, NOW);
        match outputs(session)[..] {
            [HubOutput::Write(HubFrame::Ack(ack))] => (ack.a, ack.limit),
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(acked(&mut session, 21), (21, 277));
    assert_eq!(acked(&mut session, 99), (22, 278), "no more than came");
    assert_eq!(acked(&mut session, 20), (22, 278), "no less than before");
}

#[test]
fn the_phones_clock_is_learned_from_whatever_tells_it() {
    let later = NOW.plus_ms(1_000);
    let ahead = 70_000;
    let ack = PhoneFrame::Ack(Ack {
        a: 12,
        limit: 300,
        mono: ahead,
    });
    let ping = PhoneFrame::Ping(Ping {
        n: 1,
        mono: ahead,
        next_s: 45,
    });
    let pong = PhoneFrame::Pong(Pong { n: 1, mono: ahead });
    for frame in [ack, ping, pong] {
        let mut session = open();
        let clock = |session: &HubSession| session.phone_clock().unwrap().mono_at(later);
        assert_eq!(clock(&session), BootMs(51_000));
        session.handle_frame(frame.clone(), later);
        assert_eq!(clock(&session), BootMs(ahead), "{frame:?}");
    }
}

#[test]
fn an_ack_of_what_was_acked_is_told_to_nobody() {
    let mut session = open();
    for (a, told) in [(10, false), (11, true), (11, false), (12, true)] {
        let ack = Ack {
            a,
            limit: 300,
            mono: 0,
        };
        session.handle_frame(PhoneFrame::Ack(ack), NOW);
        let acked = outputs(&mut session) == [HubOutput::Acked { down: a }];
        assert_eq!(acked, told, "{a}");
        assert!(session.is_open());
    }
}
