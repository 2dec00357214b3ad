//! A shell that listens, sends nothing, and keeps its key in the folder.

use crate::Failure;
use postrider_agent::{
    DialUssd, Event, Log, Outlook, PlaceCall, ScanMark, SendParts, SentRowAsked,
};
use postrider_android::{Keystore, PairingOutcome, Radio, Shell, ShellError, Stopped};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use std::{
    fs,
    path::Path,
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// How long a measurement waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something that a measurement waits for.
pub(crate) enum Heard {
    Event(Event),
    Pairing(PairingOutcome),
}

/// What was heard so far.
#[derive(Default)]
pub(crate) struct Ear {
    heard: Mutex<Vec<Heard>>,
    more: Condvar,
}

impl Ear {
    fn hear(&self, heard: Heard) {
        let mut all = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(heard);
        self.more.notify_all();
    }

    /// Waits until something was heard, and returns it.
    pub(crate) fn wait_for<T>(&self, pick: impl Fn(&Heard) -> Option<T>) -> Result<T, Failure> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let is_missing = |heard: &mut Vec<Heard>| heard.iter().find_map(&pick).is_none();
        let waited = self.more.wait_timeout_while(heard, PATIENCE, is_missing);
        let (heard, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let found = heard.iter().find_map(&pick);
        found.ok_or_else(|| "what it waits for was never heard".into())
    }
}

impl Radio for Ear {
    fn send_parts(&self, _: SendParts) -> Result<(), ShellError> {
        Err(no_radio())
    }

    fn dial_ussd(&self, _: DialUssd) -> Result<(), ShellError> {
        Err(no_radio())
    }

    fn place_call(&self, _: PlaceCall) -> Result<(), ShellError> {
        Err(no_radio())
    }

    fn read_sent_row(&self, _: SentRowAsked) -> Result<(), ShellError> {
        Err(no_radio())
    }

    fn read_log(&self, _: Log, _: ScanMark) -> Result<(), ShellError> {
        Err(no_radio())
    }

    fn confirm_received(&self, _: u64) -> Result<(), ShellError> {
        Ok(())
    }
}

fn no_radio() -> ShellError {
    ShellError::Failed {
        reason: "there is no radio here".to_owned(),
    }
}

impl Shell for Ear {
    fn on_event(&self, event: Event) {
        self.hear(Heard::Event(event));
    }

    fn on_outlook(&self, _: Outlook) {}

    fn on_stopped(&self, _: Stopped) {}

    fn on_pairing_digits(&self, _: String) {}

    fn on_pairing_over(&self, outcome: PairingOutcome) {
        self.hear(Heard::Pairing(outcome));
    }
}

/// A key that is made once for a folder.
pub(crate) struct Key {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl Key {
    /// Reads the key of a folder, or makes it.
    #[expect(
        clippy::disallowed_methods,
        reason = "a key of a measurement need not be drawn twice alike"
    )]
    pub(crate) fn of(folder: &Path) -> Result<Self, Failure> {
        let random = SystemRandom::new();
        let file = folder.join("key");
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        if !file.exists() {
            let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random)
                .map_err(|_| "no key could be made")?;
            fs::write(&file, made.as_ref())?;
        }
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, &fs::read(&file)?, &random)
            .map_err(|_| "the folder's key is none")?;
        Ok(Self { pair, random })
    }
}

impl Keystore for Key {
    fn public_key(&self) -> Result<Vec<u8>, ShellError> {
        Ok(self.pair.public_key().as_ref().to_vec())
    }

    fn sign(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ShellError> {
        let signed = self.pair.sign(&self.random, &bytes);
        let signed = signed.map_err(|_| ShellError::KeyLost)?;
        Ok(signed.as_ref().to_vec())
    }
}
