//! `POST /pair`, with the answers of the real hub.

use super::memory::{Device, KeyAlgorithm, Standing};
use super::{Engine, HUB, PROJECT};
use crate::scenario::PairingAnswer;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use postrider_link::frame::InstallId;
use postrider_link::session::hub::DeviceLink;
use postrider_link::signature;
use postrider_model::{Key, Now, PhoneId, PhoneNumber, Secret, SimSlot};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the hub answers: the HTTP status and the body.
pub(crate) type Answer = (u16, Value);

/// A phone's request, as far as a double needs it.
#[derive(Debug, Deserialize)]
struct Request {
    code: Secret,
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
        let Some((request, algorithm, key)) = read(body) else {
            return failure(400, "invalid_param", "the request is not one of a phone");
        };
        if !self.setting.code.is(request.code.as_str()) {
            return failure(403, "pairing_refused", "the pairing code is not valid");
        }
        let digits = digits(&request, &key);
        match self.scenario.pairing.answer {
            PairingAnswer::Refuse => failure(
                403,
                "pairing_refused",
                "the pairing code has been used or ended",
            ),
            PairingAnswer::Expire => {
                failure(410, "pairing_expired", "the pairing code has run out")
            }
            PairingAnswer::Wait => (200, json!({"status": "pending", "digits": digits})),
            PairingAnswer::WrongDigits => {
                let others = if digits == "000000" {
                    "000001"
                } else {
                    "000000"
                };
                (200, json!({"status": "pending", "digits": others}))
            }
            PairingAnswer::Confirm => self.join(&request, algorithm, key, &digits, now),
        }
    }

    fn join(
        &mut self,
        request: &Request,
        algorithm: KeyAlgorithm,
        key: Vec<u8>,
        digits: &str,
        now: Now,
    ) -> Answer {
        let known = self.device.as_ref();
        let same = known.is_some_and(|it| it.key == key && it.install == request.install);
        let joined = known.is_some_and(|it| it.standing == Standing::Joined);
        if !(same && joined) {
            self.holder_lost(now);
            self.memory.link = Some(DeviceLink::new(request.install.clone()));
            self.device = Some(Device {
                id: self.device_id,
                key,
                algorithm,
                install: request.install.clone(),
                standing: Standing::Joined,
            });
            self.watch.joined();
        }
        self.turn(now);
        let answer = json!({
            "status": "confirmed",
            "digits": digits,
            "device_id": self.device_id,
            "host": self.host(),
            "link_url": self.setting.link_url,
            "hub_id": HUB,
            "project_id": PROJECT,
            "phones": phones(&request.device),
        });
        (200, answer)
    }
}

fn read(body: &[u8]) -> Option<(Request, KeyAlgorithm, Vec<u8>)> {
    let request: Request = serde_json::from_slice(body).ok()?;
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

fn digits(request: &Request, key: &[u8]) -> String {
    let input = signature::pairing_digits_input(request.code.as_str(), key);
    let hash = ring::digest::digest(&ring::digest::SHA256, &input);
    let mut start = [0; 8];
    start.copy_from_slice(&hash.as_ref()[..8]);
    signature::pairing_digits(start)
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
