//! A small ring for the phone: a journal that survives and a session that does not.

use super::{hub::Wire, parts};
use postrider_link::{
    close::CloseCode,
    codec::{decode_hub, encode},
    frame::{HeldRow, PhoneFrame},
    session::phone::{
        HelloSnapshot, JournalLink, LinkChange, PhoneEffect, PhoneFact, PhoneSession,
        PhoneSettings, Received, Stopped,
    },
};
use postrider_model::{Now, WireState};
use std::collections::BTreeMap;

/// What is on the phone's disk.
#[derive(Clone)]
pub(crate) struct Journal {
    pub link: JournalLink,
    pub facts: BTreeMap<u64, PhoneFact>,
    /// Messages accepted, in order.
    pub taken: Vec<i64>,
    pub revokes: u32,
    /// The number of the next fact.
    pub next_fact: u64,
}

pub(crate) struct Phone {
    pub journal: Journal,
    /// What the next commit writes: the journal as it will be.
    pending: Journal,
    session: PhoneSession,
    pub stopped: Option<Stopped>,
    /// Connections that ended with a protocol error on either side.
    pub dialled: u64,
}

fn settings() -> PhoneSettings {
    PhoneSettings {
        device: parts::device(1),
        install: parts::install(1),
        host: "hub.example".into(),
        hub: None,
        boot: "boot-1".into(),
        down_window: 40,
    }
}

impl Phone {
    pub(crate) fn new() -> Self {
        let journal = Journal {
            link: JournalLink::new(),
            facts: BTreeMap::new(),
            taken: Vec::new(),
            revokes: 0,
            next_fact: 0,
        };
        Self {
            pending: journal.clone(),
            session: PhoneSession::new(settings(), &journal.link),
            journal,
            stopped: None,
            dialled: 0,
        }
    }

    /// Everything that was not committed is lost.
    pub(crate) fn crash(&mut self) {
        self.pending = self.journal.clone();
        self.session = PhoneSession::new(settings(), &self.journal.link);
    }

    /// Replaces the journal by an older one, which no sound storage does.
    pub(crate) fn roll_back(&mut self, journal: Journal) {
        self.journal = journal;
        self.crash();
    }

    pub(crate) fn put_fact(&mut self) {
        self.pending.next_fact += 1;
        let n = self.pending.next_fact;
        let mut event = parts::event(0, 1, WireState::OnPhone);
        event.detail = Some(format!("fact {n}"));
        self.session.put(PhoneFact::Event(event));
    }

    pub(crate) fn receive(&mut self, conn: u64, wire: Wire, now: Now) {
        match wire {
            Wire::Close(code) => self.session.closed(conn, code, now),
            Wire::Frame(text) => match decode_hub(text.as_bytes()) {
                Ok(frame) => self.session.handle_frame(conn, frame, now),
                Err(error) => self.session.handle_malformed(conn, error, now),
            },
        }
        while let Some(received) = self.session.poll_received() {
            match received {
                Received::Send(send) => self.pending.taken.push(send.id.get()),
                Received::Revoke(_) | Received::Cancel(_) | Received::Config(_) => {
                    self.pending.revokes += 1;
                }
            }
        }
    }

    pub(crate) fn connected(&mut self, now: Now) -> u64 {
        let rows = self.rows();
        let held = rows.into_iter().take(3).collect();
        let snapshot = HelloSnapshot {
            held,
            ..HelloSnapshot::default()
        };
        self.session.connected(snapshot, now)
    }

    fn rows(&self) -> Vec<HeldRow> {
        let row = |id: &i64| HeldRow {
            id: parts::message(*id),
            ep: 1,
            state: WireState::OnPhone,
            proof: None,
        };
        self.pending.taken.iter().map(row).collect()
    }

    pub(crate) fn dial_failed(&mut self) {
        self.session.dial_failed();
    }

    pub(crate) fn network_changed(&mut self) {
        self.session.network_changed();
    }

    pub(crate) fn timeout(&mut self, now: Now) {
        self.session.handle_timeout(now);
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.session.poll_timeout().map(|due| due.at.0)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.session.is_open()
    }

    /// Commits everything, then does what that allows. Returns the effects for the sockets.
    pub(crate) fn commit(&mut self, now: Now) -> Vec<PhoneEffect> {
        let mut outward = Vec::new();
        loop {
            while let Some(change) = self.session.poll_change() {
                store(&mut self.pending, change);
            }
            self.journal = self.pending.clone();
            self.session.committed(now);
            let Some(effect) = self.session.poll_effect() else {
                return outward;
            };
            self.effect(effect, now, &mut outward);
        }
    }

    fn effect(&mut self, effect: PhoneEffect, now: Now, outward: &mut Vec<PhoneEffect>) {
        match effect {
            PhoneEffect::Sign { conn, .. } => self.session.signed(conn, vec![7], now),
            PhoneEffect::PlanRedial(_) => self.session.redial_after(200, now),
            PhoneEffect::LoadFacts(range) => {
                let facts = self.journal.facts.range(range.above + 1..);
                let facts = facts.take(range.count_max).map(|(_, fact)| fact.clone());
                self.session.facts_loaded(facts.collect());
            }
            PhoneEffect::LoadHeld { .. } => self.session.held_loaded(&self.rows(), now),
            PhoneEffect::Stopped(why) => self.stopped = Some(why),
            PhoneEffect::Alert(alert) => panic!("both ends are sound: {alert:?}"),
            PhoneEffect::Disconnect {
                code: CloseCode::ProtocolError,
                ..
            } => panic!("both ends are sound"),
            PhoneEffect::ResetSchedule | PhoneEffect::Opened | PhoneEffect::UploadInboundAgain => {}
            PhoneEffect::Dial | PhoneEffect::Disconnect { .. } => outward.push(effect),
            PhoneEffect::Write { ref frame, .. } => {
                self.check_durable(frame);
                outward.push(effect);
            }
        }
    }

    /// Nothing is written that is not on disk.
    fn check_durable(&self, frame: &PhoneFrame) {
        let link = &self.journal.link;
        match frame {
            PhoneFrame::Ack(ack) => assert!(ack.a <= link.down, "acked before its commit"),
            PhoneFrame::Hello(hello) => {
                assert_eq!(hello.conn, link.conn, "hello before its commit");
                assert!(hello.down <= link.down && hello.up_hi <= link.up_highest);
            }
            _ => {}
        }
        if let Some(s) = frame.s() {
            assert!(
                self.journal.facts.contains_key(&s),
                "a fact before its commit"
            );
        }
    }
}

fn store(journal: &mut Journal, change: LinkChange) {
    let link = &mut journal.link;
    match change {
        LinkChange::Conn(conn) => link.conn = conn,
        LinkChange::Down(s) => link.down = s,
        LinkChange::FactStored(fact) => {
            link.up_highest = fact.s();
            journal.facts.insert(fact.s(), fact);
        }
        LinkChange::FactsAcked { up_to } => {
            link.up_acked = up_to;
            journal.facts = journal.facts.split_off(&(up_to + 1));
        }
        LinkChange::HubLearned(hub) => link.hub = Some(hub),
        LinkChange::NotKnown(not_known) => link.not_known = not_known,
        LinkChange::Restarted {
            generation,
            sinks_by,
        } => {
            link.generation = generation;
            link.down = 0;
            link.up_acked = 0;
            link.up_highest -= sinks_by;
            let facts = std::mem::take(&mut journal.facts);
            journal.facts = facts
                .into_iter()
                .map(|(s, fact)| (s - sinks_by, fact.at_place(s - sinks_by)))
                .collect();
        }
    }
}

pub(crate) fn text_of(frame: &PhoneFrame) -> String {
    encode(frame).unwrap()
}
