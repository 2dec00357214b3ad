//! Both ends of the link, through cuts, repeats, crashes and late arrivals.
//!
//! Each end has a small ring around the production session: rows that survive a crash, and
//! everything else that does not. Frames travel encoded. One connection keeps its order, but
//! otherwise anything may be late: frames of a cut connection still arrive while its successor
//! works. A run is drawn from its seed; at its end all faults stop, and everything must have
//! arrived.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where its ground gives way"
)]

#[path = "hub.rs"]
mod hub;
#[path = "../common/parts.rs"]
mod parts;
#[path = "phone.rs"]
mod phone;
#[path = "scenarios.rs"]
mod scenarios;
#[path = "../common/seeded.rs"]
mod seeded;

use hub::{Hub, Wire};
use phone::Phone;
use postrider_link::session::phone::PhoneEffect;
use postrider_model::Now;
use seeded::Seeded;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One WebSocket; both queues keep their order.
struct Socket {
    conn: u64,
    of_dead_app: bool,
    to_phone: VecDeque<Wire>,
    to_hub: VecDeque<Wire>,
}

struct Pair {
    hub: Hub,
    phone: Phone,
    sockets: BTreeMap<usize, Socket>,
    next_socket: usize,
    now: Now,
    random: Seeded,
    /// Whether dialling works.
    reachable: bool,
}

impl Pair {
    fn new(seed: u64) -> Self {
        Self {
            hub: Hub::new(),
            phone: Phone::new(),
            sockets: BTreeMap::new(),
            next_socket: 0,
            now: Now::new(1_000, 1_700_000_000_000),
            random: Seeded(seed),
            reachable: true,
        }
    }

    /// Commits on the phone and carries out what that allows.
    fn phone_turn(&mut self) {
        for effect in self.phone.commit(self.now) {
            match effect {
                PhoneEffect::Dial => self.dial(),
                PhoneEffect::Write { conn, frame } => {
                    let text = phone::text_of(&frame);
                    self.write(conn, Wire::Frame(text));
                }
                PhoneEffect::Disconnect { conn, code } => {
                    self.write(conn, Wire::Close(Some(code)));
                }
                _ => unreachable!("the phone's ring does the rest"),
            }
        }
    }

    fn dial(&mut self) {
        self.phone.dialled += 1;
        if !self.reachable {
            return self.phone.dial_failed();
        }
        let conn = self.phone.connected(self.now);
        self.next_socket += 1;
        self.sockets.insert(
            self.next_socket,
            Socket {
                conn,
                of_dead_app: false,
                to_phone: VecDeque::new(),
                to_hub: VecDeque::new(),
            },
        );
        self.hub.accept(self.next_socket, self.now);
    }

    fn write(&mut self, conn: u64, wire: Wire) {
        let mut sockets = self.sockets.values_mut().rev();
        if let Some(socket) = sockets.find(|socket| socket.conn == conn && !socket.of_dead_app) {
            socket.to_hub.push_back(wire);
        }
    }

    fn hub_turn(&mut self) {
        for (socket, wire) in self.hub.outputs() {
            if let Some(socket) = self.sockets.get_mut(&socket) {
                socket.to_phone.push_back(wire);
            }
        }
    }

    fn deliver_to_hub(&mut self, id: usize) {
        let wire = self.sockets.get_mut(&id).and_then(|s| s.to_hub.pop_front());
        if let Some(wire) = wire {
            self.hub.receive(id, wire, self.now);
        }
    }

    fn deliver_to_phone(&mut self, id: usize) {
        let Some(socket) = self.sockets.get_mut(&id) else {
            return;
        };
        let conn = socket.conn;
        if socket.of_dead_app {
            socket.to_phone.clear();
        } else if let Some(wire) = socket.to_phone.pop_front() {
            self.phone.receive(conn, wire, self.now);
        }
    }

    /// Drops what a socket has not carried yet, except for some frames that still arrive.
    fn cut(&mut self, id: usize) {
        let Some(socket) = self.sockets.get_mut(&id) else {
            return;
        };
        for queue in [&mut socket.to_phone, &mut socket.to_hub] {
            let arriving = self.random.index(queue.len() + 1);
            queue.truncate(arriving);
            queue.push_back(Wire::Close(None));
        }
    }

    fn crash_hub(&mut self) {
        for id in self.hub.crash() {
            self.cut(id);
        }
    }

    fn crash_phone(&mut self) {
        self.phone.crash();
        let ids: Vec<usize> = self.sockets.keys().copied().collect();
        for id in ids {
            self.cut(id);
            // Its sockets died with the app; what they carried to the hub may still arrive.
            if let Some(socket) = self.sockets.get_mut(&id) {
                socket.to_phone.clear();
                socket.of_dead_app = true;
            }
        }
    }

    fn any_socket(&mut self) -> usize {
        let ids: Vec<usize> = self.sockets.keys().copied().collect();
        let recent = ids.len().saturating_sub(3);
        let ids = &ids[recent..];
        match ids.len() {
            0 => 0,
            n => ids[self.random.index(n)],
        }
    }

    /// Does one random thing.
    fn step(&mut self) {
        let id = self.any_socket();
        match self.random.below(100) {
            0..30 => self.deliver_to_hub(id),
            30..60 => self.deliver_to_phone(id),
            60..72 => self.hub.commit_one(&mut self.random, self.now),
            72..78 => self.phone.put_fact(),
            78..84 => self.hub.expose(),
            84..86 => self.hub.revoke(),
            86..90 => self.pass(300),
            90..92 => self.jump(),
            92..94 => self.cut(id),
            94 => self.crash_hub(),
            95 => self.crash_phone(),
            96 => self.phone.network_changed(),
            97 => self.hub.drain(self.now),
            _ => self.reachable = !self.random.one_in(3),
        }
        self.hub_turn();
        if !self.random.one_in(3) {
            self.phone_turn();
        }
    }

    fn pass(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        self.hub.timeout(self.now);
        self.phone.timeout(self.now);
    }

    /// Jumps to the next moment at which either end wants to be called.
    fn jump(&mut self) {
        let due = [self.hub.next_deadline(), self.phone.next_deadline()];
        if let Some(at) = due.into_iter().flatten().min() {
            self.pass(at.saturating_sub(self.now.boot.0));
        }
    }

    /// Without faults: everything is carried, committed and due, until nothing is left to do.
    fn settle(&mut self) {
        self.reachable = true;
        for _ in 0..20_000 {
            let before = self.progress();
            self.phone_turn();
            let ids: Vec<usize> = self.sockets.keys().copied().collect();
            for id in ids {
                self.deliver_to_hub(id);
                self.deliver_to_phone(id);
                self.phone_turn();
            }
            self.hub_turn();
            while self.hub.has_jobs() {
                self.hub.commit_one(&mut self.random, self.now);
                self.hub_turn();
            }
            if self.is_idle() && self.phone.is_open() && before == self.progress() {
                return;
            }
            if self.is_idle() && !self.phone.is_open() {
                self.jump();
            }
        }
        panic!("the link does not come to rest");
    }

    fn is_idle(&self) -> bool {
        let empty = |socket: &Socket| socket.to_phone.is_empty() && socket.to_hub.is_empty();
        self.sockets.values().all(empty) && !self.hub.has_jobs()
    }

    fn progress(&self) -> (u64, u64, usize) {
        let link = &self.phone.journal.link;
        (link.down, link.up_acked, self.hub.rows.facts.len())
    }

    /// Everything has arrived, and nothing twice.
    fn check_home(&self) {
        let (rows, journal) = (&self.hub.rows, &self.phone.journal);
        let facts: Vec<String> = (1..=journal.next_fact)
            .map(|n| format!("fact {n}"))
            .collect();
        assert_eq!(rows.facts, facts, "each fact counts once, in order");
        assert!(journal.facts.is_empty(), "and is acked");
        let taken: BTreeSet<i64> = journal.taken.iter().copied().collect();
        assert_eq!(
            taken.len(),
            journal.taken.len(),
            "each send is taken in once"
        );
        for message in &rows.exposed {
            let here = taken.contains(message);
            assert_ne!(here, rows.freed.contains(message), "message {message}");
        }
        assert_eq!(journal.link.down, rows.link.down_sent);
        assert_eq!(rows.link.down_acked, rows.link.down_sent);
        assert_eq!((self.hub.went_back, self.phone.stopped), (0, None));
    }
}

#[test]
fn whatever_is_cut_or_killed_everything_comes_home_once() {
    let (mut taken, mut freed, mut dialled) = (0, 0, 0);
    let seeds = seeds();
    for seed in seeds.clone() {
        let mut pair = Pair::new(seed);
        for _ in 0..1_500 {
            pair.step();
        }
        pair.settle();
        pair.check_home();
        taken += pair.phone.journal.taken.len();
        freed += pair.hub.rows.freed.len();
        dialled += pair.phone.dialled;
    }
    let enough = taken > 300 && freed > 50 && dialled > 1_000;
    assert!(
        enough || seeds.end - seeds.start < 300,
        "{taken} {freed} {dialled}"
    );
}

/// Returns the seeds to run: `POSTRIDER_SEEDS=A..B`, as `scripts/test simulation --seeds` sets it, or 300.
fn seeds() -> std::ops::Range<u64> {
    let Ok(range) = std::env::var("POSTRIDER_SEEDS") else {
        return 0..300;
    };
    let (first, end) = range.split_once("..").expect("POSTRIDER_SEEDS is A..B");
    first.parse().expect("A is a number")..end.parse().expect("B is a number")
}
