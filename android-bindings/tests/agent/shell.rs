//! A shell in Rust: a radio that records its tasks, and a key in memory.

use postrider_agent::{
    Condition, DeviceDescription, DialUssd, Event, Log, Outlook, PaceLimits, PlaceCall, ScanMark,
    SendParts, SentRowAsked, SimInfo, WaitChoice,
};
use postrider_android::{
    Agent, AgentConfig, Keystore, Paired, PairingOutcome, PhoneState, Radio, Shell, ShellError,
    Stopped, read_invitation, read_pairing,
};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::Value;
use server_stub::{
    Stub, StubConfig,
    scenario::{Scenario, Wait},
};
use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{runtime::Runtime, time::timeout};

/// How long a test waits for a condition before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Every call to the shell, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    Event(Event),
    Outlook(Outlook),
    Stopped(Stopped),
    Digits(String),
    Pairing(PairingOutcome),
    Send(SendParts),
    Dial(DialUssd),
    Call(PlaceCall),
    SentRow,
    Log(Log),
    Confirmed(u64),
}

/// Runs at a hand-over.
type AtSend = Box<dyn FnMut() -> Result<(), ShellError> + Send>;

/// Answers a request for a log.
type AtLog = Box<dyn FnMut(Log, ScanMark) + Send>;

/// The recorded calls, and a way to wait for one.
#[derive(Default)]
pub(crate) struct Ear {
    heard: Mutex<Vec<Heard>>,
    more: Condvar,
    /// Runs on the agent's own thread at each hand-over.
    pub at_send: Mutex<Option<AtSend>>,
    /// Runs on the agent's own thread at each reading of a log; without it no log can be read.
    pub at_log: Mutex<Option<AtLog>>,
}

impl Ear {
    fn hear(&self, heard: Heard) {
        self.heard.lock().unwrap().push(heard);
        self.more.notify_all();
    }

    /// Waits for a call, and returns the first that matches.
    pub(crate) fn wait_for<T>(&self, pick: impl Fn(&Heard) -> Option<T>) -> T {
        let heard = self.heard.lock().unwrap();
        let is_missing = |heard: &mut Vec<Heard>| heard.iter().find_map(&pick).is_none();
        let (heard, waited) = self
            .more
            .wait_timeout_while(heard, PATIENCE, is_missing)
            .unwrap();
        assert!(!waited.timed_out(), "it was never heard");
        heard.iter().find_map(&pick).unwrap()
    }

    pub(crate) fn count(&self, is_it: impl Fn(&Heard) -> bool) -> usize {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|it| is_it(it)).count()
    }
}

impl Radio for Ear {
    fn send_parts(&self, task: SendParts) -> Result<(), ShellError> {
        self.hear(Heard::Send(task));
        match self.at_send.lock().unwrap().as_mut() {
            Some(act) => act(),
            None => Ok(()),
        }
    }

    fn dial_ussd(&self, task: DialUssd) -> Result<(), ShellError> {
        self.hear(Heard::Dial(task));
        Ok(())
    }

    fn place_call(&self, task: PlaceCall) -> Result<(), ShellError> {
        self.hear(Heard::Call(task));
        Ok(())
    }

    fn read_sent_row(&self, _: SentRowAsked) -> Result<(), ShellError> {
        self.hear(Heard::SentRow);
        Ok(())
    }

    fn read_log(&self, log: Log, from: ScanMark) -> Result<(), ShellError> {
        self.hear(Heard::Log(log));
        if let Some(answer) = self.at_log.lock().unwrap().as_mut() {
            answer(log, from);
            return Ok(());
        }
        Err(ShellError::Failed {
            reason: "no permission".to_owned(),
        })
    }

    fn confirm_received(&self, receipt: u64) -> Result<(), ShellError> {
        self.hear(Heard::Confirmed(receipt));
        Ok(())
    }
}

impl Shell for Ear {
    fn on_event(&self, event: Event) {
        self.hear(Heard::Event(event));
    }

    fn on_outlook(&self, outlook: Outlook) {
        self.hear(Heard::Outlook(outlook));
    }

    fn on_stopped(&self, stopped: Stopped) {
        self.hear(Heard::Stopped(stopped));
    }

    fn on_pairing_digits(&self, digits: String) {
        self.hear(Heard::Digits(digits));
    }

    fn on_pairing_over(&self, outcome: PairingOutcome) {
        self.hear(Heard::Pairing(outcome));
    }
}

/// A key in memory; it can be lost.
pub(crate) struct Key {
    pair: Option<EcdsaKeyPair>,
    random: SystemRandom,
}

impl Key {
    #[expect(
        clippy::disallowed_methods,
        reason = "a key of a test need not be drawn twice alike"
    )]
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).unwrap();
        Self {
            pair: Some(pair),
            random,
        }
    }

    pub(crate) fn lost() -> Self {
        Self {
            pair: None,
            ..Self::new()
        }
    }

    fn pair(&self) -> Result<&EcdsaKeyPair, ShellError> {
        self.pair.as_ref().ok_or(ShellError::KeyLost)
    }
}

impl Keystore for Key {
    fn public_key(&self) -> Result<Vec<u8>, ShellError> {
        Ok(self.pair()?.public_key().as_ref().to_vec())
    }

    fn sign(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ShellError> {
        let signed = self.pair()?.sign(&self.random, &bytes).unwrap();
        Ok(signed.as_ref().to_vec())
    }
}

/// A phone's folder, and a hub double.
pub(crate) struct Run {
    pub runtime: Runtime,
    pub stub: Stub,
    pub folder: TempDir,
    pub key: Arc<Key>,
}

impl Run {
    pub(crate) fn new(scenario: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let config = StubConfig::new(Scenario::parse(scenario).unwrap());
        let stub = runtime.block_on(Stub::start(config)).unwrap();
        Self {
            runtime,
            stub,
            folder: tempfile::tempdir().unwrap(),
            key: Arc::new(Key::new()),
        }
    }

    /// Starts the app's process again, on the same folder.
    pub(crate) fn agent(&self) -> (Arc<Agent>, Arc<Ear>) {
        agent(self.folder.path(), self.key.clone())
    }

    /// Begins to join by the link of the stub's QR code.
    pub(crate) fn begin_pairing(&self, agent: &Agent) {
        let ready = self.stub.ready();
        let link = ready["pairing_uri"].as_str().unwrap().to_owned();
        let invitation = read_invitation(link).unwrap();
        agent.begin_pairing(invitation, device()).unwrap();
    }

    /// Joins and starts.
    pub(crate) fn connected(&self) -> (Arc<Agent>, Arc<Ear>) {
        let (agent, ear) = self.agent();
        self.begin_pairing(&agent);
        let outcome = ear.wait_for(pairing);
        assert_eq!(outcome, PairingOutcome::Paired);
        agent.start(state()).unwrap();
        self.until(r#"{"connected": 1}"#);
        (agent, ear)
    }

    /// Returns the hub that the phone has joined, by its folder.
    pub(crate) fn paired(&self) -> Option<Paired> {
        let folder = self.folder.path().join("agent");
        read_pairing(folder.to_str().unwrap().to_owned()).unwrap()
    }

    /// Returns what the hub's control interface shows of something.
    pub(crate) fn shown(&self, what: &str) -> Value {
        let url = self.stub.control_url();
        let place = url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(place.trim_end_matches('/')).unwrap();
        let request = format!("GET /{what} HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }

    pub(crate) fn until(&self, wait: &str) {
        let wait: Wait = serde_json::from_str(wait).unwrap();
        // A timer needs its runtime, and the test runs on a thread without one.
        self.runtime
            .block_on(async { timeout(PATIENCE, self.stub.until(&wait)).await.unwrap() });
    }

    /// Waits for the end of the scenario; every rule must have held.
    pub(crate) fn finish(self) {
        let Self { runtime, stub, .. } = self;
        let verdict = runtime.block_on(async { timeout(PATIENCE, stub.finish()).await.unwrap() });
        assert!(verdict.held, "{verdict}");
    }
}

pub(crate) fn agent(folder: &Path, key: Arc<Key>) -> (Arc<Agent>, Arc<Ear>) {
    let ear = Arc::new(Ear::default());
    let config = AgentConfig {
        folder: folder.join("agent").to_str().unwrap().to_owned(),
        roots: Vec::new(),
        is_plain_allowed: false,
    };
    let agent = Agent::new(config, ear.clone(), key, ear.clone()).unwrap();
    (agent, ear)
}

pub(crate) fn pairing(heard: &Heard) -> Option<PairingOutcome> {
    match heard {
        Heard::Pairing(outcome) => Some(outcome.clone()),
        _ => None,
    }
}

pub(crate) fn send(heard: &Heard) -> Option<SendParts> {
    match heard {
        Heard::Send(task) => Some(task.clone()),
        _ => None,
    }
}

pub(crate) fn stopped(heard: &Heard) -> Option<Stopped> {
    match heard {
        Heard::Stopped(stopped) => Some(stopped.clone()),
        _ => None,
    }
}

pub(crate) fn device() -> DeviceDescription {
    DeviceDescription {
        name: "Clinic phone".to_owned(),
        manufacturer: "Example".to_owned(),
        model: "One".to_owned(),
        app_version: "0.1.0".to_owned(),
        android_sdk: Some(35),
        sims: Vec::new(),
    }
}

pub(crate) fn state() -> PhoneState {
    PhoneState {
        sims: vec![SimInfo {
            fingerprint: Some("sim-a".to_owned()),
            ..SimInfo::default()
        }],
        condition: Condition::default(),
        limits: PaceLimits::DEFAULT,
        quiet_hours: Vec::new(),
        waits: WaitChoice::default(),
        is_online: true,
        is_paused: false,
        boot_count: Some(1),
    }
}
