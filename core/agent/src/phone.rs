//! One phone: what it is started with, and the handle to it.

use crate::{
    address::{HubAddress, InvalidAddress},
    backoff::Redial,
    carry_over,
    clock::Clock,
    disk::{Disk, RingError},
    identity::Identity,
    install_error::InstallError,
    journal_files::JOURNAL_FILE,
    outlook::Watch,
    pairing::{self, Pairing, RecordError},
    radio::{Radio, RadioFactsInbox},
    random::{self, RandomError, Seeded},
    ring::{Dial, Ended, Observer, Ring, Wish},
    socket::Socket,
};
use postrider_link::{close::CloseCode, frame::SimInfo};
use postrider_machine::{
    Agent, AgentConfig, BootId, Command, Condition, PaceLimits, Refused, SimStatus, Spell,
    WaitChoice,
};
use postrider_store::{Journal, JournalError};
use rustls::ClientConfig;
use std::{
    io,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    task::{JoinHandle, spawn_blocking},
};

/// Wishes that may wait; when it is full, callers wait.
const WISHES_MAX: usize = 16;

/// How long a phone goes on after a crash cut its unpairing off, so that the hub gets the rest.
const LEAVE_MAX: Duration = Duration::from_secs(30);

/// What a phone is started with.
pub struct PhoneConfig {
    /// Where it keeps its journal.
    pub folder: PathBuf,
    /// Who it is to its hub.
    pub pairing: Pairing,
    /// Where the hub is now, if not where pairing said.
    pub hub: Option<HubAddress>,
    /// The TLS settings, shared by all phones of a process.
    pub tls: Arc<ClientConfig>,
    /// Its key.
    pub identity: Arc<dyn Identity>,
    /// Its clocks.
    pub clock: Arc<dyn Clock>,
    /// The slots in use and what is known of their SIMs.
    pub sims: Vec<SimInfo>,
    /// What the platform reports of the phone.
    pub condition: Condition,
    /// How fast messages may leave.
    pub limits: PaceLimits,
    /// The owner's quiet hours.
    pub quiet_hours: Vec<Spell>,
    /// How long to wait for results, if the owner has set it.
    pub waits: WaitChoice,
    /// Whether it starts paused, whatever its journal says: nothing is handed to the radio until
    /// [`Command::SetPaused`] resumes it.
    pub is_paused: bool,
    /// Gets what happens; without it, events go to the log.
    pub observer: Option<Observer>,
    /// Gets when to wake the phone or keep it awake; `None` on a machine that never sleeps.
    pub watch: Option<Watch>,
}

/// Says why a phone did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The journal is damaged, not ours, or cannot be opened. It stays as it is.
    #[error("the phone's journal cannot be used: {0}")]
    Journal(#[from] JournalError),
    /// Its folder cannot be used.
    #[error("the phone's folder cannot be used: {0}")]
    Folder(#[from] io::Error),
    /// The link's address is not one.
    #[error("the address of the link {0}")]
    Address(#[from] InvalidAddress),
    /// The system has no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// The runtime is going down.
    #[error("the runtime is going down")]
    Runtime,
}

impl StartError {
    /// Returns whether the journal can never be read, so that it has to be
    /// [set aside](Pairing::set_aside) and the phone to be paired again.
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Journal(error) if error.is_unreadable())
    }
}

/// Says why a phone's loop failed.
#[derive(Debug, thiserror::Error)]
pub enum PhoneError {
    /// The loop could not go on.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The pairing ended, but the folder could not be cleared: the next start tries again.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The loop's task was lost: it panicked, or the runtime went down.
    #[error("the phone's task was lost")]
    Lost,
}

/// A running phone. Dropping it and its handles stops it.
#[derive(Debug)]
pub struct Phone {
    handle: PhoneHandle,
    task: JoinHandle<Result<Ended, PhoneError>>,
}

/// Commands a running phone; cheap to clone.
#[derive(Debug, Clone)]
pub struct PhoneHandle {
    wishes: mpsc::Sender<Wish>,
    folder: PathBuf,
}

impl Deref for Phone {
    type Target = PhoneHandle;

    fn deref(&self) -> &PhoneHandle {
        &self.handle
    }
}

impl Phone {
    /// Starts a phone on the present runtime: it goes on from its journal, and dials. A journal
    /// that cannot be used stays as it is.
    pub async fn start(
        config: PhoneConfig,
        radio: Arc<dyn Radio>,
        facts: RadioFactsInbox,
    ) -> Result<Self, StartError> {
        let path = config.folder.join(JOURNAL_FILE);
        let opened = spawn_blocking(move || Journal::open(&path)).await;
        let (journal, mut snapshot) = opened.map_err(|_| StartError::Runtime)??;
        pairing::asides(&config.folder, config.clock.now().unix)?;
        snapshot.paused |= config.is_paused;
        let dial = dial_of(&config)?;
        let agent_config = AgentConfig {
            boot_id: BootId::new(config.clock.boot_id()),
            device: config.pairing.device_id,
            host: config.pairing.host,
            hub: config.pairing.hub_id,
            sims: config.sims,
            condition: config.condition,
            limits: config.limits,
            quiet_hours: config.quiet_hours,
            waits: config.waits,
        };
        let (wishes, inbox) = mpsc::channel(WISHES_MAX);
        let folder = config.folder;
        let mut ring = Ring {
            agent: Agent::new(agent_config, snapshot, random::seed()?, config.clock.now()),
            disk: Disk::new(journal),
            clock: config.clock,
            identity: config.identity,
            radio,
            facts,
            wishes: inbox,
            observer: config.observer,
            dial,
            redial: Redial::new(Seeded::from_bytes(&random::seed()?)),
            is_offline: false,
            connecting: None,
            socket: None,
            goodbye: None,
            leaving: None,
            ended: None,
            awaiting_disk: Vec::new(),
            watch: config.watch,
            outlook: None,
        };
        if pairing::is_leaving(&folder)? {
            ring.begin_leaving(LEAVE_MAX, ring.clock.now());
        }
        let task = tokio::spawn(run(ring, folder.clone()));
        let handle = PhoneHandle { wishes, folder };
        Ok(Self { handle, task })
    }

    /// Ends the pairing for the owner: gives back what waits, goes on until the hub has everything
    /// or the time is over, and erases the pairing and the journal.
    ///
    /// It also waits for messages in the radio. The decision is on disk: a phone that dies in
    /// between goes on with it at its next start.
    pub async fn unpair(self, within: Duration) -> Result<Ended, PhoneError> {
        self.begin_unpairing(within).await?;
        self.ended().await
    }

    /// Stops the phone in good order and waits for it.
    pub async fn stop(self) -> Result<Ended, PhoneError> {
        self.begin_stopping().await;
        self.ended().await
    }

    /// Returns a handle that others may keep.
    pub fn handle(&self) -> PhoneHandle {
        self.handle.clone()
    }

    /// Waits until the phone has stopped, and says why.
    pub async fn ended(self) -> Result<Ended, PhoneError> {
        self.task.await.map_err(|_| PhoneError::Lost)?
    }
}

impl PhoneHandle {
    /// Asks for something. The error is why it was refused, or `None` when the phone has stopped.
    pub async fn command(&self, command: Command) -> Result<(), Option<Refused>> {
        let (answer, answered) = oneshot::channel();
        let wish = Wish::Command(command, answer);
        self.wishes.send(wish).await.map_err(|_| None)?;
        answered.await.map_err(|_| None)?.map_err(Some)
    }

    /// Returns what waits for each SIM and until when, whether connected or not; `None` when the
    /// phone has stopped.
    pub async fn slots(&self) -> Option<Vec<SimStatus>> {
        let (answer, answered) = oneshot::channel();
        self.wishes.send(Wish::Slots(answer)).await.ok()?;
        answered.await.ok()
    }

    /// Says that the phone is on another network, so that it dials at once.
    pub async fn network_changed(&self) {
        // A stopped phone does not need the network.
        drop(self.wishes.send(Wish::NetworkChanged).await);
    }

    /// Says that the phone has no network: it does not dial before
    /// [`PhoneHandle::network_changed`].
    pub async fn network_lost(&self) {
        drop(self.wishes.send(Wish::NetworkLost).await);
    }

    /// Lets the phone look at its clocks, because an alarm of the platform went off or a clock was
    /// set. Returns when it has updated its outlook: from then on the phone may sleep.
    pub async fn wake(&self) {
        let (woken, is_woken) = oneshot::channel();
        if self.wishes.send(Wish::Wake(woken)).await.is_ok() {
            // A phone that stops in between need not be kept awake.
            drop(is_woken.await);
        }
    }

    /// Begins what [`Phone::unpair`] does without waiting: the phone ends by itself, as
    /// [`PhoneHandle::closed`] tells.
    pub async fn begin_unpairing(&self, within: Duration) -> Result<(), RecordError> {
        pairing::begin_leaving(&self.folder)?;
        // If the phone has stopped already, there is nothing to ask.
        drop(self.wishes.send(Wish::Unpair { within }).await);
        Ok(())
    }

    /// Uploads incoming messages of another pairing that were [set aside](crate::asides) to the
    /// present hub, as the owner decided, and erases the aside once they are in the journal.
    /// Returns whether the phone runs.
    pub async fn upload_aside(&self, slot: u8) -> Result<bool, InstallError> {
        let folder = self.folder.clone();
        let read = spawn_blocking(move || carry_over::for_another(&folder, slot)).await;
        let messages = read.map_err(io::Error::other)??;
        let (kept, is_kept) = oneshot::channel();
        let wish = Wish::TellAlso(messages, kept);
        if self.wishes.send(wish).await.is_err() || is_kept.await.is_err() {
            return Ok(false);
        }
        pairing::erase_aside(&self.folder, slot)?;
        Ok(true)
    }

    /// Waits until the phone has stopped by itself; [`Phone::stop`] then says why.
    pub async fn closed(&self) {
        self.wishes.closed().await;
    }

    /// Begins what [`Phone::stop`] does without waiting.
    pub async fn begin_stopping(&self) {
        // If the phone has stopped already, there is nothing to ask.
        drop(self.wishes.send(Wish::Stop).await);
    }
}

/// Runs the loop; if the pairing has ended, clears the folder.
async fn run(ring: Ring, folder: PathBuf) -> Result<Ended, PhoneError> {
    // The journal is closed when this returns.
    let ended = ring.run().await?;
    let forgetting = spawn_blocking(move || forget(ended, &folder));
    forgetting.await.map_err(|_| PhoneError::Lost)??;
    Ok(ended)
}

fn forget(ended: Ended, folder: &Path) -> Result<(), RecordError> {
    match ended {
        Ended::Stopped => Ok(()),
        Ended::Unpaired { .. } => Pairing::erase(folder),
        Ended::PairingNeeded(CloseCode::NotPaired) => Pairing::keep_incoming(folder),
        Ended::PairingNeeded(_) => Pairing::set_aside(folder),
    }
}

fn dial_of(config: &PhoneConfig) -> Result<Dial, InvalidAddress> {
    let paired = config.pairing.link()?;
    let link = match &config.hub {
        Some(hub) => hub.with_path_of(&paired),
        None => paired,
    };
    let tls = config.tls.clone();
    Ok(Box::new(move || {
        Box::pin(Socket::connect(link.clone(), tls.clone()))
    }))
}
