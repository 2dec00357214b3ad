//! `POST /pair`, with the answers of the real hub to both requests.

use super::memory::{Device, KeyAlgorithm};
use super::{Engine, PROJECT};
use crate::scenario::PairingAnswer;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use postrider_link::dispatch::hello::Service;
use postrider_link::frame::InstallId;
use postrider_link::pairing::{CodeUse, Commitment, Joiner, Number};
use postrider_link::session::hub::DeviceLink;
use postrider_model::{HubId, Key, Now, PhoneId, PhoneNumber, Secret, SimSlot};
use serde::Deserialize;
use serde_json::{Value, json};

const ENDED: &str = "the pairing code has been used or ended";

/// What the hub answers: the HTTP status and the body.
pub(crate) type Answer = (u16, Value);

/// A phone's first request.
#[derive(Debug, Deserialize)]
struct Commit {
    code: Secret,
    commitment: Commitment,
}

/// A phone's second request, as far as a double needs it.
#[derive(Debug, Deserialize)]
struct Open {
    code: Secret,
    number: Number,
    public_key: String,
    key_algorithm: String,
    install: InstallId,
    #[serde(default)]
    device: Description,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Description {
    sims: Vec<Sim>,
}

#[derive(Debug, Deserialize)]
struct Sim {
    slot: SimSlot,
    #[serde(default)]
    number: Option<Secret>,
}

impl Engine {
    /// Answers a phone that wants to join. The code of a run may be used again, so that a phone
    /// which was told to pair again can.
    pub fn pair(&mut self, body: &[u8], now: Now) -> Answer {
        self.counts.pair_requests += 1;
        if let Ok(commit) = serde_json::from_slice(body) {
            return self.commit(&commit);
        }
        match read(body) {
            Some((open, algorithm, key)) => self.open(&open, algorithm, key, now),
            None => failure(400, "invalid_param", "the request is not one of a phone"),
        }
    }

    /// A new commitment takes the place of the last one, since the code may be used again.
    fn commit(&mut self, commit: &Commit) -> Answer {
        if let Some(refused) = self.refusal(&commit.code) {
            return refused;
        }
        let number = Number(sha256(&commit.commitment.0));
        let told = self.code_use.commit(commit.commitment, number);
        let told = told.or_else(|_| {
            self.code_use = CodeUse::Free;
            self.code_use.commit(commit.commitment, number)
        });
        match told {
            Ok(number) => (200, json!({"status": "committed", "number": number})),
            Err(_) => failure(403, "pairing_refused", ENDED),
        }
    }

    fn open(&mut self, open: &Open, algorithm: KeyAlgorithm, key: Vec<u8>, now: Now) -> Answer {
        if let Some(refused) = self.refusal(&open.code) {
            return refused;
        }
        let joiner = Joiner {
            code: open.code.as_str(),
            key_algorithm: &open.key_algorithm,
            public_key: &key,
            install: &open.install,
        };
        let Ok(digits) = self.code_use.open(&joiner, &open.number, sha256) else {
            return failure(403, "pairing_refused", ENDED);
        };
        match self.scenario.pairing.answer {
            PairingAnswer::Refuse | PairingAnswer::Expire | PairingAnswer::Wait => {
                (200, json!({"status": "pending", "digits": digits}))
            }
            PairingAnswer::WrongDigits => {
                let others = if digits == "000000" {
                    "000001"
                } else {
                    "000000"
                };
                (200, json!({"status": "pending", "digits": others}))
            }
            PairingAnswer::Confirm => {
                let link = self.setting.link_url.clone();
                self.join(open, algorithm, key, &digits, &link, now)
            }
            PairingAnswer::PlainLink => {
                let link = self.setting.link_url.replacen("wss://", "ws://", 1);
                self.join(open, algorithm, key, &digits, &link, now)
            }
        }
    }

    /// Returns why neither request is answered otherwise.
    fn refusal(&self, code: &Secret) -> Option<Answer> {
        if !self.setting.code.is(code.as_str()) {
            let text = "the pairing code is not valid";
            return Some(failure(403, "pairing_refused", text));
        }
        match self.scenario.pairing.answer {
            PairingAnswer::Refuse => Some(failure(403, "pairing_refused", ENDED)),
            PairingAnswer::Expire => {
                let text = "the pairing code has run out";
                Some(failure(410, "pairing_expired", text))
            }
            PairingAnswer::Confirm
            | PairingAnswer::Wait
            | PairingAnswer::WrongDigits
            | PairingAnswer::PlainLink => None,
        }
    }

    /// Returns which hub this double is: one at another address is another one.
    pub(super) fn hub_id(&self) -> HubId {
        let hash = ring::digest::digest(&ring::digest::SHA256, self.setting.link_url.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_ref()[..8]);
        let key = Key::new((u64::from_be_bytes(first) >> 1).cast_signed());
        HubId::new(key.unwrap_or_default())
    }

    fn join(
        &mut self,
        request: &Open,
        algorithm: KeyAlgorithm,
        key: Vec<u8>,
        digits: &str,
        link_url: &str,
        now: Now,
    ) -> Answer {
        let known = self.device.as_ref();
        let same = known.is_some_and(|it| it.key == key && it.install == request.install);
        let joined = known.is_some_and(|it| it.service == Service::Open);
        if !(same && joined) {
            self.holder_lost(now);
            self.memory.link = Some(DeviceLink::new(request.install.clone()));
            self.device = Some(Device {
                id: self.device_id,
                key,
                algorithm,
                install: request.install.clone(),
                service: Service::Open,
            });
            self.watch.joined();
        }
        self.turn(now);
        let answer = json!({
            "status": "confirmed",
            "digits": digits,
            "device_id": self.device_id,
            "host": self.host(),
            "link_url": link_url,
            "hub_id": self.hub_id(),
            "project_id": PROJECT,
            "phones": phones(&request.device),
        });
        (200, answer)
    }
}

fn read(body: &[u8]) -> Option<(Open, KeyAlgorithm, Vec<u8>)> {
    let request: Open = serde_json::from_slice(body).ok()?;
    let key = STANDARD.decode(&request.public_key).ok()?;
    let algorithm = match request.key_algorithm.as_str() {
        "p256" if key.len() == 65 => KeyAlgorithm::P256,
        "ed25519" if key.len() == 32 => KeyAlgorithm::Ed25519,
        _ => return None,
    };
    Some((request, algorithm, key))
}

fn failure(status: u16, code: &str, message: &str) -> Answer {
    (status, json!({"error": {"code": code, "message": message}}))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
    hash
}

/// One Phone for each slot; a device that names none has one.
fn phones(device: &Description) -> Vec<Value> {
    let phone = |slot: SimSlot, number: Option<PhoneNumber>| {
        let id = Key::new(i64::from(slot.get()) + 1).map(PhoneId::new);
        match number {
            Some(number) => json!({"id": id, "sim": slot, "phone_number": number}),
            None => json!({"id": id, "sim": slot}),
        }
    };
    if device.sims.is_empty() {
        return vec![phone(SimSlot::default(), None)];
    }
    let number = |sim: &Sim| sim.number.as_ref().and_then(|it| it.as_str().parse().ok());
    device
        .sims
        .iter()
        .map(|sim| phone(sim.slot, number(sim)))
        .collect()
}
