//! From hello to welcome.

use super::{
    Admission, HubOutput, HubSession, Open, Phase, Reconcile, Reconciling, admission,
    downlink::Downlink,
};
use crate::{
    clock::PhoneClock,
    close::CloseCode,
    frame::{Challenge, Held, Hello, HubFrame, PhoneFrame, Send, Welcome},
    limits::{FACTS_IN_FLIGHT_MAX, HELD_PAGES_MAX, HELD_ROWS_PER_PAGE},
};
use postrider_model::{BootMs, Now, UnixMs};

impl HubSession {
    pub(super) fn handle_hello(&mut self, hello: Hello, now: Now) {
        if !matches!(self.phase, Phase::AwaitingHello) {
            return self.unexpected(&PhoneFrame::Hello(hello));
        }
        let hello = Box::new(hello);
        self.outputs.push_back(HubOutput::Identify(hello.clone()));
        self.phase = Phase::Deciding { hello, heard: now };
    }

    /// The phone is not admitted: not known or unsigned (4401), revoked or replaced
    /// (4403), or as decided.
    pub fn refused(&mut self, code: CloseCode) {
        self.close(code);
    }

    /// Says that the admission is committed.
    ///
    /// `resume` are the exposures to this phone that it has not received and that are still
    /// wanted, with their numbers and a fresh `ttl_ms`, in any order; every other number between
    /// hello's `down` and `down_sent` goes out as `void`. Pass none when the admission
    /// reconciles; [`HubSession::reconciled`] takes them then.
    pub fn admitted(&mut self, admission: Admission, resume: Vec<Send>, now: Now) {
        let Phase::Deciding { hello, heard } = &self.phase else {
            return;
        };
        let clock = PhoneClock::new(UnixMs(hello.wall), BootMs(hello.mono), *heard);
        let (limit, down) = (hello.limit, hello.down);
        match admission.reconcile {
            None => {
                let open = Open {
                    conn: admission.link.conn,
                    clock,
                    up_received: admission.link.up,
                    up_committed: admission.link.up,
                    down: Downlink::new(down, admission.link.down_sent, limit),
                    drain_until: None,
                };
                self.settings.generation = admission.link.generation;
                self.welcome(open, admission.version, resume, now);
            }
            Some(asked) => {
                let reconciling = Reconciling {
                    link: admission.link,
                    generation: asked.generation,
                    version: admission.version,
                    limit: limit.saturating_sub(down),
                    clock,
                    pages: 0,
                };
                self.phase = Phase::Reconciling(Box::new(reconciling));
                self.ask_for_pages(asked, now);
            }
        }
    }

    fn ask_for_pages(&mut self, asked: Reconcile, now: Now) {
        self.heard_at = now.boot;
        self.settings.generation = asked.generation;
        self.write(HubFrame::Challenge(Challenge {
            nonce: self.nonce.clone(),
            generation: asked.generation,
            down_sent: Some(asked.down_sent),
            up: Some(asked.up),
        }));
    }

    pub(super) fn handle_held(&mut self, held: Held) {
        let Phase::Reconciling(reconciling) = &mut self.phase else {
            return self.unexpected(&PhoneFrame::Held(held));
        };
        reconciling.pages += 1;
        let brings_nothing = held.rows.is_empty() && !held.last;
        let is_endless = reconciling.pages > HELD_PAGES_MAX;
        if brings_nothing || is_endless || held.rows.len() > HELD_ROWS_PER_PAGE {
            return self.unexpected(&PhoneFrame::Held(held));
        }
        self.outputs
            .push_back(HubOutput::HeldPage { rows: held.rows });
        if held.last {
            self.all_pages_came();
        }
    }

    fn all_pages_came(&mut self) {
        let Phase::Reconciling(reconciling) = std::mem::replace(&mut self.phase, Phase::Closed)
        else {
            return;
        };
        let link = admission::reconciled(reconciling.link.clone(), reconciling.generation);
        let restarts = link.generation != reconciling.link.generation;
        self.outputs.push_back(HubOutput::Reconciled {
            link: link.clone(),
            restarts,
        });
        self.phase = Phase::Finishing(Box::new(Reconciling {
            link,
            ..*reconciling
        }));
    }

    /// Says that the reconciled row is committed. `resume` is as for [`HubSession::admitted`];
    /// it is empty when the counters started over.
    pub fn reconciled(&mut self, resume: Vec<Send>, now: Now) {
        let Phase::Finishing(finished) = &self.phase else {
            return;
        };
        let link = &finished.link;
        let open = Open {
            conn: link.conn,
            clock: finished.clock,
            up_received: link.up,
            up_committed: link.up,
            down: Downlink::new(0, link.down_sent, finished.limit),
            drain_until: None,
        };
        let version = finished.version;
        self.welcome(open, version, resume, now);
    }

    /// Opens the session: welcome, then every number that the phone lacks.
    fn welcome(&mut self, mut open: Open, version: u32, resume: Vec<Send>, now: Now) {
        self.heard_at = now.boot;
        self.write(HubFrame::Welcome(Welcome {
            v: version,
            generation: self.settings.generation,
            up: open.up_committed,
            now: now.unix.0,
            heartbeat_s: self.settings.heartbeat_s,
            limit: open.up_committed + FACTS_IN_FLIGHT_MAX,
            hub: self.settings.hub,
        }));
        for frame in open.down.resume(resume) {
            self.write(frame);
        }
        self.phase = Phase::Open(Box::new(open));
    }
}
