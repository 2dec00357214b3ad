//! Pairing through its steps, on a real database, with the clock in the caller's hand.

use crate::pairing::request::settle;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_app::data_folder;
use hub_app::digest::sha256;
use hub_app::hub::Hub;
use hub_app::pairing::claim::{Circumstances, Claim, WRONG_TRIES_MAX, claim};
use hub_app::pairing::code::{GivenCode, NewCode};
use hub_app::pairing::confirm::{ConfirmRefused, Joined, confirm, refuse};
use hub_app::pairing::open::{self, CODE_LIFE_MS, KEPT_MS, OpenRefused, Purpose};
use hub_app::pairing::tries::TRIES_MAX;
use hub_app::pairing::wire::{PairAnswer, PairRequest, Step};
use hub_app::setup;
use hub_domain::{Device, DeviceState, Pairing, PairingState, Phone, Project};
use hub_store::{StoreError, Tx, audit, devices, pairings, phones, projects};
use hub_web::ApiError;
use postrider_link::pairing::{Number, PhoneSide};
use postrider_model::{DeviceId, Now};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use tempfile::TempDir;

const ED25519: [u8; 32] = [7; 32];
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

struct World {
    hub: Hub,
    project: Project,
    now: Now,
    _folder: TempDir,
}

impl World {
    fn new() -> Self {
        Self::at("https://hub.example")
    }

    fn at(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path()).unwrap();
        let names = vec!["hub.example".to_owned()];
        let url = url.to_owned();
        let hub = Hub::new(data_folder::parts(store, 0, url, names).unwrap());
        let now = hub.now();
        let maker = hub.clone();
        let project = hub.store.write_blocking(move |tx| {
            let organization = setup::organization(&maker, tx, "Clinic", now)?.unwrap();
            let in_kenya = |project: &mut Project| project.country = Some("KE".into());
            setup::project(&maker, tx, organization.id, "Reminders", in_kenya, now)
        });
        let project = project.unwrap().unwrap();
        Self {
            hub,
            project,
            now,
            _folder: folder,
        }
    }

    fn write<T: Send + 'static>(
        &self,
        mut job: impl FnMut(&Hub, &mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        let hub = self.hub.clone();
        self.hub
            .store
            .write_blocking(move |tx| job(&hub, tx))
            .unwrap()
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms.unsigned_abs());
    }

    fn open(&self, purpose: Purpose) -> (Pairing, NewCode) {
        let now = self.now;
        let opened = self.write(move |hub, tx| open::open(hub, tx, &purpose, "", now));
        opened.unwrap()
    }

    fn join(&self) -> (Pairing, NewCode) {
        self.open(Purpose::Join(self.project.id))
    }

    /// Sends one request of a phone.
    fn send(&self, request: &PairRequest) -> Claim {
        let request = request.clone();
        let with = Circumstances {
            fresh: Number(self.hub.random.bytes()),
            is_link_plain: self.hub.base_url.starts_with("http://"),
            now: self.now.unix,
        };
        self.write(move |_, tx| {
            let given = GivenCode::read(request.code.as_str()).unwrap();
            claim(tx, &given, &request, with)
        })
    }

    /// Sends both requests of a phone, the second one if the first was taken.
    fn claim(&self, opening: &PairRequest) -> Claim {
        match self.send(&commit_of(opening)) {
            Claim::Committed { .. } => self.send(opening),
            refused => refused,
        }
    }

    fn confirm(&self, pairing: &Pairing) -> Result<Joined, ConfirmRefused> {
        let (id, now) = (pairing.id, self.now);
        self.write(move |hub, tx| confirm(hub, tx, id, now))
    }

    fn joined(&self, purpose: Purpose, install: &str) -> Joined {
        let (pairing, code) = self.open(purpose);
        let request = request(json!({"code": code.full(), "install": install}));
        assert!(matches!(self.claim(&request), Claim::Pending { .. }));
        self.confirm(&pairing).unwrap()
    }

    fn device(&self, id: DeviceId) -> Device {
        self.write(move |_, tx| devices::get(tx, id)).unwrap()
    }

    fn phones(&self, id: DeviceId) -> Vec<Phone> {
        self.write(move |_, tx| phones::of_device(tx, id))
    }

    fn pairing(&self, pairing: &Pairing) -> Pairing {
        let id = pairing.id;
        self.write(move |_, tx| pairings::get(tx, id)).unwrap()
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
    PairRequest::read(&body(changes)).unwrap()
}

fn with(code: &NewCode) -> PairRequest {
    request(json!({"code": code.typed()}))
}

#[test]
fn a_phone_joins_with_the_operators_word_and_is_told_again_as_often_as_it_asks() {
    let world = World::new();
    let (pairing, code) = world.join();
    let Claim::Pending { digits } = world.claim(&with(&code)) else {
        panic!("the code is good");
    };
    assert!(digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_digit()));
    assert_eq!(
        world.claim(&with(&code)),
        Claim::Pending {
            digits: digits.clone()
        }
    );
    assert_eq!(
        world.ask(&with(&code)).unwrap(),
        PairAnswer::Pending {
            digits: digits.clone()
        }
    );

    let joined = world.confirm(&pairing).unwrap();
    let again = world.confirm(&pairing).unwrap();
    assert_eq!((&again.device, again.phones.len()), (&joined.device, 2));
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
fn a_device_joins_with_its_key_and_one_phone_for_each_slot() {
    let world = World::new();
    let joined = world.joined(Purpose::Join(world.project.id), "install-0000-0001");
    let device = world.device(joined.device.id);
    assert_eq!((&*device.name, device.state), ("Desk", DeviceState::Active));
    assert_eq!(device.public_key, STANDARD.encode(ED25519));
    assert_eq!(
        (&*device.key_algorithm, &*device.install),
        ("ed25519", "install-0000-0001")
    );
    let phones = world.phones(device.id);
    let names: Vec<_> = phones.iter().map(|phone| phone.name.as_str()).collect();
    assert_eq!(names, ["Desk", "Desk (SIM 2)"]);
    assert_eq!(phones[0].country.as_deref(), Some("US"), "the SIM's own");
    assert_eq!(phones[1].country.as_deref(), Some("KE"), "the project's");
    assert_eq!(phones[0].mccmnc.as_deref(), Some("310260"));
    assert_eq!(
        (phones[0].android_sdk, phones[0].model.as_deref()),
        (Some(34), Some("M1"))
    );

    let id = world.project.id;
    let project = world.write(move |_, tx| projects::get(tx, id)).unwrap();
    assert_eq!(project.default_route_id, Some(phones[0].id.into()));
    let organization = world.project.organization_id;
    let lines = world.write(move |_, tx| audit::latest(tx, organization, 10));
    let actions: Vec<_> = lines.iter().map(|line| line.action.as_str()).collect();
    assert_eq!(actions[..2], ["device.pair", "pairing.open"]);

    world.joined(Purpose::Join(world.project.id), "install-0000-0002");
    let project = world.write(move |_, tx| projects::get(tx, id)).unwrap();
    assert_eq!(
        project.default_route_id,
        Some(phones[0].id.into()),
        "the first one stays"
    );
}

#[test]
fn a_code_is_one_phones_only() {
    let world = World::new();
    let (pairing, code) = world.join();
    assert!(matches!(world.claim(&with(&code)), Claim::Pending { .. }));
    let full = code.full();
    let others = [
        json!({"code": full, "install": "install-0000-0009"}),
        json!({"code": full, "public_key": STANDARD.encode([8; 32])}),
    ];
    for other in &others {
        assert_eq!(world.claim(&request(other.clone())), Claim::UsedUp);
    }
    world.confirm(&pairing).unwrap();
    for other in others {
        assert_eq!(world.claim(&request(other)), Claim::UsedUp);
    }
    assert!(matches!(world.claim(&with(&code)), Claim::Confirmed(_)));
}

#[test]
fn phone_and_hub_come_to_the_same_digits_and_repeats_get_the_same_answers() {
    let world = World::new();
    let (pairing, code) = world.join();
    let opening = with(&code);
    let Step::Open(open) = &opening.step else {
        panic!("not an opening");
    };
    let side = PhoneSide::new(&open.joiner(&opening.code), open.number, sha256);
    let first = world.send(&commit_of(&opening));
    let Claim::Committed { number } = first else {
        panic!("the code is good: {first:?}");
    };
    assert_eq!(world.send(&commit_of(&opening)), first);
    assert_eq!(world.pairing(&pairing).public_key, None);
    assert_eq!(
        world.confirm(&pairing).unwrap_err(),
        ConfirmRefused::NotClaimed
    );
    let told = side.told(&open.joiner(&opening.code), &number, sha256);
    let pending = Claim::Pending {
        digits: told.digits,
    };
    for _ in 0..2 {
        assert_eq!(world.send(&opening), pending);
        assert_eq!(world.send(&commit_of(&opening)), first);
    }
}

#[test]
fn two_codes_have_two_numbers_of_the_hub() {
    let world = World::new();
    let told = [(); 2].map(|()| world.send(&commit_of(&with(&world.join().1))));
    assert_ne!(told[0], told[1]);
}

#[test]
fn a_second_commitment_for_a_code_is_refused_and_costs_the_first_one_nothing() {
    let world = World::new();
    let (pairing, code) = world.join();
    let opening = with(&code);
    let other = request(json!({"code": code.full(), "number": STANDARD.encode([6; 32])}));
    world.send(&commit_of(&opening));
    assert_eq!(world.send(&commit_of(&other)), Claim::UsedUp);
    let refused = world.ask_once(&commit_of(&other)).unwrap_err();
    assert_eq!(refused.code().as_str(), "pairing_refused");
    assert!(matches!(world.send(&opening), Claim::Pending { .. }));
    assert_eq!(world.send(&commit_of(&other)), Claim::UsedUp);
    assert_eq!(world.send(&other), Claim::UsedUp);
    assert!(world.confirm(&pairing).is_ok());
}

#[test]
fn an_opening_that_does_not_fit_ends_the_code() {
    for wrong in [
        json!({"number": STANDARD.encode([6; 32])}),
        json!({"public_key": STANDARD.encode([8; 32])}),
        json!({"install": "install-0000-0009"}),
    ] {
        let world = World::new();
        let (pairing, code) = world.join();
        let opening = with(&code);
        let mut wrong = wrong;
        wrong["code"] = json!(code.full());
        assert!(matches!(
            world.send(&commit_of(&opening)),
            Claim::Committed { .. }
        ));
        assert_eq!(world.send(&request(wrong)), Claim::UsedUp);
        assert_eq!(world.pairing(&pairing).state, PairingState::Ended);
        assert_eq!(world.claim(&opening), Claim::UsedUp);
        assert_eq!(world.confirm(&pairing).unwrap_err(), ConfirmRefused::Ended);
    }
}

#[test]
fn an_opening_without_a_commitment_is_refused() {
    let world = World::new();
    let (_, code) = world.join();
    assert_eq!(world.send(&with(&code)), Claim::UsedUp);
    assert!(matches!(world.claim(&with(&code)), Claim::Pending { .. }));
}

#[test]
fn a_phone_of_the_older_form_is_told_to_be_updated() {
    let older = body(json!({"number": null, "hub_url": null}));
    let refused = PairRequest::read(&older).unwrap_err();
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
fn five_wrong_tries_end_a_code() {
    let world = World::new();
    let (pairing, code) = world.join();
    let wrong = request(json!({"code": format!("{}-0000-0000", code.name)}));
    for tries in 1..WRONG_TRIES_MAX {
        assert_eq!(world.claim(&wrong), Claim::Wrong);
        assert_eq!(world.pairing(&pairing).wrong_tries, tries);
    }
    let (_, spare) = world.join();
    assert_eq!(world.claim(&wrong), Claim::Wrong);
    assert_eq!(world.pairing(&pairing).state, PairingState::Ended);
    assert_eq!(world.claim(&with(&code)), Claim::UsedUp);
    assert_eq!(world.confirm(&pairing).unwrap_err(), ConfirmRefused::Ended);
    assert!(
        matches!(world.claim(&with(&spare)), Claim::Pending { .. }),
        "others go on"
    );
}

#[test]
fn wrong_tries_do_not_end_a_code_that_a_phone_has_used() {
    let world = World::new();
    let (pairing, code) = world.join();
    world.claim(&with(&code));
    let wrong = request(json!({"code": format!("{}-0000-0000", code.name)}));
    for _ in 0..=WRONG_TRIES_MAX {
        assert_eq!(world.claim(&wrong), Claim::Wrong);
    }
    assert!(world.confirm(&pairing).is_ok());
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
fn a_code_runs_out_for_phone_and_operator() {
    let mut world = World::new();
    let (unused, late) = world.join();
    let (claimed, in_time) = world.join();
    world.claim(&with(&in_time));
    let (confirmed, told) = world.join();
    world.claim(&request(
        json!({"code": told.typed(), "install": "install-0000-0003"}),
    ));
    world.confirm(&confirmed).unwrap();

    world.pass(CODE_LIFE_MS);
    assert_eq!(world.claim(&with(&late)), Claim::Expired);
    assert_eq!(world.claim(&with(&in_time)), Claim::Expired);
    assert_eq!(
        world.confirm(&claimed).unwrap_err(),
        ConfirmRefused::Expired
    );
    assert_eq!(
        world.confirm(&unused).unwrap_err(),
        ConfirmRefused::NotClaimed
    );
    let repeat = request(json!({"code": told.typed(), "install": "install-0000-0003"}));
    assert!(
        matches!(world.claim(&repeat), Claim::Confirmed(_)),
        "a lost answer is given again"
    );

    world.pass(KEPT_MS);
    world.join();
    assert_eq!(
        world.claim(&with(&late)),
        Claim::Wrong,
        "nothing is known of it any more"
    );
}

#[test]
fn a_refused_pairing_stays_refused() {
    let world = World::new();
    let (pairing, code) = world.join();
    world.claim(&with(&code));
    let id = pairing.id;
    assert!(world.write(move |_, tx| refuse(tx, id)));
    assert!(!world.write(move |_, tx| refuse(tx, id)));
    assert_eq!(world.claim(&with(&code)), Claim::UsedUp);
    assert_eq!(world.confirm(&pairing).unwrap_err(), ConfirmRefused::Ended);
    assert!(world.write(|_, tx| devices::all(tx)).is_empty());
}

#[test]
fn a_replacement_keeps_the_phones_and_begins_its_counters_anew() {
    let world = World::new();
    let first = world.joined(Purpose::Join(world.project.id), "install-0000-0001");
    let id = first.device.id;
    world.write(move |_, tx| {
        let mut device = devices::get(tx, id)?.unwrap();
        (device.conn, device.down_sent, device.down_acked, device.up) = (9, 8, 7, 6);
        device.gen_seen = 1;
        device.state = DeviceState::NeedsPairing;
        devices::update(tx, &device)
    });
    let second = world.joined(Purpose::Replace(id), "install-0000-0002");
    assert_eq!(second.device.id, id);
    let ids = |joined: &Joined| joined.phones.iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(ids(&second), ids(&first));
    let device = world.device(id);
    assert_eq!(
        (&*device.install, device.state),
        ("install-0000-0002", DeviceState::Active)
    );
    let counters = (
        device.conn,
        device.gen_seen,
        device.down_sent,
        device.down_acked,
        device.up,
    );
    assert_eq!(counters, (0, 0, 0, 0, 0));
}

#[test]
fn the_same_installation_that_pairs_again_keeps_its_counters() {
    let world = World::new();
    let id = world
        .joined(Purpose::Join(world.project.id), "install-0000-0001")
        .device
        .id;
    world.write(move |_, tx| {
        let mut device = devices::get(tx, id)?.unwrap();
        (device.conn, device.down_sent, device.up) = (9, 8, 6);
        devices::update(tx, &device)
    });
    world.joined(Purpose::Replace(id), "install-0000-0001");
    let device = world.device(id);
    assert_eq!((device.conn, device.down_sent, device.up), (9, 8, 6));
}

#[test]
fn a_code_for_nothing_is_not_drawn() {
    let world = World::new();
    let (now, nobody) = (world.now, "DV0000000000000001".parse().unwrap());
    let opened =
        world.write(move |hub, tx| open::open(hub, tx, &Purpose::Replace(nobody), "", now));
    assert_eq!(opened.err(), Some(OpenRefused::NoSuchDevice));
}

#[test]
fn a_request_that_no_agent_sends_is_named() {
    let p256 =
        |bytes: &[u8]| json!({"key_algorithm": "p256", "public_key": STANDARD.encode(bytes)});
    let compressed = [2; 33];
    let mut point = [4; 65];
    assert!(PairRequest::read(&body(p256(&point))).is_ok());
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
        let error = PairRequest::read(&body(changes.clone())).unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_param", "{changes}");
        assert_eq!(error.param(), param, "{changes}");
    }
}

#[test]
fn a_number_that_is_none_keeps_no_phone_from_joining() {
    let world = World::new();
    let (pairing, code) = world.join();
    let device = json!({"sims": [{"slot": 0, "number": "????"}]});
    world.claim(&request(json!({"code": code.full(), "device": device})));
    let joined = world.confirm(&pairing).unwrap();
    assert_eq!(joined.device.name, "Phone");
    assert_eq!(joined.phones[0].phone_number, None);
}
