//! One connection of one phone, as the hub's process keeps it.

use super::{
    Slot,
    identify::Admitted,
    rows::Device,
    turn::{Connection, Done, Ended, Turn},
};
use crate::{
    log::{Line, Who},
    net::Wire,
    plan::HubPoint,
    world::{Event, World},
};
use postrider_link::{
    close::CloseCode,
    codec::DecodeError,
    dispatch::{
        hello::Service,
        link::Link,
        newest::{Fence, Place},
    },
    frame::{Config, HeldRow, Hello, HubFrame, Send},
    session::hub::{DeviceLink, HubOutput, HubSession, HubSettings},
};
use postrider_model::{BootMs, DeviceId};
use std::{collections::BTreeMap, sync::Arc};

/// Seconds between two pings at first.
const HEARTBEAT_S: u64 = 45;

/// One connection.
#[derive(Debug)]
pub struct HubLink {
    /// What it commits, by the production rules.
    pub of: Link<Fence, BTreeMap<Slot, Config>, Slot>,
    /// Whether a job keeps the outputs back.
    busy: bool,
    /// Whether the phone's last words wait for the commit under way.
    unpairs: bool,
    due_at: Option<u64>,
}

/// A commit that is asked for.
#[derive(Debug)]
pub enum Job {
    /// Decide about a hello.
    Identify(Box<Hello>, BootMs),
    /// Store a held page.
    Page(Vec<HeldRow>),
    /// Store the reconciled row.
    Finish(DeviceLink, bool),
    /// Store the last facts of a phone whose owner unpaired it, and take it out of service.
    Unpair(Box<(Turn, Connection)>),
    /// Do a turn.
    Turn(Box<(Arc<Turn>, Connection)>),
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
        self.of.fence().map(|fence| fence.device)
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
            of: Link::new(HubSession::new(settings, nonce, now)),
            busy: false,
            unpairs: false,
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
            Wire::ToHub(frame) => link.of.session.handle_frame(*frame, now),
            Wire::Noise | Wire::Critical => link.of.session.handle_malformed(DecodeError::NotJson),
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
            let Some(output) = link.of.session.poll_output() else {
                break;
            };
            match output {
                HubOutput::Write(frame) => self.hub_writes(socket, frame),
                HubOutput::Fact(frame) => link.of.fact(frame),
                HubOutput::Acked { down } => {
                    link.of.acked(down);
                    if let Some(fence) = link.of.fence() {
                        self.hub.newest.acked(fence, down);
                    }
                }
                HubOutput::Identify(hello) => {
                    let accepted = link.of.session.accepted_at();
                    self.job(socket, Job::Identify(hello, accepted));
                }
                HubOutput::HeldPage { rows } => self.job(socket, Job::Page(rows)),
                HubOutput::Reconciled { link, restarts } => {
                    self.job(socket, Job::Finish(link, restarts));
                }
                HubOutput::Unpaired => {
                    (link.busy, link.unpairs) = (true, true);
                    self.begin_last_words(socket);
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
        let device = link
            .device()
            .and_then(|device| self.hub.rows.devices.get(&device));
        let is_durable = match (&frame, device) {
            (HubFrame::Ack(ack), Some(device)) => ack.a <= device.link.up,
            (frame, Some(device)) => frame.s().is_none_or(|s| s <= device.link.down_sent),
            (frame, None) => frame.s().is_none(),
        };
        let is_newest = device.is_some_and(|device| {
            let fence = link.of.fence();
            fence.is_some_and(|fence| fence.admits(&device.link))
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
        if link.busy {
            return;
        }
        let facts = link.of.facts_waiting();
        if let Some(turn) = link.of.begin(facts) {
            self.push_job(socket, Job::Turn(Box::new(turn)));
        }
    }

    /// Begins the last commit of a phone that its owner unpaired, once there is none under way.
    fn begin_last_words(&mut self, socket: u64) {
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        if !link.unpairs || link.of.is_committing() {
            return;
        }
        link.unpairs = false;
        if let Some(last) = link.of.last_words() {
            self.push_job(socket, Job::Unpair(Box::new(last)));
        }
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
            Job::Identify(hello, accepted) => self.identify(&hello, accepted),
            Job::Page(rows) => self.store_page(socket, &rows),
            Job::Finish(link, restarts) => self.finish_pages(socket, link, restarts),
            Job::Unpair(last) => self.unpair(*last),
            Job::Turn(turn) => {
                let (turn, connection) = *turn;
                let facts_max = self.draw(&[18, socket, self.at]).between(1, 20);
                let facts_max = usize::try_from(facts_max).unwrap_or(usize::MAX);
                match self.do_turn(&turn, connection, facts_max) {
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

    fn unpair(&mut self, (last, connection): (Turn, Connection)) -> Answer {
        let fence = connection.fence.clone();
        if let Ended::Done(done) = self.do_turn(&last, connection, usize::MAX) {
            self.wake(done.effects);
        }
        let row = self.hub.rows.devices.get_mut(&fence.device);
        let is_paired = |row: &&mut Device| fence.admits(&row.link) && row.state == Service::Open;
        if let Some(row) = row.filter(is_paired) {
            row.state = Service::Ended;
            let effects = self.device_gone(fence.device, Service::Open);
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
                link.of.session.refused(code);
            }
            Answer::Stored => link.busy = false,
            Answer::Finished(resume) => {
                link.busy = false;
                link.of.reconciled(resume, now);
                self.opened(socket);
            }
            Answer::Done(done) => link.of.committed(done.stored, now),
            Answer::Close(code) => {
                link.busy = link.unpairs;
                link.of.failed(code);
            }
        }
        self.begin_last_words(socket);
        self.outputs(socket);
    }

    fn admit(&mut self, socket: u64, admitted: Admitted) {
        let now = self.hub_now();
        let fence = admitted.fence;
        let place = self.hub.newest.admit(fence.clone(), now.boot, socket);
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        let (admission, resume) = (admitted.admission, admitted.resume);
        link.of.admitted(fence, admission, resume, now);
        self.opened(socket);
        let ends = match place {
            Place::Newest(older) => older,
            Place::Overtaken => Some(socket),
        };
        if let Some(socket) = ends {
            if let Some(link) = self.hub.links.get_mut(&socket) {
                link.of.session.close(CloseCode::Replaced);
            }
            self.outputs(socket);
        }
    }

    fn opened(&mut self, socket: u64) {
        let link = self.hub.links.get(&socket);
        if link.is_none_or(|link| !link.of.session.is_open()) {
            return;
        }
        self.note(Line::new(Who::Hub, "a phone is connected"));
        if self.hub.newer_until.0 > self.at && self.hub.newer_until.1 {
            self.coverage
                .mark("fault", "the hub writes what must be understood", "");
            self.carry(socket, true, Wire::Critical);
        }
    }

    /// A connection has ended: what the phone acked is stored, unless it has a newer one.
    pub(crate) fn leave(&mut self, socket: u64) {
        let Some(link) = self.hub.links.remove(&socket) else {
            return;
        };
        let Some(fence) = link.of.fence() else {
            return;
        };
        self.hub.newest.leave(fence);
        let row = self.hub.rows.devices.get_mut(&fence.device);
        if let Some(device) = row.filter(|device| fence.admits(&device.link)) {
            device.link.acks(link.of.acked_last().unwrap_or(0));
        }
    }

    fn plan_hub_deadline(&mut self, socket: u64) {
        let at = self.at;
        let life = self.hub.life;
        let Some(link) = self.hub.links.get_mut(&socket) else {
            return;
        };
        let Some(due) = link.of.session.poll_timeout() else {
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
        link.of.session.handle_timeout(now);
        self.step();
        self.outputs(socket);
    }
}
