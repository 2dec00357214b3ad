//! A running phone, and its adapters to Kotlin.

use crate::{
    error::{AgentError, ShellError},
    shell::{Keystore, Radio, Shell, Stopped},
};
use postrider_agent::{
    CallRefusal, Condition, DialUssd, Ended, Identity, IdentityError, KeyAlgorithm, Log, LogPage,
    PaceLimits, Pairing, Phone, PhoneConfig, PhoneError, PhoneHandle, PlaceCall, RadioFact,
    RadioFacts, ScanMark, SendParts, SentRowAsked, SimInfo, Spell, StartError, SystemClock, Trust,
    WaitChoice,
};
use postrider_link::close::CloseCode;
use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// The platform's code for a failure that proves nothing: a part may have left.
const RESULT_ERROR_GENERIC_FAILURE: i32 = 1;
/// The platform's code for a USSD code that came back without an answer.
const USSD_RETURN_FAILURE: i32 = -1;

/// What Kotlin does for the agent.
#[derive(Clone)]
pub(crate) struct Adapters {
    pub(crate) radio: Arc<dyn Radio>,
    pub(crate) keystore: Arc<dyn Keystore>,
    pub(crate) shell: Arc<dyn Shell>,
}

impl Adapters {
    /// # Errors
    /// When the keystore cannot use the key.
    pub(crate) fn identity(&self) -> Result<Arc<dyn Identity>, AgentError> {
        let public_key = self
            .keystore
            .public_key()
            .map_err(|_| AgentError::KeyLost)?;
        let keystore = self.keystore.clone();
        Ok(Arc::new(KeystoreIdentity {
            keystore,
            public_key,
        }))
    }
}

/// The phone's state when the agent starts.
#[derive(uniffi::Record)]
pub struct PhoneState {
    /// What the platform reports of the phone.
    pub sims: Vec<SimInfo>,
    /// What the platform knows of the phone.
    pub condition: Condition,
    /// How fast messages may leave.
    pub limits: PaceLimits,
    /// The owner's quiet hours of the next days.
    pub quiet_hours: Vec<Spell>,
    /// How long to wait for results that may never come, if the owner has set it.
    pub waits: WaitChoice,
    /// Whether there is a network: without one nothing is dialled.
    pub is_online: bool,
    /// Whether sending is paused until a command resumes it.
    pub is_paused: bool,
    /// How often the phone was started, by the platform's count, if it has one.
    pub boot_count: Option<u32>,
}

/// Holds the running phone.
#[derive(Default)]
pub(crate) struct Place {
    /// Filled before the phone begins, because its first tasks are answered while it starts.
    facts: Mutex<Option<RadioFacts>>,
    running: Mutex<Option<Running>>,
}

impl Place {
    pub(crate) fn facts(&self) -> Option<RadioFacts> {
        lock(&self.facts).clone()
    }

    pub(crate) fn running(&self) -> Option<Running> {
        lock(&self.running).clone()
    }

    fn clear(&self) {
        *lock(&self.running) = None;
        *lock(&self.facts) = None;
    }
}

/// A phone that runs; cheap to clone.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) phone: PhoneHandle,
    over: watch::Receiver<bool>,
}

impl Running {
    /// # Errors
    /// When it cannot go on from its journal. One that can never be read is set aside.
    pub(crate) async fn start(
        folder: &Path,
        roots: &[Vec<u8>],
        pairing: Pairing,
        adapters: &Adapters,
        state: PhoneState,
        place: Arc<Place>,
    ) -> Result<(), AgentError> {
        let (facts, inbox) = RadioFacts::channel();
        let radio = Arc::new(KotlinRadio {
            radio: adapters.radio.clone(),
            facts: facts.clone(),
        });
        let config = config(folder, roots, pairing, adapters, &state)?;
        *lock(&place.facts) = Some(facts);
        let phone = match Phone::start(config, radio, inbox).await {
            Ok(phone) => phone,
            Err(error) => {
                place.clear();
                return Err(set_aside_or(error, folder));
            }
        };
        if !state.is_online {
            phone.network_lost().await;
        }
        let (over, is_over) = watch::channel(false);
        let running = Self {
            phone: phone.handle(),
            over: is_over,
        };
        *lock(&place.running) = Some(running);
        tokio::spawn(see_it_end(phone, place, adapters.shell.clone(), over));
        Ok(())
    }

    pub(crate) async fn stop(mut self) {
        self.phone.begin_stopping().await;
        // Its sender is dropped with the phone.
        drop(self.over.wait_for(|is_over| *is_over).await);
    }
}

fn config(
    folder: &Path,
    roots: &[Vec<u8>],
    pairing: Pairing,
    adapters: &Adapters,
    state: &PhoneState,
) -> Result<PhoneConfig, AgentError> {
    let events = adapters.shell.clone();
    let outlooks = adapters.shell.clone();
    Ok(PhoneConfig {
        folder: folder.to_owned(),
        tls: trust(roots, &pairing.pins, pairing.link()?.is_secure())?.client_config()?,
        identity: adapters.identity()?,
        pairing,
        hub: None,
        clock: Arc::new(SystemClock::of_phone(state.boot_count).map_err(AgentError::storage)?),
        sims: state.sims.clone(),
        condition: state.condition.clone(),
        limits: state.limits,
        quiet_hours: state.quiet_hours.clone(),
        waits: state.waits,
        is_paused: state.is_paused,
        observer: Some(Arc::new(move |event| events.on_event(event.clone()))),
        watch: Some(Arc::new(move |outlook| outlooks.on_outlook(*outlook))),
    })
}

/// Makes the TLS trust: the platform's roots that can be read, or the pins. A hub without TLS needs
/// neither.
pub(crate) fn trust(
    roots: &[Vec<u8>],
    pins: &[String],
    is_secure: bool,
) -> Result<Trust, AgentError> {
    let pins: Result<Vec<_>, _> = pins.iter().map(|pin| pin.parse()).collect();
    Ok(Trust {
        platform_roots: is_secure.then(|| roots.to_vec()),
        pins: pins?,
        ..Trust::default()
    })
}

fn set_aside_or(error: StartError, folder: &Path) -> AgentError {
    if !error.is_unreadable() {
        return error.into();
    }
    match Pairing::set_aside(folder) {
        Ok(()) => AgentError::JournalSetAside {
            reason: error.to_string(),
        },
        Err(error) => error.into(),
    }
}

/// Waits for the end of a phone and tells the shell, unless the shell itself stopped it.
async fn see_it_end(
    phone: Phone,
    place: Arc<Place>,
    shell: Arc<dyn Shell>,
    over: watch::Sender<bool>,
) {
    let ended = phone.ended().await;
    place.clear();
    over.send_replace(true);
    if let Some(stopped) = why(ended) {
        shell.on_stopped(stopped);
    }
}

fn why(ended: Result<Ended, PhoneError>) -> Option<Stopped> {
    match ended {
        Ok(Ended::Stopped) => None,
        Ok(Ended::PairingNeeded(CloseCode::NotPaired)) => Some(Stopped::Revoked),
        Ok(Ended::PairingNeeded(_)) => Some(Stopped::JournalNotTrusted),
        Ok(Ended::Unpaired { is_told }) => Some(Stopped::Unpaired { is_told }),
        Err(error) => Some(Stopped::Failed {
            reason: error.to_string(),
        }),
    }
}

/// The phone's key, in Kotlin's keystore.
struct KeystoreIdentity {
    keystore: Arc<dyn Keystore>,
    public_key: Vec<u8>,
}

impl Identity for KeystoreIdentity {
    fn algorithm(&self) -> KeyAlgorithm {
        KeyAlgorithm::P256
    }

    fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, IdentityError> {
        let signed = self.keystore.sign(bytes.to_vec());
        signed.map_err(|_| IdentityError::Refused)
    }
}

/// The phone's radio, in Kotlin's hands.
struct KotlinRadio {
    radio: Arc<dyn Radio>,
    facts: RadioFacts,
}

impl KotlinRadio {
    /// When the shell threw an exception, reports the facts that it should have reported.
    fn or_tell(&self, done: Result<(), ShellError>, facts: impl IntoIterator<Item = RadioFact>) {
        if let Err(error) = done {
            tracing::error!(%error, "the shell failed");
            for fact in facts {
                self.facts.tell(fact);
            }
        }
    }
}

impl postrider_agent::Radio for KotlinRadio {
    fn send_parts(&self, task: &SendParts) {
        let (token, of) = (task.token, task.parts.max(1));
        let failed = (0..of).map(|part| RadioFact::PartSent {
            token,
            part,
            of,
            code: RESULT_ERROR_GENERIC_FAILURE,
            cause: None,
        });
        self.or_tell(self.radio.send_parts(task.clone()), failed);
    }

    fn dial_ussd(&self, task: &DialUssd) {
        let failed = RadioFact::UssdFailed {
            token: task.token,
            code: USSD_RETURN_FAILURE,
        };
        self.or_tell(self.radio.dial_ussd(task.clone()), [failed]);
    }

    fn place_call(&self, task: &PlaceCall) {
        let refused = RadioFact::CallRefused {
            token: task.token,
            why: CallRefusal::Other,
        };
        self.or_tell(self.radio.place_call(task.clone()), [refused]);
    }

    fn read_sent_row(&self, asked: &SentRowAsked) {
        self.or_tell(self.radio.read_sent_row(asked.clone()), []);
    }

    fn read_log(&self, log: Log, from: ScanMark) {
        let page = match log {
            Log::Sms => LogPage::Sms(Vec::new()),
            Log::Mms => LogPage::Mms(Vec::new()),
            Log::Calls => LogPage::Calls(Vec::new()),
        };
        let complete = true;
        let nothing = RadioFact::LogRead { page, complete };
        self.or_tell(self.radio.read_log(log, from), [nothing]);
    }

    fn confirm_received(&self, receipt: u64) {
        self.or_tell(self.radio.confirm_received(receipt), []);
    }
}

/// Ignores poisoning: nothing is changed in steps under these locks, so the value is whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
