//! One connection of one phone, as the hub's process keeps it.

use super::{
    DeviceState,
    identify::Admitted,
    rows::Device,
    turn::{Connection, Done, Ended, Turn},
};
use crate::{
    log::{Line, Who},
    net::Wire,
    plan::HubPoint,
    world::{Event, World},
    wrong::Wrong,
};
use postrider_link::{
    close::CloseCode,
    codec::DecodeError,
    frame::{HeldRow, Hello, HubFrame, InstallId, Send},
    session::hub::{DeviceLink, HubOutput, HubSession, HubSettings},
};
use postrider_model::DeviceId;

/// Seconds between two pings at first.
const HEARTBEAT_S: u64 = 45;

/// Which connection a commit is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The device.
    pub device: DeviceId,
    /// Its installation.
    pub install: InstallId,
    /// The connection's number.
    pub conn: u64,
}

/// What is known once the phone is admitted.
#[derive(Debug)]
pub struct Joined {
    /// Which connection it is.
    pub fence: Fence,
    /// What a turn goes by, once the session is open.
    pub connection: Option<Connection>,
}

/// One connection.
#[derive(Debug)]
pub struct HubLink {
    /// The production session.
    pub session: HubSession,
    /// What the next commit shall do.
    pub turn: Turn,
    /// The highest downward number acked on it.
    pub acked: u64,
    /// Whether a job keeps the outputs back.
    busy: bool,
    /// Whether a commit runs.
    committing: bool,
    /// Who it is.
    pub joined: Option<Joined>,
    due_at: Option<u64>,
}

/// A commit that is asked for.
#[derive(Debug)]
pub enum Job {
    /// Decide about a hello.
    Identify(Box<Hello>, bool),
    /// Store a held page.
    Page(Vec<HeldRow>),
    /// Store the reconciled row.
    Finish(DeviceLink, bool),
    /// Store the last facts of a phone whose owner unpaired it, and take it out of service.
    Unpair(Box<Turn>),
    /// Do a turn.
    Turn(Box<(Turn, Connection)>),
}

/// What a commit came to.
#[derive(Debug)]
pub enum Answer {
    /// The phone comes in.
    Admitted(Box<Admitted>),
    /// It does not.
    Refused(CloseCode),
    /// A page is stored.
    Stored,
    /// The row is stored; these go out again.
    Finished(Vec<Send>),
    /// A turn is done.
    Done(Box<Done>),
    /// The connection must end.
    Close(CloseCode),
}

impl HubLink {
    /// Returns the device, once it is admitted.
    pub fn device(&self) -> Option<DeviceId> {
        self.joined.as_ref().map(|joined| joined.fence.device)
    }
}

impl World {
    /// A phone has opened a connection.
    pub(crate) fn hub_accepts(&mut self, socket: u64) {
        let now = self.hub_now();
        self.hub.nonces += 1;
        let nonce = format!("nonce-{:016}", self.hub.nonces);
        let Ok(nonce) = nonce.parse() else { return };
        let settings = HubSettings {
            generation: self.hub.rows.generation,
            heartbeat_s: HEARTBEAT_S,
            hub: None,
        };
        let link = HubLink {
            session: HubSession::new(settings, nonce, now),
            turn: Turn::default(),
            acked: 0,
            busy: false,
            committing: false,
            joined: None,
            due_at: None,
        };
        self.hub.links.insert(socket, link);
        self.outputs(socket);
    }

    /// The hub takes in what arrived.
    pub(crate) fn hub_hears(&mut self, socket: u64, wire: Wire) {
        let now = self.hub_now();
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        match wire {
            Wire::ToHub(frame) => link.session.handle_frame(*frame, now),
            Wire::Noise | Wire::Critical => link.session.handle_malformed(DecodeError::NotJson),
            Wire::Close(_) => return self.leave(socket),
            Wire::ToPhone(_) => return,
        }
        self.step();
        self.outputs(socket);
    }

    /// Does what a session asks for, until a job keeps it back.
    pub(crate) fn outputs(&mut self, socket: u64) {
        loop {
            let Some(link) = self.hub.links.get_mut(&socket) else {
                return;
            };
            if link.busy {
                break;
            }
            let Some(output) = link.session.poll_output() else {
                break;
            };
            match output {
                HubOutput::Write(frame) => self.hub_writes(socket, frame),
                HubOutput::Fact(frame) => link.turn.facts.push(frame),
                HubOutput::Acked { down } => {
                    link.turn.acked = Some(down);
                    link.acked = link.acked.max(down);
                    self.go_on(socket);
                }
                HubOutput::Identify(hello) => {
                    let accepted = link.session.accepted_at();
                    let admitted = self.hub.admitted_at.get(&hello.phone);
                    let overtaken = admitted.is_some_and(|at| *at >= accepted);
                    self.job(socket, Job::Identify(hello, overtaken));
                }
                HubOutput::HeldPage { rows } => self.job(socket, Job::Page(rows)),
                HubOutput::Reconciled { link, restarts } => {
                    self.job(socket, Job::Finish(link, restarts));
                }
                HubOutput::Unpaired => {
                    let turn = std::mem::take(&mut link.turn);
                    self.job(socket, Job::Unpair(Box::new(turn)));
                }
                HubOutput::Close(code) => {
                    self.coverage
                        .mark("close code", "of the hub", code.reason());
                    self.carry(socket, true, Wire::Close(Some(code)));
                    return self.leave(socket);
                }
            }
        }
        self.begin_commit(socket);
        self.plan_hub_deadline(socket);
    }

    fn hub_writes(&mut self, socket: u64, mut frame: HubFrame) {
        let Some(link) = self.hub.links.get(&socket) else {
            return;
        };
        if self.has(Wrong::HubAcksTooEarly)
            && let HubFrame::Ack(ack) = &mut frame
        {
            ack.a += 1;
        }
        let device = link
            .device()
            .and_then(|device| self.hub.rows.devices.get(&device));
        let is_durable = match (&frame, device) {
            (HubFrame::Ack(ack), Some(device)) => ack.a <= device.link.up,
            (frame, Some(device)) => frame.s().is_none_or(|s| s <= device.link.down_sent),
            (frame, None) => frame.s().is_none(),
        };
        let is_newest = device.is_some_and(|device| {
            let fence = link.joined.as_ref().map(|joined| &joined.fence);
            fence.is_some_and(|fence| {
                device.link.admits(fence.conn) && device.link.install == fence.install
            })
        });
        if is_newest && !is_durable {
            let text = format!("the hub writes {frame:?}");
            return self.fail("the hub writes only what is on its disk", None, text);
        }
        let (newer_until, by_frame) = self.hub.newer_until;
        if newer_until > self.at
            && !by_frame
            && let HubFrame::Welcome(welcome) = &mut frame
        {
            self.coverage
                .mark("fault", "the hub speaks another version", "");
            welcome.v += 1;
        }
        self.carry(socket, true, Wire::ToPhone(Box::new(frame)));
    }

    /// Asks for a commit that the outputs wait for.
    fn job(&mut self, socket: u64, job: Job) {
        if let Some(link) = self.hub.links.get_mut(&socket) {
            link.busy = true;
        }
        self.push_job(socket, job);
    }

    fn push_job(&mut self, socket: u64, job: Job) {
        let life = self.hub.life;
        let delay_ms = self.draw(&[13, socket, self.at]).between(1, 12);
        self.push_in(delay_ms, Event::Job { life, socket, job });
    }

    /// Begins the next turn's commit, if there is anything to do.
    pub(crate) fn begin_commit(&mut self, socket: u64) {
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        if link.committing || link.busy || !link.turn.is_due() {
            return;
        }
        let credit = link.session.send_credit();
        let clock = link.session.phone_clock();
        let is_open = link.session.is_open();
        let connection = link.joined.as_mut().and_then(|it| it.connection.as_mut());
        let Some(connection) = connection else {
            return;
        };
        connection.credit = credit;
        connection.clock = clock.unwrap_or(connection.clock);
        let connection = connection.clone();
        let mut turn = std::mem::take(&mut link.turn);
        turn.expose &= is_open;
        link.committing = true;
        self.push_job(socket, Job::Turn(Box::new((turn, connection))));
    }

    /// Does a job: its commit, and then what follows it.
    pub(crate) fn do_job(&mut self, socket: u64, job: Job) {
        if self.hub_dies_at(HubPoint::BeforeCommit) {
            return;
        }
        if self.hub.full_until > self.at {
            self.coverage.mark("fault", "the hub's disk is full", "");
            return self.job_done(socket, Answer::Close(CloseCode::Internal));
        }
        let answer = match job {
            Job::Identify(hello, overtaken) => self.identify(&hello, overtaken),
            Job::Page(rows) => self.store_page(socket, rows),
            Job::Finish(link, restarts) => self.finish_pages(socket, link, restarts),
            Job::Unpair(turn) => self.unpair(socket, &turn),
            Job::Turn(turn) => {
                let (turn, connection) = *turn;
                match self.do_turn(&turn, connection) {
                    Ended::Done(done) => Answer::Done(done),
                    Ended::Close(code) => Answer::Close(code),
                }
            }
        };
        if self.hub_dies_at(HubPoint::AfterCommit) {
            return;
        }
        let life = self.hub.life;
        let done = Event::Done {
            life,
            socket,
            answer,
        };
        self.push_in(1, done);
    }

    fn unpair(&mut self, socket: u64, turn: &Turn) -> Answer {
        let joined = self
            .hub
            .links
            .get(&socket)
            .and_then(|it| it.joined.as_ref());
        let Some(joined) = joined else {
            return Answer::Close(CloseCode::Internal);
        };
        let (fence, connection) = (joined.fence.clone(), joined.connection.clone());
        if let Some(connection) = connection
            && let Ended::Done(done) = self.do_turn(turn, connection)
        {
            self.wake(done.effects);
        }
        let row = self.hub.rows.devices.get_mut(&fence.device);
        let is_newest =
            |row: &&mut Device| row.link.admits(fence.conn) && row.link.install == fence.install;
        if let Some(row) = row.filter(is_newest) {
            let was = std::mem::replace(&mut row.state, DeviceState::Revoked);
            let effects = self.device_gone(fence.device, was);
            self.wake(effects);
        }
        Answer::Stored
    }

    /// Does what follows a commit.
    pub(crate) fn job_done(&mut self, socket: u64, answer: Answer) {
        let now = self.hub_now();
        if let Answer::Done(done) = &answer {
            self.wake(done.effects.clone());
        }
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        self.steps += 1;
        match answer {
            Answer::Admitted(admitted) => {
                link.busy = false;
                self.admit(socket, *admitted);
            }
            Answer::Refused(code) => {
                link.busy = false;
                link.session.refused(code);
            }
            Answer::Stored => link.busy = false,
            Answer::Finished(resume) => {
                link.busy = false;
                link.session.reconciled(resume, now);
                self.opened(socket);
            }
            Answer::Done(done) => {
                link.committing = false;
                self.committed(socket, *done);
            }
            Answer::Close(code) => {
                link.busy = false;
                link.committing = false;
                link.session.close(code);
            }
        }
        self.outputs(socket);
    }

    fn admit(&mut self, socket: u64, admitted: Admitted) {
        let now = self.hub_now();
        let fence = admitted.fence;
        self.hub.admitted_at.insert(fence.device, now.boot);
        let is_older = |(other, link): &(&u64, &mut HubLink)| {
            **other != socket && link.device() == Some(fence.device)
        };
        let mut replaced = Vec::new();
        for (other, link) in self.hub.links.iter_mut().filter(is_older) {
            link.session.close(CloseCode::Replaced);
            replaced.push(*other);
        }
        if let Some(link) = self.hub.links.get_mut(&socket) {
            link.joined = Some(Joined {
                fence,
                connection: None,
            });
            link.session
                .admitted(admitted.admission, admitted.resume, now);
            self.opened(socket);
        }
        for other in replaced {
            self.outputs(other);
        }
    }

    /// Looks for work as soon as the session is open.
    fn opened(&mut self, socket: u64) {
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        let (Some(clock), Some(joined)) = (link.session.phone_clock(), &mut link.joined) else {
            return;
        };
        joined.connection = Some(Connection::new(joined.fence.clone(), clock));
        link.turn.settings = true;
        link.turn.ask = true;
        link.turn.expose = true;
        self.note(Line::new(Who::Hub, "a phone is connected"));
        if self.hub.newer_until.0 > self.at && self.hub.newer_until.1 {
            self.coverage
                .mark("fault", "the hub writes what must be understood", "");
            self.carry(socket, true, Wire::Critical);
        }
    }

    /// Writes numbered frames, and acks what was stored.
    fn committed(&mut self, socket: u64, done: Done) {
        let now = self.hub_now();
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        for frame in done.frames {
            let number = match &frame {
                HubFrame::Send(_) => link.session.assign_send(),
                _ => link.session.assign_control(),
            };
            // A session that is drained meanwhile numbers nothing: the next connection resumes.
            if number == frame.s() {
                link.session.down_committed(frame);
            } else if link.session.is_open() {
                return link.session.close(CloseCode::Internal);
            }
        }
        if let Some(up) = done.up {
            link.session.facts_committed(up, now);
        }
        if let Some(joined) = &mut link.joined {
            let before = joined.connection.as_ref();
            link.turn.fill_room(before, &done.connection);
            joined.connection = Some(done.connection);
        }
        self.go_on(socket);
    }

    /// Looks again for what had to wait until the phone acked more, when it has.
    fn go_on(&mut self, socket: u64) {
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        let credit = link.session.send_credit();
        let joined = link.joined.as_ref();
        let Some(connection) = joined.and_then(|joined| joined.connection.as_ref()) else {
            return;
        };
        link.turn.go_on(connection, credit);
    }

    /// A connection has ended: what the phone acked is stored, unless it has a newer one.
    pub(crate) fn leave(&mut self, socket: u64) {
        let Some(link) = self.hub.links.remove(&socket) else {
            return;
        };
        let (Some(joined), Some(acked)) = (link.joined, link.turn.acked) else {
            return;
        };
        let fence = joined.fence;
        if let Some(device) = self.hub.rows.devices.get_mut(&fence.device)
            && device.link.admits(fence.conn)
            && device.link.install == fence.install
        {
            let link = &mut device.link;
            link.down_acked = link.down_acked.max(acked).min(link.down_sent);
        }
    }

    fn plan_hub_deadline(&mut self, socket: u64) {
        let at = self.at;
        let life = self.hub.life;
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        let Some(due) = link.session.poll_timeout() else {
            return;
        };
        let due_at = due.at.0.saturating_sub(1).max(at);
        if link
            .due_at
            .is_none_or(|planned| planned > due_at || planned <= at)
        {
            link.due_at = Some(due_at);
            self.push(due_at, Event::HubDue { life, socket });
        }
    }

    /// A session's deadline has come, unless it was moved.
    pub(crate) fn hub_due(&mut self, socket: u64) {
        let (now, at) = (self.hub_now(), self.at);
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        if link.due_at == Some(at) {
            link.due_at = None;
        }
        link.session.handle_timeout(now);
        self.step();
        self.outputs(socket);
    }
}
