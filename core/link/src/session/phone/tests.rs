//! The phone's end: what each close means, and what waits for a commit.

mod edges;

use super::*;
use crate::frame::{Ack, Challenge, Health, HubFrame, Pong, Unknown, Void, Welcome};
use postrider_model::Key;

const NOW: Now = Now::new(1_000_000, 1_700_000_000_000);

fn settings() -> PhoneSettings {
    PhoneSettings {
        device: DeviceId::new(Key::new(1).unwrap()),
        install: "install-0000-0001".parse().unwrap(),
        host: "hub.example".into(),
        hub: None,
        boot: "boot-1".into(),
        down_window: 10,
    }
}

fn journal() -> JournalLink {
    JournalLink {
        conn: 4,
        generation: 3,
        down: 10,
        up_acked: 19,
        up_highest: 19,
        hub: None,
        not_known: false,
    }
}

fn new_session() -> PhoneSession {
    PhoneSession::new(settings(), &journal())
}

/// Commits everything and returns what came out.
fn effects(session: &mut PhoneSession, now: Now) -> Vec<PhoneEffect> {
    while session.poll_change().is_some() {}
    session.committed(now);
    std::iter::from_fn(|| session.poll_effect()).collect()
}

fn challenge() -> HubFrame {
    HubFrame::Challenge(Challenge {
        nonce: "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap(),
        generation: 3,
        down_sent: None,
        up: None,
    })
}

fn welcome() -> HubFrame {
    HubFrame::Welcome(Welcome {
        v: 1,
        generation: 3,
        up: 19,
        now: 0,
        heartbeat_s: 45,
        limit: 275,
        hub: None,
    })
}

fn connect(session: &mut PhoneSession, now: Now) -> u64 {
    let conn = session.connected(HelloSnapshot::default(), now);
    session.handle_frame(conn, challenge(), now);
    effects(session, now);
    session.signed(conn, vec![1], now);
    session.handle_frame(conn, welcome(), now);
    effects(session, now);
    assert!(session.is_open());
    conn
}

fn open() -> (PhoneSession, u64) {
    let mut session = new_session();
    effects(&mut session, NOW);
    let conn = connect(&mut session, NOW);
    (session, conn)
}

fn void(s: u64) -> HubFrame {
    HubFrame::Void(Void { s })
}

fn written(effects: &[PhoneEffect]) -> Vec<&PhoneFrame> {
    let frame = |effect: &PhoneEffect| matches!(effect, PhoneEffect::Write { .. });
    let writes = effects.iter().filter(|effect| frame(effect));
    writes
        .filter_map(|effect| match effect {
            PhoneEffect::Write { frame, .. } => Some(frame),
            _ => None,
        })
        .collect()
}

#[test]
fn it_dials_when_it_starts() {
    let mut session = new_session();
    assert_eq!(effects(&mut session, NOW), [PhoneEffect::Dial]);
}

#[test]
fn hello_waits_for_the_commit_of_its_connections_number() {
    let mut session = new_session();
    effects(&mut session, NOW);
    let conn = session.connected(HelloSnapshot::default(), NOW);
    session.handle_frame(conn, challenge(), NOW);
    assert_eq!(session.poll_effect(), None, "not even signed before");
    assert_eq!(session.poll_change(), Some(LinkChange::Conn(5)));
    session.committed(NOW);
    assert!(matches!(
        session.poll_effect(),
        Some(PhoneEffect::Sign { conn: 5, .. })
    ));
    session.signed(conn, vec![1], NOW);
    let effects = effects(&mut session, NOW);
    let [PhoneFrame::Hello(hello)] = written(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!((hello.down, hello.limit), (10, 20));
    assert_eq!((hello.up_lo, hello.up_hi), (20, 19));
}

#[test]
fn an_ack_leaves_only_after_the_commit() {
    let (mut session, conn) = open();
    session.handle_frame(conn, void(11), NOW);
    assert_eq!(session.poll_effect(), None);
    assert_eq!(session.poll_change(), Some(LinkChange::Down(11)));
    assert_eq!(session.poll_effect(), None);
    session.committed(NOW);
    let ack = PhoneFrame::Ack(Ack {
        a: 11,
        limit: 21,
        mono: NOW.boot.0,
    });
    assert_eq!(
        session.poll_effect(),
        Some(PhoneEffect::Write { conn, frame: ack })
    );
}

#[test]
fn an_ack_covers_only_what_the_commit_did() {
    let (mut session, conn) = open();
    session.handle_frame(conn, void(11), NOW);
    session.poll_change();
    session.handle_frame(conn, void(12), NOW);
    session.committed(NOW);
    assert_eq!(session.poll_effect(), None, "queued behind place 12");
    session.poll_change();
    session.committed(NOW);
    let acks: Vec<_> = std::iter::from_fn(|| session.poll_effect())
        .filter_map(|effect| match effect {
            PhoneEffect::Write {
                frame: PhoneFrame::Ack(ack),
                ..
            } => Some(ack.a),
            _ => None,
        })
        .collect();
    assert_eq!(acks, [11, 12]);
}

#[test]
fn a_fact_gets_its_place_at_once_and_leaves_only_after_the_commit() {
    let (mut session, _) = open();
    let fact = PhoneFact::Health(Health::default());
    assert_eq!(session.put(fact), 20);
    assert_eq!(session.poll_effect(), None);
    let effects = effects(&mut session, NOW);
    assert_eq!(written(&effects)[0].s(), Some(20));
}

#[test]
fn a_repeat_is_dropped_and_a_gap_is_a_protocol_error() {
    let (mut session, conn) = open();
    session.handle_frame(conn, void(10), NOW);
    assert_eq!(session.poll_change(), None);
    assert!(session.is_open(), "a repeat is no error");
    session.handle_frame(conn, void(12), NOW);
    assert_eq!(
        effects(&mut session, NOW),
        [
            PhoneEffect::Disconnect {
                conn,
                code: CloseCode::ProtocolError
            },
            PhoneEffect::PlanRedial(RedialPace::Away),
        ]
    );
}

#[test]
fn an_unknown_frame_with_a_place_is_counted() {
    let (mut session, conn) = open();
    let unknown = Unknown {
        t: "later".into(),
        s: Some(11),
    };
    session.handle_frame(conn, HubFrame::Unknown(unknown), NOW);
    assert_eq!(session.poll_change(), Some(LinkChange::Down(11)));
    assert_eq!(session.poll_received(), None);
}

#[test]
fn frames_of_an_older_connection_are_dropped() {
    let (mut session, old) = open();
    session.network_changed();
    effects(&mut session, NOW);
    let conn = connect(&mut session, NOW);
    session.handle_frame(old, void(11), NOW);
    session.closed(old, Some(CloseCode::NotPaired), NOW);
    assert_eq!(session.poll_change(), None);
    assert!(session.is_open() && session.conn() == conn);
}

#[test]
fn more_than_the_credit_is_a_protocol_error() {
    let (mut session, conn) = open();
    for s in 11..=10 + 10 + 256 {
        session.handle_frame(conn, void(s), NOW);
    }
    assert!(session.is_open(), "control frames may exceed it by 256");
    session.handle_frame(conn, void(10 + 10 + 257), NOW);
    assert!(!session.is_open());
}

#[test]
fn an_ack_of_a_fact_that_was_not_written_is_a_protocol_error() {
    let (mut session, conn) = open();
    let ack = Ack {
        a: 20,
        limit: 300,
        mono: 0,
    };
    session.handle_frame(conn, HubFrame::Ack(ack), NOW);
    assert!(!session.is_open());
}

#[test]
fn what_each_close_means() {
    let after = |code| {
        let (mut session, conn) = open();
        session.closed(conn, code, NOW);
        (effects(&mut session, NOW), session.poll_timeout())
    };
    let redials = [PhoneEffect::PlanRedial(RedialPace::Away)];
    for code in [
        None,
        Some(CloseCode::GoingAway),
        Some(CloseCode::Internal),
        Some(CloseCode::ProtocolError),
    ] {
        assert_eq!(after(code).0, redials, "{code:?}");
    }
    let replaced = [
        PhoneEffect::Alert(PhoneAlert::Replaced),
        PhoneEffect::PlanRedial(RedialPace::Away),
    ];
    assert_eq!(after(Some(CloseCode::Replaced)).0, replaced);
    let not_known = [
        PhoneEffect::Alert(PhoneAlert::NotKnown),
        PhoneEffect::PlanRedial(RedialPace::NotKnown),
    ];
    assert_eq!(after(Some(CloseCode::NotKnown)).0, not_known);
    for (code, why) in [
        (CloseCode::NotPaired, Stopped::Unpaired),
        (CloseCode::JournalWentBack, Stopped::PairAgain),
    ] {
        let (effects, due) = after(Some(code));
        assert_eq!(
            (&effects[..], due),
            (&[PhoneEffect::Stopped(why)][..], None)
        );
    }
    for code in [CloseCode::NeedsNewerApp, CloseCode::VersionNotSpoken] {
        let (effects, due) = after(Some(code));
        assert_eq!(effects, [PhoneEffect::Stopped(Stopped::NeedsNewerApp)]);
        let daily = Deadline {
            at: NOW.boot.plus_ms(24 * 3_600_000),
            reason: PhoneWake::Redial,
        };
        assert_eq!(due, Some(daily));
    }
}

fn changes(session: &mut PhoneSession) -> Vec<LinkChange> {
    std::iter::from_fn(|| session.poll_change()).collect()
}

#[test]
fn a_phone_that_is_not_known_stays_so_on_disk_until_it_is_welcome_again() {
    let (mut session, conn) = open();
    changes(&mut session);
    session.closed(conn, Some(CloseCode::NotKnown), NOW);
    assert!(session.is_not_known());
    assert_eq!(changes(&mut session), [LinkChange::NotKnown(true)]);
    effects(&mut session, NOW);
    let restored = JournalLink {
        not_known: true,
        ..journal()
    };
    let mut session = PhoneSession::new(settings(), &restored);
    effects(&mut session, NOW);
    assert!(session.is_not_known(), "a restart proves nothing");
    let conn = session.connected(HelloSnapshot::default(), NOW);
    session.handle_frame(conn, challenge(), NOW);
    effects(&mut session, NOW);
    session.signed(conn, vec![1], NOW);
    session.closed(conn, Some(CloseCode::NotKnown), NOW);
    assert_eq!(changes(&mut session), [], "it is on disk already");
    effects(&mut session, NOW);
    session.redial_after(0, NOW);
    session.handle_timeout(NOW);
    let conn = session.connected(HelloSnapshot::default(), NOW);
    session.handle_frame(conn, challenge(), NOW);
    effects(&mut session, NOW);
    session.signed(conn, vec![1], NOW);
    assert!(session.is_not_known(), "not before the welcome");
    session.handle_frame(conn, welcome(), NOW);
    assert!(!session.is_not_known());
    assert_eq!(changes(&mut session), [LinkChange::NotKnown(false)]);
}

fn welcome_of(hub: Option<i64>) -> HubFrame {
    match welcome() {
        HubFrame::Welcome(welcome) => HubFrame::Welcome(Welcome {
            hub: hub.and_then(HubId::from_i64),
            ..welcome
        }),
        other => other,
    }
}

/// Connects a phone that knows these hubs, and returns it after the welcome with what changed.
fn welcomed_by(
    paired: Option<i64>,
    learned: Option<i64>,
    says: Option<i64>,
) -> (PhoneSession, Vec<LinkChange>) {
    let mut session = PhoneSession::new(
        PhoneSettings {
            hub: paired.and_then(HubId::from_i64),
            ..settings()
        },
        &JournalLink {
            hub: learned.and_then(HubId::from_i64),
            ..journal()
        },
    );
    effects(&mut session, NOW);
    let conn = session.connected(HelloSnapshot::default(), NOW);
    session.handle_frame(conn, challenge(), NOW);
    effects(&mut session, NOW);
    session.signed(conn, vec![1], NOW);
    session.handle_frame(conn, welcome_of(says), NOW);
    let changes = changes(&mut session);
    (session, changes)
}

#[test]
fn a_welcome_of_another_hub_counts_as_not_known() {
    for (paired, learned) in [(Some(5), None), (None, Some(5))] {
        let (session, changed) = welcomed_by(paired, learned, Some(6));
        assert!(!session.is_open() && session.is_not_known());
        assert_eq!(changed, [LinkChange::NotKnown(true)]);
        let (session, changed) = welcomed_by(paired, learned, Some(5));
        assert!(session.is_open());
        assert_eq!(changed, []);
        let (session, _) = welcomed_by(paired, learned, None);
        assert!(session.is_open(), "an older hub tells no id");
    }
}

#[test]
fn a_phone_without_its_hubs_id_learns_it_at_its_first_welcome() {
    let (session, changed) = welcomed_by(None, None, Some(5));
    assert!(session.is_open());
    let hub = HubId::from_i64(5).unwrap();
    assert_eq!(changed, [LinkChange::HubLearned(hub)]);
    assert_eq!(session.hub(), Some(hub));
}

#[test]
fn three_protocol_errors_in_a_row_alert_the_owner_and_a_good_session_forgives() {
    let (mut session, mut conn) = open();
    let mut alerts = 0;
    for _ in 0..3 {
        session.closed(conn, Some(CloseCode::ProtocolError), NOW);
        let alert = PhoneEffect::Alert(PhoneAlert::ProtocolErrors);
        alerts += usize::from(effects(&mut session, NOW).contains(&alert));
        session.redial_after(0, NOW);
        session.handle_timeout(NOW);
        effects(&mut session, NOW);
        conn = connect(&mut session, NOW);
    }
    assert_eq!(alerts, 1);
    let later = NOW.plus_ms(60_000);
    session.handle_frame(conn, HubFrame::Pong(Pong { n: 1, mono: 0 }), later);
    session.handle_timeout(later);
    assert!(effects(&mut session, later).contains(&PhoneEffect::ResetSchedule));
    session.closed(conn, Some(CloseCode::ProtocolError), later);
    assert_eq!(
        effects(&mut session, later),
        [PhoneEffect::PlanRedial(RedialPace::Away)]
    );
}

#[test]
fn after_a_bye_it_comes_back_when_it_was_told_to() {
    let (mut session, conn) = open();
    let bye = crate::frame::Bye {
        code: 1_001,
        retry_ms: 7_000,
    };
    session.handle_frame(conn, HubFrame::Bye(bye), NOW);
    let code = CloseCode::GoingAway;
    assert_eq!(
        effects(&mut session, NOW),
        [PhoneEffect::Disconnect { conn, code }]
    );
    let due = session.poll_timeout().map(|due| due.at);
    assert_eq!(due, Some(NOW.boot.plus_ms(7_000)));
    session.handle_timeout(NOW.plus_ms(7_000));
    assert_eq!(effects(&mut session, NOW), [PhoneEffect::Dial]);
}

#[test]
fn a_new_network_reconnects_at_once() {
    let (mut session, conn) = open();
    session.network_changed();
    let code = CloseCode::GoingAway;
    assert_eq!(
        effects(&mut session, NOW),
        [PhoneEffect::Disconnect { conn, code }, PhoneEffect::Dial]
    );
    session.dial_failed();
    session.redial_after(30_000, NOW);
    effects(&mut session, NOW);
    session.network_changed();
    assert_eq!(effects(&mut session, NOW), [PhoneEffect::Dial]);
}

#[test]
fn a_phone_without_a_network_waits_for_one_and_for_no_timer() {
    let (mut session, conn) = open();
    session.network_lost();
    let code = CloseCode::GoingAway;
    assert_eq!(
        effects(&mut session, NOW),
        [PhoneEffect::Disconnect { conn, code }]
    );
    session.dial_failed();
    session.redial_after(0, NOW);
    session.closed(conn, None, NOW);
    assert_eq!(session.poll_timeout(), None);
    session.handle_timeout(NOW.plus_ms(1_000_000_000));
    assert_eq!(effects(&mut session, NOW), []);
    session.network_changed();
    assert_eq!(effects(&mut session, NOW), [PhoneEffect::Dial]);
    session.network_lost();
    assert_eq!(effects(&mut session, NOW), []);
    session.network_changed();
    assert_eq!(effects(&mut session, NOW), [PhoneEffect::Dial]);
}

#[test]
fn on_battery_a_hub_that_is_away_is_tried_more_rarely() {
    let (mut session, conn) = open();
    session.battery_changed(true);
    session.closed(conn, None, NOW);
    let redials = [PhoneEffect::PlanRedial(RedialPace::AwayOnBattery)];
    assert_eq!(effects(&mut session, NOW), redials);
    assert!(RedialPace::AwayOnBattery.longest_ms() > RedialPace::Away.longest_ms());
}

#[test]
fn a_stopped_phone_dials_no_more_whatever_the_network_does() {
    let (mut session, conn) = open();
    session.closed(conn, Some(CloseCode::NotPaired), NOW);
    effects(&mut session, NOW);
    session.network_changed();
    session.redial_after(0, NOW);
    session.handle_timeout(NOW.plus_ms(1_000_000_000));
    assert_eq!(effects(&mut session, NOW), []);
    assert_eq!(session.poll_timeout(), None);
}

#[test]
fn a_phone_that_leaves_says_bye_and_stays_away() {
    let (mut session, conn) = open();
    session.leave(NOW);
    let effects = effects(&mut session, NOW);
    assert!(matches!(written(&effects)[..], [PhoneFrame::Bye(_)]));
    let code = CloseCode::GoingAway;
    assert_eq!(effects[1..], [PhoneEffect::Disconnect { conn, code }]);
    assert_eq!(session.poll_timeout(), None);
}

#[test]
fn a_silent_hub_is_given_up_15_seconds_after_the_ping() {
    let (mut session, conn) = open();
    let at = NOW.plus_ms(45_000);
    session.handle_timeout(at);
    let pinged = effects(&mut session, at);
    let [PhoneFrame::Ping(ping)] = written(&pinged)[..] else {
        panic!("no ping");
    };
    assert_eq!((ping.n, ping.next_s), (1, 45));
    let overdue = at.plus_ms(15_000);
    session.handle_timeout(overdue);
    let code = CloseCode::GoingAway;
    let effects = effects(&mut session, overdue);
    assert!(effects.contains(&PhoneEffect::Disconnect { conn, code }));
}

#[test]
fn a_handshake_that_hangs_is_given_up() {
    let mut session = new_session();
    effects(&mut session, NOW);
    let conn = session.connected(HelloSnapshot::default(), NOW);
    let late = NOW.plus_ms(15_000);
    session.handle_timeout(late);
    let code = CloseCode::GoingAway;
    let effects = effects(&mut session, late);
    assert!(effects.contains(&PhoneEffect::Disconnect { conn, code }));
}

#[test]
fn a_fact_of_an_earlier_boot_names_it_and_one_of_this_boot_does_not() {
    let event = |boot: Option<&str>| {
        PhoneFact::Event(crate::frame::Event {
            s: 0,
            id: postrider_model::MessageId::new(Key::new(1).unwrap()),
            ep: 1,
            state: postrider_model::WireState::Sent,
            part: None,
            of: None,
            code: None,
            detail: None,
            partial: false,
            unsent: false,
            duration_s: None,
            ring_s: None,
            wall: 0,
            mono: 0,
            boot: boot.map(Into::into),
        })
    };
    let (mut session, _) = open();
    session.put(event(None));
    session.put(event(Some("boot-0")));
    let stored = session.poll_change();
    let Some(LinkChange::FactStored(PhoneFact::Event(stored))) = stored else {
        panic!("{stored:?}");
    };
    assert_eq!(
        stored.boot.as_deref(),
        Some("boot-1"),
        "the journal names it"
    );
    let effects = effects(&mut session, NOW);
    let boots: Vec<_> = written(&effects)
        .into_iter()
        .map(|frame| match frame {
            PhoneFrame::Event(event) => event.boot.as_deref(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(boots, [None, Some("boot-0")]);
}
