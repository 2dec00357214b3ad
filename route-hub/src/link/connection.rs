//! One connection of one phone: a loop around the link's session.
//!
//! At most one commit is under way; what comes in meanwhile waits for the next one, which then
//! takes it all. Frames are written only after the commit that numbered them, and facts are acked
//! only after the commit that stored them: both happen in `committed`, and nowhere else.

use crate::bus::{Wake, Woken};
use crate::dispatch::expose::Open;
use crate::hub::Hub;
use crate::link::identify::{Admitted, Answer, identify};
use crate::link::socket::{Heard, Socket};
use crate::link::turn::{self, Connection, Ended, Turn};
use crate::link::{leave, pages};
use hub_store::StoreError;
use postrider_link::close::CloseCode;
use postrider_link::frame::{Hello, HubFrame, Nonce};
use postrider_link::session::hub::{DeviceLink, HubOutput, HubSession, HubSettings};
use postrider_model::{DeviceId, PhoneId};
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Seconds between two pings at first.
const HEARTBEAT_S: u64 = 45;
/// Facts that may wait for a commit before the socket is not read any more: the phone's own
/// window is of this size, so that a sound phone never meets it.
const FACTS_WAITING_MAX: usize = 512;
/// The longest time after which a drained phone is told to come back, in milliseconds.
const RETRY_MS_MAX: u64 = 30_000;

type Commit = Pin<Box<dyn Future<Output = Result<Ended, StoreError>> + Send>>;

/// Serves one socket until it ends.
pub async fn serve(hub: Hub, socket: Socket) {
    let now = hub.now();
    let settings = HubSettings { generation: hub.generation(), heartbeat_s: HEARTBEAT_S };
    let Ok(nonce) = hub.random.token::<24>().parse::<Nonce>() else { return };
    let session = HubSession::new(settings, nonce, now);
    let mut link = Link {
        hub,
        socket,
        session,
        turn: Turn::default(),
        commit: None,
        admitted: None,
        backlog: false,
        starved: false,
        ended: false,
    };
    link.run().await;
    link.leave().await;
}

struct Link {
    hub: Hub,
    socket: Socket,
    session: HubSession,
    turn: Turn,
    commit: Option<Commit>,
    admitted: Option<Joined>,
    /// Whether the queue held more than there was room for.
    backlog: bool,
    /// Whether the phone's credit was used up: its next ack brings more.
    starved: bool,
    ended: bool,
}

/// What is known once the phone is admitted.
struct Joined {
    device: DeviceId,
    conn: u64,
    phones: Vec<PhoneId>,
    wake: Arc<Wake>,
    replaced: Arc<Notify>,
    connection: Option<Connection>,
}

impl Link {
    async fn run(&mut self) {
        while !self.ended {
            self.do_outputs().await;
            if self.ended || self.socket.flush().await.is_err() {
                return;
            }
            self.begin_commit();
            self.wait().await;
        }
    }

    /// Waits for whatever happens next, and takes it in.
    async fn wait(&mut self) {
        let now = self.hub.now();
        let timeout = self.session.poll_timeout().map(|deadline| deadline.at.since_ms(now.boot));
        let readable = self.turn.facts.len() < FACTS_WAITING_MAX;
        let (wake, replaced) = match &self.admitted {
            Some(open) => (Some(Arc::clone(&open.wake)), Some(Arc::clone(&open.replaced))),
            None => (None, None),
        };
        let hub = self.hub.clone();
        tokio::select! {
            biased;
            ended = maybe(self.commit.as_mut()) => self.committed(ended),
            () = notified(replaced) => self.session.close(CloseCode::Replaced),
            heard = self.socket.next(), if readable => self.heard(heard),
            woken = woken(wake) => self.woken(woken),
            () = hub.links.draining(), if self.session.is_open() => self.drain(),
            () = sleep_ms(timeout) => self.session.handle_timeout(self.hub.now()),
        }
    }

    fn heard(&mut self, heard: Heard) {
        let now = self.hub.now();
        match heard {
            Heard::Frame(frame) => self.session.handle_frame(frame, now),
            Heard::Malformed(error) => {
                tracing::info!(%error, device = ?self.device(), "a frame could not be read");
                self.session.handle_malformed(error);
            }
            Heard::Ended => self.ended = true,
        }
    }

    fn woken(&mut self, woken: Woken) {
        self.turn.expose |= woken.queued || woken.changed;
        self.turn.ask |= woken.asked;
        self.turn.settings |= woken.changed;
    }

    fn drain(&mut self) {
        let retry_ms = self.hub.random.below(RETRY_MS_MAX);
        self.session.drain(retry_ms, self.hub.now());
    }

    async fn do_outputs(&mut self) {
        while let Some(output) = self.session.poll_output() {
            match output {
                HubOutput::Write(frame) => self.write(&frame),
                HubOutput::Fact(frame) => self.turn.facts.push(frame),
                HubOutput::Acked { down } => {
                    self.turn.acked = Some(down);
                    self.turn.expose |= self.starved;
                }
                HubOutput::Identify(hello) => self.identify(hello).await,
                HubOutput::HeldPage { rows } => {
                    let Some(open) = &self.admitted else { continue };
                    let (device, conn) = (open.device, open.conn);
                    let stored = pages::store(&self.hub, device, conn, rows).await;
                    self.or_close(stored);
                }
                HubOutput::Reconciled { link, restarts } => self.reconciled(link, restarts).await,
                HubOutput::Close(code) => {
                    self.socket.close(code).await;
                    self.ended = true;
                }
            }
        }
    }

    fn write(&mut self, frame: &HubFrame) {
        if self.socket.write(frame).is_err() {
            tracing::error!(device = ?self.device(), "a frame could not be written as JSON");
            self.session.close(CloseCode::Internal);
        }
    }

    async fn identify(&mut self, hello: Box<Hello>) {
        let admitted_at = self.hub.links.admitted_at(hello.phone);
        let overtaken = admitted_at.is_some_and(|at| at >= self.session.accepted_at());
        let nonce = self.session.nonce().clone();
        let device = hello.phone;
        match identify(&self.hub, hello, nonce, overtaken).await {
            Ok(Answer::Admitted(admitted)) => self.admit(*admitted),
            Ok(Answer::Refused(code)) => {
                tracing::info!(%device, %code, "a phone was refused");
                self.session.refused(code);
            }
            Err(error) => {
                tracing::error!(%device, %error, "a hello could not be decided");
                self.session.close(CloseCode::Internal);
            }
        }
    }

    fn admit(&mut self, admitted: Admitted) {
        let now = self.hub.now();
        let Admitted { admission, resume, device, phones } = admitted;
        let conn = admission.link.conn;
        let phones: Vec<PhoneId> = phones.iter().map(|phone| phone.id).collect();
        let wake = Arc::new(Wake::default());
        let replaced = self.hub.links.admit(device.id, conn, now.boot);
        self.hub.bus.listen(Some(device.id), &phones, &wake);
        tracing::info!(device = %device.id, conn, "a phone connected");
        let connection = None;
        let id = device.id;
        self.admitted = Some(Joined { device: id, conn, phones, wake, replaced, connection });
        if let Some(generation) = admission.raise_generation {
            self.hub.raise_generation(generation);
        }
        self.session.admitted(admission, resume, now);
        self.opened();
    }

    async fn reconciled(&mut self, link: DeviceLink, restarts: bool) {
        let Some(open) = &self.admitted else { return };
        let stored = pages::finish(&self.hub, open.device, link, restarts).await;
        match stored {
            Ok(resume) => {
                self.session.reconciled(resume, self.hub.now());
                self.opened();
            }
            Err(error) => self.or_close(Err(error)),
        }
    }

    /// Looks for work as soon as the session is open.
    fn opened(&mut self) {
        let (Some(clock), Some(open)) = (self.session.phone_clock(), &mut self.admitted) else {
            return;
        };
        open.connection = Some(Connection {
            device: open.device,
            conn: open.conn,
            clock,
            credit: 0,
            open: Open::default(),
            asked: Default::default(),
            config: Default::default(),
        });
        self.turn.settings = true;
        self.turn.ask = true;
        self.turn.expose = true;
    }

    fn begin_commit(&mut self) {
        if self.commit.is_some() || !self.turn.is_due() {
            return;
        }
        let (credit, clock) = (self.session.send_credit(), self.session.phone_clock());
        let Some(connection) = self.admitted.as_mut().and_then(|open| open.connection.as_mut())
        else {
            return;
        };
        connection.credit = credit;
        connection.clock = clock.unwrap_or(connection.clock);
        let connection = connection.clone();
        let mut turn = std::mem::take(&mut self.turn);
        turn.expose &= self.session.is_open();
        let (hub, now) = (self.hub.clone(), self.hub.now());
        let job = self
            .hub
            .store
            .write(move |tx| turn::run(&hub, tx, &turn, connection.clone(), now));
        self.commit = Some(Box::pin(job));
    }

    /// After a commit: write what it numbered, ack what it stored, wake whom it concerns.
    fn committed(&mut self, ended: Result<Ended, StoreError>) {
        self.commit = None;
        let done = match ended {
            Ok(Ended::Done(done)) => *done,
            Ok(Ended::Close(code)) => return self.session.close(code),
            Err(error) => return self.or_close(Err(error)),
        };
        let now = self.hub.now();
        for frame in done.frames {
            let number = match &frame {
                HubFrame::Send(_) => self.session.assign_send(),
                _ => self.session.assign_control(),
            };
            // A session that is drained meanwhile numbers nothing: the next connection resumes.
            if number == frame.s() {
                self.session.down_committed(frame);
            } else if number.is_some() {
                return self.session.close(CloseCode::Internal);
            }
        }
        if let Some(up) = done.up {
            self.session.facts_committed(up, now);
        }
        self.starved = done.starved;
        self.note(done.connection, done.more);
        done.effects.perform(&self.hub);
    }

    /// Keeps what the commit learned; room that it made is filled by the next one.
    fn note(&mut self, connection: Connection, more: bool) {
        let Some(open) = &mut self.admitted else { return };
        let before = open.connection.replace(connection);
        let opened_room = match (&before, &open.connection) {
            (Some(before), Some(after)) => after.open.total() < before.open.total(),
            _ => false,
        };
        self.turn.expose |= self.backlog && opened_room;
        self.backlog = more || (self.backlog && opened_room);
    }

    fn or_close(&mut self, stored: Result<(), StoreError>) {
        if let Err(error) = stored {
            tracing::error!(%error, device = ?self.device(), "a link's commit failed");
            self.session.close(CloseCode::Internal);
        }
    }

    fn device(&self) -> Option<DeviceId> {
        self.admitted.as_ref().map(|open| open.device)
    }

    async fn leave(&mut self) {
        if let Some(commit) = self.commit.take() {
            let ended = commit.await;
            self.committed(ended);
        }
        let Some(open) = self.admitted.take() else { return };
        self.hub.bus.leave(open.device, &open.phones, &open.wake);
        self.hub.links.leave(open.device, open.conn);
        tracing::info!(device = %open.device, conn = open.conn, "a phone disconnected");
        if let Err(error) = leave::store(&self.hub, open.device, open.conn, self.turn.acked).await {
            tracing::error!(device = %open.device, %error, "a disconnect could not be stored");
        }
    }
}

async fn maybe(commit: Option<&mut Commit>) -> Result<Ended, StoreError> {
    match commit {
        Some(commit) => commit.await,
        None => pending().await,
    }
}

async fn woken(wake: Option<Arc<Wake>>) -> Woken {
    match wake {
        Some(wake) => wake.woken().await,
        None => pending().await,
    }
}

async fn notified(notify: Option<Arc<Notify>>) {
    match notify {
        Some(notify) => notify.notified().await,
        None => pending().await,
    }
}

async fn sleep_ms(delay_ms: Option<u64>) {
    match delay_ms {
        Some(delay_ms) => tokio::time::sleep(Duration::from_millis(delay_ms)).await,
        None => pending().await,
    }
}
