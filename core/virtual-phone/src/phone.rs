//! A running virtual phone.

use crate::{
    config::VirtualPhoneConfig,
    later::Later,
    provider::Provider,
    radio::VirtualRadio,
    reports::Reports,
    seen::{Seen, Watcher},
    standard_input::Incoming,
};
use postrider_agent::{
    Clock, Ended, Event, HubAddress, Identity, IdentityError, InstallError, InvalidAddress,
    Observer, Pairing, PairingError, Phone, PhoneConfig, PhoneError, RadioFact, RadioFacts,
    RadioFactsInbox, RandomError, ReceivedSms, RecordError, Seeded, SoftwareIdentity, StartError,
    SystemClock, TlsConfig, Trust, TrustError, Waits, install_of, pair,
};
use postrider_link::{close::CloseCode, frame::Address};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
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
    /// It does not know which installation it is.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// Its pairing cannot be recalled.
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
    /// It stopped for another reason than being asked to.
    #[error(transparent)]
    Phone(#[from] PhoneError),
}

/// A running virtual phone; dropping it stops it.
pub struct VirtualPhone {
    phone: Phone,
    pairing: Pairing,
    folder: PathBuf,
    facts: RadioFacts,
    clock: Arc<dyn Clock>,
    watcher: Option<Watcher>,
    receipts: AtomicU64,
}

impl VirtualPhone {
    /// Starts a phone on the present runtime: joins when its folder has no pairing, which waits
    /// for the operator, and goes on from its journal otherwise.
    ///
    /// # Errors
    /// When it has not joined and cannot, or something in its folder cannot be used.
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
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::of_this_start()?);
        let (facts, inbox) = RadioFacts::channel();
        let radio = Arc::new(radio_of(&config, &pairing, clock.clone(), facts.clone())?);
        let folder = config.folder.clone();
        let watcher = config.watcher.clone();
        let phone = run(config, &pairing, tls, identity, clock.clone(), radio, inbox).await?;
        Ok(Self {
            phone,
            pairing,
            folder,
            facts,
            clock,
            watcher,
            receipts: AtomicU64::new(1),
        })
    }

    /// Returns who the phone is to its hub.
    pub fn pairing(&self) -> &Pairing {
        &self.pairing
    }

    /// Lets a message come in; returns false when the phone has stopped.
    pub fn receive(&self, message: Incoming) -> bool {
        if let Some(watcher) = &self.watcher {
            watcher(&Seen::Received {
                sim: message.sim,
                from: &message.from,
                text: &message.text,
            });
        }
        let parts = postrider_text::divide(message.text.as_str()).len();
        let receipt = self.receipts.fetch_add(1, Ordering::Relaxed);
        let row = i64::try_from(receipt).ok();
        self.facts.tell(RadioFact::SmsReceived(ReceivedSms {
            receipt,
            sim: message.sim,
            from: Address::from(&message.from),
            to: None,
            text: message.text,
            parts: u8::try_from(parts).unwrap_or(u8::MAX).max(1),
            sent_at: Some(self.clock.now().unix),
            received_at: row.map(|_| self.clock.now().unix),
            row,
        }))
    }

    /// Stops the phone in good order. One that its hub does not know any more has forgotten its
    /// pairing then, and joins anew when it is started with a code.
    ///
    /// # Errors
    /// When it had stopped for another reason before.
    pub async fn stop(self) -> Result<(), VirtualPhoneError> {
        let ended = self.phone.stop().await?;
        after(ended, &self.folder)
    }

    /// Tells that the phone is on another network: it dials at once.
    pub async fn network_changed(&self) {
        self.phone.network_changed().await;
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
    pairing.save(&config.folder)?;
    if let Some(watcher) = &config.watcher {
        watcher(&Seen::Paired);
    }
    Ok(pairing)
}

fn allowed(hub: HubAddress, plain_allowed: bool) -> Result<HubAddress, InvalidAddress> {
    match plain_allowed {
        true => Ok(hub),
        false => hub.require_encrypted_or_local(),
    }
}

fn radio_of(
    config: &VirtualPhoneConfig,
    pairing: &Pairing,
    clock: Arc<dyn Clock>,
    facts: RadioFacts,
) -> Result<VirtualRadio, VirtualPhoneError> {
    let tell = facts.clone();
    // What a stopped phone's network still says, it says again at the next start.
    let hand_on = move |fact| {
        let _is_on = tell.tell(fact);
    };
    Ok(VirtualRadio {
        later: Later::start(clock.clone(), hand_on),
        clock,
        profile: config.profile,
        dice: Mutex::new(Seeded::new(config.seed)),
        log: config.radio_log.clone(),
        provider: Provider::open(&config.folder)?,
        reports: Arc::new(Reports::open(&config.folder)?),
        phones: pairing.phones.iter().map(|it| (it.sim, it.id)).collect(),
        facts,
        watcher: config.watcher.clone(),
    })
}

async fn run(
    config: VirtualPhoneConfig,
    pairing: &Pairing,
    tls: Arc<TlsConfig>,
    identity: Arc<dyn Identity>,
    clock: Arc<dyn Clock>,
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
        clock,
        sims: config.sims(),
        condition: config.condition(),
        limits: config.limits(),
        waits: Waits::DEFAULT,
        observer: Some(observer(radio.reports.clone(), config.watcher)),
        folder: config.folder,
        #[cfg(feature = "fault-order")]
        fault: config.fault,
    };
    let phone = Phone::start(phone, radio.clone(), inbox).await?;
    // The journal is open now, so that no other process has this phone.
    radio.give_kept_reports()?;
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

/// Does what the end of a phone asks for.
fn after(ended: Ended, folder: &Path) -> Result<(), VirtualPhoneError> {
    match ended {
        Ended::Stopped => Ok(()),
        Ended::PairingNeeded(CloseCode::NotPaired) => Ok(Pairing::erase(folder)?),
        Ended::PairingNeeded(_) => Ok(Pairing::set_aside(folder)?),
    }
}
