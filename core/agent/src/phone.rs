//! One phone: what it is started with, and the handle to it.

use crate::{
    address::{HubAddress, InvalidAddress},
    backoff::Redial,
    carry_over,
    clock::Clock,
    disk::Disk,
    identity::Identity,
    install::{InstallError, JOURNAL_FILE},
    outlook::Watch,
    pairing::{self, Pairing, RecordError},
    radio::{Radio, RadioFactsInbox},
    random::{self, RandomError, Seeded},
    ring::{Dial, Ring, RingError, Wish},
    socket::Socket,
};
use postrider_link::{close::CloseCode, frame::SimInfo};
use postrider_machine::{
    Agent, AgentConfig, BootId, Command, Condition, Event, PaceLimits, Refused, SimStatus, Spell,
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

/// Wishes that may wait; whoever wishes more waits with them.
const WISHES_MAX: usize = 16;

/// How long a phone whose unpairing a crash cut off waits for its hub to hear the last.
const LEAVE_MAX: Duration = Duration::from_secs(30);

/// Who is told what happens; called from the phone's own task, it must not wait.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// What a phone is started with.
pub struct PhoneConfig {
    /// Where it keeps its journal.
    pub folder: PathBuf,
    /// Who it is to its hub.
    pub pairing: Pairing,
    /// Where the hub is found now, when not where pairing said.
    pub hub: Option<HubAddress>,
    /// The TLS settings, shared by all phones of a process.
    pub tls: Arc<ClientConfig>,
    /// Its key.
    pub identity: Arc<dyn Identity>,
    /// Its clocks.
    pub clock: Arc<dyn Clock>,
    /// The slots in use and what is known of their SIMs.
    pub sims: Vec<SimInfo>,
    /// What the platform knows of the phone.
    pub condition: Condition,
    /// How fast messages may leave.
    pub limits: PaceLimits,
    /// The owner's quiet hours.
    pub quiet_hours: Vec<Spell>,
    /// How long to wait for results, as far as the owner has set it.
    pub waits: WaitChoice,
    /// Whether it starts paused, whatever its journal says: nothing is handed to the radio before
    /// [`Command::SetPaused`] lets it go on.
    pub is_paused: bool,
    /// Who is told what happens; without one it goes to the log.
    pub observer: Option<Observer>,
    /// Who is told when the phone is to be woken or kept awake; a machine that never sleeps needs
    /// nobody.
    pub watch: Option<Watch>,
    /// The wrong order to work in.
    #[cfg(feature = "fault-order")]
    pub fault: Option<crate::Fault>,
}

/// Says why a phone did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The journal is damaged, of somebody else, or cannot be opened. It is left as it is.
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
    /// Returns whether the journal can never be read: it is to be
    /// [set aside](Pairing::set_aside), and the phone to be paired again.
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Journal(error) if error.is_unreadable())
    }
}

/// How a phone's loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As it was asked to.
    Stopped,
    /// The hub took the phone out of service, or does not trust its journal.
    ///
    /// The folder's pairing is gone with it. Of a phone that the hub took out of service only what
    /// came in and was not told is set aside; of an untrusted journal all is.
    PairingNeeded(CloseCode),
    /// The owner unpaired it: its pairing and its journal are erased.
    Unpaired {
        /// Whether the hub had heard of everything before.
        is_told: bool,
    },
}

/// Says why a phone's loop failed.
#[derive(Debug, thiserror::Error)]
pub enum PhoneError {
    /// The loop could not go on.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The pairing ended, and the folder could not be cleared: the next start tries again.
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

/// What is asked of a running phone; cheap to clone.
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
    /// Starts a phone on the present runtime: it goes on from its journal, and dials.
    ///
    /// # Errors
    /// When its journal cannot be used; nothing is made anew in its place.
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
            #[cfg(feature = "fault-order")]
            fault: config.fault,
        };
        if pairing::is_leaving(&folder)? {
            ring.begin_leaving(LEAVE_MAX, ring.clock.now());
        }
        let task = tokio::spawn(run(ring, folder.clone()));
        let handle = PhoneHandle { wishes, folder };
        Ok(Self { handle, task })
    }

    /// Ends the pairing for the owner: gives back what waits, goes on until the hub has heard of
    /// everything or the time is over, and erases the pairing and the journal.
    ///
    /// What the radio has in hand is waited for, too. The wish is on disk: a phone that dies in
    /// between goes on with it at its next start.
    ///
    /// # Errors
    /// When its loop failed, or its folder cannot be cleared.
    pub async fn unpair(self, within: Duration) -> Result<Ended, PhoneError> {
        self.begin_unpairing(within).await?;
        self.ended().await
    }

    /// Stops the phone in good order and waits for it.
    ///
    /// # Errors
    /// When its loop failed before.
    pub async fn stop(self) -> Result<Ended, PhoneError> {
        self.begin_stopping().await;
        self.ended().await
    }

    /// Returns a handle that others may keep.
    pub fn handle(&self) -> PhoneHandle {
        self.handle.clone()
    }

    /// Waits until the phone has stopped, and says why.
    ///
    /// # Errors
    /// When its loop failed, or its folder cannot be cleared.
    pub async fn ended(self) -> Result<Ended, PhoneError> {
        self.task.await.map_err(|_| PhoneError::Lost)?
    }
}

impl PhoneHandle {
    /// Asks for something.
    ///
    /// # Errors
    /// Why it was refused; `None` when the phone has stopped.
    pub async fn command(&self, command: Command) -> Result<(), Option<Refused>> {
        let (answer, answered) = oneshot::channel();
        let wish = Wish::Command(command, answer);
        self.wishes.send(wish).await.map_err(|_| None)?;
        answered.await.map_err(|_| None)?.map_err(Some)
    }

    /// Returns what waits for each SIM and until when, with or without a link; `None` when the
    /// phone has stopped.
    pub async fn slots(&self) -> Option<Vec<SimStatus>> {
        let (answer, answered) = oneshot::channel();
        self.wishes.send(Wish::Slots(answer)).await.ok()?;
        answered.await.ok()
    }

    /// Tells that the phone is on another network, so that it dials at once.
    pub async fn network_changed(&self) {
        // A stopped phone has no use for a network.
        drop(self.wishes.send(Wish::NetworkChanged).await);
    }

    /// Tells that the phone has no network: it does not dial before
    /// [`PhoneHandle::network_changed`].
    pub async fn network_lost(&self) {
        drop(self.wishes.send(Wish::NetworkLost).await);
    }

    /// Lets the phone look at its clocks: an alarm of the platform went off, or a clock was set.
    /// Returns once it has, and its outlook was told anew: from then on the phone may sleep.
    pub async fn wake(&self) {
        let (woken, is_woken) = oneshot::channel();
        if self.wishes.send(Wish::Wake(woken)).await.is_ok() {
            // A phone that stops in between has nothing to be kept awake for.
            drop(is_woken.await);
        }
    }

    /// Begins what [`Phone::unpair`] does and waits for nothing: the phone ends by itself, as
    /// [`PhoneHandle::closed`] tells.
    ///
    /// # Errors
    /// When the wish cannot be written to its folder.
    pub async fn begin_unpairing(&self, within: Duration) -> Result<(), RecordError> {
        pairing::begin_leaving(&self.folder)?;
        // A phone that has stopped already only has to be waited for.
        drop(self.wishes.send(Wish::Unpair { within }).await);
        Ok(())
    }

    /// Tells the present hub what came in under another one and was [set aside](crate::asides), since
    /// the owner said so, and erases it once it is in the journal. Returns whether the phone runs.
    ///
    /// # Errors
    /// When what was set aside cannot be read or removed.
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

    /// Begins what [`Phone::stop`] does and waits for nothing.
    pub async fn begin_stopping(&self) {
        // A phone that has stopped already only has to be waited for.
        drop(self.wishes.send(Wish::Stop).await);
    }
}

/// Runs the loop, and ends its folder's pairing where that has ended.
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
