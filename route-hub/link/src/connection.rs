//! One connection of one phone: the socket, the store and the waiting around a
//! [`postrider_link::dispatch::link`], which says what is committed and what follows.

use crate::identify::{Admitted, Answer, Greeting, identify};
use crate::patience::{Pauses, is_waited_for, until_taken};
use crate::socket::{Heard, Socket};
use crate::turn::{self, Ended, Turn};
use crate::{config, leave, pages};
use hub_app::hub::Hub;
use hub_app::hub::bus::Wake;
use hub_app::hub::fact_rates::Granted;
use hub_store::StoreError;
use hub_web::front::Guest;
use postrider_link::close::CloseCode;
use postrider_link::dispatch::link::Link;
use postrider_link::dispatch::newest::Fence;
use postrider_link::dispatch::turn::Woken;
use postrider_link::frame::{Hello, HubFrame, Nonce};
use postrider_link::session::hub::{DeviceLink, HubOutput, HubSession, HubSettings};
use postrider_model::{BootMs, DeviceId, PhoneId, ProjectId};
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Notify;

/// Seconds between two pings at the beginning.
const HEARTBEAT_S: u64 = 45;
/// Most facts that wait for a commit; with more the socket is not read. A phone's own window has
/// this size, so an honest phone never gets there.
const FACTS_WAITING_MAX: usize = 512;
/// How long the phone's acks wait for a commit that takes them along, in milliseconds: other processes
/// know only what is stored.
const ACKS_WAIT_MS: u64 = 1_000;

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
    let mut connection = Connection {
        hub,
        dialled,
        socket,
        guest,
        link: Link::new(session),
        facts_in_ms: None,
        acks_until: None,
        commit: None,
        pauses: Pauses::default(),
        paused_until: None,
        admitted: None,
        ended: false,
    };
    connection.run().await;
    connection.leave().await;
}

struct Connection {
    hub: Hub,
    dialled: Option<String>,
    socket: Socket,
    guest: Option<Guest>,
    /// What it commits, and what follows.
    link: Link<Fence, config::Sent, PhoneId>,
    /// When facts that wait for their turn may be taken in, in milliseconds from the last look.
    facts_in_ms: Option<u64>,
    /// When acks that no commit took along are stored.
    acks_until: Option<BootMs>,
    commit: Option<Commit>,
    pauses: Pauses,
    /// After the store could take nothing, nothing is tried until this moment.
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
}

impl Connection {
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
            .link
            .session
            .poll_timeout()
            .map(|deadline| deadline.at.since_ms(now.boot));
        let pause = self.paused_until.map(|until| until.since_ms(now.boot));
        if self.link.acks_wait() {
            let until = now.boot.plus_ms(ACKS_WAIT_MS);
            self.acks_until.get_or_insert(until);
        }
        let acks_in_ms = self.acks_until.map(|until| until.since_ms(now.boot));
        let readable = self.link.facts_waiting() < FACTS_WAITING_MAX;
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
            () = notified(replaced) => self.link.session.close(CloseCode::Replaced),
            heard = self.socket.next(), if readable => self.heard(heard),
            woken = woken(wake) => self.link.woken(woken),
            spread_ms = hub.links.draining(), if self.link.session.is_open() => self.drain(spread_ms),
            () = sleep_ms(pause) => self.paused_until = None,
            () = sleep_ms(self.facts_in_ms) => {}
            () = sleep_ms(acks_in_ms) => {
                self.acks_until = None;
                self.link.store_acks();
            }
            () = sleep_ms(timeout) => self.link.session.handle_timeout(self.hub.now()),
        }
    }

    fn heard(&mut self, heard: Heard) {
        let now = self.hub.now();
        match heard {
            Heard::Frame(frame) => self.link.session.handle_frame(frame, now),
            Heard::Malformed(error) => {
                tracing::info!(%error, device = ?self.device(), "a frame could not be read");
                self.link.session.handle_malformed(error);
            }
            Heard::Ended => self.ended = true,
        }
    }

    fn drain(&mut self, spread_ms: u64) {
        let retry_ms = self.hub.random.below(spread_ms);
        self.link.session.drain(retry_ms, self.hub.now());
    }

    async fn do_outputs(&mut self) {
        while let Some(output) = self.link.session.poll_output() {
            match output {
                HubOutput::Write(frame) => self.write(&frame),
                HubOutput::Fact(frame) => self.link.fact(frame),
                HubOutput::Acked { down } => {
                    self.link.acked(down);
                    if let Some(open) = &self.admitted {
                        self.hub.links.acked(&open.fence, down);
                    }
                }
                HubOutput::Identify(hello) => self.identify(hello).await,
                HubOutput::HeldPage { rows } => {
                    let Some(open) = &self.admitted else { continue };
                    let (hub, project, fence) = (&self.hub, open.project, &open.fence);
                    let store = || pages::store(hub, project, fence.clone(), rows.clone());
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
            self.link.session.close(CloseCode::Internal);
        }
    }

    async fn identify(&mut self, hello: Box<Hello>) {
        let accepted_at = self.link.session.accepted_at();
        let nonce = self.link.session.nonce().clone();
        let device = hello.phone;
        let (hub, dialled, guest) = (&self.hub, &self.dialled, self.guest.as_ref());
        let decide = || {
            let greeting = Greeting {
                hello: hello.clone(),
                nonce: nonce.clone(),
                dialled: dialled.clone(),
                accepted_at,
            };
            identify(hub, greeting, guest)
        };
        match until_taken(hub, decide).await {
            Ok(Answer::Admitted(admitted)) => self.admit(*admitted),
            Ok(Answer::Refused(code)) => {
                tracing::info!(%device, %code, "a phone was refused");
                self.link.session.refused(code);
            }
            Err(error) => {
                hub_store::failed!(error, error, %device, "a hello could not be decided");
                self.link.session.close(CloseCode::Internal);
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
        let fence = Fence::of(device.id, &admission.link);
        let conn = fence.conn;
        let phones: Vec<PhoneId> = phones.iter().map(|phone| phone.id).collect();
        let wake = Arc::new(Wake::default());
        let bus = &self.hub.bus;
        let listen = || bus.listen(device.project_id, device.id, &phones, &wake);
        let replaced = self.hub.links.admit(&fence, now.boot, listen);
        self.hub.cache.forget_connection(device.id);
        tracing::info!(device = %device.id, conn, "a phone connected");
        self.admitted = Some(Joined {
            fence: fence.clone(),
            project: device.project_id,
            phones,
            wake,
            replaced,
        });
        self.link.admitted(fence, admission, resume, now);
    }

    async fn reconciled(&mut self, link: DeviceLink, restarts: bool) {
        let Some(open) = &self.admitted else { return };
        let (hub, project, fence) = (&self.hub, open.project, &open.fence);
        let finish = || pages::finish(hub, project, fence.clone(), link.clone(), restarts);
        match until_taken(hub, finish).await {
            Ok(resume) => self.link.reconciled(resume, self.hub.now()),
            Err(error) => self.or_close(Err(error)),
        }
    }

    /// Stores the phone's last facts and its end before it closes the connection.
    async fn unpaired(&mut self) {
        self.end_commit().await;
        let (Some(open), Some(last)) = (&self.admitted, self.link.last_words()) else {
            return;
        };
        let (hub, project, device) = (&self.hub, open.project, open.fence.device);
        let store = || leave::unpaired(hub, project, last.clone());
        match until_taken(hub, store).await {
            Ok(()) => tracing::info!(%device, "a phone was unpaired by its owner"),
            Err(error) => {
                hub_store::failed!(error, error, %device, "an unpairing could not be stored");
                self.socket.close(CloseCode::Internal).await;
                self.ended = true;
            }
        }
    }

    fn begin_commit(&mut self) {
        let Some(open) = &self.admitted else { return };
        if self.paused_until.is_some() || !self.link.is_due() {
            return;
        }
        let project = open.project;
        let facts = self.facts_granted();
        if let Some((turn, of)) = self.link.begin(facts) {
            self.commit = Some(commit(self.hub.clone(), project, turn, of));
        }
    }

    /// Returns how many of the waiting facts may be taken now.
    fn facts_granted(&mut self) -> usize {
        let (waiting, now) = (self.link.facts_waiting(), self.hub.now());
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
            Ok(Ended::Close(code)) => return self.link.failed(code),
            Ok(Ended::Idle) => return self.link.was_idle(),
            Err(error) if is_waited_for(&error) => return self.store_later(),
            Err(error) => {
                hub_store::failed!(error, error, device = ?self.device(), "a link's commit failed");
                return self.link.failed(CloseCode::Internal);
            }
        };
        self.pauses = Pauses::default();
        self.acks_until = None;
        let waited = self.link.facts_waiting();
        self.link.committed(done.stored, self.hub.now());
        self.give_tokens_back(waited);
        if let Some(phones) = done.phones {
            self.listen(phones);
        }
        done.effects.perform(&self.hub);
    }

    /// The store could take nothing: tries again a little later, before anything that comes meanwhile.
    fn store_later(&mut self) {
        let waited = self.link.facts_waiting();
        self.link.was_put_off();
        self.give_tokens_back(waited);
        let delay_ms = self.pauses.next_ms(&self.hub);
        self.paused_until = Some(self.hub.now().boot.plus_ms(delay_ms));
    }

    /// Gives the tokens back of facts that a commit left to the next one: `waited` were there besides.
    fn give_tokens_back(&self, waited: usize) {
        let left = self.link.facts_waiting().saturating_sub(waited);
        if let Some(device) = self.device() {
            self.hub.fact_rates.give_back(device, left);
        }
    }

    /// Listens for phones that the device uses for the first time.
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
        self.link.woken(Woken {
            changed: true,
            ..Woken::default()
        });
    }

    fn or_close(&mut self, stored: Result<(), StoreError>) {
        if let Err(error) = stored {
            hub_store::failed!(error, error, device = ?self.device(), "a link's commit failed");
            self.link.session.close(CloseCode::Internal);
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
        let (hub, project, acked) = (&self.hub, open.project, self.link.acked_last());
        let store = || leave::store(hub, project, open.fence.clone(), acked);
        if let Err(error) = until_taken(hub, store).await {
            hub_store::failed!(error, error, %device, "a disconnect could not be stored");
        }
        hub.cache.forget_connection(device);
    }
}

/// Begins a commit. One that only looks is begun by reading: mostly there is nothing to store.
fn commit(hub: Hub, project: ProjectId, turn: Arc<Turn>, of: turn::Connection) -> Commit {
    let now = hub.now();
    let looks = turn.is_look() && !of.config.is_empty();
    let look = looks.then(|| {
        let of = of.clone();
        let share = hub.store.of(project);
        share.read(move |tx| turn::is_idle(tx, &of, now))
    });
    let store = move || {
        let span_max_ms = hub.turn_ms_max.load(Ordering::Relaxed);
        let inside = hub.clone();
        let share = hub.store.of(project);
        share.write_whole(move |tx| turn::run(&inside, tx, &turn, of.clone(), (now, span_max_ms)))
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
