//! The window, on queues in memory.

use super::*;
use crate::frame::{Address, Kind};
use postrider_model::{Key, MessageId, SimSlot};
use std::convert::Infallible;

/// A queued message: its number, priority, and whether another phone could send it.
#[derive(Debug, Clone, Copy)]
struct Message {
    no: i64,
    priority: u8,
    movable: bool,
    dead: bool,
}

/// One SIM and its queue.
struct Phone {
    sim: Sim<u8>,
    queue: Vec<Message>,
    given: Vec<i64>,
}

impl Queue for Phone {
    type Error = Infallible;
    type Sim = u8;
    type Message = Message;

    fn sim(&mut self, at: usize) -> Option<Sim<u8>> {
        (at == 0).then_some(self.sim)
    }

    fn claim(
        &mut self,
        _: usize,
        priority: u8,
        above: i64,
        limit: u32,
    ) -> Result<Claimed<Message>, Infallible> {
        let waits = |it: &&Message| it.priority == priority && it.no > above;
        let waiting = self.queue.iter().filter(waits);
        let messages: Vec<Message> = waiting.take(limit as usize).copied().collect();
        let full = messages.len() == limit as usize;
        Ok(Claimed { messages, full })
    }

    fn is_movable(&mut self, message: &Message) -> Result<bool, Infallible> {
        Ok(message.movable)
    }

    fn is_routed(&self, message: &Message) -> bool {
        message.movable
    }

    fn expose(&mut self, _: usize, it: &mut Message, s: u64) -> Result<Option<Send>, Infallible> {
        self.queue.retain(|other| other.no != it.no);
        if it.dead {
            return Ok(None);
        }
        self.given.push(it.no);
        Ok(Some(frame(it.no, s)))
    }
}

fn frame(no: i64, s: u64) -> Send {
    Send {
        s,
        id: MessageId::new(Key::new(no).unwrap()),
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
    }
}

const SIM: Sim<u8> = Sim {
    id: 0,
    in_slot: true,
    held_back: false,
    window: 3,
    sends_left: None,
};

fn plain(no: i64) -> Message {
    Message {
        no,
        priority: 1,
        movable: false,
        dead: false,
    }
}

fn phone(sim: Sim<u8>, queue: Vec<Message>) -> Phone {
    Phone {
        sim,
        queue,
        given: Vec::new(),
    }
}

/// What one round gave, the places of the frames, and whether more may wait.
fn round(phone: &mut Phone, open: &mut Open<u8>, credit: u64) -> (Vec<i64>, Vec<u64>, bool) {
    let mut exposing = Exposing {
        open,
        credit,
        down_sent: 10,
        above: 0,
    };
    let (sim, mut places) = (phone.sim, Vec::new());
    let write = |frame: Send| places.push(frame.s);
    let Ok(more) = expose(phone, 0, &sim, &mut exposing, write);
    (std::mem::take(&mut phone.given), places, more)
}

#[test]
fn a_window_is_filled_and_filled_again_when_one_gets_its_result() {
    let mut phone = phone(SIM, (1..=5).map(plain).collect());
    let mut open = Open::default();
    let (given, places, more) = round(&mut phone, &mut open, 100);
    assert_eq!(
        (given, places, more),
        (vec![1, 2, 3], vec![11, 12, 13], true)
    );
    assert!(round(&mut phone, &mut open, 100).0.is_empty());
    open.close(0, 1, false);
    assert_eq!(round(&mut phone, &mut open, 100).0, [4]);
    assert_eq!(open.total(), 3);
}

#[test]
fn each_priority_has_a_window_of_its_own_and_the_higher_goes_first() {
    let urgent = |no| Message {
        priority: 2,
        ..plain(no)
    };
    let mut queue: Vec<Message> = (1..=4).map(plain).collect();
    queue.extend((5..=8).map(urgent));
    let mut phone = phone(SIM, queue);
    let given = round(&mut phone, &mut Open::default(), 100).0;
    assert_eq!(given, [5, 6, 7, 1, 2, 3]);
}

#[test]
fn what_another_phone_could_send_is_given_two_at_a_time_for_each_priority() {
    let movable = |no, priority| Message {
        priority,
        movable: true,
        ..plain(no)
    };
    let mut queue: Vec<Message> = (1..=3).map(|no| movable(no, 2)).collect();
    queue.extend((4..=6).map(|no| movable(no, 1)));
    let mut phone = phone(SIM, queue);
    let mut open = Open::default();
    let (given, _, more) = round(&mut phone, &mut open, 100);
    assert_eq!((given, more), (vec![1, 2, 4, 5], true));
    open.close(0, 2, true);
    assert_eq!(round(&mut phone, &mut open, 100).0, [3]);
}

#[test]
fn credit_bounds_all_priorities_together() {
    let urgent = Message {
        priority: 2,
        ..plain(3)
    };
    let mut phone = phone(SIM, vec![plain(1), plain(2), urgent]);
    let (given, _, more) = round(&mut phone, &mut Open::default(), 2);
    assert_eq!((given, more), (vec![3, 1], true));
}

#[test]
fn what_is_exposed_counts_against_what_a_sim_may_still_send() {
    let sim = Sim {
        sends_left: Some(2),
        ..SIM
    };
    let mut open = Open::default();
    open.add(0, 2, false);
    let mut phone = phone(sim, (1..=3).map(plain).collect());
    assert_eq!(round(&mut phone, &mut open, 100).0, [1]);
}

#[test]
fn a_sim_that_is_held_back_keeps_its_backlog_and_one_in_no_slot_has_none() {
    let held_back = Sim {
        held_back: true,
        ..SIM
    };
    let mut open = Open::default();
    let (given, _, more) = round(&mut phone(held_back, vec![plain(1)]), &mut open, 100);
    assert_eq!((given, more), (vec![], true));
    let in_slot = false;
    let (given, _, more) = round(
        &mut phone(Sim { in_slot, ..SIM }, vec![plain(1)]),
        &mut open,
        100,
    );
    assert_eq!((given, more), (vec![], false));
}

#[test]
fn what_may_not_be_sent_any_more_takes_neither_place_nor_room() {
    let dead = Message {
        dead: true,
        ..plain(1)
    };
    let mut phone = phone(SIM, vec![dead, plain(2)]);
    let mut open = Open::default();
    let (given, places, _) = round(&mut phone, &mut open, 100);
    assert_eq!((given, places, open.total()), (vec![2], vec![11], 1));
}
