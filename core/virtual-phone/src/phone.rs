//! A running virtual phone.

use crate::{
    calls::Calls,
    clock::VirtualClock,
    config::VirtualPhoneConfig,
    delayed::Delayed,
    inbox::Inbox,
    profile::Profile,
    provider::Provider,
    radio::VirtualRadio,
    reports::Reports,
    seen::{Seen, Watcher},
    world::World,
};
use postrider_agent::{
    Ended, Event, HubAddress, Identity, IdentityError, InstallError, InvalidAddress, Log, Observer,
    Pairing, PairingError, Phone, PhoneConfig, PhoneError, RadioFact, RadioFacts, RadioFactsInbox,
    RandomError, RecordError, Seeded, SoftwareIdentity, StartError, TlsConfig, Trust, TrustError,
    WaitChoice, adopt_pairing, install_of, pair,
};
use std::{
    collections::BTreeSet,
    fs, io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Says why a virtual phone did not start, or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum VirtualPhoneError {
    /// Its folder cannot be used.
    #[error("the phone's folder cannot be used: {0}")]
    Folder(#[from] io::Error),
    /// It has not joined a hub, and was given no code to join with.
    #[error("the phone has not joined a hub: give it the hub's address and a pairing code")]
    NotPaired,
    /// The hub's address cannot be used.
    #[error("the hub's address {0}")]
    Address(#[from] InvalidAddress),
    /// No trust could be set up.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Its key cannot be used.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The name of its installation is not known.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// Its pairing cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// It could not join.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// The system has no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// It could not go on from its journal.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It stopped without being asked to.
    #[error(transparent)]
    Phone(#[from] PhoneError),
}

/// A running virtual phone; dropping it stops it.
pub struct VirtualPhone {
    pub(crate) phone: Phone,
    pub(crate) radio: Arc<VirtualRadio>,
    pub(crate) clock: Arc<VirtualClock>,
    pairing: Pairing,
}

impl VirtualPhone {
    /// Starts a phone on the present runtime. It joins when its folder has no pairing, which waits
    /// for the operator; otherwise it goes on from its journal.
    pub async fn start(config: VirtualPhoneConfig) -> Result<Self, VirtualPhoneError> {
        fs::create_dir_all(&config.folder)?;
        let tls = match &config.tls {
            Some(tls) => tls.clone(),
            None => Trust::default().client_config()?,
        };
        let identity: Arc<dyn Identity> = Arc::new(SoftwareIdentity::open(&config.folder)?);
        let pairing = match Pairing::load(&config.folder)? {
            Some(pairing) => pairing,
            None => join(&config, &tls, identity.as_ref()).await?,
        };
        let clock = Arc::new(VirtualClock::of_this_start()?);
        let (facts, inbox) = RadioFacts::channel();
        let radio = Arc::new(radio_of(&config, &pairing, clock.clone(), facts)?);
        let phone = run(config, &pairing, tls, identity, radio.clone(), inbox).await?;
        Ok(Self {
            phone,
            radio,
            clock,
            pairing,
        })
    }

    /// Returns who the phone is to its hub.
    pub fn pairing(&self) -> &Pairing {
        &self.pairing
    }

    /// Stops the phone in good order. If its hub took it out of service, it has dropped its
    /// pairing, and joins again when it is started with a code.
    pub async fn stop(self) -> Result<(), VirtualPhoneError> {
        let _ended = self.phone.stop().await?;
        Ok(())
    }

    /// Unpairs the phone for its owner: it gives back what waits, goes on until its hub has
    /// everything or the time is over, and erases its pairing and its journal.
    ///
    /// Returns whether the hub got everything.
    pub async fn unpair(self, within: Duration) -> Result<bool, VirtualPhoneError> {
        let ended = self.phone.unpair(within).await?;
        Ok(matches!(ended, Ended::Unpaired { is_told: true }))
    }

    /// Says that the phone is on another network: it dials at once.
    pub async fn network_changed(&self) {
        self.phone.network_changed().await;
    }

    /// Uploads what was set aside in a slot under another hub or project to the present hub, as the
    /// owner decided. Returns whether the phone runs.
    pub async fn upload_aside(&self, slot: u8) -> Result<bool, VirtualPhoneError> {
        Ok(self.phone.upload_aside(slot).await?)
    }

    /// Waits until the phone has stopped by itself; [`VirtualPhone::stop`] then says why.
    pub async fn closed(&self) {
        self.phone.closed().await;
    }
}

async fn join(
    config: &VirtualPhoneConfig,
    tls: &Arc<TlsConfig>,
    identity: &dyn Identity,
) -> Result<Pairing, VirtualPhoneError> {
    let (Some(hub), Some(code)) = (&config.hub, &config.code) else {
        return Err(VirtualPhoneError::NotPaired);
    };
    let hub = allowed(hub.clone(), config.plain_allowed)?;
    let show = |digits: &str| {
        if let Some(watcher) = &config.watcher {
            watcher(&Seen::Digits(digits));
        }
    };
    let device = config.device();
    let install = install_of(&config.folder)?;
    let code = code.as_str();
    let pairing = pair(&hub, tls, code, &install, identity, &device, show).await?;
    Reports::erase(&config.folder)?;
    adopt_pairing(&config.folder, install, &pairing)?;
    if let Some(watcher) = &config.watcher {
        watcher(&Seen::Paired);
    }
    Ok(pairing)
}

fn allowed(hub: HubAddress, plain_allowed: bool) -> Result<HubAddress, InvalidAddress> {
    if plain_allowed {
        Ok(hub)
    } else {
        hub.require_encrypted_or_local()
    }
}

fn radio_of(
    config: &VirtualPhoneConfig,
    pairing: &Pairing,
    clock: Arc<VirtualClock>,
    facts: RadioFacts,
) -> Result<VirtualRadio, VirtualPhoneError> {
    let changed = Arc::new(Mutex::default());
    let (tell, about_to) = (facts.clone(), changed.clone());
    let hand_on = move |fact| hand_on(&tell, &about_to, fact);
    let in_service = config.profile != Profile::NoService;
    let world = World::new(config.sims(), config.condition(), in_service);
    Ok(VirtualRadio {
        delayed: Delayed::start(clock.clone(), hand_on),
        clock,
        changed,
        world: Mutex::new(world),
        profile: config.profile,
        dice: Mutex::new(Seeded::new(config.seed)),
        log: config.radio_log.clone(),
        provider: Arc::new(Provider::open(&config.folder)?),
        inbox: Inbox::open(&config.folder)?,
        calls: Calls::open(&config.folder)?,
        reports: Arc::new(Reports::open(&config.folder)?),
        phones: pairing.phones.iter().map(|it| (it.sim, it.id)).collect(),
        facts,
        watcher: config.watcher.clone(),
    })
}

/// If the phone has stopped, the network repeats the fact at the next start.
fn hand_on(facts: &RadioFacts, changed: &Mutex<BTreeSet<Log>>, fact: RadioFact) {
    if let RadioFact::LogChanged(log) = &fact {
        let mut changed = changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.remove(log);
    }
    let _is_on = facts.tell(fact);
}

async fn run(
    config: VirtualPhoneConfig,
    pairing: &Pairing,
    tls: Arc<TlsConfig>,
    identity: Arc<dyn Identity>,
    radio: Arc<VirtualRadio>,
    inbox: RadioFactsInbox,
) -> Result<Phone, VirtualPhoneError> {
    let hub = config.hub.clone();
    let hub = hub
        .map(|hub| allowed(hub, config.plain_allowed))
        .transpose()?;
    let phone = PhoneConfig {
        pairing: pairing.clone(),
        hub,
        tls,
        identity,
        clock: radio.clock.clone(),
        sims: config.sims(),
        condition: config.condition(),
        limits: config.limits(),
        quiet_hours: Vec::new(),
        waits: WaitChoice::default(),
        is_paused: false,
        observer: Some(observer(radio.reports.clone(), config.watcher)),
        watch: None,
        folder: config.folder,
    };
    let phone = Phone::start(phone, radio.clone(), inbox).await?;
    // The journal is open now, so no other process runs this phone.
    radio.tidy_up()?;
    radio.deliver_stored()?;
    Ok(phone)
}

fn observer(reports: Arc<Reports>, watcher: Option<Watcher>) -> Observer {
    Arc::new(move |event: &Event| {
        reports.watch(event);
        if let Some(watcher) = &watcher
            && let Some(seen) = Seen::of_event(event)
        {
            watcher(&seen);
        }
    })
}
