//! The one object that the shell holds.

use crate::{
    error::AgentError,
    invitation::Invitation,
    joining, logging,
    running::{Adapters, PhoneState, Place, Running, lock},
    shell::{Keystore, Radio, Shell},
    words::SimQueue,
};
use postrider_agent::{Command, DeviceDescription, Pairing, RadioFact, asides, erase_aside};
use postrider_model::{DeviceId, PhoneId, SimSlot, UnixMs};
use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    task::AbortHandle,
    time::timeout,
};

/// Threads of the agent: one for its loop, one for what the loop waits for.
const THREADS: usize = 2;

/// How long a wake-up waits for the agent and keeps the phone awake.
const WAKE_MAX: Duration = Duration::from_secs(10);

/// What an [`Agent`] is made with.
#[derive(uniffi::Record)]
pub struct AgentConfig {
    /// Its own folder, below `noBackupFilesDir`; made when missing.
    pub folder: String,
    /// The platform's trusted roots, in DER.
    pub roots: Vec<Vec<u8>>,
    /// Whether an unencrypted hub may be on another machine: a debug build in an emulator.
    pub is_plain_allowed: bool,
}

/// The hub that the phone has joined.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Paired {
    /// The device's id at the hub.
    pub device_id: DeviceId,
    /// The hub's name.
    pub host: String,
    /// The Phones of its slots.
    pub phones: Vec<PairedSlot>,
}

/// A slot's Phone at the hub.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct PairedSlot {
    /// The slot.
    pub sim: SimSlot,
    /// The Phone's id at the hub.
    pub phone_id: PhoneId,
}

impl From<Pairing> for Paired {
    fn from(pairing: Pairing) -> Self {
        let slots = pairing.phones.into_iter().map(|phone| PairedSlot {
            sim: phone.sim,
            phone_id: phone.id,
        });
        Self {
            device_id: pairing.device_id,
            host: pairing.host,
            phones: slots.collect(),
        }
    }
}

/// Returns the hub that the phone of this agent's folder has joined, if any.
///
/// It is quick, and needs no [`Agent`]. A damaged record counts as none.
#[uniffi::export]
pub fn read_pairing(folder: String) -> Result<Option<Paired>, AgentError> {
    match Pairing::load(Path::new(&folder)).map_err(AgentError::from) {
        Ok(pairing) => Ok(pairing.map(Paired::from)),
        Err(AgentError::NotPaired) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Incoming messages of another hub or project that were not uploaded: they wait for that hub, or
/// for the owner's decision.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub(crate) struct SetAside {
    /// Tells it apart from others.
    pub slot: u8,
    /// The name of its hub, if known.
    pub host: Option<String>,
    /// When it is erased, if nobody takes it.
    pub until: UnixMs,
}

/// Returns what is set aside in an agent's folder at `now`, and erases what has been there for too
/// long.
#[uniffi::export]
pub(crate) fn read_set_aside(folder: String, now: UnixMs) -> Result<Vec<SetAside>, AgentError> {
    let kept = asides(Path::new(&folder), now).map_err(AgentError::storage)?;
    let shown = kept.into_iter().map(|aside| SetAside {
        slot: aside.slot,
        host: aside.host,
        until: aside.until,
    });
    Ok(shown.collect())
}

/// The phone's agent: joins a hub, runs, takes facts, and answers the screens.
#[derive(uniffi::Object)]
pub struct Agent {
    folder: PathBuf,
    roots: Vec<Vec<u8>>,
    is_plain_allowed: bool,
    adapters: Adapters,
    place: Arc<Place>,
    joining: Mutex<Option<AbortHandle>>,
    runtime: Option<Runtime>,
}

#[uniffi::export]
impl Agent {
    /// Makes an agent; nothing runs yet.
    #[uniffi::constructor]
    pub fn new(
        config: AgentConfig,
        radio: Arc<dyn Radio>,
        keystore: Arc<dyn Keystore>,
        shell: Arc<dyn Shell>,
    ) -> Result<Arc<Self>, AgentError> {
        logging::start();
        std::fs::create_dir_all(&config.folder).map_err(AgentError::storage)?;
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("postrider");
        let runtime = builder.enable_all().build().map_err(AgentError::storage)?;
        Ok(Arc::new(Self {
            folder: config.folder.into(),
            roots: config.roots,
            is_plain_allowed: config.is_plain_allowed,
            adapters: Adapters {
                radio,
                keystore,
                shell,
            },
            place: Arc::default(),
            joining: Mutex::default(),
            runtime: Some(runtime),
        }))
    }

    /// Begins to join a hub. `Shell` gets the digits, and how it ended.
    ///
    /// # Errors
    /// When the invitation is not valid, the key cannot be used, or the agent is running.
    pub fn begin_pairing(
        &self,
        invitation: Invitation,
        device: DeviceDescription,
    ) -> Result<(), AgentError> {
        if self.is_running() {
            return Err(AgentError::Running);
        }
        let asked = joining::Asked::new(
            &self.folder,
            &self.roots,
            self.is_plain_allowed,
            invitation,
            device,
        )?;
        let task = joining::run(
            asked,
            self.adapters.identity()?,
            self.adapters.shell.clone(),
        );
        let task = self.runtime()?.spawn(task);
        if let Some(before) = lock(&self.joining).replace(task.abort_handle()) {
            before.abort();
        }
        Ok(())
    }

    /// Stops joining a hub, if that is going on.
    pub fn cancel_pairing(&self) {
        if let Some(task) = lock(&self.joining).take() {
            task.abort();
        }
    }

    /// Starts the agent: it goes on from its journal, and dials when there is a network.
    ///
    /// # Errors
    /// When the phone has not joined a hub, the agent runs already, the key is lost, or something
    /// in its folder cannot be used. A journal that can never be read is set aside.
    pub fn start(&self, state: PhoneState) -> Result<(), AgentError> {
        let pairing = Pairing::load(&self.folder)?.ok_or(AgentError::NotPaired)?;
        if self.is_running() {
            return Err(AgentError::Running);
        }
        let started = Running::start(
            &self.folder,
            &self.roots,
            pairing,
            &self.adapters,
            state,
            self.place.clone(),
        );
        self.wait(started)?
    }

    /// Returns whether the agent runs.
    pub fn is_running(&self) -> bool {
        self.running().is_some()
    }

    /// Stops the agent in good order and waits for it. It must not be called from a callback.
    pub fn stop(&self) -> Result<(), AgentError> {
        let Some(running) = self.running() else {
            return Ok(());
        };
        self.wait(running.stop())
    }

    /// Unpairs the phone: gives back what waits, goes on until the hub has everything or the time
    /// is over, and erases everything; then it calls `Shell`.
    pub fn begin_unpairing(&self, within_s: u32) -> Result<(), AgentError> {
        let running = self.running().ok_or(AgentError::NotRunning)?;
        let within = Duration::from_secs(within_s.into());
        Ok(self.wait(running.phone.begin_unpairing(within))??)
    }

    /// Reports a fact without waiting; returns false when the agent does not run.
    pub fn tell(&self, fact: RadioFact) -> bool {
        self.place.facts().is_some_and(|facts| facts.tell(fact))
    }

    /// Reports a fact and waits until all that follows from it is on disk.
    ///
    /// # Errors
    /// When the agent does not run, or stopped before.
    pub fn tell_for_keeps(&self, fact: RadioFact) -> Result<(), AgentError> {
        let facts = self.place.facts().ok_or(AgentError::NotRunning)?;
        let kept = facts.tell_for_keeps(fact);
        self.wait(kept)?.map_err(|_| AgentError::NotRunning)
    }

    /// Carries out a wish of the owner.
    ///
    /// # Errors
    /// When the agent does not run, or refuses.
    pub fn command(&self, command: Command) -> Result<(), AgentError> {
        let running = self.running().ok_or(AgentError::NotRunning)?;
        Ok(self.wait(running.phone.command(command))??)
    }

    /// Uploads what is set aside in a slot to the present hub, as the owner decided.
    pub fn upload_set_aside(&self, slot: u8) -> Result<(), AgentError> {
        let running = self.running().ok_or(AgentError::NotRunning)?;
        if self.wait(running.phone.upload_aside(slot))?? {
            Ok(())
        } else {
            Err(AgentError::NotRunning)
        }
    }

    /// Erases what is set aside in a slot, as the owner decided.
    pub fn erase_set_aside(&self, slot: u8) -> Result<(), AgentError> {
        erase_aside(&self.folder, slot).map_err(AgentError::storage)
    }

    /// Returns what waits for each SIM, and until when.
    pub fn queues(&self) -> Result<Vec<SimQueue>, AgentError> {
        let running = self.running().ok_or(AgentError::NotRunning)?;
        let slots = self.wait(running.phone.slots())?;
        let slots = slots.ok_or(AgentError::NotRunning)?;
        Ok(slots.into_iter().map(SimQueue::from).collect())
    }

    /// Says that the phone is on another network, so that it dials at once.
    pub fn network_changed(&self) {
        self.whisper(|running| async move { running.phone.network_changed().await });
    }

    /// Says that the phone has no network: it does not dial before the next one.
    pub fn network_lost(&self) {
        self.whisper(|running| async move { running.phone.network_lost().await });
    }

    /// Lets the agent look at its clocks, because an alarm went off or a clock was set. Returns
    /// when it has, or after ten seconds; keep the phone awake until then. It must not be called
    /// from a callback.
    pub fn wake(&self) -> Result<(), AgentError> {
        let Some(running) = self.running() else {
            return Ok(());
        };
        let woken = async move { timeout(WAKE_MAX, running.phone.wake()).await };
        // A slower agent goes on by itself: the platform does not wait longer.
        drop(self.wait(woken)?);
        Ok(())
    }
}

impl Agent {
    fn running(&self) -> Option<Running> {
        self.place.running()
    }

    fn runtime(&self) -> Result<&Runtime, AgentError> {
        self.runtime.as_ref().ok_or(AgentError::NotRunning)
    }

    /// Waits for work on the agent's threads; refused on those threads themselves.
    fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, AgentError> {
        if Handle::try_current().is_ok() {
            return Err(AgentError::OnAgentThread);
        }
        Ok(self.runtime()?.block_on(work))
    }

    /// Sends something without waiting for it to be handled.
    fn whisper<F: Future<Output = ()> + Send + 'static>(&self, say: impl FnOnce(Running) -> F) {
        if let (Some(running), Ok(runtime)) = (self.running(), self.runtime()) {
            runtime.spawn(say(running));
        }
    }
}

impl Drop for Agent {
    /// Lets the threads end by themselves: the last reference may be dropped on one of them.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
