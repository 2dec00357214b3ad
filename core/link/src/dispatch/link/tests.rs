//! What one connection commits, on a session that is driven by hand.

use super::*;
use crate::{
    dispatch::held::tests::phone,
    frame::{Ack, Bytes, Config, Health, Hello},
    session::hub::{Circumstances, Decision, DeviceLink, HubOutput, HubSettings, decide},
};
use postrider_model::DeviceId;

type Of = Link<DeviceId, (), u8>;

const NOW: Now = Now::new(1_000_000, 1_700_000_000_000);

/// A phone's link right after its admission; its welcome is written.
fn opened() -> Of {
    let settings = HubSettings {
        generation: 1,
        heartbeat_s: 45,
        hub: None,
    };
    let nonce = "AAAAAAAAAAAAAAAAAAAAAA".parse().unwrap();
    let mut link = Of::new(HubSession::new(settings, nonce, NOW));
    let phone = phone(1);
    let hello = Hello {
        v: (1, 1),
        features: vec![],
        phone: phone.device,
        install: phone.install.clone(),
        conn: 1,
        sig: Bytes::default(),
        generation: 1,
        down: 0,
        up_lo: 1,
        up_hi: 0,
        limit: 2,
        boot: "boot-1".into(),
        wall: 0,
        mono: 0,
        sims: vec![],
        held: vec![],
    };
    let around = Circumstances {
        generation: 1,
        own_generation: 0,
        overtaken: false,
        install_is_lost: false,
    };
    let row = DeviceLink::new(phone.install);
    let Decision::Admit(admission) = decide(&hello, &row, around) else {
        panic!("it is admitted");
    };
    link.session.handle_frame(PhoneFrame::Hello(hello), NOW);
    written(&mut link);
    link.admitted(phone.device, *admission, Vec::new(), NOW);
    written(&mut link);
    link
}

fn written(link: &mut Of) -> Vec<HubFrame> {
    let outputs = std::iter::from_fn(|| link.session.poll_output());
    let frame = |output| match output {
        HubOutput::Write(frame) => Some(frame),
        _ => None,
    };
    outputs.filter_map(frame).collect()
}

/// What a commit stored that did nothing else.
fn stored(connection: Connection<DeviceId, (), u8>) -> Stored<DeviceId, (), u8> {
    Stored {
        up: None,
        frames: Vec::new(),
        connection,
    }
}

/// A link whose first look for work is done.
fn settled() -> Of {
    let mut link = opened();
    let (_, connection) = link.begin(0).unwrap();
    link.committed(stored(connection), NOW);
    link
}

fn fact(s: u64) -> PhoneFrame {
    PhoneFrame::Health(Health {
        s,
        ..Health::default()
    })
}

fn looks() -> Woken {
    Woken {
        queued: true,
        ..Woken::default()
    }
}

#[test]
fn a_link_that_was_opened_looks_for_everything() {
    let mut link = opened();
    assert_eq!(link.fence(), Some(&phone(1).device));
    let (turn, connection) = link.begin(0).unwrap();
    assert!(turn.expose && turn.ask && turn.settings);
    assert_eq!(connection.credit, 2);
    link.committed(stored(connection), NOW);
    assert!(!link.is_due() && link.begin(0).is_none());
}

#[test]
fn one_commit_is_under_way_and_the_next_takes_all_that_came_meanwhile() {
    let mut link = settled();
    link.fact(fact(1));
    let (first, connection) = link.begin(1).unwrap();
    link.fact(fact(2));
    link.fact(fact(3));
    assert!(link.is_committing() && link.begin(2).is_none());
    link.committed(stored(connection), NOW);
    let (second, _) = link.begin(9).unwrap();
    assert_eq!([first.facts.len(), second.facts.len()], [1, 2]);
}

#[test]
fn facts_that_have_to_wait_stay_in_their_order() {
    let mut link = settled();
    for s in 1..=3 {
        link.fact(fact(s));
    }
    assert!(link.begin(0).is_none());
    let (turn, connection) = link.begin(2).unwrap();
    assert_eq!(turn.facts, [fact(1), fact(2)]);
    link.fact(fact(4));
    link.committed(stored(connection), NOW);
    assert_eq!(link.begin(2).unwrap().0.facts, [fact(3), fact(4)]);
}

#[test]
fn frames_and_acks_are_written_after_their_commit() {
    let mut link = settled();
    link.session.handle_frame(fact(1), NOW);
    while let Some(output) = link.session.poll_output() {
        if let HubOutput::Fact(frame) = output {
            link.fact(frame);
        }
    }
    let (_, connection) = link.begin(1).unwrap();
    assert_eq!(written(&mut link), []);
    let config = HubFrame::Config(Config {
        s: 1,
        ..Config::default()
    });
    let done = Stored {
        up: Some(1),
        frames: vec![config.clone()],
        connection,
    };
    link.committed(done, NOW);
    let frames = written(&mut link);
    assert_eq!(frames[0], config);
    assert!(matches!(frames[1], HubFrame::Ack(Ack { a: 1, .. })));
}

#[test]
fn a_frame_that_was_numbered_otherwise_ends_the_connection() {
    let mut link = settled();
    link.woken(looks());
    let (_, connection) = link.begin(0).unwrap();
    let config = HubFrame::Config(Config {
        s: 7,
        ..Config::default()
    });
    let done = Stored {
        frames: vec![config],
        ..stored(connection)
    };
    link.committed(done, NOW);
    let ended = HubOutput::Close(CloseCode::Internal);
    assert_eq!(link.session.poll_output(), Some(ended));
}

#[test]
fn a_commit_that_was_put_off_goes_before_what_came_since() {
    let mut link = settled();
    link.fact(fact(1));
    link.acked(1);
    link.begin(1).unwrap();
    link.fact(fact(2));
    link.was_put_off();
    let (turn, _) = link.begin(2).unwrap();
    assert_eq!(turn.facts, [fact(1), fact(2)]);
    assert_eq!(turn.acked, Some(1));
}

#[test]
fn a_look_that_found_nothing_keeps_the_acks() {
    let mut link = settled();
    link.acked(1);
    link.woken(looks());
    link.begin(0).unwrap();
    assert_eq!(link.acked_last(), None);
    link.was_idle();
    assert_eq!((link.acked_last(), link.is_due()), (Some(1), false));
}

#[test]
fn nothing_is_exposed_on_a_link_that_is_drained() {
    let mut link = settled();
    link.session.drain(1, NOW);
    link.woken(looks());
    assert!(!link.begin(0).unwrap().0.expose);
}

#[test]
fn facts_that_a_commit_did_not_come_to_go_first_in_the_next_one() {
    let mut link = settled();
    for s in 1..=3 {
        link.fact(fact(s));
    }
    let (turn, connection) = link.begin(3).unwrap();
    assert_eq!(turn.facts.len(), 3);
    link.fact(fact(4));
    let up = Some(2);
    link.committed(
        Stored {
            up,
            ..stored(connection)
        },
        NOW,
    );
    let (turn, _) = link.begin(2).unwrap();
    let numbers: Vec<_> = turn.facts.iter().filter_map(PhoneFrame::s).collect();
    assert_eq!(numbers, [3, 4]);
}

#[test]
fn the_last_words_of_an_unpaired_phone_send_it_nothing() {
    let mut link = settled();
    link.fact(fact(1));
    link.acked(1);
    link.woken(Woken::ALL);
    let (last, _) = link.last_words().unwrap();
    assert_eq!((last.facts.len(), last.acked), (1, Some(1)));
    assert!(!last.is_due_without_facts());
    assert!(!link.is_due());
}

#[test]
fn what_made_room_is_filled_and_what_was_starved_goes_on() {
    let mut link = settled();
    link.woken(looks());
    let (_, mut connection) = link.begin(0).unwrap();
    connection.open.add(0, 1, false);
    connection.backlog = true;
    connection.starved = true;
    link.committed(stored(connection.clone()), NOW);
    assert!(link.is_due(), "there is credit again");
    let (_, mut connection) = link.begin(0).unwrap();
    connection.starved = false;
    link.committed(stored(connection), NOW);
    assert!(!link.is_due());
    link.fact(fact(1));
    let (_, mut connection) = link.begin(1).unwrap();
    connection.open.close(0, 1, false);
    link.committed(stored(connection), NOW);
    assert!(link.begin(0).unwrap().0.expose);
}

#[test]
fn acks_wait_for_a_commit_until_they_are_stored_by_themselves() {
    let mut link = settled();
    link.acked(3);
    assert!(link.acks_wait() && !link.is_due());
    link.store_acks();
    assert!(!link.acks_wait());
    link.woken(Woken {
        changed: true,
        ..Woken::default()
    });
    let (turn, connection) = link.begin(0).unwrap();
    assert_eq!((turn.acked, turn.is_look()), (Some(3), false));
    link.committed(stored(connection), NOW);
    link.store_acks();
    assert!(!link.acks_wait() && !link.is_due(), "nothing is left");
}
