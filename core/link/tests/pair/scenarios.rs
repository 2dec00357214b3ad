//! Rare events, one at a time.

use super::*;
use postrider_link::session::phone::Stopped;

impl Pair {
    /// A linked pair that exchanged some messages and facts.
    fn busy() -> Self {
        let mut pair = Self::new(7);
        pair.settle();
        pair.exchange(5);
        pair
    }

    fn exchange(&mut self, times: u32) {
        for _ in 0..times {
            self.hub.expose();
            self.phone.put_fact();
        }
        self.settle();
    }

    fn reconnect(&mut self) {
        self.phone.network_changed();
        self.settle();
    }
}

#[test]
fn a_resume_never_expires() {
    let mut pair = Pair::busy();
    pair.crash_hub();
    pair.crash_phone();
    pair.now = pair.now.plus_ms(400 * 24 * 3_600_000);
    pair.exchange(5);
    pair.check_home();
}

#[test]
fn a_quiet_link_is_kept_by_its_heartbeat() {
    let mut pair = Pair::busy();
    let conn = pair.phone.journal.link.conn;
    for _ in 0..200 {
        pair.jump();
        pair.settle();
    }
    assert_eq!(pair.phone.journal.link.conn, conn);
}

#[test]
fn a_dead_network_is_noticed_by_both_ends() {
    let mut pair = Pair::busy();
    let conn = pair.phone.journal.link.conn;
    pair.sockets.clear();
    for _ in 0..10 {
        pair.jump();
        pair.hub_turn();
        pair.phone_turn();
    }
    assert!(pair.phone.journal.link.conn > conn);
    pair.exchange(1);
    pair.check_home();
    assert_eq!(pair.hub.sockets().len(), 1);
}

#[test]
fn a_journal_that_went_back_is_refused() {
    let mut pair = Pair::busy();
    let old = pair.phone.journal.clone();
    pair.exchange(3);
    pair.reconnect();
    pair.phone.roll_back(old);
    for _ in 0..50 {
        pair.phone_turn();
        let id = pair.next_socket;
        pair.deliver_to_hub(id);
        pair.deliver_to_phone(id);
        pair.hub_turn();
        pair.hub.commit_one(&mut pair.random, pair.now);
    }
    assert_eq!(pair.phone.stopped, Some(Stopped::PairAgain));
    assert!(pair.hub.rows.needs_pairing);
}

#[test]
fn a_restored_hub_learns_what_it_forgot_and_goes_on() {
    for raised in [false, true] {
        let mut pair = Pair::busy();
        let backup = pair.hub.rows.clone();
        pair.exchange(700);
        let exposed = pair.hub.rows.exposed.len();
        pair.crash_hub();
        pair.hub.rows = backup;
        pair.hub.rows.generation += u64::from(raised);
        pair.settle();
        assert_eq!(
            pair.hub.rows.generation, 2,
            "raised by the restore or by hello"
        );
        assert_eq!(pair.phone.journal.link.generation, 2);
        assert_eq!(pair.hub.rows.shown.len(), exposed, "in pages of 500");
        assert_eq!(pair.hub.rows.link.down_sent, 0);
        let before = pair.phone.journal.taken.len();
        pair.hub.go_on_above(exposed);
        pair.exchange(5);
        assert_eq!(pair.phone.journal.taken.len(), before + 5);
        assert!(pair.phone.journal.facts.is_empty());
        assert_eq!(pair.hub.went_back, 0);
    }
}

#[test]
fn a_restored_hub_whose_welcome_is_lost_reconciles_again() {
    for lost_after in 0..40 {
        let mut pair = Pair::busy();
        let backup = pair.hub.rows.clone();
        pair.exchange(10);
        pair.phone.put_fact();
        pair.crash_hub();
        pair.hub.rows = backup;
        pair.hub.rows.generation += 1;
        for _ in 0..lost_after {
            pair.phone_turn();
            let id = pair.next_socket;
            pair.deliver_to_hub(id);
            pair.deliver_to_phone(id);
            pair.hub_turn();
            pair.hub.commit_one(&mut pair.random, pair.now);
            pair.hub.expose();
        }
        pair.crash_phone();
        pair.crash_hub();
        pair.settle();
        pair.exchange(3);
        assert_eq!(pair.phone.journal.link.generation, 2);
        assert_eq!(pair.hub.rows.link.generation, 2);
        let taken: BTreeSet<i64> = pair.phone.journal.taken.iter().copied().collect();
        assert!(taken.len() >= 15, "after {lost_after}");
        assert_eq!(pair.hub.went_back, 0, "after {lost_after}");
        assert!(pair.phone.journal.facts.is_empty());
    }
}

#[test]
fn a_drained_phone_comes_back_when_it_was_told_to() {
    let mut pair = Pair::busy();
    let (conn, then) = (pair.phone.journal.link.conn, pair.now);
    pair.hub.drain(pair.now);
    pair.settle();
    assert_eq!(pair.phone.journal.link.conn, conn + 1);
    assert!(pair.now.boot.since_ms(then.boot) >= 500);
    pair.exchange(1);
    pair.check_home();
}

#[test]
fn a_hello_that_was_overtaken_is_only_replaced() {
    let mut pair = Pair::busy();
    pair.phone.network_changed();
    pair.phone_turn();
    let late = pair.next_socket;
    for _ in 0..3 {
        pair.hub_turn();
        pair.deliver_to_phone(late);
        pair.phone_turn();
    }
    assert_eq!(
        pair.sockets[&late].to_hub.len(),
        1,
        "its hello is on its way"
    );
    pair.phone.network_changed();
    pair.phone_turn();
    let newer = pair.next_socket;
    for _ in 0..5 {
        pair.hub_turn();
        pair.deliver_to_phone(newer);
        pair.phone_turn();
        pair.deliver_to_hub(newer);
        pair.hub_turn();
        pair.hub.commit_one(&mut pair.random, pair.now);
    }
    assert!(pair.phone.is_open());
    pair.settle();
    pair.exchange(1);
    pair.check_home();
}
