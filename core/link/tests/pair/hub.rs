//! A small ring for the hub: rows that survive, a commit queue that does not, and its sessions.

use super::{parts, seeded::Seeded};
use postrider_link::{
    close::CloseCode,
    codec::{decode_phone, encode},
    frame::{Event, Hello, HubFrame, PhoneFrame, Revoke, Send},
    limits::HELD_ROWS_PER_PAGE,
    session::hub::{
        Admission, Circumstances, Decision, DeviceLink, HubOutput, HubSession, HubSettings, decide,
    },
};
use postrider_model::Now;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What is on the hub's disk.
#[derive(Clone)]
pub(crate) struct Rows {
    pub link: DeviceLink,
    pub generation: u64,
    /// Exposures whose receipt is not known, by place: the message's number.
    pub open: BTreeMap<u64, i64>,
    /// Messages given up before they were received.
    pub freed: BTreeSet<i64>,
    /// Every message ever exposed, and every fact counted, in order.
    pub exposed: Vec<i64>,
    pub facts: Vec<String>,
    /// Messages that held pages showed.
    pub shown: BTreeSet<i64>,
    pub needs_pairing: bool,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Self {
            link: DeviceLink::new(parts::install(1)),
            generation: 1,
            open: BTreeMap::new(),
            freed: BTreeSet::new(),
            exposed: Vec::new(),
            facts: Vec::new(),
            shown: BTreeSet::new(),
            needs_pairing: false,
        }
    }
}

/// A requested commit that has not happened yet.
enum Job {
    Admit(Box<Hello>),
    Page(Vec<i64>),
    Reconciled(DeviceLink, bool),
    Fact(Box<PhoneFrame>),
    Acked(u64),
    Down(Box<HubFrame>, i64),
}

/// What is written to a socket.
pub(crate) enum Wire {
    Frame(String),
    Close(Option<CloseCode>),
}

struct Session {
    machine: HubSession,
    accepted: u64,
}

pub(crate) struct Hub {
    pub rows: Rows,
    sessions: BTreeMap<usize, Session>,
    jobs: VecDeque<(usize, Job)>,
    order: u64,
    admitted: u64,
    next_message: i64,
    /// How often a hello was refused as one of a journal that went back.
    pub went_back: u32,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self {
            rows: Rows::new(),
            sessions: BTreeMap::new(),
            jobs: VecDeque::new(),
            order: 0,
            admitted: 0,
            next_message: 0,
            went_back: 0,
        }
    }

    pub(crate) fn accept(&mut self, socket: usize, now: Now) {
        let settings = HubSettings {
            generation: self.rows.generation,
            heartbeat_s: 45,
            hub: None,
        };
        self.order += 1;
        let session = Session {
            machine: HubSession::new(settings, parts::nonce(), now),
            accepted: self.order,
        };
        self.sessions.insert(socket, session);
    }

    /// Everything in memory is lost.
    pub(crate) fn crash(&mut self) -> Vec<usize> {
        self.jobs.clear();
        std::mem::take(&mut self.sessions).into_keys().collect()
    }

    pub(crate) fn sockets(&self) -> Vec<usize> {
        self.sessions.keys().copied().collect()
    }

    pub(crate) fn receive(&mut self, socket: usize, wire: Wire, now: Now) {
        let Some(session) = self.sessions.get_mut(&socket) else {
            return;
        };
        match wire {
            Wire::Close(_) => drop(self.sessions.remove(&socket)),
            Wire::Frame(text) => match decode_phone(text.as_bytes()) {
                Ok(frame) => session.machine.handle_frame(frame, now),
                Err(error) => session.machine.handle_malformed(error),
            },
        }
    }

    /// Queues the commits that the sessions ask for, and returns what they write.
    pub(crate) fn outputs(&mut self) -> Vec<(usize, Wire)> {
        let mut written = Vec::new();
        let mut ended = Vec::new();
        for (socket, session) in &mut self.sessions {
            while let Some(output) = session.machine.poll_output() {
                let job = match output {
                    HubOutput::Identify(hello) => Job::Admit(hello),
                    HubOutput::HeldPage { rows } => {
                        assert!(rows.len() <= HELD_ROWS_PER_PAGE);
                        Job::Page(rows.iter().map(|row| row.id.get()).collect())
                    }
                    HubOutput::Reconciled { link, restarts } => Job::Reconciled(link, restarts),
                    HubOutput::Fact(frame) => Job::Fact(Box::new(frame)),
                    HubOutput::Acked { down } => Job::Acked(down),
                    HubOutput::Unpaired => panic!("no owner unpairs here"),
                    HubOutput::Write(frame) => {
                        check_durable(&frame, &self.rows);
                        written.push((*socket, Wire::Frame(encode(&frame).unwrap())));
                        continue;
                    }
                    HubOutput::Close(code) => {
                        assert_ne!(code, CloseCode::ProtocolError, "both ends are sound");
                        written.push((*socket, Wire::Close(Some(code))));
                        ended.push(*socket);
                        continue;
                    }
                };
                self.jobs.push_back((*socket, job));
            }
        }
        for socket in ended {
            self.sessions.remove(&socket);
        }
        written
    }

    /// Asks for a new exposure, if a session allows it.
    pub(crate) fn expose(&mut self) {
        self.next_message += 1;
        let message = self.next_message;
        for (socket, session) in &mut self.sessions {
            if let Some(s) = session.machine.assign_send() {
                let frame = HubFrame::Send(send(s, message));
                self.jobs
                    .push_back((*socket, Job::Down(Box::new(frame), message)));
                return;
            }
        }
    }

    /// Asks for a control frame.
    pub(crate) fn revoke(&mut self) {
        for (socket, session) in &mut self.sessions {
            if let Some(s) = session.machine.assign_control() {
                let (id, ep) = (parts::message(1), 1);
                let frame = HubFrame::Revoke(Revoke { s, id, ep });
                self.jobs
                    .push_back((*socket, Job::Down(Box::new(frame), 0)));
                return;
            }
        }
    }

    /// Numbers new messages above those that a restored hub forgot, as keys of time do.
    pub(crate) fn go_on_above(&mut self, message: usize) {
        self.next_message = self.next_message.max(i64::try_from(message).unwrap());
    }

    pub(crate) fn drain(&mut self, now: Now) {
        for session in self.sessions.values_mut() {
            session.machine.drain(500, now);
        }
    }

    pub(crate) fn timeout(&mut self, now: Now) {
        for session in self.sessions.values_mut() {
            session.machine.handle_timeout(now);
        }
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        let due = |session: &Session| session.machine.poll_timeout().map(|due| due.at.0);
        self.sessions.values().filter_map(due).min()
    }

    pub(crate) fn has_jobs(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// Commits the next job, and tells its session.
    pub(crate) fn commit_one(&mut self, random: &mut Seeded, now: Now) {
        let Some((socket, job)) = self.jobs.pop_front() else {
            return;
        };
        match job {
            Job::Admit(hello) => self.admit(socket, &hello, random, now),
            Job::Page(messages) => self.rows.shown.extend(messages),
            Job::Reconciled(link, restarts) => self.reconcile(socket, link, restarts, now),
            Job::Fact(frame) => self.fact(socket, &frame, now),
            Job::Acked(down) => self.acked(socket, down),
            Job::Down(frame, message) => self.down(socket, *frame, message),
        }
    }

    fn is_newest(&self, socket: usize) -> bool {
        let conn = self.sessions.get(&socket).and_then(|s| s.machine.conn());
        conn.is_some_and(|conn| self.rows.link.admits(conn))
    }

    fn admit(&mut self, socket: usize, hello: &Hello, random: &mut Seeded, now: Now) {
        let accepted = self.sessions.get(&socket).map_or(0, |s| s.accepted);
        let around = Circumstances {
            generation: self.rows.generation,
            own_generation: 0,
            overtaken: accepted < self.admitted,
            install_is_lost: false,
        };
        let decision = decide(hello, &self.rows.link, around);
        let Decision::Admit(admission) = decision else {
            self.went_back += u32::from(decision == Decision::WentBack);
            self.rows.needs_pairing |= decision == Decision::WentBack;
            if let (Some(session), Some(code)) =
                (self.sessions.get_mut(&socket), decision.close_code())
            {
                session.machine.refused(code);
            }
            return;
        };
        self.order += 1;
        self.admitted = self.order;
        self.rows.link = admission.link.clone();
        self.rows.generation = admission.raise_generation.unwrap_or(self.rows.generation);
        self.settle(&admission, random);
        let resume = self.resume(&admission);
        for (other, session) in &mut self.sessions {
            if *other == socket {
                session
                    .machine
                    .admitted((*admission).clone(), resume.clone(), now);
            } else if session.accepted < accepted {
                session.machine.close(CloseCode::Replaced);
            }
        }
    }

    /// Closes what was received; frees or resumes the rest.
    fn settle(&mut self, admission: &Admission, random: &mut Seeded) {
        let Some(above) = admission.never_received_above else {
            return;
        };
        self.rows.open = self.rows.open.split_off(&(above + 1));
        let (resumes, freed) = (admission.resumes, &mut self.rows.freed);
        self.rows.open.retain(|_, message| {
            let wanted = resumes && !random.one_in(4);
            if !wanted {
                freed.insert(*message);
            }
            wanted
        });
    }

    fn resume(&self, admission: &Admission) -> Vec<Send> {
        let open = self.rows.open.iter();
        let wanted = admission.reconcile.is_none();
        let sends = open.map(|(s, message)| send(*s, *message));
        sends.filter(|_| wanted).collect()
    }

    fn reconcile(&mut self, socket: usize, link: DeviceLink, restarts: bool, now: Now) {
        if self.rows.link.conn != link.conn {
            return;
        }
        self.rows.link = link;
        if restarts {
            self.rows.open.clear();
        }
        let resume = self.rows.open.iter().map(|(s, m)| send(*s, *m)).collect();
        if let Some(session) = self.sessions.get_mut(&socket) {
            session.machine.reconciled(resume, now);
        }
    }

    fn fact(&mut self, socket: usize, frame: &PhoneFrame, now: Now) {
        let s = frame.s().unwrap();
        if !self.is_newest(socket) {
            return;
        }
        assert_eq!(s, self.rows.link.up + 1, "facts are gapless");
        self.rows.link.up = s;
        if let PhoneFrame::Event(Event { detail, .. }) = frame {
            self.rows.facts.push(detail.clone().unwrap());
        }
        if let Some(session) = self.sessions.get_mut(&socket) {
            session.machine.facts_committed(s, now);
        }
    }

    fn acked(&mut self, socket: usize, down: u64) {
        if self.is_newest(socket) {
            self.rows.link.down_acked = self.rows.link.down_acked.max(down);
            self.rows.open = self.rows.open.split_off(&(down + 1));
        }
    }

    fn down(&mut self, socket: usize, frame: HubFrame, message: i64) {
        if !self.is_newest(socket) {
            return;
        }
        let s = frame.s().unwrap();
        self.rows.link.down_sent = s;
        if message != 0 {
            self.rows.open.insert(s, message);
            self.rows.exposed.push(message);
        }
        if let Some(session) = self.sessions.get_mut(&socket) {
            session.machine.down_committed(frame);
        }
    }
}

/// Nothing is written that is not on disk.
fn check_durable(frame: &HubFrame, rows: &Rows) {
    if let Some(s) = frame.s() {
        assert!(s <= rows.link.down_sent, "{s} is written before its commit");
    }
    if let HubFrame::Ack(ack) = frame {
        assert!(ack.a <= rows.link.up, "a fact is acked before its commit");
    }
}

fn send(s: u64, message: i64) -> Send {
    Send {
        id: parts::message(message),
        ep: 1,
        ..parts::send(s)
    }
}
