//! One connection of one phone: a loop around the link's session.
//!
//! At most one commit is under way; the next one takes all that comes in meanwhile. Frames are
//! written only after the commit that numbered them, and facts are acked only after the commit that
//! stored them. Both happen only in `committed`.

use crate::identify::{Admitted, Answer, Greeting, identify};
use crate::patience::{Pauses, until_taken};
use crate::socket::{Heard, Socket};
use crate::turn::{self, Connection, Ended, Turn};
use crate::{leave, pages};
use hub_app::dispatch::expose::Open;
use hub_app::hub::Hub;
use hub_app::hub::bus::{Wake, Woken};
use hub_app::hub::fact_rates::Granted;
use hub_app::hub::links::Fence;
use hub_store::StoreError;
use hub_web::front::Guest;
use postrider_link::close::CloseCode;
use postrider_link::frame::{Hello, HubFrame, Nonce};
use postrider_link::session::hub::{DeviceLink, HubOutput, HubSession, HubSettings};
use postrider_model::{BootMs, DeviceId, PhoneId, ProjectId};
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Seconds between two pings at the beginning.
const HEARTBEAT_S: u64 = 45;
/// Most facts that wait for a commit; with more the socket is not read. A phone's own window has
/// this size, so an honest phone never gets there.
const FACTS_WAITING_MAX: usize = 512;
/// The longest delay after which a phone is told to come back when the hub stops, in milliseconds.
const RETRY_MS_MAX: u64 = 30_000;

type Commit = Pin<Box<dyn Future<Output = Result<Ended, StoreError>> + Send>>;

/// Serves one socket until it ends.
///
/// `dialled` is the host name that the phone dialled, if its request says so. The visitor came at
/// `since`, and keeps its place as long as it stays.
pub(crate) async fn serve(
    hub: Hub,
    socket: Socket,
    dialled: Option<String>,
    guest: Option<Guest>,
    since: BootMs,
) {
    let now = hub.now();
    let settings = HubSettings {
        generation: hub.generation(),
        heartbeat_s: HEARTBEAT_S,
        hub: Some(hub.hub_id),
    };
    let Ok(nonce) = hub.random.token::<24>().parse::<Nonce>() else {
        return;
    };
    let session = HubSession::new(settings, nonce, now).opened_at(since);
    let mut link = Link {
        hub,
        dialled,
        socket,
        guest,
        session,
        turn: Turn::default(),
        facts_in_ms: None,
        commit: None,
        under_way: Arc::default(),
        pauses: Pauses::default(),
        paused_until: None,
        admitted: None,
        ended: false,
    };
    link.run().await;
    link.leave().await;
}

struct Link {
    hub: Hub,
    dialled: Option<String>,
    socket: Socket,
    guest: Option<Guest>,
    session: HubSession,
    turn: Turn,
    /// In how many milliseconds from the last look waiting facts may be taken.
    facts_in_ms: Option<u64>,
    commit: Option<Commit>,
    /// What the commit under way stores: it is repeated if the store was full.
    under_way: Arc<Turn>,
    pauses: Pauses,
    /// After the store was full, nothing is stored until this moment.
    paused_until: Option<BootMs>,
    admitted: Option<Joined>,
    ended: bool,
}

/// What is known once the phone is admitted.
struct Joined {
    fence: Fence,
    project: ProjectId,
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

    /// Waits for the next event, and handles it.
    async fn wait(&mut self) {
        let now = self.hub.now();
        let timeout = self
            .session
            .poll_timeout()
            .map(|deadline| deadline.at.since_ms(now.boot));
        let pause = self.paused_until.map(|until| until.since_ms(now.boot));
        let readable = self.turn.facts.len() < FACTS_WAITING_MAX;
        let (wake, replaced) = match &self.admitted {
            Some(open) => (
                Some(Arc::clone(&open.wake)),
                Some(Arc::clone(&open.replaced)),
            ),
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
            () = sleep_ms(pause) => self.paused_until = None,
            () = sleep_ms(self.facts_in_ms) => {}
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
                    if let Some(open) = &self.admitted {
                        self.hub.links.acked(&open.fence, down);
                    }
                    self.go_on();
                }
                HubOutput::Identify(hello) => self.identify(hello).await,
                HubOutput::HeldPage { rows } => {
                    let Some(open) = &self.admitted else { continue };
                    let (hub, fence) = (&self.hub, &open.fence);
                    let store = || pages::store(hub, fence.clone(), rows.clone());
                    let stored = until_taken(hub, store).await;
                    self.or_close(stored);
                }
                HubOutput::Reconciled { link, restarts } => self.reconciled(link, restarts).await,
                HubOutput::Unpaired => self.unpaired().await,
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
        let (hub, dialled, guest) = (&self.hub, &self.dialled, self.guest.as_ref());
        let decide = || {
            let greeting = Greeting {
                hello: hello.clone(),
                nonce: nonce.clone(),
                dialled: dialled.clone(),
                overtaken,
            };
            identify(hub, greeting, guest)
        };
        match until_taken(hub, decide).await {
            Ok(Answer::Admitted(admitted)) => self.admit(*admitted),
            Ok(Answer::Refused(code)) => {
                tracing::info!(%device, %code, "a phone was refused");
                self.session.refused(code);
            }
            Err(error) => {
                tracing::error!(%device, %error, "a hello could not be checked");
                self.session.close(CloseCode::Internal);
            }
        }
    }

    fn admit(&mut self, admitted: Admitted) {
        let now = self.hub.now();
        let Admitted {
            admission,
            resume,
            device,
            phones,
        } = admitted;
        self.socket.greet();
        let (conn, install) = (admission.link.conn, admission.link.install.clone());
        let fence = Fence {
            device: device.id,
            project: device.project_id,
            install,
            conn,
        };
        let phones: Vec<PhoneId> = phones.iter().map(|phone| phone.id).collect();
        let wake = Arc::new(Wake::default());
        let bus = &self.hub.bus;
        let listen = || bus.listen(device.project_id, device.id, &phones, &wake);
        let replaced = self.hub.links.admit(&fence, now.boot, listen);
        tracing::info!(device = %device.id, conn, "a phone connected");
        let connection = None;
        self.admitted = Some(Joined {
            fence,
            project: device.project_id,
            phones,
            wake,
            replaced,
            connection,
        });
        self.session.admitted(admission, resume, now);
        self.opened();
    }

    async fn reconciled(&mut self, link: DeviceLink, restarts: bool) {
        let Some(open) = &self.admitted else { return };
        let (hub, fence) = (&self.hub, &open.fence);
        let finish = || pages::finish(hub, fence.clone(), link.clone(), restarts);
        match until_taken(hub, finish).await {
            Ok(resume) => {
                self.session.reconciled(resume, self.hub.now());
                self.opened();
            }
            Err(error) => self.or_close(Err(error)),
        }
    }

    /// Stores the phone's last facts and its end before it closes the connection.
    async fn unpaired(&mut self) {
        self.end_commit().await;
        let Some(open) = &self.admitted else { return };
        let (fence, connection) = (open.fence.clone(), open.connection.clone());
        let device = fence.device;
        let said = std::mem::take(&mut self.turn);
        let hub = &self.hub;
        let store = || leave::unpaired(hub, fence.clone(), connection.clone(), said.clone());
        match until_taken(hub, store).await {
            Ok(()) => tracing::info!(%device, "a phone was unpaired by its owner"),
            Err(error) => {
                tracing::error!(%device, %error, "an unpairing could not be stored");
                self.socket.close(CloseCode::Internal).await;
                self.ended = true;
            }
        }
    }

    /// Looks for work when the session opens.
    fn opened(&mut self) {
        let (Some(clock), Some(open)) = (self.session.phone_clock(), &mut self.admitted) else {
            return;
        };
        open.connection = Some(Connection {
            fence: open.fence.clone(),
            clock,
            credit: 0,
            open: Open::default(),
            asked: Default::default(),
            config: Default::default(),
            backlog: false,
            starved: false,
            asks_wait: false,
            gives_back: false,
        });
        self.turn.settings = true;
        self.turn.ask = true;
        self.turn.expose = true;
    }

    fn begin_commit(&mut self) {
        if self.commit.is_some() || self.paused_until.is_some() || !self.turn.is_due() {
            return;
        }
        let facts = self.facts_granted();
        if facts == 0 && !self.turn.is_due_without_facts() {
            return;
        }
        let (credit, clock) = (self.session.send_credit(), self.session.phone_clock());
        let Some(connection) = self
            .admitted
            .as_mut()
            .and_then(|open| open.connection.as_mut())
        else {
            return;
        };
        connection.credit = credit;
        connection.clock = clock.unwrap_or(connection.clock);
        let connection = connection.clone();
        let mut turn = std::mem::take(&mut self.turn);
        self.turn.facts = turn.facts.split_off(facts);
        turn.expose &= self.session.is_open();
        let turn = Arc::new(turn);
        self.under_way = Arc::clone(&turn);
        self.commit = Some(commit(self.hub.clone(), turn, connection));
    }

    /// Returns how many of the waiting facts may be taken now.
    fn facts_granted(&mut self) -> usize {
        let (waiting, now) = (self.turn.facts.len(), self.hub.now());
        let granted = match self.device() {
            Some(device) => self.hub.fact_rates.take(device, waiting, now.boot),
            None => Granted::Now(waiting),
        };
        match granted {
            Granted::Now(facts) => {
                self.facts_in_ms = None;
                facts
            }
            Granted::After(delay_ms) => {
                self.facts_in_ms = Some(delay_ms);
                0
            }
        }
    }

    /// After a commit: writes what it numbered, acks what it stored, and wakes whom it concerns.
    fn committed(&mut self, ended: Result<Ended, StoreError>) {
        self.commit = None;
        let done = match ended {
            Ok(Ended::Done(done)) => *done,
            Ok(Ended::Close(code)) => return self.session.close(code),
            Ok(Ended::Idle) => {
                let earlier = Turn {
                    acked: self.under_way.acked,
                    ..Turn::default()
                };
                return self.turn.go_first(earlier);
            }
            Err(StoreError::Busy) => return self.store_later(),
            Err(error) => return self.or_close(Err(error)),
        };
        self.pauses = Pauses::default();
        let now = self.hub.now();
        for frame in done.frames {
            let number = match &frame {
                HubFrame::Send(_) => self.session.assign_send(),
                _ => self.session.assign_control(),
            };
            // A session that began to drain meanwhile numbers nothing: the next connection resumes.
            if number == frame.s() {
                self.session.down_committed(frame);
            } else if self.session.is_open() {
                return self.session.close(CloseCode::Internal);
            }
        }
        if let Some(up) = done.up {
            self.session.facts_committed(up, now);
        }
        self.note(done.connection);
        if let Some(phones) = done.phones {
            self.listen(phones);
        }
        done.effects.perform(&self.hub);
    }

    /// The store had no room: tries again a little later, before anything that comes meanwhile.
    fn store_later(&mut self) {
        let earlier = Turn::clone(&self.under_way);
        self.turn.go_first(earlier);
        let delay_ms = self.pauses.next_ms(&self.hub);
        self.paused_until = Some(self.hub.now().boot.plus_ms(delay_ms));
    }

    /// Keeps what the commit learned; the next one fills the room that it made.
    fn note(&mut self, connection: Connection) {
        let Some(open) = &mut self.admitted else {
            return;
        };
        let before = open
            .connection
            .as_ref()
            .map_or(0, |before| before.open.total());
        self.turn.expose |= connection.backlog && connection.open.total() < before;
        open.connection = Some(connection);
        self.go_on();
    }

    /// Looks again for what waited until the phone acked more, if it has.
    fn go_on(&mut self) {
        let credit = self.session.send_credit();
        let open = self
            .admitted
            .as_ref()
            .and_then(|open| open.connection.as_ref());
        let Some(connection) = open else { return };
        self.turn.expose |= connection.starved && credit > 0;
        self.turn.ask |= connection.asks_wait && self.turn.acked.is_some();
    }

    /// Listens for changes of phones that the device uses for the first time.
    fn listen(&mut self, phones: Vec<PhoneId>) {
        let Some(open) = &mut self.admitted else {
            return;
        };
        if phones.iter().all(|phone| open.phones.contains(phone)) {
            return;
        }
        let (hub, fence, wake) = (&self.hub, &open.fence, &open.wake);
        let project = open.project;
        let listen = || hub.bus.listen(project, fence.device, &phones, wake);
        if !hub.links.while_newest(fence, listen) {
            return;
        }
        open.phones = phones;
        self.turn.settings = true;
        self.turn.expose = true;
    }

    fn or_close(&mut self, stored: Result<(), StoreError>) {
        if let Err(error) = stored {
            tracing::error!(%error, device = ?self.device(), "a link's commit failed");
            self.session.close(CloseCode::Internal);
        }
    }

    fn device(&self) -> Option<DeviceId> {
        self.admitted.as_ref().map(|open| open.fence.device)
    }

    async fn end_commit(&mut self) {
        if let Some(commit) = self.commit.take() {
            let ended = commit.await;
            self.committed(ended);
        }
    }

    async fn leave(&mut self) {
        self.end_commit().await;
        let Some(open) = self.admitted.take() else {
            return;
        };
        let (device, conn) = (open.fence.device, open.fence.conn);
        let bus = &self.hub.bus;
        bus.leave(open.project, device, &open.phones, &open.wake);
        self.hub.links.leave(&open.fence);
        tracing::info!(%device, conn, "a phone disconnected");
        let (hub, acked) = (&self.hub, self.turn.acked);
        let store = || leave::store(hub, open.fence.clone(), acked);
        if let Err(error) = until_taken(hub, store).await {
            tracing::error!(%device, %error, "a disconnect could not be stored");
        }
    }
}

/// Begins a commit. Without facts it begins by reading: mostly there is nothing to store.
fn commit(hub: Hub, turn: Arc<Turn>, connection: Connection) -> Commit {
    let now = hub.now();
    let looks = turn.is_look() && !connection.config.is_empty();
    let look = looks.then(|| {
        let connection = connection.clone();
        let project = connection.fence.project;
        let share = hub.store.of(project);
        share.read(move |tx| turn::is_idle(tx, &connection, now))
    });
    let store = move || {
        let inside = hub.clone();
        let project = connection.fence.project;
        let share = hub.store.of(project);
        share.write_whole(move |tx| turn::run(&inside, tx, &turn, connection.clone(), now))
    };
    match look {
        None => Box::pin(store()),
        Some(look) => Box::pin(async move {
            if look.await? {
                return Ok(Ended::Idle);
            }
            store().await
        }),
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
