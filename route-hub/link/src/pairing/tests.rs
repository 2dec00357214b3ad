//! What a phone is answered, on a real database.

use crate::pairing::request::settle;
use crate::pairing::wire::{self, PairAnswer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_app::actor::Who;
use hub_app::data_folder;
use hub_app::digest::sha256;
use hub_app::hub::Hub;
use hub_app::hub::pairing_tries::TRIES_MAX;
use hub_app::hub_work::HubWork;
use hub_app::organizations;
use hub_app::pairing::code::NewCode;
use hub_app::pairing::confirm::confirm;
use hub_app::pairing::open::{self, Purpose};
use hub_app::pairing::request::{PairRequest, Step};
use hub_app::projects::{self, NewProject, ProjectPatch};
use hub_domain::{Pairing, PairingState, Project};
use hub_store::{StoreError, pairings};
use hub_web::ApiError;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use tempfile::TempDir;

const ED25519: [u8; 32] = [7; 32];
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

struct World {
    hub: Hub,
    project: Project,
    _folder: TempDir,
}

impl World {
    fn new() -> Self {
        Self::at("https://hub.example")
    }

    fn at(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path(), 0).unwrap();
        let names = vec!["hub.example".to_owned()];
        let url = url.to_owned();
        let hub = Hub::new(data_folder::parts(store, url, names).unwrap());
        let now = hub.now();
        let maker = hub.clone();
        let made = hub.store.write_blocking(move |tx| {
            let mut work = HubWork::new(&maker, tx, Who::Operator, now);
            let organization = organizations::create(&mut work, "Clinic")?;
            let command = NewProject {
                organization_id: organization.id,
                name: "Reminders".to_owned(),
                settings: ProjectPatch::default(),
            };
            projects::make(&mut work, &command)
        });
        let project = made.unwrap();
        Self {
            hub,
            project,
            _folder: folder,
        }
    }

    fn write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        mut job: impl FnMut(&mut HubWork<'_, '_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (hub, now) = (self.hub.clone(), self.hub.now());
        let store = &self.hub.store;
        store.write_blocking(move |tx| job(&mut HubWork::new(&hub, tx, Who::Operator, now)))
    }

    fn join(&self) -> (Pairing, NewCode) {
        let purpose = Purpose::Join(self.project.id);
        self.write(move |work| open::open(work, &purpose, ""))
            .unwrap()
    }

    fn pairing(&self, pairing: &Pairing) -> Pairing {
        let id = pairing.id;
        let found = self.write(move |work| pairings::get(work.tx, id));
        found.unwrap().unwrap()
    }

    /// What a phone is answered over HTTP to its second request, or to its first if that is refused.
    fn ask(&self, opening: &PairRequest) -> Result<PairAnswer, ApiError> {
        self.ask_once(&commit_of(opening))?;
        self.ask_once(opening)
    }

    fn ask_once(&self, request: &PairRequest) -> Result<PairAnswer, ApiError> {
        self.ask_from(HERE, request)
    }

    fn ask_from(&self, address: IpAddr, request: &PairRequest) -> Result<PairAnswer, ApiError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let asked = settle(&self.hub, address, request.clone(), Some("hub.example"));
        runtime.block_on(asked)
    }
}

/// The first request of a phone, from its second.
fn commit_of(opening: &PairRequest) -> PairRequest {
    let Step::Open(open) = &opening.step else {
        panic!("not an opening");
    };
    let commitment = open.joiner(&opening.code).commitment(&open.number, sha256);
    PairRequest {
        step: Step::Commit(commitment),
        ..opening.clone()
    }
}

fn body(changes: Value) -> Vec<u8> {
    let mut body = json!({
        "code": "",
        "hub_url": "https://hub.example",
        "number": STANDARD.encode([5; 32]),
        "public_key": STANDARD.encode(ED25519),
        "key_algorithm": "ed25519",
        "install": "install-0000-0001",
        "device": {
            "name": "Desk", "manufacturer": "Maker", "model": "M1", "app_version": "1.0",
            "android_sdk": 34,
            "sims": [
                {"slot": 0, "number": "+15005550101", "country": "us", "mccmnc": "310260"},
                {"slot": 1},
            ],
        },
    });
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(body.as_object_mut().unwrap().remove(name)),
            value => body[name] = value.clone(),
        }
    }
    serde_json::to_vec(&body).unwrap()
}

fn request(changes: Value) -> PairRequest {
    wire::read(&body(changes)).unwrap()
}

fn with(code: &NewCode) -> PairRequest {
    request(json!({"code": code.typed()}))
}

#[test]
fn a_phone_joins_with_the_operators_word_and_is_told_again_as_often_as_it_asks() {
    let world = World::new();
    let (pairing, code) = world.join();
    let PairAnswer::Pending { digits } = world.ask(&with(&code)).unwrap() else {
        panic!("the code is good");
    };
    assert!(digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_digit()));
    let pending = PairAnswer::Pending {
        digits: digits.clone(),
    };
    assert_eq!(world.ask(&with(&code)).unwrap(), pending);

    let id = pairing.id;
    let joined = world.write(move |work| confirm(work, id)).unwrap();
    for _ in 0..2 {
        let answer = serde_json::to_value(world.ask(&with(&code)).unwrap()).unwrap();
        let phone = |n: usize| json!({"id": joined.phones[n].id, "sim": n});
        let mut first = phone(0);
        first["phone_number"] = json!("+15005550101");
        assert_eq!(
            answer,
            json!({
                "status": "confirmed", "digits": digits, "device_id": joined.device.id,
                "host": "hub.example", "link_url": "wss://hub.example/link",
                "hub_id": world.hub.hub_id, "project_id": world.project.id,
                "phones": [first, phone(1)],
            })
        );
    }
}

#[test]
fn a_code_that_another_phone_has_is_refused() {
    let world = World::new();
    let (_, code) = world.join();
    world.ask_once(&commit_of(&with(&code))).unwrap();
    let other = request(json!({"code": code.full(), "number": STANDARD.encode([6; 32])}));
    let refused = world.ask_once(&commit_of(&other)).unwrap_err();
    assert_eq!(refused.code().as_str(), "pairing_refused");
}

#[test]
fn a_phone_of_the_older_form_is_told_to_be_updated() {
    let older = body(json!({"number": null, "hub_url": null}));
    let refused = wire::read(&older).unwrap_err();
    assert_eq!(refused.code().as_str(), "app_too_old");
    assert!(refused.message().contains("update"), "{refused:?}");
}

#[test]
fn a_phone_that_came_over_https_is_not_led_to_a_link_without_tls() {
    let world = World::at("http://127.0.0.1:8090");
    let (pairing, code) = world.join();
    let refused = world.ask(&with(&code)).unwrap_err();
    assert_eq!(refused.code().as_str(), "public_url_missing");
    assert!(refused.message().contains("--public-url"), "{refused:?}");
    assert_eq!(
        world.pairing(&pairing).state,
        PairingState::Open,
        "it is still good"
    );
    let plain = json!({"code": code.full(), "hub_url": "HTTP://127.0.0.1:8090"});
    assert!(world.ask(&request(plain)).is_ok());
}

#[test]
fn an_address_that_guesses_must_wait_whichever_code_it_guesses_at() {
    let world = World::new();
    let (_, code) = world.join();
    for n in 0..TRIES_MAX {
        let guess = request(json!({"code": format!("ZZZZ-0000-{n:04}")}));
        let refused = world.ask(&guess).unwrap_err();
        assert_eq!(refused.code().as_str(), "pairing_refused");
    }
    let refused = world.ask(&with(&code)).unwrap_err();
    assert_eq!(refused.code().as_str(), "rate_limited");
}

#[test]
fn the_addresses_of_one_network_of_ipv6_guess_together() {
    let world = World::new();
    let (_, code) = world.join();
    let from = |text: &str, request: &PairRequest| world.ask_from(text.parse().unwrap(), request);
    for n in 0..TRIES_MAX {
        let guess = request(json!({"code": format!("ZZZZ-0000-{n:04}")}));
        let refused = from(&format!("2001:db8::{n:x}"), &guess).unwrap_err();
        assert_eq!(refused.code().as_str(), "pairing_refused");
    }
    let commitment = commit_of(&with(&code));
    let refused = from("2001:db8::ffff", &commitment).unwrap_err();
    assert_eq!(refused.code().as_str(), "rate_limited");
    assert!(from("2001:db8:0:1::1", &commitment).is_ok());
}

#[test]
fn a_request_that_no_agent_sends_is_named() {
    let p256 =
        |bytes: &[u8]| json!({"key_algorithm": "p256", "public_key": STANDARD.encode(bytes)});
    let compressed = [2; 33];
    let mut point = [4; 65];
    assert!(wire::read(&body(p256(&point))).is_ok());
    point[0] = 3;
    let long = "x".repeat(101);
    let refused = [
        (p256(&point), Some("public_key")),
        (p256(&compressed), Some("public_key")),
        (json!({"public_key": "no base64!"}), Some("public_key")),
        (
            json!({"public_key": STANDARD.encode([4; 65])}),
            Some("public_key"),
        ),
        (json!({"key_algorithm": "rsa"}), Some("key_algorithm")),
        (json!({"device": {"name": long}}), Some("device")),
        (
            json!({"device": {"sims": [{"slot": 0}, {"slot": 0}]}}),
            Some("device[sims]"),
        ),
        (json!({"device": {"sims": [{"slot": 99}]}}), None),
        (json!({"install": "short"}), None),
        (json!({"number": "AAAA"}), Some("number")),
        (json!({"commitment": "AAAA"}), Some("commitment")),
        (
            json!({"number": null, "public_key": null}),
            Some("commitment"),
        ),
        (json!({"hub_url": null}), Some("hub_url")),
        (json!({"hub_url": "ftp://hub.example"}), Some("hub_url")),
        (
            json!({"hub_url": format!("https://{}", "x".repeat(500))}),
            Some("hub_url"),
        ),
        (json!({"code": 17}), None),
    ];
    for (changes, param) in refused {
        let error = wire::read(&body(changes.clone())).unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_param", "{changes}");
        assert_eq!(error.param(), param, "{changes}");
    }
}
