//! The order of a turn, on rows in memory that write down what they are asked.

use super::*;
use crate::dispatch::window::{Claimed, Sim};
use crate::frame::{Address, Event, Kind, Send};
use crate::ownership::hub::{Fact, OnUnknown, Rules};
use postrider_model::{BootMs, DeviceId, Key, Now, SimSlot, UnixMs};
use std::convert::Infallible;

type Link = Connection<(), bool, u8>;

const NOW: Now = Now::new(1_000, 1_700_000_000_000);

/// Rows with one message that a phone holds and others in the queue of one SIM, and what a turn
/// asked of them, in order.
#[derive(Default)]
struct Memory {
    held: Option<Ownership>,
    queued: Vec<i64>,
    open: u64,
    results: u64,
    asks: Vec<(MessageId, u32, Ask)>,
    did: Vec<&'static str>,
}

impl Queue for Memory {
    type Error = Infallible;
    type Sim = u8;
    type Message = i64;

    fn sim(&mut self, at: usize) -> Option<Sim<u8>> {
        (at == 0).then_some(Sim {
            id: 0,
            in_slot: true,
            held_back: false,
            window: 2,
            sends_left: None,
        })
    }

    fn claim(
        &mut self,
        _: usize,
        priority: u8,
        above: i64,
        limit: u32,
    ) -> Result<Claimed<i64>, Infallible> {
        self.did.push("claim");
        let waits = |no: &&i64| priority == 1 && **no > above;
        let waiting = self.queued.iter().filter(waits).copied();
        let messages: Vec<i64> = waiting.take(limit as usize).collect();
        let full = messages.len() == limit as usize;
        Ok(Claimed { messages, full })
    }

    fn is_movable(&mut self, _: &i64) -> Result<bool, Infallible> {
        Ok(false)
    }

    fn is_routed(&self, _: &i64) -> bool {
        false
    }

    fn expose(&mut self, _: usize, no: &mut i64, s: u64) -> Result<Option<Send>, Infallible> {
        self.queued.retain(|other| other != no);
        Ok(Some(Send {
            s,
            id: id(*no),
            ep: 1,
            proof: None,
            kind: Kind::Sms,
            to: Address::new("+15005550006".to_owned()),
            text: None,
            data: None,
            sim: SimSlot::default(),
            parts_max: None,
            ttl_ms: 1,
            report: false,
            priority: 1,
            movable: false,
            media: Vec::new(),
        }))
    }
}

impl Rows for Memory {
    type Told = bool;

    fn owned(&mut self, _: MessageId) -> Result<Option<Ownership>, Infallible> {
        Ok(self.held.clone())
    }

    fn take_in(&mut self, _: &PhoneFrame) -> Result<(), Infallible> {
        self.did.push("fact");
        Ok(())
    }

    fn count_open(&mut self) -> Result<Open<u8>, Infallible> {
        let mut open = Open::default();
        open.set(0, 1, self.open, 0);
        Ok(open)
    }

    fn close(&mut self, open: &mut Open<u8>) -> Result<(), Infallible> {
        for _ in 0..std::mem::take(&mut self.results) {
            open.close(0, 1, false);
        }
        Ok(())
    }

    fn settings(&mut self, told: &mut bool) -> Result<Vec<Config>, Infallible> {
        self.did.push("settings");
        let is_new = !std::mem::replace(told, true);
        Ok(is_new.then(Config::default).into_iter().collect())
    }

    fn asks(&mut self) -> Result<Vec<(MessageId, u32, Ask)>, Infallible> {
        self.did.push("asks");
        Ok(self.asks.clone())
    }

    fn exposable_above(&mut self) -> Result<i64, Infallible> {
        Ok(5)
    }
}

fn id(n: i64) -> MessageId {
    MessageId::new(Key::new(n).unwrap())
}

fn holder() -> Holder {
    Holder {
        device: DeviceId::new(Key::new(1).unwrap()),
        install: "install-0000-0001".parse().unwrap(),
    }
}

/// Message 1, exposed to the holder.
fn exposed() -> Ownership {
    let mut owned = Ownership::new();
    let holder = holder();
    owned.apply(Fact::Exposed { holder, s: 1 }, RULES).unwrap();
    owned
}

const RULES: Rules = Rules {
    on_unknown: OnUnknown::Report,
    life_left: true,
    other_route: false,
};

fn says(state: WireState) -> PhoneFrame {
    PhoneFrame::Event(Event {
        s: 7,
        id: id(1),
        ep: 1,
        state,
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
        boot: None,
    })
}

fn connection() -> Link {
    let credit = 10;
    let clock = PhoneClock::new(UnixMs(0), BootMs(0), NOW);
    Link {
        credit,
        ..Link::new((), clock)
    }
}

/// A connection's row, where the phone acked all but `unacked` frames.
fn link(unacked: u64) -> DeviceLink {
    DeviceLink {
        down_sent: 1_000,
        down_acked: 1_000 - unacked,
        ..DeviceLink::new(holder().install)
    }
}

fn all(facts: Vec<PhoneFrame>) -> Turn {
    Turn {
        facts,
        acked: None,
        expose: true,
        ask: true,
        settings: true,
        acks: false,
    }
}

fn expose() -> Turn {
    Turn {
        expose: true,
        ..Turn::default()
    }
}

fn done(memory: &mut Memory, turn: &Turn, link: &mut Link) -> Vec<HubFrame> {
    let by = (&holder(), false);
    let Ok(frames) = run(memory, turn, by, link, &mut self::link(0));
    frames
}

#[test]
fn facts_come_first_then_settings_asks_and_exposures_numbered_in_this_order() {
    let mut memory = Memory {
        queued: vec![8],
        asks: vec![(id(1), 1, Ask::Revoke)],
        ..Memory::default()
    };
    let (turn, mut row) = (all(vec![says(WireState::Sent)]), link(0));
    let mut connection = connection();
    let by = (&holder(), false);
    let Ok(frames) = run(&mut memory, &turn, by, &mut connection, &mut row);
    assert_eq!(memory.did, ["fact", "settings", "asks", "claim", "claim"]);
    let kinds = frames.iter().map(|frame| match frame {
        HubFrame::Config(it) => ("config", it.s),
        HubFrame::Revoke(it) => ("revoke", it.s),
        HubFrame::Send(it) => ("send", it.s),
        _ => ("other", 0),
    });
    let expected = [("config", 1_001), ("revoke", 1_002), ("send", 1_003)];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    assert_eq!((row.down_sent, row.up), (1_003, 7));
    assert_eq!(connection.credit, 7, "what goes before takes credit, too");
}

#[test]
fn room_that_a_fact_makes_is_filled_in_the_same_turn() {
    let mut connection = connection();
    connection.open.set(0, 1, 2, 0);
    let mut memory = Memory {
        queued: vec![8, 9],
        ..Memory::default()
    };
    assert_eq!(done(&mut memory, &expose(), &mut connection), []);
    assert!(connection.backlog);
    memory.results = 1;
    let turn = Turn {
        facts: vec![says(WireState::Sent)],
        ..expose()
    };
    assert_eq!(done(&mut memory, &turn, &mut connection).len(), 1);
    assert_eq!(memory.queued, [9]);
}

#[test]
fn a_phone_that_gives_back_unasked_gets_nothing_until_one_has_a_result() {
    let mut connection = connection();
    let mut memory = Memory {
        held: Some(exposed()),
        queued: vec![8],
        ..Memory::default()
    };
    let gives_back = all(vec![says(WireState::Revoked)]);
    let frames = done(&mut memory, &gives_back, &mut connection);
    assert!(
        !frames
            .iter()
            .any(|frame| matches!(frame, HubFrame::Send(_)))
    );
    assert!(connection.gives_back && connection.backlog);
    for no_result in [WireState::Retrying, WireState::Unknown] {
        let told = all(vec![says(no_result)]);
        assert_eq!(done(&mut memory, &told, &mut connection), []);
    }
    let sent = all(vec![says(WireState::Sent)]);
    assert_eq!(done(&mut memory, &sent, &mut connection).len(), 1);
}

#[test]
fn what_was_asked_back_is_not_given_back_unasked() {
    let mut asked = exposed();
    asked.apply(Fact::RevokeWanted, RULES).unwrap();
    let mut of_another = exposed();
    of_another.holder.as_mut().unwrap().install = "install-0000-0002".parse().unwrap();
    let answer = |owned: Option<Ownership>| {
        let Ok(answer) =
            gives_back::<Infallible>(&says(WireState::Revoked), &holder(), |_| Ok(owned));
        answer
    };
    assert_eq!(answer(Some(exposed())), Some(true));
    assert_eq!([asked, of_another].map(|it| answer(Some(it))), [None, None]);
    assert_eq!(answer(None), None);
}

#[test]
fn what_is_asked_once_on_a_connection_is_not_asked_again() {
    let mut connection = connection();
    let mut memory = Memory {
        asks: vec![(id(1), 1, Ask::Cancel), (id(1), 1, Ask::Cancel)],
        ..Memory::default()
    };
    let ask = Turn {
        ask: true,
        ..Turn::default()
    };
    assert_eq!(done(&mut memory, &ask, &mut connection).len(), 1);
    assert_eq!(done(&mut memory, &ask, &mut connection), []);
    let asks = std::mem::take(&mut memory.asks);
    assert_eq!(done(&mut memory, &ask, &mut connection), []);
    memory.asks = asks;
    assert_eq!(done(&mut memory, &ask, &mut connection).len(), 1);
}

#[test]
fn asks_wait_for_the_phones_ack_when_too_many_frames_do() {
    let mut connection = connection();
    let mut memory = Memory {
        asks: vec![(id(1), 1, Ask::Revoke), (id(2), 1, Ask::Revoke)],
        ..Memory::default()
    };
    let mut row = link(CONTROL_FRAMES_OVER_CREDIT - 1);
    let ask = Turn {
        ask: true,
        ..Turn::default()
    };
    let by = (&holder(), false);
    let Ok(frames) = run(&mut memory, &ask, by, &mut connection, &mut row);
    assert_eq!((frames.len(), connection.asks_wait), (1, true));
    let mut next = Turn {
        acked: Some(1_001),
        ..Turn::default()
    };
    next.go_on(&connection, 0);
    assert!(next.ask && !next.expose);
    let Ok(frames) = run(&mut memory, &next, by, &mut connection, &mut row);
    assert_eq!((frames.len(), row.down_acked), (1, 1_001));
}

#[test]
fn a_frozen_phone_is_asked_and_told_but_given_nothing() {
    let mut memory = Memory {
        queued: vec![8],
        asks: vec![(id(1), 1, Ask::Revoke)],
        ..Memory::default()
    };
    let by = (&holder(), true);
    let (turn, mut row) = (all(Vec::new()), link(0));
    let Ok(frames) = run(&mut memory, &turn, by, &mut connection(), &mut row);
    assert_eq!(frames.len(), 2);
    assert_eq!(memory.queued, [8]);
}

#[test]
fn what_waits_for_other_phones_is_not_exposed() {
    let mut memory = Memory {
        queued: vec![4, 5],
        ..Memory::default()
    };
    assert_eq!(done(&mut memory, &expose(), &mut connection()), []);
}

#[test]
fn a_backlog_asks_for_a_turn_when_room_or_credit_came() {
    let mut before = connection();
    before.open.set(0, 1, 2, 0);
    let mut after = before.clone();
    after.backlog = true;
    let asks_for = |after: &Link| {
        let mut turn = Turn::default();
        turn.fill_room(Some(&before), after);
        turn.expose
    };
    assert!(!asks_for(&after));
    after.open.close(0, 1, false);
    assert!(asks_for(&after));
    after.backlog = false;
    assert!(!asks_for(&after));
    after.starved = true;
    let mut turn = Turn::default();
    turn.go_on(&after, 0);
    assert!(!turn.expose);
    turn.go_on(&after, 1);
    assert!(turn.expose);
}
